"""Cut boards into cells, and soften cells. All arrays of cells have shape (cells, height, width, 3)."""

import cv2
import numpy as np
from numpy.typing import NDArray

from sweepbot.board import around
from sweepbot.geometry import Image
from sweepbot.vision.grid import Grid

MARGIN = 1
"""Pixels around a rectified board, so that cells can be cut out a pixel beside their place."""


def rectified(image: Image, grid: Grid, cell: tuple[int, int], rows: NDArray[np.intp] | slice = slice(None)) -> Image:
    """Cut out a board, or some rows of it, with `MARGIN` pixels around it and cells of `cell` = (width, height)."""
    return grid.rectify(image, cell, MARGIN, rows)


def inside(board: Image) -> Image:
    """Return a rectified board without its margin."""
    return board[MARGIN:-MARGIN, MARGIN:-MARGIN]


def cut(board: Image, size: tuple[int, int], which: NDArray[np.intp], shift: tuple[int, int] = (0, 0)) -> Image:
    """Take cells out of a rectified board.

    Args:
        board: The board with its margin.
        size: Its rows and columns.
        which: Which cells, numbered in reading order.
        shift: Pixels to the right and down from their place, at most `MARGIN`.
    """
    rows, columns = size
    height, width = (board.shape[0] - 2 * MARGIN) // rows, (board.shape[1] - 2 * MARGIN) // columns
    left, top = MARGIN + shift[0], MARGIN + shift[1]
    inner = board[top : top + rows * height, left : left + columns * width]
    tiles = inner.reshape(rows, height, columns, width, 3)
    return tiles[which // columns, :, which % columns]


def changed(board: Image, earlier: Image, size: tuple[int, int]) -> NDArray[np.intp]:
    """Return which cells of a rectified board differ from an earlier picture, or have a neighbour that does.

    Args:
        board: The board with its margin.
        earlier: The earlier board, of the same shape.
        size: Its rows and columns.
    """
    rows, columns = size
    differs = inside(board) != inside(earlier)
    # Row by row at first: over two axes at once it takes ten times as long.
    cells = differs.reshape(rows, differs.shape[0] // rows, -1).any(axis=1).reshape(rows, columns, -1).any(axis=2)
    return np.flatnonzero(cells | (around(cells) > 0))


def softened(cells: Image) -> Image:
    """Blur each cell a little, on its own.

    Interpolation, anti-aliasing, dithering and compression all move brightness by about a pixel; blurring makes a cell
    that went through them similar to a template that did not.
    """
    count, height, width = cells.shape[:3]
    if not count:
        return cells
    stacked = cv2.copyMakeBorder(cells.reshape(count * height, width, 3), 0, 0, 1, 1, cv2.BORDER_REPLICATE)
    sideways = cv2.filter2D(stacked, -1, np.array([[1, 2, 1]], np.float32) / 4)[:, 1:-1].reshape(cells.shape)
    wide = sideways.transpose(1, 0, 2, 3).reshape(height, count * width, 3)
    padded = cv2.copyMakeBorder(wide, 1, 1, 0, 0, cv2.BORDER_REPLICATE)
    both = cv2.filter2D(padded, -1, np.array([[1], [2], [1]], np.float32) / 4)[1:-1]
    return np.ascontiguousarray(both.reshape(height, count, width, 3).transpose(1, 0, 2, 3), dtype=np.uint8)


def reduced(cells: Image, side: int) -> NDArray[np.float32]:
    """Reduce each cell to the means of `side` x `side` fields, flat: float32 of shape (cells, side * side * 3)."""
    count, height, width = cells.shape[:3]
    small = cv2.resize(cells.reshape(count * height, width, 3), (side, count * side), interpolation=cv2.INTER_AREA)
    return small.reshape(count, -1).astype(np.float32)


def grey(picture: Image) -> NDArray[np.float32]:
    """Return the mean of the three channels: float32 of shape (height, width)."""
    return np.asarray(cv2.transform(picture.astype(np.float32), np.full((1, 3), 1 / 3, np.float32)), dtype=np.float32)
