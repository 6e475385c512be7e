"""Detect rows of a board that move apart, or together, as its cells open."""

import numpy as np
from numpy.typing import NDArray

from sweepbot.calibrate.seeing.untouched_boards import cells_of
from sweepbot.geometry import Cell, Image, Point
from sweepbot.vision.grid import Grid

_SAME_CELL_LEVELS = 2  # by which the pixels of a cell may differ after a move by whole pixels
_FEWEST_MOVED_CELLS = 3  # of a row: one may look by chance like another


def gap_opened(before: Image, now: Image, place: Grid) -> int:
    """Return the pixels by which some rows of a board have moved down while others stayed; 0 if none have.

    Args:
        before: An earlier picture, uint8 array of shape (height, width, 3).
        now: A later one of the same region.
        place: The board in the earlier picture.
    """
    # For a quick check, a board with cells one pixel wide.
    middles = [place.centre(Cell(0, column)).x for column in range(place.columns)]
    glance, was = now[:, middles], before[:, middles]
    narrow = Grid(tuple(map(float, range(place.columns + 1))), place.ys)
    stayed = _same(cells_of(was, narrow), cells_of(glance, narrow))
    if (stayed.sum(axis=1) > place.columns - _FEWEST_MOVED_CELLS).all():
        return 0
    for distance in range(1, int(place.pitch[1] / 2) + 1):
        for down in (distance, -distance):
            if _has_gap(was, glance, narrow, down) and _has_gap(before, now, place, down):
                return down
    return 0


def _has_gap(before: Image, now: Image, place: Grid, down: int) -> bool:
    """Whether some cells of a board have moved down by `down` pixels, and others have not."""
    cells, below = cells_of(before, place), place.moved(Point(0, down))
    stayed = _same(cells, cells_of(now, place))
    tells = ~_same(
        cells, cells_of(before, below)
    )  # a cell that looks the same in both places may or may not have moved
    moved = _same(cells, cells_of(now, below)) & ~stayed & tells
    return bool((stayed & tells).any() and (moved.sum(axis=1) >= _FEWEST_MOVED_CELLS).any())


def _same(cells: Image, others: Image) -> NDArray[np.bool_]:
    """Return which cells of two boards are the same, of shape (rows, columns)."""
    differences = np.abs(cells.astype(np.int16) - others)
    same: NDArray[np.bool_] = differences.max(axis=(2, 3, 4)) <= _SAME_CELL_LEVELS
    return same
