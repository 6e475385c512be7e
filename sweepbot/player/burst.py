"""A burst of clicks in progress: which cells have changed already, and which of these are at rest."""

import itertools
from collections.abc import Iterable, Sequence
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from sweepbot.board import State, around, cells_in
from sweepbot.desktop.screen import Frame
from sweepbot.geometry import Cell, Image, Region
from sweepbot.vision.grid import Grid
from sweepbot.vision.reading import Reading

_MAX_PICTURES = 4096  # pictures that are kept: a client that shades each cell differently would add some in every round

Mask = NDArray[np.bool_]
"""Some cells of a board: shape (rows, columns)."""


class RestingCells:
    """The pictures of a client's cells that were seen at rest, each with the state that it shows."""

    def __init__(self) -> None:
        self._shown: dict[bytes, int] = {}

    def learn(self, frame: Frame, reading: Reading, cells: Iterable[Cell] | None = None) -> None:
        """Remember some cells of a board at rest, or all of them, from a picture and its reading."""
        for cell, digest in _digests(frame, reading.grid, reading.board if cells is None else cells):
            if reading.board[cell] != State.UNKNOWN and len(self._shown) < _MAX_PICTURES:
                self._shown[digest] = reading.board[cell]

    def settled(self, frame: Frame, reading: Reading, cells: Iterable[Cell]) -> Mask:
        """Return which of some cells will not change any more by themselves, given a picture and its reading.

        A cell that looks exactly like one seen at rest will not change any more, unless it is one of `unfinished`.
        """
        shown = reading.board.cells
        settled: Mask = np.zeros(shown.shape, dtype=np.bool_)
        for cell, digest in _digests(frame, reading.grid, cells):
            settled[cell] = self._shown.get(digest) == shown[cell]
        settled &= ~unfinished(shown, shown >= State.HIDDEN)
        return settled


def unfinished(shown: NDArray[np.uint8], closed: Mask) -> Mask:
    """Return the cells that look like a 0 and are none yet: beside a closed cell, or beside another such one.

    So look a number before it is drawn, an opening that is still spreading, and hidden cells that are pressed.
    """
    zeros, found = shown == 0, np.zeros_like(closed)
    while (more := zeros & (around(found | closed) > 0) & ~found).any():
        found |= more
    return found


def _digests(frame: Frame, grid: Grid, cells: Iterable[Cell]) -> Iterable[tuple[Cell, bytes]]:
    """Yield digests of the pictures of cells, as thousands of large pictures would take hundreds of megabytes."""
    within = grid.moved(-frame.region.origin)
    xs, ys = (np.rint(lines).astype(int).tolist() for lines in (within.xs, within.ys))
    for cell in cells:
        picture: Image = frame.image[ys[cell.row] : ys[cell.row + 1], xs[cell.column] : xs[cell.column + 1]]
        yield cell, blake2b(repr(picture.shape).encode() + picture.tobytes(), digest_size=16).digest()


class Burst:
    """Follows the pictures after clicks on some cells of a board: which cells have changed, and since when.

    The grid is in pixels of the virtual desktop; the picture `before` shows the whole board at rest.

    Attributes:
        follows_up: Whether what becomes certain by cells at rest is clicked while others still change.
        awaits_cells: Whether such cells are still awaited.
    """

    def __init__(self, grid: Grid, before: Frame, cells: Sequence[Cell], *, follows_up: bool = False) -> None:
        self._before = self._last = before
        across, down = (np.round(lines).astype(np.intp) for lines in (grid.xs, grid.ys))
        self._across, self._down = across - across[0], down - down[0]
        self._board = Region(int(across[0]), int(down[0]), int(self._across[-1]), int(self._down[-1]))
        self._since_s = np.full((grid.rows, grid.columns), -np.inf)
        self._changed, self._clicked, self._reported = (np.zeros((grid.rows, grid.columns), np.bool_) for _ in range(3))
        self.add(cells)
        self.follows_up = self.awaits_cells = follows_up

    def add(self, cells: Sequence[Cell]) -> None:
        """Add cells that were clicked, and await them."""
        self.awaits_cells = True
        for cell in cells:
            self._clicked[cell] = True

    def see(self, frame: Frame, now_s: float) -> None:
        """Take the next picture of the whole board, at a time in seconds."""
        if frame is not self._last:
            self._since_s[self._differing_cells(frame, self._last)] = now_s
            self._changed = self._differing_cells(frame, self._before)
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

    def is_settled(self, settled: Mask) -> bool:
        """Whether all cells that the clicks have changed are among those that will not change any more."""
        return self.is_shown and bool(settled[self._changed].all())

    def is_done(self, at_rest: Mask) -> bool:
        """Whether each cell that was clicked has changed and is at rest."""
        return self.is_shown and bool(at_rest[self._clicked].all())

    def has_news(self, at_rest: Mask) -> bool:
        """Whether changed cells are at rest for the first time."""
        news = self._changed & at_rest & ~self._reported
        self._reported |= news
        return bool(news.any())

    def _differing_cells(self, one: Frame, other: Frame) -> Mask:
        differs = (one.part(self._board) != other.part(self._board)).reshape(self._board.height, -1)
        bands = itertools.pairwise(self._down)
        rows = np.stack([differs[first:end].any(axis=0) for first, end in bands])  # five times as fast as `reduceat`
        cells: Mask = np.logical_or.reduceat(rows, self._across[:-1] * 3, axis=1)
        return cells
