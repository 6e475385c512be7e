"""The cells of a board that other programs' windows hide."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sweepbot.geometry import Region
from sweepbot.vision.grid import Grid


def cells_under(covers: Sequence[Region], grid: Grid) -> NDArray[np.bool_]:
    """Return which cells of a board are covered, if only by a pixel: an array of shape (rows, columns)."""
    under = np.zeros((grid.rows, grid.columns), dtype=np.bool_)
    (left, right), (top, bottom) = ((np.array(lines[:-1]), np.array(lines[1:])) for lines in (grid.xs, grid.ys))
    for cover in covers:
        under |= np.outer((top < cover.bottom) & (bottom > cover.y), (left < cover.right) & (right > cover.x))
    return under
