"""A Wayland desktop through its portal: frames of a monitor or a window by PipeWire, pointer and keys by its calls.

Only the compositor knows the windows and the pointer: pixels alone show which window is in front, and a person's hand
on the mouse goes unnoticed. A frame only comes some time after something has changed.
"""

import os
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import platformdirs

from sweepbot.desktop.keys import KeyCodes
from sweepbot.desktop.screen import Frame, bgr, part_of
from sweepbot.desktop.wayland import libei
from sweepbot.desktop.wayland.mouse import LATENCY_S, WaylandMouse, by_picture, by_report, first_accurate
from sweepbot.desktop.wayland.pipewire import PointerStream
from sweepbot.desktop.wayland.pointing import MAPPINGS, Mapping, Size
from sweepbot.desktop.wayland.portal import LookOnlyError, NothingSharedError, Portal, SharedSource, missing_package
from sweepbot.errors import DesktopError, StoppedByUserError
from sweepbot.geometry import Point, Region, extent

_FIRST_FRAME_S = 10.0  # within which the stream must begin
_REPORTED_S = 1.0  # within which a desktop reports the pointer's place if it does at all: 0.02 is usual
_POLL_S = 0.004  # between two looks whether it has
_FROM_SHARE, _TO_SHARES = 0.15, (0.3, 0.95)
"""Shares of a frame, across and down, where the unit of places is measured. The first of `_TO_SHARES` is inside the
frame even if a unit is three pixels; the second gives the unit to a pixel."""
_MEMORY = "PipeWire must run, and offer pictures in shared memory: run `sweepbot doctor`"
_BETWEEN_FRAMES_S = 0.0  # every frame is taken: one left out could be the last for a long time


_Value = TypeVar("_Value")


def token_path() -> Path:
    """Return the file that remembers consent."""
    return platformdirs.user_state_path("sweepbot", appauthor=False) / "wayland-token"


class PortalScreen:
    """The monitor or the window that the person has chosen. See `Screen`.

    Args:
        portal: The session.
        stream: What is shared.

    Raises:
        DesktopError: pipewire-capture is missing, or no frame comes.
    """

    def __init__(self, portal: Portal, stream: SharedSource) -> None:
        self._portal = portal
        try:
            from pipewire_capture import CaptureStream  # noqa: PLC0415  (an extra that few need)
        except ImportError as cause:
            raise missing_package("pipewire-capture", cause) from cause
        descriptor = portal.open_pipewire()
        try:
            self._stream: Any = CaptureStream(descriptor, stream.node, *stream.size, _BETWEEN_FRAMES_S)
            self._stream.start()
        finally:
            os.close(descriptor)  # the stream has its own; with this one left open later sessions hang
        self.region = Region.of(_wait_for(portal, self._stream.get_frame, lambda: self._stream.error))
        """All of the monitor, in pixels; a window lies in the top left corner of as large a region."""
        self.scale = self.region.width / stream.size[0]
        """Pixels per unit of the desktop."""
        self.shared = stream
        """What the person has chosen, and what was granted with it."""

    def close(self) -> None:
        """Close the stream."""
        self._stream.stop()

    def filled(self) -> Region:
        """Return the part that shows something: around a window everything is black."""
        if not self.shared.is_window:
            return self.region
        return extent(self.grab().image.max(axis=2) > 0) or self.region

    def grab(self, region: Region | None = None) -> Frame:
        wanted = part_of(self.region, region)
        self._portal.check()
        pixels = self._stream.get_frame()
        if pixels is None or self._stream.window_invalid:
            raise StoppedByUserError("stopped: the desktop no longer shows anything to sweepbot")
        if pixels.shape[1::-1] != (self.region.width, self.region.height):
            raise DesktopError("the monitor's resolution has changed", hint="start again")
        return Frame(bgr(pixels[wanted.slices]), wanted)


class PortalMouse(WaylandMouse):
    """Pointer and keyboard by the portal's own calls, each answered before the next, which keeps their order.

    The size of a frame is in pixels, which `mapping` converts to the portal's places.
    """

    def __init__(self, portal: Portal, stream: SharedSource, frame: Size, mapping: Mapping) -> None:
        self._portal = portal
        self._stream = stream
        self._frame = frame
        self._mapping = mapping
        self.way = f"the portal, {mapping.__name__.replace('_', ' ')}"

    def put(self, to: Point) -> None:
        motion = self._mapping(to, self._frame, self._stream.size)
        self._portal.move(self._stream, *motion.to)
        if any(motion.by):
            self._portal.notify("PointerMotion", "dd", *motion.by)

    def button(self, code: int, *, is_down: bool) -> None:
        self._portal.notify("PointerButton", "iu", code, int(is_down))

    def key(self, key: KeyCodes, *, is_down: bool) -> None:
        self._portal.notify("KeyboardKeysym", "iu", key.keysym, int(is_down))


