"""Clicking, pressing keys and waiting, only where clicks and keys reach the client, and until a person takes over."""

from collections.abc import Iterator

from sweepbot.control.client_window import ClientWindow
from sweepbot.control.watching import POLL_S, Watched, watch
from sweepbot.desktop.desk import Desk
from sweepbot.desktop.mouse import Button
from sweepbot.desktop.screen import Frame
from sweepbot.errors import ClientCoveredError, StoppedByUserError
from sweepbot.geometry import Point, Region, same_pixels
from sweepbot.interrupts import check_interrupted

HAND_MOVED_PX = 3
"""Pixels by which the pointer may be off its place before a person is assumed to have moved it."""

ARRIVAL_S = 1.0
"""Seconds that a desktop may take to report the pointer where it was put: X11 holds movements back while a window
manager handles a click, which took more than 0.2 s on a busy machine. Nothing is clicked meanwhile."""

CORNER_PX = 2
"""Pixels from both edges of a screen within which the pointer is in the corner."""

_BROWSER_KEYS = ("ctrl+n", "ctrl+r", "ctrl+t")
"""Keys that a browser takes for itself: they open windows and load pages."""

_GLANCE_S = 0.05  # between two looks at a resting pointer
_EDGE_PX = 8  # between the parked pointer and the board, and the edges of the screen


class Guard:
    """Clicks and presses keys, but only where that is safe, and waits for what comes of it.

    Before each click it checks that the pointer is where it was left, and that the pixel is allowed and the client's.
    While it waits, it checks that no person has taken over, and raises what `check` raises.

    Args:
        desk: The desk; a person stops the bot by pushing the pointer into a corner of its screen or of a monitor.
        window: The client's window.
        hold_s: How long each click holds its button.
    """

    def __init__(self, desk: Desk, window: ClientWindow, hold_s: float = 0.0) -> None:
        self.hold_s = hold_s
        self._desk = desk
        self._mouse = desk.mouse
        self._clock = desk.clock
        self._screen = desk.screen.region
        self._monitors = (self._screen, *desk.monitors)
        self._window = window
        self._expected: Point | None = None

    def check(self) -> None:
        """Check that no person has taken over.

        Raises:
            StoppedByUserError: The pointer is in a corner of the screen, or not where it was put.
            DesktopError: The screen has become smaller, which moves the pointer, too.
            KeyboardInterrupt: A signal asked the program to end.
        """
        check_interrupted()
        start = self._clock.now()
        while self._is_astray(at := self._mouse.position()):
            if self._in_corner(at):
                raise StoppedByUserError(f"stopped: the pointer was pushed into a corner of the screen, {at}")
            if self._clock.now() > start + ARRIVAL_S:
                self._desk.screen.grab(None)  # fails, and says so, if it was not a hand but the screen's new size
                raise StoppedByUserError(f"stopped: the mouse was moved by hand, from {self._expected} to {at}")

    def let_go(self) -> Point:
        """Let a person move the pointer until it is moved again, and return where it is. Its corners stop, as ever."""
        self._expected = None
        return self._mouse.position()

    def move(self, to: Point) -> None:
        """Put the pointer over a pixel."""
        self.check()
        self._mouse.move(to)
        self._expected = to

    def click(self, at: Point, button: Button, allowed: Region, *, is_button: bool = False) -> None:
        """Click on a pixel, which must lie in what is `allowed`: the board, or the restart control.

        A button of the client's, and not a cell, may be in one of its dialogs.

        Raises:
            AssertionError: The pixel is outside `allowed`, a bug of the caller. Nothing is clicked, as in all cases.
            ClientGoneError: The client's window was closed.
            ClientCoveredError: Another window is in front of it there.
            ClientMovedError: Its window is elsewhere.
            StoppedByUserError: A person took over.
        """
        if at not in allowed:
            raise AssertionError(f"a click at {at} would land outside {allowed}")
        self.check()
        self._window.check_spot(at, is_button=is_button)
        self._mouse.click(at, button, self.hold_s)
        self._expected = at

    def press(self, key: str) -> None:
        """Press a key.

        Raises:
            ClientGoneError: The client's window was closed; no key was pressed.
            ClientCoveredError: The keyboard belongs to another window, the key to a browser, or the window to a
                terminal or an editor; no key was pressed.
            StoppedByUserError: A person took over.
        """
        self.check()
        if self._window.takes_text:
            raise ClientCoveredError(
                f"the board is in a terminal or an editor, where the key {key} may be a command: it was not pressed",
                hint="give its calibration a click for `restart`, or start each game by hand",
            )
        if key in _BROWSER_KEYS and self._window.is_browser:
            raise ClientCoveredError(
                f"the key {key} would go to the browser and not to its page: it was not pressed",
                hint="remove it from the calibration",
            )
        self._window.take_keyboard()
        self._mouse.press(key)

    def watch(self, region: Region, poll_s: float = POLL_S, rim_px: int = 0) -> Iterator[Watched]:
        """Yield one look after another at a part of the screen, without end. See `watch`."""
        return watch(self._desk, region, self.check, poll_s, rim_px)

    def wait_for_change(self, before: Frame, limit_s: float) -> Frame:
        """Wait until the region of a picture looks different, `limit_s` seconds at most; return its new picture."""
        looks = self.watch(before.region)
        return next(it.frame for it in looks if it.since_s >= limit_s or not same_pixels(it.frame.image, before.image))

    def rest(self, until: float) -> None:
        """Wait until the clock shows `until`."""
        while (left := until - self._clock.now()) > 0:
            self.check()
            self._clock.sleep(min(left, _GLANCE_S))

    def park(self, board: Region) -> None:
        """Put the pointer beside a board, where it hovers over no cell, and in no corner of the screen."""
        room = self._screen.grown(-_EDGE_PX)
        x = min(max(board.centre.x, room.x), room.right - 1)
        y = min(max(board.centre.y, room.y), room.bottom - 1)
        around = board.grown(_EDGE_PX)
        places = Point(around.right, y), Point(around.x, y), Point(x, around.bottom), Point(x, around.y)
        beside = [place for place in places if place in room]
        window = self._window.region  # preferred, as on some desktops the keyboard focus follows the pointer
        within = [point for point in beside if window is not None and point in window]
        # A board that fills the screen leaves no such place; the pointer then stays on it.
        self.move(next(iter([*within, *beside]), room.origin))

    def _is_astray(self, at: Point) -> bool:
        off = Point(0, 0) if self._expected is None else at - self._expected
        return self._in_corner(at) or max(abs(off.x), abs(off.y)) > HAND_MOVED_PX

    def _in_corner(self, at: Point) -> bool:
        return any(
            0 <= min(at.x - it.x, it.right - 1 - at.x) < CORNER_PX
            and 0 <= min(at.y - it.y, it.bottom - 1 - at.y) < CORNER_PX
            for it in self._monitors
        )
