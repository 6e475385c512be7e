"""A burst of clicks on its way: which cells show it already, and which of them have come to rest."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from sweepbot.desktop.screen import Frame
from sweepbot.geometry import Cell
from sweepbot.vision.grid import Grid
from sweepbot.vision.reader import Reading

Mask = NDArray[np.bool_]
"""Some cells of a board: shape (rows, columns)."""

GoOn = Callable[[Reading], Sequence[Cell]]
"""Told what the cells at rest show, all others unreadable: clicks what that makes certain, and says which cells."""


class Burst:
    """Takes in the pictures that follow clicks on a board: which cells look other than before, and since when.

    Args:
        grid: Where the cells are, in pixels of the virtual desktop.
        before: A picture of the whole board before the clicks, at rest.
        cells: The cells that were clicked.
        go_on: Told of those that have come to rest while others have not; None where nothing more may be clicked.
    """

    def __init__(self, grid: Grid, before: Frame, cells: Sequence[Cell], go_on: GoOn | None = None) -> None:
        self.go_on = go_on
        self._before = self._last = before
        within = grid.moved(-before.region.origin)
        self._across = np.round(within.xs).astype(np.intp)
        self._down = np.round(within.ys).astype(np.intp)
        self._since_s = np.full((grid.rows, grid.columns), -np.inf)
        self._changed, self._clicked, self._told = (np.zeros((grid.rows, grid.columns), np.bool_) for _ in range(3))
        self.add(cells)

    def add(self, cells: Sequence[Cell]) -> None:
        """Take in more cells that were clicked."""
        for cell in cells:
            self._clicked[cell] = True

    def see(self, frame: Frame, now_s: float) -> None:
        """Take in a picture of the same region, taken at a time in seconds."""
        if frame is not self._last:
            self._since_s[self._differing(frame, self._last)] = now_s
            self._changed = self._differing(frame, self._before)
            self._last = frame

    @property
    def is_shown(self) -> bool:
        """Whether each cell that was clicked looks other than before."""
        return bool(self._changed[self._clicked].all())

    def rested(self, since_s: float) -> Mask:
        """The cells that have looked as they do since a time in seconds."""
        rested: Mask = self._since_s <= since_s
        return rested

    def is_moving(self, since_s: float) -> bool:
        """Whether a cell that was clicked has changed since a time in seconds."""
        return bool((self._since_s[self._clicked] > since_s).any())

    def has_news(self, since_s: float) -> bool:
        """Whether there are cells that look other than before, and have rested since a time, for the first time."""
        news = self._changed & self.rested(since_s) & ~self._told
        self._told |= news
        return bool(news.any())

    def _differing(self, one: Frame, other: Frame) -> Mask:
        left, top, right, bottom = self._across[0], self._down[0], self._across[-1], self._down[-1]
        differs = one.image[top:bottom, left:right] != other.image[top:bottom, left:right]
        rows = np.logical_or.reduceat(differs.reshape(bottom - top, -1), self._down[:-1] - top, axis=0)
        cells: Mask = np.logical_or.reduceat(rows, (self._across[:-1] - left) * differs.shape[2], axis=1)
        return cells
