"""What cells look like at rest: a cell that looks exactly like that again need not be waited for."""

from collections.abc import Iterable
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from sweepbot.board import State, around
from sweepbot.desktop.screen import Frame
from sweepbot.geometry import Cell, Image
from sweepbot.vision.grid import Grid
from sweepbot.vision.reader import Reading

_MOST = 4096  # pictures that are kept: a client that shades each cell otherwise would add some with every round

Mask = NDArray[np.bool_]
"""Some cells of a board: shape (rows, columns)."""


class RestingLooks:
    """The pictures that cells of one client were seen at rest with, each with what it showed."""

    def __init__(self) -> None:
        self._shown: dict[bytes, int] = {}

    def learn(self, frame: Frame, reading: Reading, cells: Iterable[Cell] | None = None) -> None:
        """Remember cells of a board at rest.

        Args:
            frame: A picture of it.
            reading: What it shows, with its grid in pixels of the virtual desktop.
            cells: Those to be taken in; all by default.
        """
        for cell, picture in _pictures(frame, reading.grid, reading.board if cells is None else cells):
            if reading.board[cell] != State.UNKNOWN and len(self._shown) < _MOST:
                self._shown[_digest(picture)] = reading.board[cell]

    def settled(self, frame: Frame, reading: Reading, cells: Iterable[Cell]) -> Mask:
        """Which of some cells will not change any more by themselves.

        A cell that looks, pixel by pixel, as one at rest did is not on its way to that look. It may be on its way to
        another one only as a 0, which is also what a number looks like before it is drawn and a hidden cell while it
        is pressed: that is told by the rules, since whatever is around a 0 is open.

        Args:
            frame: A picture of the board.
            reading: What it shows, as above.
            cells: Those that are asked about.
        """
        shown = reading.board.cells
        settled: Mask = np.zeros(shown.shape, dtype=np.bool_)
        for cell, picture in _pictures(frame, reading.grid, cells):
            settled[cell] = self._shown.get(_digest(picture)) == shown[cell]
        may_be_unfinished = (shown == 0) & (around(shown >= State.HIDDEN) > 0)
        settled &= ~may_be_unfinished
        return settled


def _digest(picture: Image) -> bytes:
    """A digest of a picture: thousands of large cells would take hundreds of megabytes."""
    return blake2b(repr(picture.shape).encode() + picture.tobytes(), digest_size=16).digest()


def _pictures(frame: Frame, grid: Grid, cells: Iterable[Cell]) -> Iterable[tuple[Cell, Image]]:
    within = grid.moved(-frame.region.origin)
    xs, ys = (np.rint(lines).astype(int).tolist() for lines in (within.xs, within.ys))
    for cell in cells:
        yield cell, frame.image[ys[cell.row] : ys[cell.row + 1], xs[cell.column] : xs[cell.column + 1]]
