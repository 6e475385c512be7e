"""A mouse that stops when a person takes over, and whose clicks and keys reach nothing but the client."""

from sweepbot.control.client_window import ClientWindow
from sweepbot.desktop.desk import Desk
from sweepbot.desktop.mouse import Button
from sweepbot.errors import ClientCoveredError, StoppedByUserError
from sweepbot.geometry import Point, Region
from sweepbot.interrupts import check_interrupted

HAND_MOVED_PX = 3
"""Pixels by which the pointer may be off its place before a person's hand is assumed."""

ARRIVAL_S = 1.0
"""Seconds that a desktop may take to report the pointer where it was put: X11 holds movements back while a window
manager decides about a click, which took more than 0.2 s on a busy machine. Nothing is clicked meanwhile."""

CORNER_PX = 2
"""Pixels from both edges of a screen within which the pointer is in its corner."""

_OF_BROWSERS = ("ctrl+n", "ctrl+r", "ctrl+t")
"""Keys that a browser takes for itself: they open windows and load pages."""

_GLANCE_S = 0.05  # between two looks at a resting pointer
_EDGE_PX = 8  # between the parked pointer and the board, and the edges of the screen


class Guard:
    """Clicks and presses, only where that is allowed.

    Before each click: the pointer is where it was left, the pixel is allowed, and it is the client's own.

    Args:
        desk: What is played on; the corners of its screen, and of each monitor of it, are where a person pushes the
            pointer to stop the bot.
        window: The client's window.
    """

    def __init__(self, desk: Desk, window: ClientWindow) -> None:
        self._mouse = desk.mouse
        self._clock = desk.clock
        self._screen = desk.screen.region
        self._monitors = (self._screen, *desk.monitors)
        self._window = window
        self._expected: Point | None = None

    def check(self) -> None:
        """Notice a person's hand.

        Raises:
            StoppedByUserError: The pointer is in a corner of the screen, or not where it was put.
            KeyboardInterrupt: A signal asked for the end.
        """
        check_interrupted()
        begun = self._clock.now()
        while self._strayed(at := self._mouse.position()):
            if self._in_corner(at):
                raise StoppedByUserError(f"stopped: the pointer was pushed into a corner of the screen, {at}")
            if self._clock.now() > begun + ARRIVAL_S:
                raise StoppedByUserError(f"stopped: the mouse was moved by hand, from {self._expected} to {at}")

    def move(self, to: Point) -> None:
        """Put the pointer over a pixel."""
        self.check()
        self._mouse.move(to)
        self._expected = to

    def click(
        self, at: Point, button: Button, allowed: Region, hold_s: float = 0.0, *, is_button: bool = False
    ) -> None:
        """Click on an allowed pixel.

        Args:
            at: The pixel.
            button: The mouse's button.
            allowed: Where the click may land: on the board, or on the restart control.
            hold_s: Seconds for which the button is held down.
            is_button: Whether it is on a button of the client's, which one of its dialogs may have, and not on a cell.

        Raises:
            AssertionError: The pixel is outside `allowed`; that is a bug of the caller, and nothing was clicked.
            ClientGoneError: The client is not there any more, as for the two below nothing was clicked.
            ClientCoveredError: Another window is in front of it there.
            ClientMovedError: Its window is elsewhere.
            StoppedByUserError: A person took over.
        """
        if at not in allowed:
            raise AssertionError(f"a click at {at} would land outside {allowed}")
        self.check()
        self._window.check_spot(at, is_button=is_button)
        self._mouse.click(at, button, hold_s)
        self._expected = at

    def press(self, key: str) -> None:
        """Press a key.

        Raises:
            ClientGoneError: The client is not there any more, and no key was pressed.
            ClientCoveredError: The keyboard belongs to another window, the key to a browser, or the window to a
                terminal or an editor, where every key counts; none was pressed.
            StoppedByUserError: A person took over.
        """
        self.check()
        if self._window.takes_text:
            raise ClientCoveredError(
                f"the board is in a terminal or an editor, where the key {key} may be a command: it was not pressed",
                hint="give its calibration a click for `restart`, or begin each game by hand",
            )
        if key in _OF_BROWSERS and self._window.is_browser:
            raise ClientCoveredError(
                f"the key {key} would go to the browser and not to its page: it was not pressed",
                hint="take it out of the calibration",
            )
        self._window.take_keyboard()
        self._mouse.press(key)

    def rest(self, until: float) -> None:
        """Do nothing until the clock shows `until`, but notice a person's hand meanwhile."""
        while (left := until - self._clock.now()) > 0:
            self.check()
            self._clock.sleep(min(left, _GLANCE_S))

    def park(self, off: Region) -> None:
        """Put the pointer beside `off`, where it hovers over no cell, and in no corner of the screen."""
        room = self._screen.grown(-_EDGE_PX)
        x = min(max(off.centre.x, room.x), room.right - 1)
        y = min(max(off.centre.y, room.y), room.bottom - 1)
        beside = [
            point
            for point in (
                Point(off.right + _EDGE_PX, y),
                Point(off.x - _EDGE_PX, y),
                Point(x, off.bottom + _EDGE_PX),
                Point(x, off.y - _EDGE_PX),
            )
            if point in room
        ]
        window = self._window.region  # where the keyboard follows the pointer, it must stay inside
        within = [point for point in beside if window is not None and point in window]
        # A board that fills the screen leaves no such place; its reading then shows whether the pointer disturbs.
        self.move(next(iter([*within, *beside]), room.origin))

    def _strayed(self, at: Point) -> bool:
        return self._in_corner(at) or (self._expected is not None and _distance(at, self._expected) > HAND_MOVED_PX)

    def _in_corner(self, at: Point) -> bool:
        corners = (corner for monitor in self._monitors if at in monitor for corner in monitor.corners)
        return any(_distance(at, corner) < CORNER_PX for corner in corners)


def _distance(one: Point, other: Point) -> int:
    return max(abs(one.x - other.x), abs(one.y - other.y))
