"""Splits positions into games, grades each opening, and sums up each game. Pure: no screen, no clock."""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from sweepbot.board import Board, Phase, State
from sweepbot.history import PastGame
from sweepbot.review.grading import Grade, Graded, grade_openings
from sweepbot.review.openings import is_same_game
from sweepbot.solver import Solver
from sweepbot.solver.flat_board import neighbour_table
from sweepbot.solver.measures import Measures, measure, openings_of, shown_mines

_NO_RISK = (Grade.FIRST, Grade.FOUND, Grade.UNCLEAR)


class Moment(NamedTuple):
    """A position that was seen.

    Attributes:
        board: The position.
        clicks: How many clicks had been made by then; None if they were not counted.
        at_s: When it was seen, in seconds from any origin.
    """

    board: Board
    clicks: int | None = None
    at_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Efficiency:
    """The clicks of a game compared with what its board needs.

    Attributes:
        clicks: As counted; otherwise one for each opening, chord and mark that the positions show, which leaves out
            clicks that changed nothing and the marks that a client sets at the end.
        solved: How much of the 3BV was opened: all of it if the game was won.
        of_board: The measures of the board.
    """

    clicks: int
    solved: int
    of_board: Measures

    @property
    def index(self) -> float | None:
        """The index of efficiency (IOE), 3BV per click; None without clicks."""
        return self.solved / self.clicks if self.clicks else None


@dataclass(frozen=True, slots=True, eq=False)
class GameReview:
    """A game, graded.

    Attributes:
        result: `won`, `lost`, or `unfinished` if its end was not seen.
        last: The last position seen.
        openings: What was opened, in order.
        clicks: See `Efficiency`.
        seconds: From the first change of the position to the last.
        efficiency: None if the mines are not all known.
    """

    result: str
    last: Board
    openings: Sequence[Graded]
    clicks: int
    seconds: float
    efficiency: Efficiency | None

    @property
    def mistakes(self) -> list[Graded]:
        """The openings that the person could have known to be worse than another."""
        return [graded for graded in self.openings if graded.grade.is_mistake]

    def count(self, grade: Grade) -> int:
        """Count the openings with a grade."""
        return sum(graded.grade is grade for graded in self.openings)

    @property
    def survival(self) -> float:
        """The chance to survive all openings, as it was before each of them."""
        return math.prod((1 - (graded.mine_probability or 0.0) for graded in self._risks), start=1.0)

    @property
    def best_survival(self) -> float:
        """The same if the solver had made each guess, and none where something was safe."""
        return math.prod((1 - _needed(graded) for graded in self._risks), start=1.0)

    @property
    def luck(self) -> float:
        """1 if the game was survived, else 0, minus the chance of that: 0 on average."""
        return (not any(graded.exploded for graded in self._risks)) - self.survival

    @property
    def needless_risk(self) -> float:
        """The sum of the chances of a mine that were taken needlessly."""
        return sum(max(0.0, (graded.mine_probability or 0.0) - _needed(graded)) for graded in self._risks)

    @property
    def guesses(self) -> int:
        """How many openings were not certain, not counting the first of the game."""
        return sum(bool(graded.mine_probability) for graded in self._risks)

    @property
    def risk(self) -> float:
        """The sum of the chances of a mine, as they were before each opening."""
        return sum(graded.mine_probability or 0.0 for graded in self._risks)

    @property
    def _risks(self) -> list[Graded]:
        return [graded for graded in self.openings if graded.grade not in _NO_RISK]


def review_games(positions: Iterable[Moment]) -> list[GameReview]:
    """Grade every opening of the games in a series of positions.

    Args:
        positions: What was seen, in order; equal ones may follow each other.

    Returns:
        The games in which something was opened, in order.
    """
    solver = Solver()
    reviews = [_review(game, solver) for game in _split_games(positions)]
    return [review for review in reviews if review.openings]


def played_by_person(games: Iterable[GameReview], client: str) -> Iterator[PastGame]:
    """Yield the history's entries for the games that were seen from the first click to the end."""
    for game in games:
        if game.result in ("won", "lost") and game.openings[0].grade is Grade.FIRST:
            yield PastGame(
                client=client,
                columns=game.last.columns,
                rows=game.last.rows,
                mines=game.last.mines,
                result=game.result,
                seconds=game.seconds,
                clicks=game.clicks,
                guesses=game.guesses,
                misreads=0,
                risk=game.risk,
                three_bv=game.efficiency.of_board.three_bv if game.efficiency and game.result == "won" else None,
                player="you",
            )


def _split_games(positions: Iterable[Moment]) -> list[list[Moment]]:
    """Split positions by game."""
    games: list[list[Moment]] = []
    for position in positions:
        if games and is_same_game(games[-1][-1].board, position.board):
            if games[-1][-1].board != position.board:
                games[-1].append(position)
        else:
            games.append([position])
    return games


def _review(positions: list[Moment], solver: Solver) -> GameReview:
    seen = [position.board for position in positions]
    total = next((board.mines for board in reversed(seen) if board.mines is not None), None)
    boards = [Board(board.cells, total) for board in seen]  # the total may only be known at the end
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
    inferred = sum(graded.cell is not None for graded in openings) - chords + marks
    clicks = inferred if first is None or last is None else last - first
    seconds = positions[-1].at_s - positions[min(1, len(positions) - 1)].at_s
    return GameReview(result, boards[-1], openings, clicks, seconds, _efficiency(boards[-1], clicks))


def _efficiency(last: Board, clicks: int) -> Efficiency | None:
    """Return the efficiency of a game; None if its last position does not show all mines."""
    mine = shown_mines(last)
    if mine is None:
        return None
    opening, count = openings_of(mine.reshape(-1), neighbour_table(*mine.shape))
    is_open = (last.cells < State.HIDDEN).reshape(-1)
    alone = int(np.count_nonzero((opening == 0) & is_open))
    floods = sum(bool(is_open[opening == number].any()) for number in range(1, count + 1))
    return Efficiency(clicks, alone + floods, measure(mine))


def _needed(graded: Graded) -> float:
    """Return the chance of a mine that had to be taken: none if something was safe, else that of the solver's guess."""
    best = None if graded.decision is None else graded.decision.best
    if graded.grade is Grade.MISSED or best is None:
        return 0.0
    return best.mine_probability if graded.grade in (Grade.WORSE, Grade.MINE) else (graded.mine_probability or 0.0)
