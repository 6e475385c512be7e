"""A Wayland desktop through its portal: frames of a monitor or a window by PipeWire, pointer and keys by its own calls.

Nobody but the compositor knows windows and the pointer there: which window is in front is told by pixels alone, and a
hand on the mouse is not noticed. Frames come only when something has changed, some time after it has.
"""

import math
import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from itertools import cycle, product
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import platformdirs

from sweepbot.desktop import libei
from sweepbot.desktop.keys import keysym
from sweepbot.desktop.mouse import Button
from sweepbot.desktop.pointing import MAPPINGS, Mapping, Size
from sweepbot.desktop.portal import LookOnlyError, NothingSharedError, Portal, Stream, missing
from sweepbot.desktop.screen import Frame, Screen, bgr, part_of
from sweepbot.errors import DesktopError, StoppedByUserError
from sweepbot.geometry import Point, Region

LATENCY_S = 0.12
"""Seconds after which a change is surely seen: 0.05 to 0.07 from click to changed pixel is usual, and frames come 13 to
60 times a second."""

_FIRST_FRAME_S = 10.0
_POLL_S = 0.004  # between two looks for the first frame
_EVERY_FRAME = 0.0  # seconds that a stream leaves between two frames: what is left out may be the last for long
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
        way: How places are told, for a person to read.
    """

    way: str

    def move(self, to: Point) -> None:
        """Put the pointer over a pixel of the frames."""

    def button(self, code: int, *, is_down: bool) -> None:
        """Press or release a button, by its number in Linux' input codes."""

    def key(self, name: str, *, is_down: bool) -> None:
        """Press or release a key."""


def token_path() -> Path:
    """The file in which consent is remembered."""
    return platformdirs.user_state_path("sweepbot", appauthor=False) / "wayland-token"


