"""The desktop of a compositor that lets programs look and click without asking: sway, and others based on wlroots.

Pictures come by wlr-screencopy. Each is drawn after it was requested, and so shows every change before that. The
pointer is moved by wlr-virtual-pointer, in pixels of a monitor whatever its scale, and keys are sent by a virtual
keyboard.
"""

import logging
import mmap
import os
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from io import FileIO

import numpy as np
from numpy.typing import NDArray

from sweepbot.desktop.keys import US_KEYMAP, KeyCodes
from sweepbot.desktop.screen import Frame, bgr, part_of
from sweepbot.desktop.wayland import protocols as wlr
from sweepbot.desktop.wayland.mouse import WaylandMouse, by_picture, first_accurate
from sweepbot.desktop.wayland.pointing import in_frame, upright
from sweepbot.desktop.wayland.wire import Remote, Wire
from sweepbot.errors import DesktopError, StoppedByUserError
from sweepbot.geometry import Image, Point, Region

_log = logging.getLogger("sweepbot.desktop")

FRAME_S = 1 / 60
"""Seconds between two frames of the usual monitor: a change may be shown this much later than it is drawn."""

_BLUE_FIRST = (0, 1)
_RED_FIRST = tuple(int.from_bytes(name, "little") for name in (b"AB24", b"XB24"))
"""Numbers of the formats with four bytes a pixel."""

_UPSIDE_DOWN = 1
_XKB_TEXT = 1
_CLOCK_BITS = 32


class WlrMonitor:
    """A monitor, and the memory into which the compositor writes its pictures.

    Args:
        wire: The connection to the compositor.
        number: The number of its global.
        left: The x of its left edge on the screen, in pixels.
    """

    def __init__(self, wire: Wire, number: int, left: int) -> None:
        self._wire = wire
        self._number = number
        self._screencopy = wire.bind(wlr.SCREENCOPY_MANAGER)
        self._buffer: Remote | None = None
        self._format: tuple[int, ...] = ()
        self.output = wire.bind(wlr.OUTPUT, number)
        about = Remote(wire, wlr.XDG_OUTPUT)
        wire.bind(wlr.XDG_OUTPUT_MANAGER).ask("get_xdg_output", about, self.output)
        wire.sync()
        self.transform: int = self.output.received["geometry"][-1][-1]
        """Wayland's number for how it is turned and mirrored."""
        (self.name,) = about.received["name"][-1]
        height, width = self._capture(with_pointer=False).shape[:2]
        self.region = Region(left, 0, width, height)
        """Its region on the screen, in pixels."""
        self.scale = width / about.received["logical_size"][-1][0]
        """Pixels per unit of the desktop."""

    def picture(self, region: Region, *, with_pointer: bool) -> Image:
        """Take a picture of a part of it: uint8 array of shape (height, width, 3) in BGR order.

        Raises:
            StoppedByUserError: The monitor is gone.
            DesktopError: It gives no picture, or its resolution has changed.
        """
        pixels = self._capture(with_pointer=with_pointer)
        image = bgr(pixels[region.moved(-self.region.origin).slices])
        return image[:, :, ::-1] if self._format[0] in _RED_FIRST else image

    def _capture(self, *, with_pointer: bool) -> NDArray[np.uint8]:
        """Take a picture of all of it; the next one is written into the same memory."""
        frame = Remote(self._wire, wlr.SCREENCOPY_FRAME)
        self._screencopy.ask("capture_output", frame, int(with_pointer), self.output)
        frame.wait("buffer", "failed")
        for picture_format in frame.received["buffer"]:
            frame.ask("copy", self._memory(picture_format))
            frame.wait("ready", "failed")
        frame.ask("destroy")
        if not frame.received["ready"]:
            self._wire.sync()
            if self._number not in self._wire.offered(wlr.OUTPUT):
                raise StoppedByUserError(f"stopped: the monitor {self.name} is gone")
            raise DesktopError(f"the monitor {self.name} gives no picture", hint="switch it on")
        _, width, height, stride = self._format
        rows = np.frombuffer(self._shared, np.uint8).reshape(height, stride)
        pixels = rows[:, : 4 * width].reshape(height, width, 4)
        return upright(pixels[::-1] if frame.received["flags"][-1][0] & _UPSIDE_DOWN else pixels, self.transform)

    def _memory(self, picture_format: tuple[int, ...]) -> Remote:
        """Return memory for pictures of a format, given as number, width and height in pixels, and bytes per row."""
        if self._buffer is not None:
            if picture_format != self._format:
                raise DesktopError(f"the resolution of the monitor {self.name} has changed", hint="start again")
            return self._buffer
        number, width, height, stride = picture_format
        if number not in _BLUE_FIRST + _RED_FIRST:
            raise DesktopError(
                f"the monitor {self.name} gives pictures in an unknown format: {number:#x}",
                hint="set it to 8 bits per colour, and please report this",
            )
        with _memory_file() as file:
            file.truncate(stride * height)
            self._shared = mmap.mmap(file.fileno(), stride * height)
            pool, self._buffer = Remote(self._wire, wlr.SHM_POOL), Remote(self._wire, wlr.BUFFER)
            self._wire.bind(wlr.SHM).ask("create_pool", pool, file.fileno(), stride * height)
        pool.ask("create_buffer", self._buffer, 0, width, height, stride, number)
        self._format = picture_format
        return self._buffer


