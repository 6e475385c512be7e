"""The client on a desktop that exists only in memory, with the same `Screen` and `Mouse` as a real one."""

import numpy as np

from sweepbot.demo.client import Client
from sweepbot.desktop.mouse import Button
from sweepbot.desktop.screen import Frame, part_of
from sweepbot.errors import DesktopError
from sweepbot.geometry import Point, Region

_WALLPAPER = (165, 110, 58)
_CORNER = Point(83, 57)
_MARGIN_PX = 120
"""Pixels of wallpaper right of and below the client."""


class MemoryDesktop:
    """A plain desktop that shows only a client; it is its own screen and mouse.

    Every picture shows the client as it is at that moment. A click beside the client's window hits nothing.

    Attributes:
        client: The client.
        region: The whole desktop, in pixels.
        window: The inside of the client's window.

    Args:
        client: The client.
        at: The place of its top left pixel.
    """

    def __init__(self, client: Client, at: Point = _CORNER) -> None:
        self.client = client
        self.window = client.layout.window.moved(at)
        self.region = Region(0, 0, self.window.right + _MARGIN_PX, self.window.bottom + _MARGIN_PX)
        self._image = np.empty((self.region.height, self.region.width, 3), dtype=np.uint8)
        self._drawn: Region | None = None
        self._pointer = self.region.centre

    def grab(self, region: Region | None = None) -> Frame:
        """See `Screen.grab`."""
        region = part_of(self.region, region)
        if self.window != self._drawn:  # the window has been moved
            self._image[:] = _WALLPAPER
            self._drawn = self.window
        seen = self.window.intersection(self.region)
        if seen is not None:
            self._image[seen.slices] = self.client.image()[seen.moved(-self.window.origin).slices]
        return Frame(self._image[region.slices].copy(), region)

    def position(self) -> Point:
        """Return the pixel under the pointer."""
        return self._pointer

    def move(self, to: Point) -> None:
        """Put the pointer over the pixel `to`.

        Raises:
            DesktopError: There is no such pixel.
        """
        if to not in self.region:
            raise DesktopError(f"x={to.x}, y={to.y} is not on the screen, which is {self.region}")
        self._pointer = to
        self.client.move(to - self.window.origin)

    def click(self, at: Point, button: Button = "left", hold_s: float = 0.0) -> None:  # noqa: ARG002  (no need to wait)
        """See `Mouse.click`.

        Raises:
            DesktopError: There is no such pixel.
        """
        self.move(at)
        if at in self.window:
            inside = at - self.window.origin
            self.client.press(inside, button)
            self.client.release(inside, button)

    def press(self, key: str) -> None:
        """See `Mouse.press`; the client gets the key wherever the pointer is."""
        self.client.key(key)
