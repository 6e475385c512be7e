"""Clicking on cells, and waiting for each click to be noticed before the pointer goes on.

A client, or a window manager that looks at every click before the client does, may be slower than the bot; a pointer
that has gone on by then takes the click along to another cell. So each click is watched.
"""

import time

import numpy as np

from sweepbot.desktop.mouse import Button
from sweepbot.desktop.screen import Frame, Screen
from sweepbot.geometry import Cell, Point, Region
from sweepbot.player.guard import GuardedMouse
from sweepbot.vision.grid import Grid

_BUTTON = 12  # pixels around a click on a button in which it shows
_POLL = 0.0005  # seconds between two looks at a clicked cell


class Hand:
    """Clicks cells of a board.

    Args:
        screen: Where to see that a click was noticed.
        mouse: What clicks.
        notice: The longest that the client takes to show a click, in seconds; after so long the pointer goes on.
    """

    def __init__(self, screen: Screen, mouse: GuardedMouse, notice: float) -> None:
        self._screen = screen
        self._mouse = mouse
        self._notice = notice
        self.clicks = 0
        """How many clicks were made."""

    def click(self, grid: Grid, cell: Cell, button: Button) -> None:
        """Click the middle of a cell, and wait until the cell looks another."""
        self._click(grid.centre(cell), button, grid.region, grid.region_of(cell))
        self.clicks += 1

    def press_button(self, at: Point) -> None:
        """Click a pixel beside the board, and wait until what is around it looks another, be it for being pressed."""
        around = Region(at.x, at.y, 1, 1).grown(_BUTTON).intersection(self._screen.region)
        self._click(at, "left", Region(at.x, at.y, 1, 1), around or self._screen.region)

    def _click(self, at: Point, button: Button, allowed: Region, region: Region) -> None:
        """Click a pixel of `allowed`, and wait until a region looks another."""
        self._mouse.allowed = allowed
        self._mouse.move(at)
        before = self._screen.grab(region)
        self._mouse.click(at, button)
        deadline = time.perf_counter() + self._notice
        while time.perf_counter() < deadline and np.array_equal(self._screen.grab(region).image, before.image):
            time.sleep(_POLL)

    def has_changed(self, grid: Grid, cell: Cell, since: Frame) -> bool:
        """Whether a cell looks other than in an earlier picture: then an opening has swept over it."""
        region = grid.region_of(cell)
        left, top = region.x - since.region.x, region.y - since.region.y
        earlier = since.image[top : top + region.height, left : left + region.width]
        return not np.array_equal(self._screen.grab(region).image, earlier)
