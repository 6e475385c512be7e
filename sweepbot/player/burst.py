"""A burst of clicks in progress: which cells show their click already, and which of these are at rest."""

import itertools
from collections.abc import Iterable, Sequence
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from sweepbot.board import State, around, cells_in
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
        """Remember some cells of a board at rest, or all of them, from a picture and what it shows."""
        for cell, digest in _digests(frame, reading.grid, reading.board if cells is None else cells):
            if reading.board[cell] != State.UNKNOWN and len(self._shown) < _MOST:
                self._shown[digest] = reading.board[cell]

    def settled(self, frame: Frame, reading: Reading, cells: Iterable[Cell]) -> Mask:
        """Which of some cells will not change any more by themselves, given a picture and what it shows.

        A cell that looks, pixel by pixel, as one at rest did is not on its way to that look. It may be on its way to
        another one only as a 0, which is also what a number looks like before it is drawn and a hidden cell while it
        is pressed: that is told by the rules, since whatever is around a 0 is open.
        """
        shown = reading.board.cells
        settled: Mask = np.zeros(shown.shape, dtype=np.bool_)
        for cell, digest in _digests(frame, reading.grid, cells):
            settled[cell] = self._shown.get(digest) == shown[cell]
        may_be_unfinished = (shown == 0) & (around(shown >= State.HIDDEN) > 0)
        settled &= ~may_be_unfinished
        return settled


def _digests(frame: Frame, grid: Grid, cells: Iterable[Cell]) -> Iterable[tuple[Cell, bytes]]:
    """Digests of pictures of cells: thousands of large ones would take hundreds of megabytes."""
    within = grid.moved(-frame.region.origin)
    xs, ys = (np.rint(lines).astype(int).tolist() for lines in (within.xs, within.ys))
    for cell in cells:
        picture: Image = frame.image[ys[cell.row] : ys[cell.row + 1], xs[cell.column] : xs[cell.column + 1]]
        yield cell, blake2b(repr(picture.shape).encode() + picture.tobytes(), digest_size=16).digest()


class Burst:
    """Follows the pictures after clicks on a board: which cells have changed, and since when.

    Args:
        grid: Where the cells are, in pixels of the virtual desktop.
        before: A picture of the whole board before the clicks, at rest.
        cells: The cells that were clicked.
    """

    def __init__(self, grid: Grid, before: Frame, cells: Sequence[Cell]) -> None:
        self._before = self._last = before
        within = grid.moved(-before.region.origin)
        self._across = np.round(within.xs).astype(np.intp)
        self._down = np.round(within.ys).astype(np.intp)
        self._since_s = np.full((grid.rows, grid.columns), -np.inf)
        self._changed, self._clicked, self._told = (np.zeros((grid.rows, grid.columns), np.bool_) for _ in range(3))
        self.add(cells)

    def add(self, cells: Sequence[Cell]) -> None:
        """Add cells that were clicked."""
        for cell in cells:
            self._clicked[cell] = True

    def see(self, frame: Frame, now_s: float) -> None:
        """Compare with a picture of the same region, taken at a time in seconds."""
        if frame is not self._last:
            self._since_s[self._differing(frame, self._last)] = now_s
            self._changed = self._differing(frame, self._before)
            self._last = frame

    @property
    def is_shown(self) -> bool:
        """Whether each cell that was clicked has changed."""
        return bool(self._changed[self._clicked].all())

    @property
    def changed(self) -> list[Cell]:
        """The cells that have changed since before the clicks."""
        return cells_in(self._changed)

    def rested(self, since_s: float) -> Mask:
        """The cells that have not changed since a time in seconds."""
        rested: Mask = self._since_s <= since_s
        return rested

    def settled(self, reading: Reading, looks: RestingLooks) -> Mask:
        """The cells that look other than before and will not change any more, as the last picture was read."""
        return looks.settled(self._last, reading, self.changed)

    def is_settled(self, reading: Reading, looks: RestingLooks) -> bool:
        """Whether nothing that the clicks have changed will change any more."""
        return self.is_shown and bool(self.settled(reading, looks)[self._changed].all())

    def is_done(self, at_rest: Mask) -> bool:
        """Whether each cell that was clicked has changed and is at rest."""
        return self.is_shown and bool(at_rest[self._clicked].all())

    def has_news(self, at_rest: Mask) -> bool:
        """Whether changed cells are at rest for the first time."""
        news = self._changed & at_rest & ~self._told
        self._told |= news
        return bool(news.any())

    def _differing(self, one: Frame, other: Frame) -> Mask:
        left, top, right, bottom = self._across[0], self._down[0], self._across[-1], self._down[-1]
        differs = (one.image[top:bottom, left:right] != other.image[top:bottom, left:right]).reshape(bottom - top, -1)
        bands = itertools.pairwise(self._down - top)
        rows = np.stack([differs[first:end].any(axis=0) for first, end in bands])  # a fifth of what `reduceat` takes
        cells: Mask = np.logical_or.reduceat(rows, (self._across[:-1] - left) * 3, axis=1)
        return cells
