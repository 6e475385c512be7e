"""Clicking, and waiting for each click to be noticed before the pointer goes on.

A client, or a window manager that looks at every click before the client does, may be slower than the bot; a pointer
that has gone on by then takes the click along to another cell, or drags from the one to the other. So each click is
watched. Where a cell looks another as soon as the pointer is over it, that tells nothing of the click, and the pointer
stays for longer than it takes the client to show as much.
"""

import numpy as np

from sweepbot.behaviour import Settle
from sweepbot.control.guard import Guard
from sweepbot.control.watching import wait_for_change
from sweepbot.desktop.desk import Desk
from sweepbot.desktop.mouse import Button
from sweepbot.desktop.screen import Frame
from sweepbot.geometry import Cell, Point, Region
from sweepbot.vision.grid import Grid

_BUTTON_PX = 12  # around a click on a button in which it shows


class Clicker:
    """Clicks on cells and buttons.

    Args:
        desk: What is played on.
        guard: What clicks, where it may.
        settle: How long the client takes to show a click, and the pointer over a cell; after so long it goes on.
    """

    def __init__(self, desk: Desk, guard: Guard, settle: Settle) -> None:
        self._desk = desk
        self._guard = guard
        self._notice_s = settle.notice_ms / 1000
        self.clicks = 0
        """How many clicks were made on cells."""

    def click(self, grid: Grid, cell: Cell, button: Button) -> None:
        """Click the middle of a cell. See `Guard.click` for what is raised."""
        self._click(grid.centre(cell), button, grid.region)
        self.clicks += 1

    def press_button(self, at: Point) -> None:
        """Click a pixel beside the board, and wait until what is around it looks another, be it for being pressed."""
        screen = self._desk.screen.region
        around = Region(at.x, at.y, 1, 1).grown(_BUTTON_PX).intersection(screen)
        before = self._desk.screen.grab(around or screen)
        self._click(at, "left", Region(at.x, at.y, 1, 1), is_button=True)
        wait_for_change(self._desk, before, self._guard.check, self._notice_s)

    def has_changed(self, grid: Grid, cell: Cell, since: Frame) -> bool:
        """Whether a cell looks other than in an earlier picture: then an opening has swept over it."""
        region = grid.region_of(cell)
        return not np.array_equal(self._desk.screen.grab(region).image, since.part(region))

    def looks_other(self, since: Frame) -> bool:
        """Whether a part of the screen looks other than in an earlier picture of it."""
        return not np.array_equal(self._desk.screen.grab(since.region).image, since.image)

    def _click(self, at: Point, button: Button, allowed: Region, *, is_button: bool = False) -> None:
        self._guard.allowed = allowed
        self._guard.click(at, button, is_button=is_button)
