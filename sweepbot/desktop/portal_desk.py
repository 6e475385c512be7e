"""A Wayland desktop through its portal: frames of a monitor or a window by PipeWire, pointer and keys by its own calls.

Nobody but the compositor knows windows and the pointer there: which window is in front is told by pixels alone, and a
hand on the mouse is not noticed. Frames come only when something has changed, some time after it has.
"""

import os
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import platformdirs

from sweepbot.desktop import libei
from sweepbot.desktop.keys import keysym
from sweepbot.desktop.pipewire import PointerStream
from sweepbot.desktop.pointing import MAPPINGS, Mapping, Size
from sweepbot.desktop.portal import LookOnlyError, NothingSharedError, Portal, Stream, missing
from sweepbot.desktop.screen import Frame, bgr, part_of
from sweepbot.desktop.wayland_mouse import LATENCY_S, WaylandMouse, landing, seen_on, told_by
from sweepbot.errors import DesktopError, StoppedByUserError
from sweepbot.geometry import Point, Region, extent

_FIRST_FRAME_S = 10.0
_TOLD_S = 1.0  # within which a desktop that tells where the pointer is has done so: 0.02 is usual
_POLL_S = 0.004  # between two looks for the first frame
_FROM, _SHARES = 0.15, (0.3, 0.95)
"""Of a frame, across and down: where it is found out how places are counted. The second is on it also where units
are counted of up to three pixels each; the last tells them to a pixel."""
_MEMORY = "PipeWire must run, and show monitors in shared memory: `sweepbot doctor` tells more"
_EVERY_FRAME = 0.0  # seconds that a stream leaves between two frames: what is left out may be the last for long


_Thing = TypeVar("_Thing")


def token_path() -> Path:
    """The file in which consent is remembered."""
    return platformdirs.user_state_path("sweepbot", appauthor=False) / "wayland-token"


class PortalScreen:
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
        self.region = Region.of(_awaited(portal, self._stream.get_frame, lambda: self._stream.error))
        """All of the monitor, in pixels; a window has as much room, and is in its upper left corner."""
        self.scale = self.region.width / stream.size[0]
        """Pixels to a unit of the desktop."""
        self.shared = stream
        """What the person has chosen, and what was granted with it."""

    def close(self) -> None:
        """Close the stream."""
        self._stream.stop()

    def filled(self) -> Region:
        """The part of it that shows something: around a window all is black."""
        if not self.shared.is_window:
            return self.region
        return extent(self.grab().image.max(axis=2) > 0) or self.region

    def grab(self, region: Region | None = None) -> Frame:
        """Take a picture of `region`, by default of everything. See `Screen.grab`."""
        wanted = part_of(self.region, region)
        self._portal.check()
        pixels = self._stream.get_frame()
        if pixels is None or self._stream.window_invalid:
            raise StoppedByUserError("stopped: the desktop shows nothing to sweepbot any more")
        if pixels.shape[1::-1] != (self.region.width, self.region.height):
            raise DesktopError("the monitor's resolution was changed", hint="start again")
        return Frame(bgr(pixels[wanted.slices]), wanted)


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


@contextmanager
def open_portal(token: Path, tell: Callable[[str], None]) -> Iterator[tuple[PortalScreen, WaylandMouse]]:
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
            tell("your desktop asks whether sweepbot may see and click, or only says that it does. On GNOME choose the")
            tell('monitor of the game, or its window alone, switch "Allow Remote Interaction" on, and press "Share"')
        try:
            stream = portal.start()
        except (LookOnlyError, NothingSharedError) as error:
            tell(f'{error}. It asks once more: switch "Allow Remote Interaction" on')
            stream = portal.start()
        with _playable(portal, stream) as (screen, mouse):
            yield screen, mouse


@contextmanager
def reopen_portal(token: Path) -> Iterator[tuple[PortalScreen, WaylandMouse] | None]:
    """The same if the desktop remembers the answer, without asking; None otherwise."""
    with Portal(token) as portal:
        stream = portal.restore()
        if stream is None:
            yield None
            return
        with _playable(portal, stream) as opened:
            yield opened


@contextmanager
def _playable(portal: Portal, stream: Stream) -> Iterator[tuple[PortalScreen, WaylandMouse]]:
    """A screen, and a mouse whose pointer lands where it is put: as the desktop tells it, else as the pictures show."""
    mouse: WaylandMouse | None = None
    with ExitStack() as kept:
        with closing(PointerStream(portal.open_pipewire(), stream.node)) as told:
            frame = _awaited(portal, lambda: told.size)

            def pointer() -> Point | None:
                portal.check()
                return told.pointer

            if stream.mapping is not None and libei.is_available():  # nothing else is taken beside it
                inputs = kept.enter_context(closing(libei.EiInputs(portal.connect_to_ei(), stream.mapping, frame)))
                mice = [WaylandMouse(inputs)]
                is_told = size_told(lambda at: mice[0].move(Point(*map(round, at))), pointer, frame) is not None
            else:
                size = size_told(lambda at: portal.move(stream, *at), pointer, frame)
                is_told = size is not None
                stream = replace(stream, size=size or stream.size)
                mice = [WaylandMouse(PortalInputs(portal, stream, frame, mapping)) for mapping in MAPPINGS]
            if is_told:
                screen = Region(0, 0, *frame)
                mouse = landing(told_by(pointer), mice, screen, frame[0] / stream.size[0], screen)
        shown = PortalScreen(portal, stream)
        kept.callback(shown.close)
        yield shown, mouse or landing(seen_on(shown), mice, shown.filled(), shown.scale, shown.region)


def _awaited(portal: Portal, get: Callable[[], _Thing | None], error: Callable[[], object] = lambda: None) -> _Thing:
    """What the pictures need to begin, once it is there; `error` tells why it may not come."""
    until = time.perf_counter() + _FIRST_FRAME_S
    while (thing := get()) is None:
        portal.check()
        if time.perf_counter() > until:
            raise DesktopError(f"the desktop sends no picture: {error() or 'nothing came'}", hint=_MEMORY)
        time.sleep(_POLL_S)
    return thing


def size_told(
    put: Callable[[Size], None], pointer: Callable[[], Point | None], frame: tuple[int, int]
) -> tuple[int, int] | None:
    """The size of a frame as places are counted, where the desktop tells where the pointer has come down; else None.

    Args:
        put: Puts the pointer on a place, as these are counted.
        pointer: The pixel that it is told to be over.
        frame: Width and height in pixels.
    """
    size: Size = frame
    put((_FROM * size[0], _FROM * size[1]))  # no event comes for a place that the pointer is on already
    time.sleep(LATENCY_S)
    for share in _SHARES:
        before, to = pointer(), (share * size[0], share * size[1])
        put(to)
        until = time.perf_counter() + _TOLD_S
        at = before
        while at is None or at == before or at != pointer():  # until a new place was reported twice
            if time.perf_counter() > until:
                return None
            at = pointer()
            time.sleep(LATENCY_S)
        size = to[0] * frame[0] / (at.x + 0.5), to[1] * frame[1] / (at.y + 0.5)
    return round(size[0]), round(size[1])
