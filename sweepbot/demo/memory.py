"""The client on a desktop that exists in memory only, behind the same `Screen` and `Mouse` as a real one."""

import numpy as np

from sweepbot.demo.client import Client
from sweepbot.desktop.mouse import Button
from sweepbot.desktop.screen import Frame
from sweepbot.errors import DesktopError
from sweepbot.geometry import Point, Region

_WALLPAPER = (165, 110, 58)
_CORNER = Point(83, 57)
_MARGIN = 120
"""Pixels of wallpaper right of and below the client."""


class MemoryDesktop:
    """A plain desktop with one client on it, and nothing else.

    Attributes:
        client: The client on it.
        region: All of the desktop, in its own pixels.
        window: Where the inside of the client's window is.
        screen: Shows the desktop's pixels.
        mouse: Points, clicks and types on it.

    Args:
        client: The client to show.
        at: Where its top left pixel goes, right of and below the desktop's.
    """

    def __init__(self, client: Client, at: Point = _CORNER) -> None:
        self.client = client
        self.window = client.layout.window.moved(at)
        self.region = Region(0, 0, self.window.right + _MARGIN, self.window.bottom + _MARGIN)
        self.screen = MemoryScreen(self)
        self.mouse = MemoryMouse(self)


class MemoryScreen:
    """The `Screen` of a `MemoryDesktop`. Every picture shows the client as it is at that moment."""

    def __init__(self, desktop: MemoryDesktop) -> None:
        self._desktop = desktop
        self._image = np.empty((desktop.region.height, desktop.region.width, 3), dtype=np.uint8)
        self._drawn: Region | None = None

    @property
    def region(self) -> Region:
        """All that can be seen."""
        return self._desktop.region

    def grab(self, region: Region | None = None) -> Frame:
        """Take a picture of `region`, by default of everything.

        Raises:
            DesktopError: The region reaches beyond the desktop.
        """
        region = region or self.region
        if region.intersection(self.region) != region:
            raise DesktopError(f"the region {region} is not on the screen, which is {self.region}")
        window = self._desktop.window
        if window != self._drawn:  # it was moved
            self._image[:] = _WALLPAPER
            self._drawn = window
        seen = window.intersection(self.region)
        if seen is not None:
            self._image[seen.slices] = self._desktop.client.image()[seen.moved(-window.origin).slices]
        return Frame(self._image[region.slices].copy(), region)


class MemoryMouse:
    """The `Mouse` of a `MemoryDesktop`. A click beside the client's window hits nothing."""

    def __init__(self, desktop: MemoryDesktop) -> None:
        self._desktop = desktop
        self._position = desktop.region.centre

    def position(self) -> Point:
        """The pixel under the pointer."""
        return self._position

    def move(self, to: Point) -> None:
        """Put the pointer over the pixel `to`.

        Raises:
            DesktopError: There is no such pixel.
        """
        if to not in self._desktop.region:
            raise DesktopError(f"x={to.x}, y={to.y} is not on the screen, which is {self._desktop.region}")
        self._position = to
        self._desktop.client.move(to - self._desktop.window.origin)

    def click(self, at: Point, button: Button = "left", hold_s: float = 0.0) -> None:  # noqa: ARG002  (any will do)
        """Press and release `button` over the pixel `at`, where the pointer then stays; to this client all are as long.

        Raises:
            DesktopError: There is no such pixel.
        """
        self.move(at)
        if at in self._desktop.window:
            inside = at - self._desktop.window.origin
            self._desktop.client.press(inside, button)
            self._desktop.client.release(inside, button)

    def press(self, key: str) -> None:
        """Press and release a key; the client takes it, whatever the pointer is over."""
        self._desktop.client.key(key)
