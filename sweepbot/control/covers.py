"""A board of which other programs' windows cover a part: its picture without them, and the cells that they hide."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sweepbot.control.client_window import ClientWindow
from sweepbot.desktop.screen import Frame, Screen
from sweepbot.geometry import Region
from sweepbot.vision.grid import Grid


class ScreenWithoutCovers:
    """A screen on which the windows that are played around are black, whatever goes on in them. See `Screen`."""

    def __init__(self, screen: Screen, window: ClientWindow) -> None:
        self.region = screen.region
        self._screen = screen
        self._window = window

    def grab(self, region: Region | None = None) -> Frame:
        """See `Screen.grab`."""
        frame = self._screen.grab(region)
        hidden = [part for cover in self._window.around if (part := cover.intersection(frame.region)) is not None]
        if hidden:
            frame = Frame(frame.image.copy(), frame.region)
            for part in hidden:
                frame.part(part)[:] = 0
        return frame


def cells_under(covers: Sequence[Region], grid: Grid) -> NDArray[np.bool_]:
    """Return which cells of a board are covered, if only by a pixel: an array of shape (rows, columns)."""
    under = np.zeros((grid.rows, grid.columns), dtype=np.bool_)
    (left, right), (top, bottom) = ((np.array(lines[:-1]), np.array(lines[1:])) for lines in (grid.xs, grid.ys))
    for cover in covers:
        under |= np.outer((top < cover.bottom) & (bottom > cover.y), (left < cover.right) & (right > cover.x))
    return under
