"""Boards brought to one size: the picture in which templates and the network look at cells."""

import numpy as np
from numpy.typing import NDArray

from sweepbot.geometry import Image
from sweepbot.vision.grid import Grid

CELL_PX = 24
"""The side of a cell in the pictures in which cells are compared."""


def board_picture(image: Image, grid: Grid) -> Image:
    """Cut a board out of a picture: uint8 of shape (rows * CELL_PX, columns * CELL_PX, 3)."""
    return grid.rectify(image, (CELL_PX, CELL_PX))


def apart(picture: Image, side: int = CELL_PX) -> Image:
    """Take a board's picture apart into its cells, in reading order: uint8 of shape (cells, side, side, 3)."""
    rows, columns = picture.shape[0] // side, picture.shape[1] // side
    return picture.reshape(rows, side, columns, side, 3).swapaxes(1, 2).reshape(rows * columns, side, side, 3)


def together(cells: Image, columns: int) -> Image:
    """Put cells together to a board's picture; the other way round of `apart`."""
    _, height, width, _ = cells.shape
    return cells.reshape(-1, columns, height, width, 3).swapaxes(1, 2).reshape(-1, columns * width, 3)


def changed(picture: Image, earlier: Image) -> NDArray[np.bool_]:
    """Return which cells differ in two pictures of a board: bool of shape (rows, columns)."""
    rows, columns = picture.shape[0] // CELL_PX, picture.shape[1] // CELL_PX
    differs = picture != earlier
    # Row by row at first: over two axes at once it takes ten times as long.
    by_row = differs.reshape(rows, CELL_PX, -1).any(axis=1)
    return np.asarray(by_row.reshape(rows, columns, -1).any(axis=2))
