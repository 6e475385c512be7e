"""The undecided part of a position, as a smaller position."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sweepbot.solver.compiled import kernel
from sweepbot.solver.frontier import HIDDEN, UNKNOWN, may_be_mine


class Puzzle(NamedTuple):
    """The undecided part of a position: certain mines are removed, and numbers reduced by them.

    Its cells are the undecided ones and the numbers beside them, in reading order. `around` has the form of a
    `neighbour_table` but only lists undecided cells.
    """

    cells: NDArray[np.uint8]
    around: NDArray[np.int32]
    mines: int
    place: NDArray[np.int32]
    """The flat cell of the board for each cell of the puzzle."""


@kernel
def reduce_position(
    cells: NDArray[np.uint8], around: NDArray[np.int32], mines: int, chances: NDArray[np.float64]
) -> Puzzle:
    """Return the puzzle that is left of a position without safe cells, given its chances."""
    name, place = np.full(cells.size, -1, np.int32), np.empty(cells.size, np.int32)
    count = 0
    for cell in range(cells.size):
        undecided = may_be_mine(cells[cell]) and chances[cell] < 1.0
        if cells[cell] < HIDDEN:
            for i in range(around[cell, 8]):
                other = around[cell, i]
                undecided = undecided or (may_be_mine(cells[other]) and chances[other] < 1.0)
        if undecided:
            name[cell] = count
            place[count] = cell
            count += 1
    states, beside = np.empty(count, np.uint8), np.empty((count, 9), np.int32)
    for i in range(count):
        beside[i, 8] = 0
        state = cells[place[i]]
        states[i] = HIDDEN if may_be_mine(state) and state != UNKNOWN else state
        for j in range(around[place[i], 8]):
            other = around[place[i], j]
            if chances[other] == 1.0:
                states[i] -= state < HIDDEN
            elif may_be_mine(cells[other]):
                beside[i, beside[i, 8]] = name[other]
                beside[i, 8] += 1
    certain = 0
    for cell in range(cells.size):
        certain += chances[cell] == 1.0
    return Puzzle(states, beside, mines - certain, place[:count])
