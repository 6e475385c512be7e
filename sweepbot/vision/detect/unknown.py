"""Boards that no calibration knows: what repeats itself as cells do, and may be learned."""

from numpy import uint8
from numpy.typing import NDArray

from sweepbot.vision.detect.locate import LARGEST_CELL, SMALLEST_CELL, in_range
from sweepbot.vision.grid import Grid
from sweepbot.vision.lattices.lattice import STRICTLY_PERIODIC, find_lattices
from sweepbot.vision.lattices.tiles import find_tilings

_FEWEST_CELLS = 6  # rows and columns of what is called a board


def unknown_board(image: NDArray[uint8]) -> str:
    """The largest thing in a picture that may be a board, in words; empty where there is none.

    Args:
        image: uint8 array of shape (height, width, 3), blue, green, red.
    """
    lattices = find_lattices(image, SMALLEST_CELL, LARGEST_CELL)
    grids = [Grid(lattice.xs, lattice.ys) for lattice in lattices if lattice.score >= STRICTLY_PERIODIC]
    grids = [grid for grid in (*(tiling.grid for tiling in find_tilings(image)), *grids) if _like_a_board(grid)]
    if not grids:
        return ""
    largest = max(grids, key=lambda grid: grid.rows * grid.columns)
    return f"a board of {largest.columns}x{largest.rows} cells of {largest.pitch[0]:.0f} px"


def _like_a_board(grid: Grid) -> bool:
    """Whether equal pieces in rows and columns are as many, as large and as square as cells of a board may be."""
    width, height = grid.pitch
    return min(grid.rows, grid.columns) >= _FEWEST_CELLS and abs(width - height) <= 1 and in_range(grid.pitch)
