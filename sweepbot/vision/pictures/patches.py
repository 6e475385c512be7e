"""Cut boards into patches, the pictures of single cells. All arrays of patches have shape (cells, height, width, 3)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import cv2
import numpy as np
from numpy.typing import NDArray

from sweepbot.board import around
from sweepbot.geometry import Image
from sweepbot.vision.grid import Grid

MARGIN_PX = 1
"""Pixels around a board, so that patches can be cut out a pixel beside their place."""

SHIFTS_PX = tuple((x, y) for y in (-1, 0, 1) for x in (-1, 0, 1) if (x, y) != (0, 0))
"""To the places beside a patch's own, right and down."""

_RIM_PART = 8  # of a side, left out all around: lines and shadows of neighbours run there

Indices = NDArray[np.intp]
"""Numbers of cells, in reading order."""


@dataclass(frozen=True, slots=True, eq=False)
class Patches:
    """The cells of a board, or of some of its rows, brought to one size.

    Attributes:
        board: The cells side by side, with `MARGIN_PX` pixels around them: uint8 of shape (height, width, 3).
        rows: The number of rows.
        columns: The number of columns.
    """

    board: Image
    rows: int
    columns: int

    @classmethod
    def of(cls, image: Image, grid: Grid, cell: tuple[int, int], rows: Sequence[int] | None = None) -> Self:
        """Cut a board out of a picture, with cells of `cell` = (width, height); all rows by default."""
        board = grid.rectify(image, cell, MARGIN_PX, slice(None) if rows is None else np.array(rows))
        return cls(board, grid.rows if rows is None else len(rows), grid.columns)

    @classmethod
    def in_a_row(cls, cells: Sequence[Image]) -> Self:
        """Put cells of one size side by side."""
        board = np.pad(np.concatenate(cells, axis=1), ((MARGIN_PX,) * 2, (MARGIN_PX,) * 2, (0, 0)), mode="edge")
        return cls(board, 1, len(cells))

    @property
    def size(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.rows, self.columns

    @property
    def count(self) -> int:
        """The number of cells."""
        return self.rows * self.columns

    @property
    def inside(self) -> Image:
        """The board without its margin."""
        return self.board[MARGIN_PX:-MARGIN_PX, MARGIN_PX:-MARGIN_PX]

    def at(self, which: Indices | None = None, shift: tuple[int, int] = (0, 0)) -> Image:
        """Return the patches of some cells, by default of all.

        Args:
            which: Which cells.
            shift: Pixels to the right and down from their place, at most `MARGIN_PX`.
        """
        which = np.arange(self.count) if which is None else which
        height, width = self.inside.shape[0] // self.rows, self.inside.shape[1] // self.columns
        left, top = MARGIN_PX + shift[0], MARGIN_PX + shift[1]
        inner = self.board[top : top + self.rows * height, left : left + self.columns * width]
        tiles = inner.reshape(self.rows, height, self.columns, width, 3)
        return tiles[which // self.columns, :, which % self.columns]

    def only(self, rows: Sequence[int]) -> "Patches":
        """Return some of the rows, one below the other."""
        inner = self.board[MARGIN_PX:-MARGIN_PX].reshape(self.rows, -1, *self.board.shape[1:])[list(rows)]
        board = np.concatenate([self.board[:MARGIN_PX], *inner, self.board[-MARGIN_PX:]])
        return Patches(board, len(rows), self.columns)

    def changed(self, earlier: "Patches") -> Indices:
        """Return which cells differ from an earlier picture of the same board, or have a neighbour that does."""
        differs = self.inside != earlier.inside
        # Row by row at first: over two axes at once it takes ten times as long.
        by_row = differs.reshape(self.rows, differs.shape[0] // self.rows, -1).any(axis=1)
        cells = by_row.reshape(self.rows, self.columns, -1).any(axis=2)
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


def without_rims(cells: Image) -> Image:
    """Cut an eighth off each side of cells, at least a pixel: lines and shadows of neighbours run there."""
    down, across = (max(1, side // _RIM_PART) for side in cells.shape[1:3])
    return cells[:, down:-down, across:-across]


def reduced(cells: Image, side: int) -> NDArray[np.float32]:
    """Reduce each cell to the means of `side` x `side` fields, flat: float32 of shape (cells, side * side * 3)."""
    count, height, width = cells.shape[:3]
    small = cv2.resize(cells.reshape(count * height, width, 3), (side, count * side), interpolation=cv2.INTER_AREA)
    return small.reshape(count, -1).astype(np.float32)


def grey(picture: Image) -> NDArray[np.float32]:
    """Return the mean of the three channels: float32 of shape (height, width)."""
    return np.asarray(cv2.transform(picture.astype(np.float32), np.full((1, 3), 1 / 3, np.float32)), dtype=np.float32)
