"""From a position and what was decided about it to hints, each with its proof. Knows no screen and no clock."""

from collections.abc import Callable
from dataclasses import dataclass

from sweepbot.geometry import Cell
from sweepbot.solver import Decision
from sweepbot.solver.efficiency import Efficient, most_efficient
from sweepbot.solver.explain import Proof, prove
from sweepbot.vision.reader import Reading

_WORK = 60
"""Sets of numbers that are tried for each proof: some milliseconds. Nearly all proofs are of one or two numbers."""

PROVING_S = 0.015
"""Seconds for proofs in live use: for the cell to open next, and for as many more as there is time."""


@dataclass(frozen=True, slots=True)
class Hint:
    """A cell that is certain.

    Attributes:
        cell: The cell.
        is_mine: Whether it is a mine; else it is safe.
        rule: The name of the rule that found it.
        proof: The numbers that prove it; None where it was not asked for, or is certain by more than numbers.
    """

    cell: Cell
    is_mine: bool
    rule: str
    proof: Proof | None


@dataclass(frozen=True, slots=True)
class Advice:
    """What may help a person in a position.

    Attributes:
        reading: What is seen.
        decision: What is certain, and the chances; None where the game is over.
        hints: The certain cells, safe ones first; only the one to open next where one hint was asked for.
        efficient: The certain click that leads to the end in the fewest; None where nothing is safe, one hint was asked
            for, or the solver is not compiled yet.
    """

    reading: Reading
    decision: Decision | None
    hints: tuple[Hint, ...]
    efficient: Efficient | None = None


def advice(
    reading: Reading,
    decision: Decision | None,
    *,
    one: bool = False,
    time_is_up: Callable[[], bool] = lambda: False,
) -> Advice:
    """What may help a person in a position.

    Args:
        reading: What is seen.
        decision: What was decided; None where the game is over.
        one: Whether to give only the next safe cell.
        time_is_up: Asked before each proof but the first; the others are left out then.
    """
    if decision is None:
        return Advice(reading, None, ())
    safe = [(cell, False) for cell in decision.safe]
    mines = [(cell, True) for cell in decision.mines]
    certain = safe[:1] if one else [*safe, *mines]
    hints: list[Hint] = []
    for cell, is_mine in certain:
        proof = None if hints and time_is_up() else prove(reading.board, cell, _WORK)
        hints.append(Hint(cell, is_mine, decision.rules[cell], proof))
    efficient = None if one else most_efficient(reading.board, decision, may_take_seconds=False)
    return Advice(reading, decision, tuple(hints), efficient)
