"""The start of a game that has found no opening yet: the next corner.

As long as no 0 is open, little can be reasoned from, and what a cell is worth hangs on whether it opens the board. A
corner has three neighbours only, so it shows a 0 most often of all cells that are equally safe. Two openings do not see
as much: they take an opening for a position with some certain cells, and like as well a cell at the border two steps
from a number.
"""

import numpy as np
from numpy.typing import NDArray

from sweepbot.solver.frontier import HIDDEN
from sweepbot.solver.lookahead import ROUNDING

_NEIGHBOURS = 3
"""Of a corner, on boards of two rows and columns or more."""


def next_corner(cells: NDArray[np.uint8], around: NDArray[np.int32], chances: NDArray[np.float64]) -> int:
    """The first hidden corner in reading order that no number is beside and no other cell is safer than; -1 for none.

    Args:
        cells: The flat cells of a position without safe cells.
        around: The `neighbour_table` of its size.
        chances: The chance of a mine in each flat cell, NaN where open.

    Returns:
        A flat cell; always -1 once a 0 is open.
    """
    if (cells == 0).any():
        return -1
    lowest = np.nanmin(chances)
    for corner in np.flatnonzero(around[:, 8] == _NEIGHBOURS).tolist():
        beside = around[corner, :_NEIGHBOURS]
        if cells[corner] == HIDDEN and (cells[beside] >= HIDDEN).all() and chances[corner] <= lowest + ROUNDING:
            return int(corner)
    return -1
