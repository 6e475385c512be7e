"""A mouse that stops when a person takes over and that cannot click where it was not allowed to."""

from sweepbot.clock import SYSTEM_CLOCK, Clock
from sweepbot.desktop.mouse import Button, Mouse
from sweepbot.errors import StoppedByUserError
from sweepbot.geometry import Point, Region

HAND_MOVED = 3
"""Pixels by which the pointer may be off the place it was put at before a hand is assumed."""

ARRIVAL = 0.2
"""Seconds that a desktop may take to report the pointer where it was put; X11 queues movements."""

CORNER = 2
"""Pixels from both edges of the screen within which the pointer is in a corner."""


class GuardedMouse:
    """Clicks for the player, and only where it may.

    Args:
        mouse: The mouse that does it.
        screen: All that can be seen; its corners are where a person pushes the pointer to stop the bot.
        clock: What tells the time.
    """

    def __init__(self, mouse: Mouse, screen: Region, clock: Clock = SYSTEM_CLOCK) -> None:
        self._mouse = mouse
        self._clock = clock
        self._screen = screen
        self._expected: Point | None = None
        self.allowed: Region | None = None
        """Where clicks may land: on the board, or on the restart control. Nowhere at first."""

    def check(self) -> None:
        """Notice a person's hand.

        Raises:
            StoppedByUserError: The pointer is in a corner of the screen, or not where it was put.
        """
        deadline = self._clock.now() + ARRIVAL
        while self._strayed(at := self._mouse.position()):
            if self._in_corner(at):
                raise StoppedByUserError(f"stopped: the pointer was pushed into a corner of the screen, {at}")
            if self._clock.now() > deadline:
                raise StoppedByUserError(f"stopped: the mouse was moved by hand, from {self._expected} to {at}")

    def move(self, to: Point) -> None:
        """Put the pointer over a pixel."""
        self.check()
        self._mouse.move(to)
        self._expected = to

    def click(self, at: Point, button: Button) -> None:
        """Click on an allowed pixel.

        Raises:
            AssertionError: The pixel is outside `allowed`; that is a bug of the player, and nothing was clicked.
            StoppedByUserError: A person took over.
        """
        if self.allowed is None or at not in self.allowed:
            raise AssertionError(f"a click at {at} would land outside {self.allowed}")
        self.check()
        self._mouse.click(at, button)
        self._expected = at

    def rest(self, until: float) -> None:
        """Do nothing until the clock shows `until`, but notice a person's hand meanwhile."""
        while (left := until - self._clock.now()) > 0:
            self.check()
            self._clock.sleep(min(left, _GLANCE))

    def press(self, key: str) -> None:
        """Press a key."""
        self.check()
        self._mouse.press(key)

    def park(self, off: Region) -> None:
        """Put the pointer beside `off`, where it hovers over no cell, and in no corner of the screen."""
        room = self._screen.grown(-_EDGE)
        x = min(max(off.centre.x, room.x), room.right - 1)
        y = min(max(off.centre.y, room.y), room.bottom - 1)
        beside = (
            Point(off.right + _EDGE, y),
            Point(off.x - _EDGE, y),
            Point(x, off.bottom + _EDGE),
            Point(x, off.y - _EDGE),
        )
        # A board that fills the screen leaves no such place; its reading then shows whether the pointer disturbs.
        self.move(next((point for point in beside if point in room), room.origin))

    def _strayed(self, at: Point) -> bool:
        return self._in_corner(at) or (self._expected is not None and _distance(at, self._expected) > HAND_MOVED)

    def _in_corner(self, at: Point) -> bool:
        near_side = at.x < self._screen.x + CORNER or at.x >= self._screen.right - CORNER
        return near_side and (at.y < self._screen.y + CORNER or at.y >= self._screen.bottom - CORNER)


_GLANCE = 0.05  # seconds between two looks at a resting pointer
_EDGE = 8  # pixels between the parked pointer and the board, and the edges of the screen


def _distance(one: Point, other: Point) -> int:
    return max(abs(one.x - other.x), abs(one.y - other.y))
