"""Pressing keys for a client as long as it is in sight: where it has gone, they would go to another program."""

import numpy as np

from sweepbot.clock import Clock
from sweepbot.desktop.screen import Frame, Screen
from sweepbot.errors import ClientGoneError
from sweepbot.player.guard import GuardedMouse
from sweepbot.vision.calibration import Settle
from sweepbot.vision.grid import Grid
from sweepbot.vision.sight import Sight

_POLL = 0.001  # seconds between two looks at what a key does


class Keyboard:
    """Presses keys.

    Args:
        screen: Where to see the client.
        mouse: What presses.
        settle: How long the client takes to show a key; after so long the next one may be pressed.
        clock: What tells the time.
    """

    def __init__(self, screen: Screen, mouse: GuardedMouse, settle: Settle, clock: Clock) -> None:
        self._clock = clock
        self._screen = screen
        self._mouse = mouse
        self._notice = settle.notice_ms / 1000
        self._origin = screen.region.origin
        self._sight: Sight | None = None
        self._place: Grid | None = None
        self._last: Frame | None = None

    def remember(self, board: Frame, place: Grid) -> None:
        """Take in what the board looks like now, and where it is on the desktop."""
        if self._place is None or not place.nearly(self._place, 1):
            self._place = place
            self._sight = Sight(self._screen.grab(None).image, place.moved(-self._origin))
        self._last = Frame(board.image, board.region.moved(-self._origin))

    def check(self) -> None:
        """Make sure of the client.

        Raises:
            ClientGoneError: It is not in sight.
        """
        later = [] if self._last is None else [(self._last.region, self._last.image)]
        if self._sight is not None and not self._sight.holds(self._screen.grab(None).image, later):
            raise ClientGoneError(
                "the client is not in sight any more, where its board was: no key was pressed",
                hint="show its whole window, or start it again",
            )

    def press(self, key: str) -> None:
        """Press a key, and wait until that shows.

        Raises:
            ClientGoneError: The client is not in sight.
        """
        self.check()
        before = self._screen.grab(None).image
        self._mouse.press(key)
        pressed = self._clock.now()
        while self._clock.now() < pressed + self._notice and np.array_equal(self._screen.grab(None).image, before):
            self._clock.sleep(_POLL)
