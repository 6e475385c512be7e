"""Grades what a person has opened: (a position, the next one) -> graded openings. Pure: no screen, no clock.

A look may show several openings at once, and not in which order they were made. They are taken in the order that is
best for the person: what is certain first, and what that makes certain in turn, then guesses in every order; so a guess
is only called one, and something only called missed, where that is so in whatever order they were made.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import Enum

from sweepbot.board import Board, Phase, State
from sweepbot.errors import ImpossibleBoardError
from sweepbot.geometry import Cell
from sweepbot.review.openings import Changes, Opening, changes, opened_by
from sweepbot.solver import Decision, Solver
from sweepbot.solver.explain import Candidate, Proof, prove, rank, weigh
from sweepbot.solver.lookahead import ROUNDING

_WORK = 60
"""Sets of numbers that are tried for each proof: some milliseconds. Nearly all proofs are of one or two numbers."""

_PROVED = 12
"""Missed cells that are proved, in reading order, so that the one with the shortest proof is named."""

_ALL_ORDERS = 4
"""Openings in one look that are tried in every order; a hand makes one or two while the picture comes to rest."""

_WEIGHED = 8
"""Of a flood the cells, as safe as each other, that are weighed: the person may have opened the best of them."""

_ALIKE = 0.015
"""Of a value, as a share of it: guesses closer than that are as good as equal, as measured on 10,029 of them."""

_SAME_WINS = 0.001
"""Of a chance to win: a tenth of a point is nothing that a person could have seen."""


class Grade(Enum):
    """How good an opening was."""

    FIRST = "first"
    """The first click of a game: nothing is known before it."""
    FOUND = "found"
    """Certainly safe, and found."""
    FORCED = "forced guess"
    """Nothing was certain, and no other guess was much better."""
    WORSE = "worse guess"
    """Nothing was certain, but another guess was better."""
    MISSED = "missed"
    """A guess while something was certainly safe."""
    MINE = "certain mine"
    """A cell that was certainly a mine."""
    UNCLEAR = "unclear"
    """It cannot be told: cells were unreadable or contradict each other, or the mine that was hit is not shown."""

    @property
    def is_mistake(self) -> bool:
        """Whether better could have been known."""
        return self in (Grade.WORSE, Grade.MISSED, Grade.MINE)


@dataclass(frozen=True, slots=True)
class Loss:
    """What a guess has given away.

    Attributes:
        points: How much: a difference of two chances, from 0 to 1.
        of: Of what: `win` is the chance to win the game with best play; `value` about the chance that the cell and the
            best one after it are both safe; `safety` the chance that the cell is safe.
    """

    points: float
    of: str


@dataclass(frozen=True, slots=True, eq=False)
class Graded:
    """An opening, graded.

    Attributes:
        grade: How good it was.
        before: The position in which it was made.
        opening: What was opened.
        cell: The cell that was opened, of a flood the safest that it may have been; None where it cannot be told.
        mine_probability: The chance that it was a mine; None where that is not known.
        decision: What the solver says of the position; None where nothing can be said, and for the first click.
        better: The cell that should have been opened: safe, or the better guess; None where there was no mistake.
        proof: Why `better` was safe, or of a certain mine why `cell` was one; None where nothing short proves it.
        loss: What was given away; None where nothing was.
    """

    grade: Grade
    before: Board
    opening: Opening
    cell: Cell | None
    mine_probability: float | None = None
    decision: Decision | None = None
    better: Cell | None = None
    proof: Proof | None = None
    loss: Loss | None = None

    @property
    def exploded(self) -> bool:
        """Whether it was a mine."""
        return self.opening.is_mine


def grade_openings(before: Board, after: Board, solver: Solver) -> tuple[list[Graded], Changes]:
    """Grade what was opened between two looks at the same game.

    Args:
        before: The position.
        after: The next one of the same game that was seen.
        solver: What decides positions.

    Returns:
        The openings in the order in which they were graded, and what else differs.
    """
    seen = changes(before, after)
    graded = [_proved(of) for of in _graded(before, after, seen.openings, solver)]
    if seen.hidden_loss:
        graded.append(Graded(Grade.UNCLEAR, before, Opening((), (), is_mine=True), None))
    return graded, seen


def _graded(position: Board, after: Board, left: Sequence[Opening], solver: Solver) -> list[Graded]:
    """Grade openings in the order that is best for the person."""
    if not left:
        return []
    if position.phase() is Phase.FRESH:
        firsts = [Graded(Grade.FIRST, position, opening, opening.starts[0]) for opening in left]
        return _best_of(firsts, lambda graded: -len(graded.opening.opened), after, left, solver)
    try:
        decision = solver.decide(position)
    except ImpossibleBoardError:
        return [Graded(Grade.UNCLEAR, position, opening, opening.starts[0]) for opening in left]
    found: list[Graded] = []
    for opening in left:
        cell = _start(opening, decision)
        if cell in decision.safe and not opening.is_mine:
            found.append(Graded(Grade.FOUND, position, opening, cell, 0.0, decision))
            position = opened_by(position, after, opening)
    if found:
        opened = [graded.opening for graded in found]
        return found + _graded(position, after, [opening for opening in left if opening not in opened], solver)
    guesses = [_graded_guess(position, opening, _start(opening, decision), decision) for opening in left]
    graded = _best_of(guesses, lambda graded: graded.mine_probability or 0.0, after, left, solver)
    # Numbers that a flood has reached may have been opened before it, one by one: safe ones, or the best guess.
    well_opened = decision.safe or ((decision.best.cell,) if decision.best else ())
    reached = tuple(cell for cell in well_opened if any(cell in of.opened and not of.is_mine for of in left))
    if not reached or not _blame(graded)[0]:
        return graded
    earlier = opened_by(position, after, Opening(reached, reached))
    return min(graded, _graded(earlier, after, left, solver), key=_blame)


def _best_of(
    firsts: list[Graded],
    order: Callable[[Graded], float],
    after: Board,
    left: Sequence[Opening],
    solver: Solver,
) -> list[Graded]:
    """All of some openings, graded: of the ways to begin the one that leads to the fewest and least mistakes.

    Args:
        firsts: Each of them, graded as the first.
        order: What is tried first; where there are too many for all orders nothing else is.
        after: The position after them all.
        left: The openings.
        solver: What decides.
    """
    begins = sorted((graded for graded in firsts if not graded.exploded), key=order) or firsts  # a mine ends the game
    best: list[Graded] | None = None
    for begin in begins if len(left) <= _ALL_ORDERS else begins[:1]:
        others = [opening for opening in left if opening is not begin.opening]
        rest = _graded(opened_by(begin.before, after, begin.opening), after, others, solver)
        if best is None or _blame([begin, *rest]) < _blame(best):
            best = [begin, *rest]
        if _blame(best)[0] == 0:
            break
    return best or []


def _blame(graded: Sequence[Graded]) -> tuple[int, float]:
    """How many mistakes there are, and what they gave away."""
    return sum(of.grade.is_mistake for of in graded), sum(of.loss.points for of in graded if of.loss is not None)


def _start(opening: Opening, decision: Decision) -> Cell:
    """The cell that was opened, of a flood the safest that it may have been."""
    return min(opening.starts, key=lambda cell: (_risk(cell, decision), cell))


def _risk(cell: Cell, decision: Decision) -> float:
    """The chance of a mine, 1 where it is not known."""
    chance = float(decision.mine_probability[cell])
    return chance if chance == chance else 1.0  # noqa: PLR0124  (NaN is not equal to itself)


def _graded_guess(position: Board, opening: Opening, cell: Cell, decision: Decision) -> Graded:
    """Grade an opening that was not certainly safe."""
    chance = float(decision.mine_probability[cell])
    if position[cell] == State.UNKNOWN or chance != chance:  # noqa: PLR0124  (as above)
        return Graded(Grade.UNCLEAR, position, opening, cell, None, decision)
    best = decision.best
    if best is not None and best.cell in opening.starts and not opening.is_mine:
        return Graded(Grade.FORCED, position, opening, best.cell, best.mine_probability, decision)
    if cell in decision.mines:
        better = None if best is None else best.cell
        return Graded(Grade.MINE, position, opening, cell, 1.0, decision, better, None, Loss(1.0, "safety"))
    if decision.safe:
        missed = decision.safe[0]
        return Graded(Grade.MISSED, position, opening, cell, chance, decision, missed, None, Loss(chance, "safety"))
    if best is None or best.cell == cell:
        return Graded(Grade.FORCED, position, opening, cell, chance, decision)
    alike = [start for start in opening.starts if _risk(start, decision) <= chance + ROUNDING][:_WEIGHED]
    *candidates, offered = weigh(position, [*alike, best.cell]) or (None, None)
    taken = max((candidate for candidate in candidates if candidate is not None), key=rank, default=None)
    cell = cell if taken is None else taken.cell
    loss = _loss(chance, best.mine_probability, taken, offered)
    grade, better = (Grade.FORCED, None) if loss is None else (Grade.WORSE, best.cell)
    return Graded(grade, position, opening, cell, chance, decision, better, None, loss)


def _proved(graded: Graded) -> Graded:
    """The same with what proves a mistake: left until it is known which order of openings is the best."""
    if graded.grade is Grade.MINE and graded.cell is not None:
        return replace(graded, proof=prove(graded.before, graded.cell, _WORK))
    if graded.grade is Grade.MISSED and graded.decision is not None:
        # Of the safe cells the one that is easiest to see.
        proofs = [(it, prove(graded.before, it, _WORK)) for it in graded.decision.safe[:_PROVED]]
        better, proof = min(proofs, key=lambda of: len(of[1].numbers) + of[1].uses_total if of[1] else math.inf)
        return replace(graded, better=better, proof=proof)
    return graded


def _loss(chance: float, best: float, taken: Candidate | None, offered: Candidate | None) -> Loss | None:
    """What a guess gives away against the one that the solver takes; None where that is as good as nothing."""
    if taken is None or offered is None:
        return Loss(chance - best, "safety") if chance - best > _ALIKE else None
    if taken.win_probability is not None and offered.win_probability is not None:
        points = offered.win_probability - taken.win_probability
        return Loss(points, "win") if points > _SAME_WINS else None
    points = offered.value - taken.value
    return Loss(points, "value") if points > _ALIKE * offered.value else None
