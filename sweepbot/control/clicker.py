"""Clicking on cells and buttons, where the guard allows it."""

from sweepbot.behaviour import Settle
from sweepbot.control.guard import Guard
from sweepbot.control.watching import wait_for_change
from sweepbot.desktop.desk import Desk
from sweepbot.desktop.mouse import Button
from sweepbot.desktop.screen import Frame
from sweepbot.geometry import Cell, Point, Region, same_pixels
from sweepbot.vision.grid import Grid

_BUTTON_PX = 12  # around a click on a button: where its effect shows


class Clicker:
    """Clicks on cells and buttons.

    Attributes:
        stays: Whether the pointer stays on each cell until that shows the click, for as long as the client takes at
            most: some read where the pointer is only later, and a burst would fall on its last cell.

    Args:
        desk: What is played on.
        guard: What clicks, where it may.
        settle: How long the client takes to show a click on a button; after so long it goes on.
        cps: The most clicks a second; None for as many as the client takes.
    """

    def __init__(self, desk: Desk, guard: Guard, settle: Settle, cps: float | None = None) -> None:
        self._desk = desk
        self._guard = guard
        self._notice_s = settle.notice_ms / 1000 + desk.latency_s
        self._interval_s = 0.0 if cps is None else 1 / cps
        self._next_s = 0.0
        self.stays = False
        self.clicks = 0
        """How many clicks were made on cells."""

    def click(self, grid: Grid, cell: Cell, button: Button) -> None:
        """Click the middle of a cell. See `Guard.click` for what is raised."""
        before = self._desk.screen.grab(grid.region_of(cell)) if self.stays else None
        self._click(grid.centre(cell), button, grid.region)
        self.clicks += 1
        if before is not None:
            wait_for_change(self._desk, before, self._guard.check, self._notice_s)

    def press_button(self, at: Point) -> None:
        """Click a pixel beside the board, and wait until its surroundings change, as when a button is pressed."""
        screen = self._desk.screen.region
        around = Region.around(at, _BUTTON_PX).intersection(screen)
        before = self._desk.screen.grab(around or screen)
        self._click(at, "left", Region.around(at, 0), is_button=True)
        wait_for_change(self._desk, before, self._guard.check, self._notice_s)

    def has_changed(self, grid: Grid, cell: Cell, since: Frame) -> bool:
        """Whether a cell has changed since an earlier picture."""
        region = grid.region_of(cell)
        return not same_pixels(self._desk.screen.grab(region).image, since.part(region))

    def looks_other(self, since: Frame) -> bool:
        """Whether a part of the screen has changed since an earlier picture of it."""
        return not same_pixels(self._desk.screen.grab(since.region).image, since.image)

    def _click(self, at: Point, button: Button, allowed: Region, *, is_button: bool = False) -> None:
        self._guard.rest(until=self._next_s)
        self._guard.allowed = allowed
        self._guard.click(at, button, is_button=is_button)
        if self._interval_s:
            self._next_s = self._desk.clock.now() + self._interval_s
