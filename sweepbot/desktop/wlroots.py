"""The desktop of a compositor that lets its programs look and click, and asks nobody: sway, and others on wlroots.

Pictures come by wlr-screencopy, each drawn after it was asked for: what changed before that is in it. The pointer goes
by wlr-virtual-pointer, in pixels of a monitor whatever its scale, and keys by a virtual keyboard.
"""

import logging
import mmap
import os
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager

import numpy as np
from numpy.typing import NDArray

from sweepbot.desktop import wlr_protocols as wlr
from sweepbot.desktop.keys import US_KEYMAP, us_keycode
from sweepbot.desktop.pointing import in_frame, upright
from sweepbot.desktop.screen import Frame, bgr, part_of
from sweepbot.desktop.wayland_mouse import WaylandMouse, landing, seen_on
from sweepbot.desktop.wayland_wire import Remote, Wire
from sweepbot.errors import DesktopError, StoppedByUserError
from sweepbot.geometry import Image, Point, Region

_log = logging.getLogger("sweepbot.desktop")

FRAME_S = 1 / 60
"""Seconds between two frames of the usual monitor, by which a change is shown later than it is drawn."""

_BLUE_FIRST = (0, 1)
_RED_FIRST = tuple(int.from_bytes(name, "little") for name in (b"AB24", b"XB24"))
"""Numbers of the formats that have a byte for each colour, and a fourth."""

_UPSIDE_DOWN = 1
_XKB_TEXT = 1
_CLOCK_BITS = 32


class WlrMonitor:
    """A monitor, and the memory into which the compositor writes what it shows.

    Args:
        wire: The line to the compositor.
        number: By which the compositor offers it.
        left: Where its pixels begin on the desktop.
    """

    def __init__(self, wire: Wire, number: int, left: int) -> None:
        self._wire = wire
        self._number = number
        self._screencopy = wire.bind(wlr.SCREENCOPY_MANAGER)
        self._buffer: Remote | None = None
        self._format: tuple[int, ...] = ()
        self.output = wire.bind(wlr.OUTPUT, number)
        about = wire.new(wlr.XDG_OUTPUT)
        wire.bind(wlr.XDG_OUTPUT_MANAGER).ask("get_xdg_output", about, self.output)
        wire.sync()
        self.transform: int = self.output.told["geometry"][-1][-1]
        """How it is turned and mirrored, as Wayland numbers it."""
        (self.name,) = about.told["name"][-1]
        height, width = self._capture(with_pointer=False).shape[:2]
        self.region = Region(left, 0, width, height)
        """Its pixels."""
        self.scale = width / about.told["logical_size"][-1][0]
        """Pixels to a unit of the desktop."""

    def picture(self, region: Region, *, with_pointer: bool) -> Image:
        """What a part of it shows: uint8 array of shape (height, width, 3), blue, green, red.

        Raises:
            StoppedByUserError: The monitor is gone.
            DesktopError: It gives no picture, or its resolution was changed.
        """
        pixels = self._capture(with_pointer=with_pointer)
        image = bgr(pixels[region.moved(-self.region.origin).slices])
        return image[:, :, ::-1] if self._format[0] in _RED_FIRST else image

    def _capture(self, *, with_pointer: bool) -> NDArray[np.uint8]:
        """All that it shows, in the memory that the next picture is written into."""
        frame = self._wire.new(wlr.SCREENCOPY_FRAME)
        self._screencopy.ask("capture_output", frame, int(with_pointer), self.output)
        frame.wait("buffer", "failed")
        for told in frame.told["buffer"]:
            frame.ask("copy", self._memory(told))
            frame.wait("ready", "failed")
        frame.ask("destroy")
        if not frame.told["ready"]:
            self._wire.sync()
            if self._number not in self._wire.offered(wlr.OUTPUT):
                raise StoppedByUserError(f"stopped: the monitor {self.name} is gone")
            raise DesktopError(f"the monitor {self.name} gives no picture", hint="switch it on")
        _, width, height, stride = self._format
        rows = np.frombuffer(self._shared, np.uint8).reshape(height, stride)
        pixels = rows[:, : 4 * width].reshape(height, width, 4)
        return upright(pixels[::-1] if frame.told["flags"][-1][0] & _UPSIDE_DOWN else pixels, self.transform)

    def _memory(self, told: tuple[int, ...]) -> Remote:
        """Memory for pictures of this format, width and height in pixels, and bytes to a row."""
        if self._buffer is not None:
            if told != self._format:
                raise DesktopError(f"the resolution of the monitor {self.name} was changed", hint="start again")
            return self._buffer
        number, width, height, stride = told
        if number not in _BLUE_FIRST + _RED_FIRST:
            raise DesktopError(
                f"the monitor {self.name} gives pictures in a format that is not known: {number:#x}",
                hint="set it to 8 bits a colour, and report this",
            )
        descriptor = os.memfd_create("sweepbot")
        try:
            os.truncate(descriptor, stride * height)
            self._shared = mmap.mmap(descriptor, stride * height)
            pool, self._buffer = self._wire.new(wlr.SHM_POOL), self._wire.new(wlr.BUFFER)
            self._wire.bind(wlr.SHM).ask("create_pool", pool, descriptor, stride * height)
        finally:
            os.close(descriptor)
        pool.ask("create_buffer", self._buffer, 0, width, height, stride, number)
        self._format = told
        return self._buffer