class WlrScreen:
    """Monitors side by side, each with all of its pixels, whatever their scales and places. See `Screen`.

    Args:
        monitors: From left to right.
        with_pointer: Whether the pointer is in the pictures.
    """

    def __init__(self, monitors: Sequence[WlrMonitor], *, with_pointer: bool = False) -> None:
        self.monitors = monitors
        """From left to right."""
        self._with_pointer = with_pointer
        self.region = Region.spanning([monitor.region for monitor in monitors])
        """All monitors together; below one that is lower than another everything is black."""

    def grab(self, region: Region | None = None) -> Frame:
        wanted = part_of(self.region, region)
        frame = Frame(np.zeros((wanted.height, wanted.width, 3), np.uint8), wanted)
        for monitor in self.monitors:
            if (part := monitor.region.intersection(wanted)) is not None:
                frame.part(part)[:] = monitor.picture(part, with_pointer=self._with_pointer)
        return frame


class WlrMouse(WaylandMouse):
    """A pointer for each monitor, from left to right, and a keyboard."""

    way = "wlr-virtual-pointer"

    def __init__(self, wire: Wire, monitors: Sequence[WlrMonitor]) -> None:
        self._wire = wire
        seat, pointers = wire.bind(wlr.SEAT), wire.bind(wlr.VIRTUAL_POINTER_MANAGER)
        self._pointers: list[tuple[WlrMonitor, Remote]] = []
        for monitor in monitors:
            pointer = Remote(wire, wlr.VIRTUAL_POINTER)
            pointers.ask("create_virtual_pointer_with_output", seat, monitor.output, pointer)
            self._pointers.append((monitor, pointer))
        self._pointer = self._pointers[0][1]
        self._keyboard = Remote(wire, wlr.VIRTUAL_KEYBOARD)
        wire.bind(wlr.VIRTUAL_KEYBOARD_MANAGER).ask("create_virtual_keyboard", seat, self._keyboard)
        self._held = 0
        keymap = US_KEYMAP.encode() + b"\0"
        with _memory_file() as file:
            file.write(keymap)
            self._keyboard.ask("keymap", _XKB_TEXT, file.fileno(), len(keymap))

    def put(self, to: Point) -> None:
        """Put the pointer over the middle of a pixel; below a monitor it stays at the edge."""
        self._wire.listen()
        monitor, self._pointer = next(each for each in self._pointers if to.x < each[0].region.right)
        region = monitor.region
        within = Point(to.x - region.x, min(to.y, region.bottom - 1))
        at, (width, height) = in_frame(within, (region.width, region.height), monitor.transform)
        # XWayland programs are not told where the pointer enters them, only of the movements that follow.
        for half in (0, 1):
            place = 2 * at.x + half, 2 * at.y + half, 2 * width, 2 * height
            self._pointer.ask("motion_absolute", _now_ms(), *place)
            self._pointer.ask("frame")

    def button(self, code: int, *, is_down: bool) -> None:
        self._pointer.ask("button", _now_ms(), code, int(is_down))
        self._pointer.ask("frame")

    def key(self, key: KeyCodes, *, is_down: bool) -> None:
        self._keyboard.ask("key", _now_ms(), key.us_code, int(is_down))
        if key.modifier:
            self._held ^= key.modifier
            self._keyboard.ask("modifiers", self._held, 0, 0, 0)


def connect_wlroots() -> Wire | None:
    """Connect to this session's compositor; None if it does not let programs look and click."""
    try:
        wire = Wire()
    except OSError as error:
        _log.info("there is no connection to the compositor: %s", error)
        return None
    if wire.offered(wlr.SCREENCOPY_MANAGER) and wire.offered(wlr.VIRTUAL_POINTER_MANAGER):
        return wire
    wire.close()
    return None


@contextmanager
def open_wlroots(wire: Wire) -> Iterator[tuple[WlrScreen, WaylandMouse]]:
    """Open all monitors, and a mouse whose pointer lands where it is put; close the connection at the end.

    Raises:
        StoppedByUserError: The compositor has ended.
        DesktopError: Something is missing, or the pointer does not land where it is put.
    """
    with closing(wire):
        monitors: list[WlrMonitor] = []
        for number in wire.offered(wlr.OUTPUT):
            monitors.append(WlrMonitor(wire, number, monitors[-1].region.right if monitors else 0))
        if not monitors:
            raise DesktopError("this desktop has no monitor", hint="switch one on")
        mouse = WlrMouse(wire, monitors)
        for monitor in monitors:
            check = by_picture(WlrScreen([monitor], with_pointer=True))
            first_accurate(check, [mouse], monitor.region, monitor.scale, monitor.region)
        yield WlrScreen(monitors), mouse


def _memory_file() -> FileIO:
    """Open an unnamed file in memory, which the compositor may read and write."""
    return os.fdopen(os.memfd_create("sweepbot"), "r+b", buffering=0)


def _now_ms() -> int:
    return round(time.monotonic() * 1000) % (1 << _CLOCK_BITS)
