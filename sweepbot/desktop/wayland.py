"""A Wayland desktop through its portal: a monitor's frames by PipeWire, pointer and keys by the portal's own calls.

Nobody but the compositor knows windows and the pointer there: which window is in front is told by pixels alone, and a
hand on the mouse is not noticed. Frames come only when something has changed, some time after it has.
"""

import math
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import cycle
from pathlib import Path
from typing import Any

import numpy as np

from sweepbot.desktop.desk import Desk
from sweepbot.desktop.mouse import Button
from sweepbot.desktop.portal import LookOnlyError, Portal, Stream, missing
from sweepbot.desktop.screen import Frame, bgr, part_of
from sweepbot.errors import DesktopError, StoppedByUserError
from sweepbot.geometry import Point, Region

LATENCY_S = 0.12
"""Seconds after which a change is surely seen: 0.05 to 0.07 from click to changed pixel is usual, and frames come 13 to
60 times a second."""

_FIRST_FRAME_S = 10.0
_CAPTURE_INTERVAL_S = 0.004  # between two looks of the stream for a frame
_LANDED_S = 30.0  # within which the pointer must be seen where it was put: on a busy machine the dialog fades slowly
_SHOWN_S = 2.0  # after which a pointer that does not show where it was put is put elsewhere: frames may come late
_LANDED_PX = 3  # by which its picture may be off the place: arrows have a rim
_ZONES = (((0.3, 0.3), (0.04, 0.6), (0.5, 0.04)), ((0.9, 0.9), (0.96, 0.5), (0.6, 0.96)))
"""Places as shares of the screen, of which one in each zone must do: what lies under the pointer may light up. Those of
the second are out of reach where scales are taken wrongly."""
_POINTER_PX = 64  # a side, of the largest pointer that is looked for

_BUTTONS: dict[Button, int] = {"left": 0x110, "right": 0x111, "middle": 0x112}
"""Linux' input codes."""

_KEYSYMS = {
    **{f"f{number}": 0xFFBE + number - 1 for number in range(1, 13)},
    "enter": 0xFF0D,
    "esc": 0xFF1B,
    "tab": 0xFF09,
    "space": 0x20,
    "ctrl": 0xFFE3,
    "shift": 0xFFE1,
    "alt": 0xFFE9,
}
"""X11's key symbols; letters and digits are their own."""


class WaylandScreen:
    """The monitor that the person has chosen.

    Args:
        portal: The session.
        stream: What it shows.

    Raises:
        DesktopError: pipewire-capture is missing, or no frame comes.
    """

    def __init__(self, portal: Portal, stream: Stream) -> None:
        self._portal = portal
        try:
            from pipewire_capture import CaptureStream  # noqa: PLC0415  (an extra that few need)
        except ImportError as cause:
            raise missing("pipewire-capture", cause) from cause
        descriptor = portal.open_pipewire()
        try:
            self._stream: Any = CaptureStream(descriptor, stream.node, *stream.size, _CAPTURE_INTERVAL_S)
            self._stream.start()
        finally:
            os.close(descriptor)  # the stream has one of its own; with this one open later sessions stand still
        self._region = Region(0, 0, *self._first_frame().shape[1::-1])

    def close(self) -> None:
        """Let go of the stream."""
        self._stream.stop()

    @property
    def region(self) -> Region:
        """All of the monitor, in pixels."""
        return self._region

    def grab(self, region: Region | None = None) -> Frame:
        """Take a picture of `region`, by default of everything. See `Screen.grab`."""
        wanted = part_of(self._region, region)
        self._portal.check()
        pixels = self._stream.get_frame()
        if pixels is None or self._stream.window_invalid:
            raise StoppedByUserError("stopped: the desktop shows nothing to sweepbot any more")
        if pixels.shape[1::-1] != (self._region.width, self._region.height):
            raise DesktopError("the monitor's resolution was changed", hint="start again")
        return Frame(bgr(pixels[wanted.y : wanted.bottom, wanted.x : wanted.right]), wanted)

    def _first_frame(self) -> Any:  # noqa: ANN401  (an array)
        until = time.perf_counter() + _FIRST_FRAME_S
        while (frame := self._stream.get_frame()) is None:
            self._portal.check()
            if time.perf_counter() > until:
                raise DesktopError(
                    f"the desktop sends no picture: {self._stream.error or 'nothing came'}",
                    hint="PipeWire must run, and show monitors in shared memory: `sweepbot doctor` tells more",
                )
            time.sleep(_CAPTURE_INTERVAL_S)
        return frame


