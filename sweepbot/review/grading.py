"""Grades what a person has opened between two positions. Pure: no screen, no clock.

A position may show several new openings at once, but not their order. They are taken in the order that is best for the
person: certain ones first, then what they make certain in turn, then guesses in every order. So something is only
called a guess, or missed, if it was in any order.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import Enum

from sweepbot.board import Board, Phase, State
from sweepbot.errors import ImpossibleBoardError
from sweepbot.geometry import Cell
from sweepbot.review.openings import Changes, Opening, after_opening, changes
from sweepbot.solver import Decision, Solver
from sweepbot.solver.explain import Candidate, Proof, prove, rank, weigh
from sweepbot.solver.lookahead import ROUNDING

_WORK = 60
"""Sets of numbers tried for each proof: some milliseconds. Nearly all proofs need one or two numbers."""

_PROOFS = 12
"""How many missed cells are proved, in reading order, to name the one with the shortest proof."""

_ALL_ORDERS = 4
"""Up to this many openings at once are tried in every order; a person makes one or two until the picture rests."""

_WEIGHED = 8
"""How many equally safe cells of a flood are weighed: the person may have opened the best of them."""

_ALIKE_SHARE = 0.015
"""Guesses whose values differ by less than this share are as good as equal, as measured on 10,029 of them."""

_SAME_WINS = 0.001
"""Chances to win that differ by less count as equal: no person can see a tenth of a percentage point."""


class Grade(Enum):
    """How good an opening was."""

    FIRST = "first"
    """The first click of a game, when nothing is known."""
    FOUND = "found"
    """A cell that was certainly safe."""
    FORCED = "forced guess"
    """Nothing was safe, and no other guess was much better."""
    WORSE = "worse guess"
    """Nothing was safe, but another guess was better."""
    MISSED = "missed"
    """A guess while something was certainly safe."""
    MINE = "certain mine"
    """A cell that was certainly a mine."""
    UNCLEAR = "unclear"
    """Unknown: cells were unreadable or contradict each other, or the mine that was hit is not shown."""

    @property
    def is_mistake(self) -> bool:
        """Whether the person could have known better."""
        return self in (Grade.WORSE, Grade.MISSED, Grade.MINE)


@dataclass(frozen=True, slots=True)
class Loss:
    """What a guess has given away.

    Attributes:
        points: A difference of two chances, from 0 to 1.
        of: Which chance: `win`, to win the game with best play; `value`, roughly that both the cell and the best one
            after it are safe; `safety`, that the cell is safe.
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
        cell: The cell that was opened, in a flood the safest that it may have been; None if unknown.
        mine_probability: The chance that it was a mine; None if unknown.
        decision: The solver's decision on the position; None if it has none, and for the first click.
        better: The cell that should have been opened: a safe one, or the better guess; None if this was no mistake.
        proof: Why `better` was safe, or `cell` a mine; None if there is no short proof.
        loss: What was given away; None if nothing.
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
    """Grade what was opened between a position and the next one that was seen of the same game.

    Returns:
        The openings in the order in which they were graded, and all changes.
    """
    seen = changes(before, after)
    graded = [_with_proof(opening) for opening in _grade(before, after, seen.openings, solver)]
    if seen.hidden_loss:
        graded.append(Graded(Grade.UNCLEAR, before, Opening((), (), is_mine=True), None))
    return graded, seen


def _grade(position: Board, after: Board, left: Sequence[Opening], solver: Solver) -> list[Graded]:
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
            position = after_opening(position, after, opening)
    if found:
        opened = [graded.opening for graded in found]
        return found + _grade(position, after, [opening for opening in left if opening not in opened], solver)
    guesses = [_grade_guess(position, opening, _start(opening, decision), decision) for opening in left]
    graded = _best_of(guesses, lambda graded: graded.mine_probability or 0.0, after, left, solver)
    # Cells that a flood has reached may have been opened before it, one by one: safe ones, or the best guess.
    good = decision.safe or ((decision.best.cell,) if decision.best else ())
    reached = tuple(cell for cell in good if any(cell in it.opened and not it.is_mine for it in left))
    if not reached or not _blame(graded)[0]:
        return graded
    earlier = after_opening(position, after, Opening(reached, reached))
    return min(graded, _grade(earlier, after, left, solver), key=_blame)


def _best_of(
    firsts: list[Graded], order: Callable[[Graded], float], after: Board, left: Sequence[Opening], solver: Solver
) -> list[Graded]:
    """Grade the openings `left`, beginning with the one of `firsts` that leads to the fewest and smallest mistakes.

    They are tried in the order of a sort key; if there are too many for all orders, only the first is.
    """
    tried = sorted((graded for graded in firsts if not graded.exploded), key=order) or firsts  # a mine ends the game
    best: list[Graded] | None = None
    for first in tried if len(left) <= _ALL_ORDERS else tried[:1]:
        others = [opening for opening in left if opening is not first.opening]
        rest = _grade(after_opening(first.before, after, first.opening), after, others, solver)
        if best is None or _blame([first, *rest]) < _blame(best):
            best = [first, *rest]
        if _blame(best)[0] == 0:
            break
    return best or []


def _blame(graded: Sequence[Graded]) -> tuple[int, float]:
    """Return the number of mistakes, and the sum of what they gave away."""
    return sum(it.grade.is_mistake for it in graded), sum(it.loss.points for it in graded if it.loss is not None)


def _start(opening: Opening, decision: Decision) -> Cell:
    """Return the cell that was opened, in a flood the safest that it may have been."""
    return min(opening.starts, key=lambda cell: (_risk(cell, decision), cell))


def _risk(cell: Cell, decision: Decision) -> float:
    """Return the chance of a mine, 1 if it is not known."""
    chance = float(decision.mine_probability[cell])
    return chance if chance == chance else 1.0  # noqa: PLR0124  (NaN is not equal to itself)


def _grade_guess(position: Board, opening: Opening, cell: Cell, decision: Decision) -> Graded:
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


def _with_proof(graded: Graded) -> Graded:
    """Add the proof of a mistake; this is only done for the best order of openings."""
    if graded.grade is Grade.MINE and graded.cell is not None:
        return replace(graded, proof=prove(graded.before, graded.cell, _WORK))
    if graded.grade is Grade.MISSED and graded.decision is not None:
        # The safe cell that is easiest to see.
        proofs = [(it, prove(graded.before, it, _WORK)) for it in graded.decision.safe[:_PROOFS]]
        better, proof = min(proofs, key=lambda it: it[1].effort if it[1] else math.inf)
        return replace(graded, better=better, proof=proof)
    return graded


def _loss(chance: float, best: float, taken: Candidate | None, offered: Candidate | None) -> Loss | None:
    """Return what a guess gives away compared with the solver's; None if that is next to nothing."""
    if taken is None or offered is None:
        return Loss(chance - best, "safety") if chance - best > _ALIKE_SHARE else None
    if taken.win_probability is not None and offered.win_probability is not None:
        points = offered.win_probability - taken.win_probability
        return Loss(points, "win") if points > _SAME_WINS else None
    points = offered.value - taken.value
    return Loss(points, "value") if points > _ALIKE_SHARE * offered.value else None
