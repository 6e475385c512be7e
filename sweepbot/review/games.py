"""Positions in order -> the games that they are of, each opening of them graded, and what that adds up to. Pure."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import pairwise
from operator import mul
from typing import NamedTuple

import numpy as np

from sweepbot.board import Board, Phase, State
from sweepbot.review.grading import Grade, Graded, grade_openings
from sweepbot.review.openings import goes_on
from sweepbot.solver import Solver
from sweepbot.solver.frontier import neighbour_table
from sweepbot.solver.measures import Measures, measure, openings_of, shown_mines

_NO_RISK = (Grade.FIRST, Grade.FOUND, Grade.UNCLEAR)


class Position(NamedTuple):
    """What was seen.

    Attributes:
        board: The position.
        clicks: How many clicks had been made by then; None where nobody counted them.
        at_s: When it was seen, in seconds from some moment on.
    """

    board: Board
    clicks: int | None = None
    at_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Efficiency:
    """Clicks against what the board asks.

    Attributes:
        clicks: As they were counted; else one for each opening, each chord and each mark, as positions tell: a click
            that changes nothing is not seen then, and the marks that a client sets at the end are not counted.
        solved: How much of the 3BV was opened: all of it in a game that was won.
        of_board: What the board asks.
    """

    clicks: int
    solved: int
    of_board: Measures

    @property
    def index(self) -> float | None:
        """3BV a click (IOE); None of no click."""
        return self.solved / self.clicks if self.clicks else None


@dataclass(frozen=True, slots=True, eq=False)
class GameReview:
    """A game, graded.

    Attributes:
        result: `won`, `lost`, or `unfinished` where its end was not seen.
        last: The last position that was seen of it.
        openings: What was opened, in order.
        clicks: See `Efficiency`.
        seconds: From the first position that differs from the one before it to the last.
        efficiency: None where it is not known where all the mines are.
    """

    result: str
    last: Board
    openings: Sequence[Graded]
    clicks: int
    seconds: float
    efficiency: Efficiency | None

    @property
    def mistakes(self) -> list[Graded]:
        """The openings that could have been known to be worse than another."""
        return [graded for graded in self.openings if graded.grade.is_mistake]

    def count(self, grade: Grade) -> int:
        """How many openings have a grade."""
        return sum(graded.grade is grade for graded in self.openings)

    @property
    def survival(self) -> float:
        """The chance, as seen before each opening, that none of them was a mine: the skill and the risk of the game."""
        return _product(1 - (graded.mine_probability or 0.0) for graded in self._risks)

    @property
    def best_survival(self) -> float:
        """The same, had each of these guesses been the solver's: nothing where something was certain."""
        return _product(1 - _needed(graded) for graded in self._risks)

    @property
    def luck(self) -> float:
        """What came of the risks, 1 for survived and 0 for not, less the chance of that: 0 on average."""
        return (not any(graded.exploded for graded in self._risks)) - self.survival

    @property
    def needless_risk(self) -> float:
        """The chances of a mine that were taken and need not have been, added up."""
        return sum(max(0.0, (graded.mine_probability or 0.0) - _needed(graded)) for graded in self._risks)

    @property
    def guesses(self) -> int:
        """How many openings were not certain, the first of a game not counted."""
        return sum(bool(graded.mine_probability) for graded in self._risks)

    @property
    def risk(self) -> float:
        """The chances of a mine, as seen before each opening, added up."""
        return sum(graded.mine_probability or 0.0 for graded in self._risks)

    @property
    def _risks(self) -> list[Graded]:
        return [graded for graded in self.openings if graded.grade not in _NO_RISK]


def review_games(positions: Iterable[Position]) -> list[GameReview]:
    """Grade every opening of the games that some positions are of.

    Args:
        positions: What was seen, in order; equal ones may follow each other.

    Returns:
        The games in which something was opened, in order.
    """
    solver = Solver()
    reviews = [_review(game, solver) for game in _apart(positions)]
    return [review for review in reviews if review.openings]


def _apart(positions: Iterable[Position]) -> list[list[Position]]:
    """The positions of each game."""
    games: list[list[Position]] = []
    for position in positions:
        if games and goes_on(games[-1][-1].board, position.board):
            if games[-1][-1].board != position.board:
                games[-1].append(position)
        else:
            games.append([position])
    return games


def _review(positions: list[Position], solver: Solver) -> GameReview:
    seen = [position.board for position in positions]
    total = next((board.mines for board in reversed(seen) if board.mines is not None), None)
    boards = [Board(board.cells, total) for board in seen]  # the end of a game may have told it
    openings: list[Graded] = []
    marks = chords = 0
    for before, after in pairwise(boards):
        graded, changed = grade_openings(before, after, solver)
        openings += graded
        marks += changed.marks
        chords += changed.chords
    phase = boards[-1].phase()
    result = phase.value if phase in (Phase.WON, Phase.LOST) else "unfinished"
    first, last = positions[0].clicks, positions[-1].clicks
    told = sum(graded.cell is not None for graded in openings) - chords + marks
    clicks = told if first is None or last is None else last - first
    seconds = positions[-1].at_s - positions[min(1, len(positions) - 1)].at_s
    return GameReview(result, boards[-1], openings, clicks, seconds, _efficiency(boards[-1], clicks))


def _efficiency(last: Board, clicks: int) -> Efficiency | None:
    """Clicks against what the board asks, where its last position shows all mines."""
    mine = shown_mines(last)
    if mine is None:
        return None
    opening, count = openings_of(mine.reshape(-1), neighbour_table(*mine.shape))
    is_open = (last.cells < State.HIDDEN).reshape(-1)
    alone = int(np.count_nonzero((opening == 0) & is_open))
    floods = sum(bool(is_open[opening == number].any()) for number in range(1, count + 1))
    return Efficiency(clicks, alone + floods, measure(mine))


def _needed(graded: Graded) -> float:
    """The chance of a mine that had to be taken there: none where something was certain, else the solver's guess's."""
    best = None if graded.decision is None else graded.decision.best
    if graded.grade is Grade.MISSED or best is None:
        return 0.0
    return best.mine_probability if graded.grade in (Grade.WORSE, Grade.MINE) else (graded.mine_probability or 0.0)


def _product(factors: Iterable[float]) -> float:
    return reduce(mul, factors, 1.0)