class WaylandMouse:
    """The pointer and the keyboard, by the portal.

    GNOME takes places in a frame's pixels, yet refuses those beyond the monitor's size in its own units, which are
    fewer where it is scaled; the way that is left is gone by a relative movement.

    Args:
        portal: The session.
        stream: The monitor.
        scale: Pixels of a frame to a unit of the desktop.
    """

    def __init__(self, portal: Portal, stream: Stream, scale: float) -> None:
        self._portal = portal
        self._stream = stream
        self._scale = scale
        self._at = Point(0, 0)

    def position(self) -> Point:
        """The pixel that the pointer was put over last: where a person moves it to is not told."""
        return self._at

    def move(self, to: Point) -> None:
        """Put the pointer over the pixel `to`. See `Portal` for what is raised by all of these."""
        width, height = self._stream.size
        near = min(to.x + 0.5, width - 1.0), min(to.y + 0.5, height - 1.0)
        self._portal.move(self._stream, *near)
        rest = to.x + 0.5 - near[0], to.y + 0.5 - near[1]
        if any(rest):
            self._portal.move_by(rest[0] / self._scale, rest[1] / self._scale)
        self._at = to

    def click(self, at: Point, button: Button = "left") -> None:
        """Press and release `button` over the pixel `at`. The desktop keeps the order of what it is told."""
        self.hold(at, button, 0.0)

    def hold(self, at: Point, button: Button, seconds: float) -> None:
        """The same with the button down for so long."""
        self.move(at)
        self._portal.button(_BUTTONS[button], is_down=True)
        try:
            time.sleep(seconds)
        finally:
            self._portal.button(_BUTTONS[button], is_down=False)

    def press(self, key: str) -> None:
        """Press and release a key, or several at once joined by `+`.

        Raises:
            DesktopError: There is no such key.
        """
        symbols = [_keysym(name, key) for name in key.lower().split("+")]
        for symbol in symbols:
            self._portal.key(symbol, is_down=True)
        for symbol in reversed(symbols):
            self._portal.key(symbol, is_down=False)


@contextmanager
def open_wayland(token: Path, tell: Callable[[str], None]) -> Iterator[Desk]:
    """Ask the desktop for a monitor and a pointer, make sure where the pointer lands, and let go of both at the end.

    Args:
        token: The file in which consent is remembered.
        tell: Told in words what the person will be asked.

    Raises:
        StoppedByUserError: The person refused.
        DesktopError: Something is missing, or the pointer does not land where it is put.
    """
    with Portal(token) as portal:
        if not token.is_file():
            tell(
                "your desktop will ask once whether sweepbot may see and click: choose the monitor of the game, switch"
            )
            tell('"Allow Remote Interaction" on, and press "Share"')
        try:
            stream = portal.start()
        except LookOnlyError as error:
            tell(f'{error}. It asks once more: switch "Allow Remote Interaction" on')
            stream = portal.start()
        screen = WaylandScreen(portal, stream)
        try:
            mouse = WaylandMouse(portal, stream, screen.region.width / stream.size[0])
            check_pointer(screen, mouse)
            yield Desk(screen, mouse, latency_s=LATENCY_S)
        finally:
            screen.close()


def check_pointer(screen: WaylandScreen, mouse: WaylandMouse) -> None:
    """Make sure that the pointer lands where it is put: it is moved, and seen.

    Raises:
        DesktopError: It is not.
    """
    region = screen.region
    for zone in _ZONES:
        spots = [Point(round(across * region.width), round(down * region.height)) for across, down in zone]
        until = time.perf_counter() + _LANDED_S
        for spot in cycle(spots):
            off = _landed_off(screen, mouse, spot)
            if off is not None and off <= _LANDED_PX:
                break
            if time.perf_counter() > until:
                seen = "it is not seen there" if off is None else f"what is seen is {off} pixels off"
                raise DesktopError(
                    f"the pointer does not land where it is put, at {spot}: {seen}",
                    hint="set the monitor's scale to 100%, or play in an X11 session",
                )


def _landed_off(screen: WaylandScreen, mouse: WaylandMouse, spot: Point) -> int | None:
    """Put the pointer elsewhere and then on a spot: how far off the tip of what comes there is; None for nothing."""
    region = screen.region
    mouse.move(Point(region.width - 1 - spot.x // 2, spot.y // 2))
    time.sleep(LATENCY_S)
    before = screen.grab(_around(spot, region))
    mouse.move(spot)
    until, off = time.perf_counter() + _SHOWN_S, None
    while off is None and time.perf_counter() < until:
        time.sleep(LATENCY_S)
        off = _off(before, screen.grab(before.region), spot)
    return off


def _around(spot: Point, region: Region) -> Region:
    around = Region(spot.x - _POINTER_PX, spot.y - _POINTER_PX, 2 * _POINTER_PX, 2 * _POINTER_PX)
    return around.intersection(region) or region


def _off(before: Frame, now: Frame, spot: Point) -> int | None:
    """How far the tip of what has come into a picture is from a spot; None where nothing has."""
    rows, columns = np.nonzero((before.image != now.image).any(axis=2))
    if not len(rows):
        return None
    # An arrow points to the upper left: its tip is its first pixel in both directions.
    left, top = int(columns.min()) + now.region.x, int(rows.min()) + now.region.y
    return math.ceil(max(abs(left - spot.x), abs(top - spot.y)))


def _keysym(name: str, key: str) -> int:
    if name in _KEYSYMS:
        return _KEYSYMS[name]
    if len(name) == 1 and name.isascii() and name.isalnum():
        return ord(name)
    raise DesktopError(
        f"this keyboard has no key {name!r} (in {key!r})",
        hint=f"there are letters, digits, {', '.join(sorted(_KEYSYMS))}; joined by + where held together",
    )
