"""A burst of clicks in progress: which cells show their click already, and which of these are at rest."""

import itertools
from collections.abc import Sequence

import numpy as np

from sweepbot.board import cells_in
from sweepbot.desktop.screen import Frame
from sweepbot.geometry import Cell
from sweepbot.player.resting_looks import Mask, RestingLooks
from sweepbot.vision.grid import Grid
from sweepbot.vision.reader import Reading


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
