"""The mouse of a Wayland desktop, whatever moves it, and a check that its pointer lands where it is put.

Only the compositor knows where the pointer is: after each move it may report the place, or the pictures show it.
"""

import math
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from itertools import cycle, product

from sweepbot.desktop.keys import KeyCodes, held_together
from sweepbot.desktop.mouse import Button
from sweepbot.desktop.screen import Frame, Screen
from sweepbot.errors import DesktopError
from sweepbot.geometry import Point, Region, extent

LATENCY_S = 0.12
"""Seconds after which a change is certain to be seen: from click to changed pixel usually takes 0.05 to 0.07, and
frames come 13 to 60 times a second."""

_LANDED_S = 30.0  # within which the pointer must be seen where it was put: the consent dialog may fade slowly
_SHOWN_S = 0.5  # after which another place is tried: frames may be late
_LANDED_UNITS = 3  # tolerance in units of the desktop: arrows have a rim
_ZONES = (((0.3, 0.3), (0.04, 0.6), (0.5, 0.04)), ((0.9, 0.9), (0.96, 0.5), (0.6, 0.96)))
"""Places, as shares of the screen. One in each zone must succeed: at others, what is under the pointer may light up.
Those of the second zone cannot be reached if the scale is wrong."""
_STARTS = ((0.25, 0.67), (0.35, 0.87), (0.2, 0.52), (0.1, 0.27), (0.3, 0.77))
"""Places that the pointer starts from, in turn. A window's picture shows it anew only when the window itself changes,
as when something lights up as the pointer leaves. Even with a wrong scale none is near a place above, since a pointer
that leaves looks like one that arrives."""
_BETTER_THAN_WINDOW = "close what is in front of the window, even its own dialog; or share the entire screen"
_POINTER_PX = 64  # the side of the largest pointer that is searched for

_BUTTONS: dict[Button, int] = {"left": 0x110, "right": 0x111, "middle": 0x112}
"""Linux' input codes."""


class WaylandMouse(ABC):
    """The pointer and the keyboard, whatever moves them. See `Mouse`, and `Portal` for the errors raised.

    Attributes:
        way: How the pointer is moved, in words.
    """

    way: str
    _at = Point(0, 0)

    @abstractmethod
    def put(self, to: Point) -> None:
        """Put the pointer over a pixel of the frames."""

    @abstractmethod
    def button(self, code: int, *, is_down: bool) -> None:
        """Press or release a button, given by Linux' input code; the desktop keeps the order."""

    @abstractmethod
    def key(self, key: KeyCodes, *, is_down: bool) -> None:
        """Press or release a key."""

    def position(self) -> Point:
        """Return the pixel that the pointer was last put over; a person's movements are not reported."""
        return self._at

    def move(self, to: Point) -> None:
        self.put(to)
        self._at = to

    def click(self, at: Point, button: Button = "left", hold_s: float = 0.0) -> None:
        self.move(at)
        self.button(_BUTTONS[button], is_down=True)
        try:
            time.sleep(hold_s)
        finally:
            self.button(_BUTTONS[button], is_down=False)

    def press(self, key: str) -> None:
        with ExitStack() as held:
            for each in held_together(key):
                self.key(each, is_down=True)
                held.callback(self.key, each, is_down=False)


Miss = Callable[[], int | None]
"""Returns by how many pixels the pointer has missed a spot, None if its place is not known yet."""

LandingCheck = Callable[[Point], Miss]
"""Prepares to check where the pointer lands, while it is still elsewhere; takes the spot that it is put on."""


def by_report(pointer: Callable[[], Point | None]) -> LandingCheck:
    """Check by the desktop's report of the pointer's place."""

    def check(spot: Point) -> Miss:
        before = pointer()

        def miss() -> int | None:
            at = pointer()
            return None if at is None or at == before else max(abs(at.x - spot.x), abs(at.y - spot.y))

        return miss

    return check


def by_picture(screen: Screen) -> LandingCheck:
    """Check by the pointer's place in the pictures."""

    def check(spot: Point) -> Miss:
        before = screen.grab(Region.around(spot, _POINTER_PX).intersection(screen.region))
        return lambda: _miss(before, screen.grab(before.region), spot)

    return check


def first_accurate(
    check: LandingCheck, mice: Sequence[WaylandMouse], region: Region, scale: float, screen: Region
) -> WaylandMouse:
    """Move the pointer of each mouse about in a region of the screen, and return the first that lands where it is put.

    The scale is that of the monitor: pixels per unit of the desktop.

    Raises:
        DesktopError: None is accurate.
    """
    starts = cycle(_places(region, _STARTS))
    near, far = (_places(region, zone) for zone in _ZONES)
    # Both places with one mouse: if frames are late, the first may show what the previous mouse did.
    tries = cycle(product(near, far, mice))
    until = time.perf_counter() + _LANDED_S
    while True:
        first, second, mouse = next(tries)
        for spot in (first, second):
            off = _measure_miss(check, mouse, next(starts), spot)
            if off is None or off > _LANDED_UNITS * scale:
                break
        else:
            return mouse
        if time.perf_counter() > until:
            seen = "it is not seen there" if off is None else f"it is {off} pixels off"
            where = f"on a monitor at {scale:.0%}" if region == screen else "in the shared window"
            better = "set the monitor's scale to 100%" if region == screen else _BETTER_THAN_WINDOW
            raise DesktopError(
                f"the pointer does not land where it is put, at {spot} {where}: {seen}",
                hint=f"{better}, or play in an X11 session",
            )


def _places(region: Region, shares: Sequence[tuple[float, float]]) -> list[Point]:
    sizes = [(round(across * region.width), round(down * region.height)) for across, down in shares]
    return [region.origin + Point(*size) for size in sizes]


def _measure_miss(check: LandingCheck, mouse: WaylandMouse, start: Point, spot: Point) -> int | None:
    """Move the pointer from a start to a spot; return by how many pixels it misses, None if its place is unknown."""
    mouse.move(start)
    time.sleep(LATENCY_S)
    miss = check(spot)
    mouse.move(spot)
    until, off = time.perf_counter() + _SHOWN_S, None
    while off is None and time.perf_counter() < until:
        time.sleep(LATENCY_S)
        off = miss()
    return off


def _miss(before: Frame, now: Frame, spot: Point) -> int | None:
    """Return how far from a spot the pointer that has appeared in a picture points; None if nothing has appeared."""
    changed = extent((before.image != now.image).any(axis=2))
    if changed is None:
        return None
    changed = changed.moved(now.region.origin)
    # An arrow points with its top left tip; the bar over text, as in a terminal, with its middle.
    ends: list[tuple[float, float]] = [(changed.x, changed.y)]
    if changed.x > now.region.x and changed.y > now.region.y:  # else everything may have changed, as a dialog fades
        ends.append((changed.x + (changed.width - 1) / 2, changed.y + (changed.height - 1) / 2))
    return math.ceil(min(max(abs(x - spot.x), abs(y - spot.y)) for x, y in ends))
