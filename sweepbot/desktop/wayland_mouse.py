"""The pointer and the keyboard of a Wayland desktop, however they are told, and whether the pointer lands as told.

Nobody but the compositor knows where the pointer is: it is put somewhere, and the compositor tells where it is then,
or shows it in the pictures.
"""

import math
import time
from collections.abc import Callable, Sequence
from itertools import cycle, product
from typing import Protocol

from sweepbot.desktop.mouse import Button
from sweepbot.desktop.screen import Frame, Screen
from sweepbot.errors import DesktopError
from sweepbot.geometry import Point, Region, extent

LATENCY_S = 0.12
"""Seconds after which a change is surely seen: 0.05 to 0.07 from click to changed pixel is usual, and frames come 13 to
60 times a second."""

_LANDED_S = 30.0  # within which the pointer must be seen where it was put: on a busy machine the dialog fades slowly
_SHOWN_S = 0.5  # after which a pointer that does not show where it was put is put elsewhere: frames may come late
_LANDED_UNITS = 3  # of the desktop, by which its picture may be off the place: arrows have a rim
_ZONES = (((0.3, 0.3), (0.04, 0.6), (0.5, 0.04)), ((0.9, 0.9), (0.96, 0.5), (0.6, 0.96)))
"""Places as shares of the screen, of which one in each zone must do: what lies under the pointer may light up. Those of
the second are out of reach where scales are taken wrongly."""
_STARTS = ((0.25, 0.67), (0.35, 0.87), (0.2, 0.52), (0.1, 0.27), (0.3, 0.77))
"""Places from which the pointer comes, one after the other: a window's picture has it anew only where the window itself
changes, as what lights up under the pointer does when that leaves. Where scales are taken wrongly none of them is near
a place above, for a pointer that leaves looks like one that comes."""
_BETTER_THAN_WINDOW = "close what is in front of the window, even its own dialog; or share the entire screen"
_POINTER_PX = 64  # a side, of the largest pointer that is looked for

_BUTTONS: dict[Button, int] = {"left": 0x110, "right": 0x111, "middle": 0x112}
"""Linux' input codes."""


class Inputs(Protocol):
    """A pointer and a keyboard; see `Portal` for what is raised.

    Attributes:
        way: How the pointer is moved, in words.
    """

    way: str

    def move(self, to: Point) -> None:
        """Put the pointer over a pixel of the frames."""

    def button(self, code: int, *, is_down: bool) -> None:
        """Press or release a button, by its number in Linux' input codes."""

    def key(self, name: str, *, is_down: bool) -> None:
        """Press or release a key."""


class WaylandMouse:
    """A `Mouse` made of such inputs.

    Args:
        inputs: What moves and presses.
    """

    def __init__(self, inputs: Inputs) -> None:
        self._inputs = inputs
        self.way = inputs.way
        """How the pointer is moved, in words."""
        self._at = Point(0, 0)

    def position(self) -> Point:
        """The pixel that the pointer was last put over; a person's movements are not reported."""
        return self._at

    def move(self, to: Point) -> None:
        """Put the pointer over the pixel `to`. See `Portal` for what is raised by all of these."""
        self._inputs.move(to)
        self._at = to

    def click(self, at: Point, button: Button = "left", hold_s: float = 0.0) -> None:
        """Press `button` over the pixel `at`, and release it after so long. The desktop keeps the order of both."""
        self.move(at)
        self._inputs.button(_BUTTONS[button], is_down=True)
        try:
            time.sleep(hold_s)
        finally:
            self._inputs.button(_BUTTONS[button], is_down=False)

    def press(self, key: str) -> None:
        """Press and release a key, or several at once joined by `+`.

        Raises:
            DesktopError: There is no such key.
        """
        names = key.lower().split("+")
        for name in names:
            self._inputs.key(name, is_down=True)
        for name in reversed(names):
            self._inputs.key(name, is_down=False)


Off = Callable[[], int | None]
"""By how many pixels the pointer has come down off a place, as far as is known by now; None where nothing is."""

Sight = Callable[[Point], Off]
"""A way to know that of a place, asked for while the pointer is still elsewhere, at rest."""


def told_by(pointer: Callable[[], Point | None]) -> Sight:
    """Where the desktop tells where the pointer is."""

    def sight(spot: Point) -> Off:
        before = pointer()

        def off() -> int | None:
            at = pointer()
            return None if at is None or at == before else max(abs(at.x - spot.x), abs(at.y - spot.y))

        return off

    return sight


def seen_on(screen: Screen) -> Sight:
    """Where the pointer is in the pictures."""

    def sight(spot: Point) -> Off:
        before = screen.grab(Region.around(spot, _POINTER_PX).intersection(screen.region))
        return lambda: _off(before, screen.grab(before.region), spot)

    return sight


def landing(sight: Sight, mice: Sequence[WaylandMouse], region: Region, scale: float, screen: Region) -> WaylandMouse:
    """The first mouse whose pointer lands where it is put: it is moved, and looked for.

    Args:
        sight: How it is known where it has come down.
        mice: Those to be tried.
        region: The part of the screen in which the pointer is looked for.
        scale: Pixels to a unit of the desktop.
        screen: All of it.

    Raises:
        DesktopError: None does.
    """
    starts = cycle(_places(region, _STARTS))
    near, far = (_places(region, zone) for zone in _ZONES)
    # Both places with one mouse: where frames come late, the first may show what the mouse before has done.
    tries = cycle(product(near, far, mice))
    until = time.perf_counter() + _LANDED_S
    while True:
        first, second, mouse = next(tries)
        for spot in (first, second):
            off = _landed_off(sight, mouse, next(starts), spot)
            if off is None or off > _LANDED_UNITS * scale:
                break
        else:
            return mouse
        if time.perf_counter() > until:
            seen = "it is not seen there" if off is None else f"what is seen is {off} pixels off"
            what = f"on a monitor of {scale:.0%}" if region == screen else "in the window that is shared"
            better = "set the monitor's scale to 100%" if region == screen else _BETTER_THAN_WINDOW
            raise DesktopError(
                f"the pointer does not land where it is put, at {spot}, {what}: {seen}",
                hint=f"{better}, or play in an X11 session",
            )


def _places(region: Region, shares: Sequence[tuple[float, float]]) -> list[Point]:
    sizes = [(round(across * region.width), round(down * region.height)) for across, down in shares]
    return [region.origin + Point(*size) for size in sizes]


def _landed_off(sight: Sight, mouse: WaylandMouse, start: Point, spot: Point) -> int | None:
    """Move the pointer from a start to a spot: how far off it comes down; None where nothing is known of it."""
    mouse.move(start)
    time.sleep(LATENCY_S)
    look = sight(spot)
    mouse.move(spot)
    until, off = time.perf_counter() + _SHOWN_S, None
    while off is None and time.perf_counter() < until:
        time.sleep(LATENCY_S)
        off = look()
    return off


def _off(before: Frame, now: Frame, spot: Point) -> int | None:
    """How far what has come into a picture points from a spot; None where nothing has."""
    come = extent((before.image != now.image).any(axis=2))
    if come is None:
        return None
    come = come.moved(now.region.origin)
    # An arrow points with its upper left end; the bar that pointers are over text, as of a terminal, with its middle.
    ends: list[tuple[float, float]] = [(come.x, come.y)]
    if come.x > now.region.x and come.y > now.region.y:  # else all may have changed, as where a dialog fades
        ends.append((come.x + (come.width - 1) / 2, come.y + (come.height - 1) / 2))
    return math.ceil(min(max(abs(x - spot.x), abs(y - spot.y)) for x, y in ends))
