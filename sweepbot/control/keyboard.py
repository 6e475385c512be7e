"""Pressing keys for a client as long as it is in sight: where it has gone, they would go to another program."""

from sweepbot.control.client_window import ClientWindow
from sweepbot.control.guard import Guard
from sweepbot.control.watching import wait_for_change
from sweepbot.desktop.desk import Desk
from sweepbot.desktop.screen import Frame
from sweepbot.errors import ClientGoneError
from sweepbot.vision.grid import Grid
from sweepbot.vision.sight import Sight


class Keyboard:
    """Presses keys.

    Where the system tells which window keys go to, that must be the client's; elsewhere its pixels must be in sight.

    Args:
        desk: What is played on.
        guard: What presses.
        window: The client's window.
        notice_s: Seconds that the client takes to show a key; after so long the next one may be pressed.
    """

    def __init__(self, desk: Desk, guard: Guard, window: ClientWindow, notice_s: float) -> None:
        self._desk = desk
        self._guard = guard
        self._window = window
        self._notice_s = notice_s
        self._origin = desk.screen.region.origin
        self._sight: Sight | None = None
        self._place: Grid | None = None
        self._last: Frame | None = None

    def remember(self, board: Frame, place: Grid) -> None:
        """Take in what the board looks like now, and where it is on the desktop."""
        if self._window.is_known:
            return
        if self._place is None or not place.nearly(self._place, 1):
            self._place = place
            self._sight = Sight(self._desk.screen.grab(None).image, place.moved(-self._origin))
        self._last = Frame(board.image, board.region.moved(-self._origin))

    def check(self) -> None:
        """Make sure of the client, as far as its pixels tell.

        Raises:
            ClientGoneError: It is not in sight.
        """
        if self._sight is None or self._window.is_known:
            return
        later = [] if self._last is None else [(self._last.region, self._last.image)]
        if not self._sight.holds(self._desk.screen.grab(None).image, later):
            raise ClientGoneError(
                "the client is not in sight any more, where its board was: no key was pressed",
                hint="show its whole window, or start it again",
            )

    def press(self, key: str) -> None:
        """Press a key, and wait until that shows. See `check` and `Guard.press` for what is raised."""
        self.check()
        before = self._desk.screen.grab(None)
        self._guard.press(key)
        wait_for_change(self._desk, before, self._guard.check, self._notice_s)
