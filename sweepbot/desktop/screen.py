"""Pictures of the screen, in pixels of the virtual desktop."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import cv2
import numpy as np
from numpy.typing import NDArray

from sweepbot.errors import DesktopError
from sweepbot.geometry import Region


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """A picture of a part of the screen.

    Attributes:
        image: uint8 array of shape (height, width, 3), in BGR order.
        region: The region that it shows, in pixels of the virtual desktop.
    """

    image: NDArray[np.uint8]
    region: Region

    def part(self, region: Region) -> NDArray[np.uint8]:
        """Return the part that shows `region`, which lies within its own: a view, uint8 of shape (height, width, 3)."""
        return self.image[region.moved(-self.region.origin).slices]

    def without(self, *hidden: Region | None) -> "Frame":
        """Return a picture in which some regions are black; the same one if it shows nothing of them."""
        parts = [part for it in hidden if it is not None and (part := it.intersection(self.region)) is not None]
        if not parts:
            return self
        masked = Frame(self.image.copy(), self.region)
        for part in parts:
            masked.part(part)[:] = 0
        return masked


class Screen(Protocol):
    """A screen that can be grabbed."""

    @property
    def region(self) -> Region:
        """All monitors together, in pixels of the virtual desktop."""

    def grab(self, region: Region | None = None) -> Frame:
        """Take a picture of `region`, by default of everything.

        Raises:
            DesktopError: The region is not on the screen, or the system gives no picture.
        """


class MaskedScreen:
    """A screen whose pictures do not show everything: `masked` takes something out of each. See `Screen`."""

    def __init__(self, screen: Screen, masked: Callable[[Frame], Frame]) -> None:
        self.region = screen.region
        self._screen = screen
        self._masked = masked

    def grab(self, region: Region | None = None) -> Frame:
        """See `Screen.grab`."""
        return self._masked(self._screen.grab(region))


def part_of(screen: Region, wanted: Region | None) -> Region:
    """Return the wanted region of a screen, all of it for None.

    Raises:
        DesktopError: It is not entirely on the screen.
    """
    if wanted is None or wanted.intersection(screen) == wanted:
        return wanted or screen
    raise DesktopError(
        f"the region {wanted} is not on the screen, which is {screen}",
        hint="regions are WIDTHxHEIGHT+X+Y in pixels, and must lie entirely on the screen",
    )


def bgr(pixels: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Copy a picture without its fourth channel; numpy would take ten times as long."""
    return np.asarray(cv2.cvtColor(pixels, cv2.COLOR_BGRA2BGR), dtype=np.uint8)