class WaylandScreen:
    """The monitor, or the window, that the person has chosen.

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
            self._stream: Any = CaptureStream(descriptor, stream.node, *stream.size, _EVERY_FRAME)
            self._stream.start()
        finally:
            os.close(descriptor)  # the stream has one of its own; with this one open later sessions stand still
        self._region = Region(0, 0, *self._first_frame().shape[1::-1])
        self.scale = self._region.width / stream.size[0]
        """Pixels to a unit of the desktop."""
        self.shared = stream
        """What the person has chosen, and what was granted with it."""

    def close(self) -> None:
        """Let go of the stream."""
        self._stream.stop()

    @property
    def region(self) -> Region:
        """All of the monitor, in pixels; a window has as much room, and is in its upper left corner."""
        return self._region

    def filled(self) -> Region:
        """The part of it that shows something: around a window all is black."""
        if not self.shared.is_window:
            return self._region
        rows, columns = np.nonzero(self.grab().image.any(axis=2))
        if not len(rows):
            return self._region
        left, top = int(columns.min()), int(rows.min())
        return Region(left, top, int(columns.max()) + 1 - left, int(rows.max()) + 1 - top)

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
            time.sleep(_POLL_S)
        return frame


class PortalInputs:
    """The pointer and the keyboard by the portal's own calls, each waited for: else it mixes up their order.

    Args:
        portal: The session.
        stream: The monitor or the window.
        frame: The size of a frame in pixels.
        mapping: How pixels are told.
    """

    def __init__(self, portal: Portal, stream: Stream, frame: Size, mapping: Mapping) -> None:
        self._portal = portal
        self._stream = stream
        self._frame = frame
        self._mapping = mapping
        self.way = f"the portal, {mapping.__name__.replace('_', ' ')}"

    def move(self, to: Point) -> None:
        """See `Inputs`."""
        motion = self._mapping(to, self._frame, self._stream.size)
        self._portal.move(self._stream, *motion.to)
        if any(motion.by):
            self._portal.move_by(*motion.by)

    def button(self, code: int, *, is_down: bool) -> None:
        """See `Inputs`."""
        self._portal.button(code, is_down=is_down)

    def key(self, name: str, *, is_down: bool) -> None:
        """See `Inputs`."""
        self._portal.key(keysym(name), is_down=is_down)


class WaylandMouse:
    """A pointer and a keyboard, as all who click have them.

    Args:
        inputs: What moves and presses.
    """

    def __init__(self, inputs: Inputs) -> None:
        self._inputs = inputs
        self.way = inputs.way
        """How places are told, for a person to read."""
        self._at = Point(0, 0)

    def position(self) -> Point:
        """The pixel that the pointer was put over last: where a person moves it to is not told."""
        return self._at

    def move(self, to: Point) -> None:
        """Put the pointer over the pixel `to`. See `Portal` for what is raised by all of these."""
        self._inputs.move(to)
        self._at = to

    def click(self, at: Point, button: Button = "left") -> None:
        """Press and release `button` over the pixel `at`. The desktop keeps the order of what it is told."""
        self.hold(at, button, 0.0)

    def hold(self, at: Point, button: Button, seconds: float) -> None:
        """The same with the button down for so long."""
        self.move(at)
        self._inputs.button(_BUTTONS[button], is_down=True)
        try:
            time.sleep(seconds)
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


@contextmanager
def open_wayland(token: Path, tell: Callable[[str], None]) -> Iterator[tuple[WaylandScreen, WaylandMouse]]:
    """Ask the desktop for a monitor or a window, and a pointer, and let go of them at the end.

    Args:
        token: The file in which consent is remembered.
        tell: Told in words what the person will be asked.

    Raises:
        StoppedByUserError: The person refused.
        DesktopError: Something is missing, or the pointer does not land where it is put.
    """
    with Portal(token) as portal:
        if not token.is_file():
            tell("your desktop will ask once whether sweepbot may see and click: choose the monitor of the game, or")
            tell('its window alone, switch "Allow Remote Interaction" on, and press "Share"')
        try:
            stream = portal.start()
        except (LookOnlyError, NothingSharedError) as error:
            tell(f'{error}. It asks once more: switch "Allow Remote Interaction" on')
            stream = portal.start()
        with _playable(portal, stream) as (screen, mouse):
            yield screen, mouse


@contextmanager
def reopen_wayland(token: Path) -> Iterator[tuple[WaylandScreen, WaylandMouse] | None]:
    """The same where the desktop remembers the answer: nobody is asked, and there is nothing where it does not."""
    with Portal(token) as portal:
        stream = portal.restore()
        if stream is None:
            yield None
            return
        with _playable(portal, stream) as opened:
            yield opened


@contextmanager
def _playable(portal: Portal, stream: Stream) -> Iterator[tuple[WaylandScreen, WaylandMouse]]:
    """A screen, and a mouse whose pointer lands where it is put."""
    screen = WaylandScreen(portal, stream)
    try:
        with _mice(portal, stream, screen) as mice:
            yield screen, landing(screen, mice, screen.filled(), screen.scale)
    finally:
        screen.close()


@contextmanager
def _mice(portal: Portal, stream: Stream, screen: WaylandScreen) -> Iterator[Sequence[WaylandMouse]]:
    """The ways to move the pointer of which one will do: libei where it is, as nothing else is taken beside it."""
    frame = screen.region.width, screen.region.height
    if stream.mapping is None or not libei.is_available():
        yield [WaylandMouse(PortalInputs(portal, stream, frame, mapping)) for mapping in MAPPINGS]
        return
    with closing(libei.EiInputs(portal.connect_to_ei(), stream.mapping, frame)) as inputs:
        yield [WaylandMouse(inputs)]


def landing(screen: Screen, mice: Sequence[WaylandMouse], region: Region, scale: float) -> WaylandMouse:
    """The first mouse whose pointer lands where it is put: it is moved, and seen.

    Args:
        screen: Where it is seen.
        mice: Those to be tried.
        region: The part of the screen in which the pointer is seen.
        scale: Pixels to a unit of the desktop.

    Raises:
        DesktopError: None does.
    """
    starts = cycle(_places(region, _STARTS))
    for zone in _ZONES:
        spots = _places(region, zone)
        until = time.perf_counter() + _LANDED_S
        for spot, mouse in cycle(product(spots, mice)):
            off = _landed_off(screen, mouse, next(starts), spot)
            if off is not None and off <= _LANDED_UNITS * scale:
                mice = (mouse,)
                break
            if time.perf_counter() > until:
                seen = "it is not seen there" if off is None else f"what is seen is {off} pixels off"
                what = f"on a monitor of {scale:.0%}" if region == screen.region else "in the window that is shared"
                better = "set the monitor's scale to 100%" if region == screen.region else _BETTER_THAN_WINDOW
                raise DesktopError(
                    f"the pointer does not land where it is put, at {spot}, {what}: {seen}",
                    hint=f"{better}, or play in an X11 session",
                )
    return mice[0]


def _places(region: Region, shares: Sequence[tuple[float, float]]) -> list[Point]:
    sizes = [(round(across * region.width), round(down * region.height)) for across, down in shares]
    return [region.origin + Point(*size) for size in sizes]


def _landed_off(screen: Screen, mouse: WaylandMouse, start: Point, spot: Point) -> int | None:
    """Move the pointer from a start to a spot: how far off the tip of what comes there is; None for nothing."""
    mouse.move(start)
    time.sleep(LATENCY_S)
    before = screen.grab(_around(spot, screen.region))
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
