"""The ladder: rules tried from the cheapest up, starting over whenever one has found something."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from sweepbot.board import Board, cells_in
from sweepbot.geometry import Cell
from sweepbot.solver.deduction.knowledge import MINE, SAFE, UNDECIDED, Knowledge
from sweepbot.solver.deduction.linear import linear
from sweepbot.solver.deduction.plain import contradiction, mines_left, single_point, two_numbers
from sweepbot.solver.deduction.set_bounds import set_bounds
from sweepbot.solver.flat_board import UNKNOWN, cell_at, flat_index
from sweepbot.solver.frontier import Frontier


@dataclass(frozen=True, slots=True)
class Rule:
    """A rung of the ladder.

    Attributes:
        name: The reason it gives for a cell, in words.
        apply: Adds certain cells to what is known.
        needs_total: Whether it uses the total of mines; what it finds may be wrong for another total.
    """

    name: str
    apply: Callable[[Knowledge], None]
    needs_total: bool = False


SINGLE_POINT = Rule("single point", single_point)
TWO_NUMBERS = Rule("two numbers", two_numbers)
MINES_LEFT = Rule("mines left", mines_left, needs_total=True)
SET_BOUNDS = Rule("set bounds", set_bounds)
CONTRADICTION = Rule("contradiction", contradiction)
LINEAR = Rule("linear equations", linear)

LADDERS: dict[str, tuple[Rule, ...]] = {
    "single-point": (SINGLE_POINT, MINES_LEFT),
    "set-bounds": (SINGLE_POINT, MINES_LEFT, SET_BOUNDS),
    "contradiction": (SINGLE_POINT, MINES_LEFT, CONTRADICTION),
    "linear": (SINGLE_POINT, MINES_LEFT, LINEAR),
    "exact": (SINGLE_POINT, MINES_LEFT, TWO_NUMBERS),
}
"""The rules of each method. All have the first two, which count the mines around a number and on the whole board."""


@dataclass(frozen=True, slots=True)
class Deduction:
    """What a ladder found.

    Attributes:
        safe: The cells that are certainly safe, in reading order, except unreadable ones.
        mines: The cells that are certainly mines, in reading order.
        rules: The name of the rule that found each of these cells.
        knowledge: The same as arrays, for a method that goes on from here.
    """

    safe: tuple[Cell, ...]
    mines: tuple[Cell, ...]
    rules: dict[Cell, str]
    knowledge: Knowledge


def deduce(board: Board, frontier: Frontier, rules: Sequence[Rule], until: Cell | None = None) -> Deduction:
    """Apply `rules` until none of them finds anything more, or one has decided the cell `until`.

    Raises:
        ImpossibleBoardError: A rule met a contradiction. Not every impossible position leads to one.
    """
    knowledge = Knowledge(board, frontier, np.full(board.cells.size, UNDECIDED, dtype=np.int8))
    found_by: dict[int, str] = {}
    rung, wanted = 0, None if until is None else flat_index(board, until)
    while rung < len(rules) and wanted not in found_by:
        before = knowledge.mine.copy()
        rules[rung].apply(knowledge)
        new = np.flatnonzero(knowledge.mine != before).tolist()
        found_by |= dict.fromkeys(new, rules[rung].name)
        rung = 0 if new else rung + 1
    found = knowledge.mine.reshape(board.cells.shape)
    return Deduction(
        safe=tuple(cells_in((found == SAFE) & (board.cells != UNKNOWN))),
        mines=tuple(cells_in(found == MINE)),
        rules={cell_at(board, flat): name for flat, name in found_by.items()},
        knowledge=knowledge,
    )
