"""Clicking on cells, and waiting for each click to be noticed before the pointer goes on.

A client, or a window manager that looks at every click before the client does, may be slower than the bot; a pointer
that has gone on by then takes the click along to another cell, or drags from the one to the other. So each click is
watched. Where a cell looks another as soon as the pointer is over it, that tells nothing of the click, and the pointer
stays for longer than it takes the client to show as much.
"""

import numpy as np

from sweepbot.clock import Clock
from sweepbot.desktop.mouse import Button
from sweepbot.desktop.screen import Frame, Screen
from sweepbot.geometry import Cell, Point, Region
from sweepbot.player.guard import GuardedMouse
from sweepbot.vision.calibration import Settle
from sweepbot.vision.grid import Grid

_BUTTON = 12  # pixels around a click on a button in which it shows
_POLL = 0.0005  # seconds between two looks at a clicked cell


class Hand:
    """Clicks cells of a board.

    Args:
        screen: Where to see that a click was noticed.
        mouse: What clicks.
        settle: How long the client takes to show a click, and the pointer over a cell; after so long the hand goes on.
        clock: What tells the time.
    """

    def __init__(self, screen: Screen, mouse: GuardedMouse, settle: Settle, clock: Clock) -> None:
        self._clock = clock
        self._screen = screen
        self._mouse = mouse
        self._notice, self._hover = settle.notice_ms / 1000, settle.hover_ms / 1000
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
        clicked = self._clock.now()
        while self._clock.now() < clicked + self._notice:
            if not np.array_equal(self._screen.grab(region).image, before.image):
                break
            self._clock.sleep(_POLL)
        self._mouse.rest(until=clicked + self._hover)

    def has_changed(self, grid: Grid, cell: Cell, since: Frame) -> bool:
        """Whether a cell looks other than in an earlier picture: then an opening has swept over it."""
        region = grid.region_of(cell)
        left, top = region.x - since.region.x, region.y - since.region.y
        earlier = since.image[top : top + region.height, left : left + region.width]
        return not np.array_equal(self._screen.grab(region).image, earlier)