@contextmanager
def open_portal(token: Path, tell: Callable[[str], None]) -> Iterator[tuple[PortalScreen, WaylandMouse]]:
    """Request a monitor or a window, and a pointer, from the desktop; release them at the end.

    The file `token` remembers consent; `tell` is called with words about what the person will be asked.

    Raises:
        StoppedByUserError: The person refused.
        DesktopError: Something is missing, or the pointer does not land where it is put.
    """
    with closing(Portal(token)) as portal:
        if not token.is_file():
            tell("your desktop will ask whether sweepbot may see and click, or just notify you. On GNOME, choose the")
            tell('game\'s monitor, or its window alone, switch on "Allow Remote Interaction", and press "Share"')
        try:
            stream = portal.start()
        except (LookOnlyError, NothingSharedError) as error:
            tell(f'{error}. It will ask once more: switch on "Allow Remote Interaction"')
            stream = portal.start()
        with _open_devices(portal, stream) as (screen, mouse):
            yield screen, mouse


@contextmanager
def reopen_portal(token: Path) -> Iterator[tuple[PortalScreen, WaylandMouse] | None]:
    """Do the same without a dialog if the desktop remembers the answer, else yield None."""
    with closing(Portal(token)) as portal:
        stream = portal.restore()
        if stream is None:
            yield None
            return
        with _open_devices(portal, stream) as opened:
            yield opened


@contextmanager
def _open_devices(portal: Portal, stream: SharedSource) -> Iterator[tuple[PortalScreen, WaylandMouse]]:
    """Open the screen, and a mouse whose pointer lands where it is put, by the desktop's report or by the pictures."""
    mouse: WaylandMouse | None = None
    with ExitStack() as opened:
        with closing(PointerStream(portal.open_pipewire(), stream.node)) as reports:
            frame = _wait_for(portal, lambda: reports.size)

            def pointer() -> Point | None:
                portal.check()
                return reports.pointer

            if stream.mapping is not None and libei.is_available():  # the portal's own calls are refused beside it
                by_ei = opened.enter_context(closing(libei.EiMouse(portal.connect_to_ei(), stream.mapping, frame)))
                mice: list[WaylandMouse] = [by_ei]
                is_reported = reported_size(lambda at: by_ei.move(Point(*map(round, at))), pointer, frame) is not None
            else:
                size = reported_size(lambda at: portal.move(stream, *at), pointer, frame)
                is_reported = size is not None
                stream = replace(stream, size=size or stream.size)
                mice = [PortalMouse(portal, stream, frame, mapping) for mapping in MAPPINGS]
            if is_reported:
                screen = Region(0, 0, *frame)
                mouse = first_accurate(by_report(pointer), mice, screen, frame[0] / stream.size[0], screen)
        shown = PortalScreen(portal, stream)
        opened.callback(shown.close)
        yield shown, mouse or first_accurate(by_picture(shown), mice, shown.filled(), shown.scale, shown.region)


def _wait_for(portal: Portal, get: Callable[[], _Value | None], error: Callable[[], object] = lambda: None) -> _Value:
    """Wait until `get` returns something; `error` says why it may not."""
    until = time.perf_counter() + _FIRST_FRAME_S
    while (value := get()) is None:
        portal.check()
        if time.perf_counter() > until:
            raise DesktopError(f"the desktop sends no picture: {error() or 'nothing came'}", hint=_MEMORY)
        time.sleep(_POLL_S)
    return value


def reported_size(
    put: Callable[[Size], None], pointer: Callable[[], Point | None], frame: tuple[int, int]
) -> tuple[int, int] | None:
    """Measure the size of a frame in the units of places; None if the desktop does not report the pointer.

    `put` puts the pointer on a place, and `pointer` returns the pixel that it is reported to be over; the size of the
    frame is in pixels.
    """
    size: Size = frame
    put((_FROM_SHARE * size[0], _FROM_SHARE * size[1]))  # a place that the pointer is already on would not be reported
    time.sleep(LATENCY_S)
    for share in _TO_SHARES:
        before, to = pointer(), (share * size[0], share * size[1])
        put(to)
        until = time.perf_counter() + _REPORTED_S
        at = before
        while at is None or at == before or at != pointer():  # until a new place has been reported twice
            if time.perf_counter() > until:
                return None
            at = pointer()
            time.sleep(LATENCY_S)
        size = to[0] * frame[0] / (at.x + 0.5), to[1] * frame[1] / (at.y + 0.5)
    return round(size[0]), round(size[1])