class WlrScreen:
    """Monitors side by side, each with all of its pixels, whatever their scales and places.

    Args:
        monitors: From the left to the right.
        with_pointer: Whether the pointer is in the pictures.
    """

    def __init__(self, monitors: Sequence[WlrMonitor], *, with_pointer: bool = False) -> None:
        self.monitors = monitors
        """What it is made of."""
        self._with_pointer = with_pointer
        regions = [monitor.region for monitor in monitors]
        left, right = regions[0].x, regions[-1].right
        self.region = Region(left, 0, right - left, max(region.height for region in regions))
        """All that can be seen; what is below a monitor that is less high than another is black."""

    def grab(self, region: Region | None = None) -> Frame:
        """Take a picture of `region`, by default of everything. See `Screen.grab`."""
        wanted = part_of(self.region, region)
        frame = Frame(np.zeros((wanted.height, wanted.width, 3), np.uint8), wanted)
        for monitor in self.monitors:
            if (part := monitor.region.intersection(wanted)) is not None:
                frame.part(part)[:] = monitor.picture(part, with_pointer=self._with_pointer)
        return frame


class WlrInputs:
    """A pointer for each monitor, and a keyboard. See `Inputs`.

    Args:
        wire: The line to the compositor.
        monitors: From the left to the right.
    """

    way = "wlr-virtual-pointer"

    def __init__(self, wire: Wire, monitors: Sequence[WlrMonitor]) -> None:
        self._wire = wire
        seat, pointers = wire.bind(wlr.SEAT), wire.bind(wlr.VIRTUAL_POINTER_MANAGER)
        self._pointers: list[tuple[WlrMonitor, Remote]] = []
        for monitor in monitors:
            pointer = wire.new(wlr.VIRTUAL_POINTER)
            pointers.ask("create_virtual_pointer_with_output", seat, monitor.output, pointer)
            self._pointers.append((monitor, pointer))
        self._pointer = self._pointers[0][1]
        self._keyboard = wire.new(wlr.VIRTUAL_KEYBOARD)
        wire.bind(wlr.VIRTUAL_KEYBOARD_MANAGER).ask("create_virtual_keyboard", seat, self._keyboard)
        self._held = 0
        keymap = US_KEYMAP.encode() + b"\0"
        descriptor = os.memfd_create("sweepbot")
        try:
            os.write(descriptor, keymap)
            self._keyboard.ask("keymap", _XKB_TEXT, descriptor, len(keymap))
        finally:
            os.close(descriptor)

    def move(self, to: Point) -> None:
        """Put the pointer over the middle of a pixel; beyond a monitor that is less high it stays at its edge."""
        self._wire.listen()
        monitor, self._pointer = next(each for each in self._pointers if to.x < each[0].region.right)
        region = monitor.region
        within = Point(to.x - region.x, min(to.y, region.bottom - 1))
        at, (width, height) = in_frame(within, (region.width, region.height), monitor.transform)
        # XWayland's programs are not told where the pointer enters them, but of each movement that follows.
        for half in (0, 1):
            place = 2 * at.x + half, 2 * at.y + half, 2 * width, 2 * height
            self._pointer.ask("motion_absolute", _now_ms(), *place)
            self._pointer.ask("frame")

    def button(self, code: int, *, is_down: bool) -> None:
        """Press or release a button, by its number in Linux' input codes."""
        self._pointer.ask("button", _now_ms(), code, int(is_down))
        self._pointer.ask("frame")

    def key(self, name: str, *, is_down: bool) -> None:
        """Press or release a key."""
        code, modifier = us_keycode(name)
        self._keyboard.ask("key", _now_ms(), code, int(is_down))
        if modifier:
            self._held ^= modifier
            self._keyboard.ask("modifiers", self._held, 0, 0, 0)


def wlroots_line() -> Wire | None:
    """The line to this session's compositor where that lets programs look and click; None where it does not."""
    try:
        wire = Wire()
    except OSError as error:
        _log.info("there is no line to the compositor: %s", error)
        return None
    if wire.offered(wlr.SCREENCOPY_MANAGER) and wire.offered(wlr.VIRTUAL_POINTER_MANAGER):
        return wire
    wire.close()
    return None


@contextmanager
def open_wlroots(wire: Wire) -> Iterator[tuple[WlrScreen, WaylandMouse]]:
    """Open all monitors, and a pointer that lands where it is put; let go of the line at the end.

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
        mouse = WaylandMouse(WlrInputs(wire, monitors))
        for monitor in monitors:
            sight = seen_on(WlrScreen([monitor], with_pointer=True))
            landing(sight, [mouse], monitor.region, monitor.scale, monitor.region)
        yield WlrScreen(monitors), mouse


def _now_ms() -> int:
    return round(time.monotonic() * 1000) % (1 << _CLOCK_BITS)
