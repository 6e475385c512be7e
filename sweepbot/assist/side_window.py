"""The small window beside the client's: starts its process, places it, and sends it what to show."""

import json
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from threading import Thread
from typing import Any

import msgspec

from sweepbot.desktop.picture_window import TEXT_HEIGHT_PX, Content
from sweepbot.desktop.tk_window import first_line
from sweepbot.errors import DesktopError
from sweepbot.geometry import Image, PixelMap, Region
from sweepbot.render.files import ppm
from sweepbot.render.heatmap import CELL_PX, shrunk

_FRAME_PX = 40
"""Room for the frame of a window: a title bar at most, even on dense screens."""

_PATIENCE_S = 20.0  # for the window to appear
_CELLS_PX = range(28, 9, -2)  # sides of a cell in the picture, the best first; the smallest still shows its colour


class SideWindow:
    """A window in front of all others, beside the client's, which takes neither the keyboard nor clicks.

    It is hidden until there is something to show. If the person closes it, `show` does nothing from then on.

    Args:
        monitors: Each monitor's region in pixels.
        pixel_map: Converts pixels to the units in which windows are placed.

    Raises:
        DesktopError: There is no tkinter, or no display.
    """

    def __init__(self, monitors: Sequence[Region], pixel_map: PixelMap) -> None:
        self._map = pixel_map
        self._monitors = [self._map.in_points(monitor) for monitor in monitors]
        self.region: Region | None = None
        """Its inside in pixels; None while it is not shown."""
        self._beside: tuple[Region, Region, tuple[int, ...]] | None = None
        self._place: Region | None = None
        self._process = subprocess.Popen(
            [sys.executable, "-m", "sweepbot.desktop.picture_window"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        answer: dict[str, Any] = json.loads(first_line(self._process, _PATIENCE_S) or b"{}")
        if "ready" not in answer:
            self.close()
            raise DesktopError(answer.get("error", "it did not appear"))
        Thread(target=self._listen, daemon=True).start()

    def close(self) -> None:
        """Close the window."""
        with suppress(OSError), self._process as process:  # unsent contents cannot be flushed any more
            process.terminate()

    def show(self, picture: Image, text: str, client: Region, desktop: Region) -> bool:
        """Show a heatmap and some words beside the client; the window stays where it is put until the client moves.

        The client is the inside of its window, and the desktop the part that windows may fill, in pixels.

        Returns:
            Whether there is room for it; if not, nothing changes.
        """
        is_new = (client, desktop, picture.shape) != self._beside
        if is_new:
            self._beside = (client, desktop, picture.shape)
            self._place = self._find_place(picture, client, desktop)
        if self._place is None:
            return False
        size = (self._place.width, self._place.height)
        at = (self._place.x, self._place.y) if is_new else None
        self._send(Content(size, at, text, ppm(shrunk(picture, size[0], size[1] - TEXT_HEIGHT_PX))))
        return True

    def _find_place(self, picture: Image, client: Region, desktop: Region) -> Region | None:
        height, width = picture.shape[:2]
        sizes = [(width * side // CELL_PX, height * side // CELL_PX + TEXT_HEIGHT_PX) for side in _CELLS_PX]
        free = self._map.in_points(desktop)
        rooms = [room for monitor in self._monitors if (room := monitor.intersection(free)) is not None]
        near = self._map.in_points(client)
        rooms.sort(key=lambda room: room.intersection(near) is None)  # the client's own monitor first
        return place_beside(near, sizes, rooms)

    def _send(self, content: Content) -> None:
        if self._process.stdin is None or self._process.poll() is not None:
            return
        try:
            self._process.stdin.write(msgspec.json.encode(content) + b"\n")
            self._process.stdin.flush()
        except OSError:  # the person has just closed it
            self.region = None

    def _listen(self) -> None:
        """Note where the window is, until it is closed."""
        assert self._process.stdout is not None  # noqa: S101  (it was opened with a pipe)
        for line in self._process.stdout:
            x, y, width, height = json.loads(line)["region"]
            self.region = self._map.in_pixels(Region(x, y, width, height))
        self.region = None


def place_beside(client: Region, sizes: Iterable[tuple[int, int]], rooms: Sequence[Region]) -> Region | None:
    """Find a place for the best size of window that fits beside the client's.

    Args:
        client: The inside of the client's window, in pixels.
        sizes: Widths and heights that the window may have, the best first.
        rooms: The parts of the desktop that windows may fill, the best first: the monitors without their panels.

    Returns:
        The corner of the window's frame with the size of its inside; to the right of the client if there is room, else
        to the left, below or above. None if it would cover the client at every size.
    """
    strips = [strip for room in rooms for strip in _strips(client.grown(_FRAME_PX), room)]
    for width, height in sizes:
        outer_width, outer_height = width + _FRAME_PX, height + _FRAME_PX
        for strip in strips:
            if outer_width <= strip.width and outer_height <= strip.height:
                x = min(max(client.x, strip.x), strip.right - outer_width)
                y = min(max(client.y - _FRAME_PX, strip.y), strip.bottom - outer_height)
                return Region(x, y, width, height)
    return None


def _strips(taken: Region, room: Region) -> Iterator[Region]:
    """Yield what is left of a room to the right of what is taken, to the left, below and above."""
    edges = (
        (max(taken.right, room.x), room.y, room.right, room.bottom),
        (room.x, room.y, min(taken.x, room.right), room.bottom),
        (room.x, max(taken.bottom, room.y), room.right, room.bottom),
        (room.x, room.y, room.right, min(taken.y, room.bottom)),
    )
    for left, top, right, bottom in edges:
        if right > left and bottom > top:
            yield Region(left, top, right - left, bottom - top)
