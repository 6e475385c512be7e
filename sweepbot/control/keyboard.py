"""Pressing keys only while the client is visible; otherwise they might go to another program."""

from collections.abc import Callable

from sweepbot.control.client_window import ClientWindow
from sweepbot.control.guard import Guard
from sweepbot.control.widgets.sight import Landmarks
from sweepbot.desktop.desk import Desk
from sweepbot.desktop.screen import Frame
from sweepbot.errors import ClientGoneError
from sweepbot.geometry import Image, Region
from sweepbot.vision.grid import Grid

_DISMISSES = "esc"
"""The key that only closes dialogs, in any program: it is pressed even if a box hides all of the client."""

_POLL_S = 0.05  # between two looks for a client that should soon be back

SeesBoard = Callable[[Image, Grid], bool]
"""Whether a picture of the desktop shows a board like the one at a grid, in its pixels, wherever it is."""


class Keyboard:
    """Presses keys.

    If the system tells which window has the keyboard, that must be the client's; otherwise its pixels must be in sight,
    except for the one key that only closes dialogs (`esc`).

    Args:
        desk: The desk.
        guard: Presses the keys.
        window: The client's window.
        notice_s: Seconds to wait for the client to show a key.
        sees_board: Another way to recognise the client than the pixels in its place.
    """

    def __init__(
        self, desk: Desk, guard: Guard, window: ClientWindow, *, notice_s: float, sees_board: SeesBoard
    ) -> None:
        self._desk = desk
        self._guard = guard
        self._window = window
        self._notice_s = notice_s
        self._sees_board = sees_board
        self._origin = desk.screen.region.origin
        self._sight: tuple[Landmarks, Grid] | None = None
        self._boards: list[tuple[Region, Image]] = []

    def set_board(self, place: Grid) -> None:
        """Remember what the client looks like now, with its board at `place` and nothing in front of it."""
        if not self._window.is_known:
            within = place.moved(-self._origin)
            self._sight = Landmarks(self._desk.screen.grab(None).image, within), within

    def remember(self, board: Frame) -> None:
        """Remember what its board looks like now, in addition to `set_board`."""
        self._boards = [(board.region.moved(-self._origin), board.image)]

    def check(self) -> None:
        """Check that the client is visible, as far as pixels tell.

        Raises:
            ClientGoneError: It is not in sight.
        """
        if not self._is_in_sight():
            raise ClientGoneError(
                "the client is not in sight any more, where its board was: no key was pressed",
                hint="show its whole window, or start it again",
            )

    def check_after(self, key: str, within_s: float) -> None:
        """Check that a key has not closed the client, which may take some seconds to come back, as a page that reloads.

        Raises:
            ClientGoneError: It is not in sight.
        """
        since = self._desk.clock.now()
        while not self._is_in_sight():
            if self._desk.clock.now() - since >= within_s:
                raise ClientGoneError(
                    f"the key {key} has made the client disappear; no further key was pressed",
                    hint="start it again",
                )
            self._desk.clock.sleep(_POLL_S)

    def press(self, key: str) -> None:
        """Press a key, and wait until that shows. Raises what `check` and `Guard.press` raise."""
        if key != _DISMISSES:
            self.check()
        before = self._desk.screen.grab(None)
        self._guard.press(key)
        self._guard.wait_for_change(before, self._notice_s)

    def _is_in_sight(self) -> bool:
        if self._sight is None or self._window.is_known:
            return True
        sight, place = self._sight
        desktop = self._desk.screen.grab(None).image
        return sight.holds(desktop, self._boards) or self._sees_board(desktop, place)
