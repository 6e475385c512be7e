"""Mappings from the pixels of a monitor's frames to the units of its desktop, which differ if the monitor is scaled.

A mapping takes a pixel, the size of a frame in pixels, and the size of the monitor in the desktop's units.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sweepbot.geometry import Point, Region

Size = tuple[float, float]
"""Width and height."""


@dataclass(frozen=True, slots=True)
class Motion:
    """A movement of the pointer: to a place (x, y) as the portal takes it, then by (x, y) units of the desktop."""

    to: tuple[float, float]
    by: tuple[float, float] = (0.0, 0.0)


_TURNS, _MIRRORED = 3, 4
"""Bits of Wayland's transform of a monitor: quarter turns, and whether it is mirrored before that."""

Mapping = Callable[[Point, Size, Size], Motion]


def in_pixels(at: Point, frame: Size, monitor: Size) -> Motion:
    """Map as GNOME does: places are pixels, but stop at the monitor's size in units; the rest is moved in units."""
    to, by = zip(*map(_split, (at.x, at.y), frame, monitor), strict=True)
    return Motion(to, by)


def in_units(at: Point, frame: Size, monitor: Size) -> Motion:
    """Map as the portal's specification says: places are in units."""
    return Motion(((at.x + 0.5) * monitor[0] / frame[0], (at.y + 0.5) * monitor[1] / frame[1]))


MAPPINGS: tuple[Mapping, ...] = (in_pixels, in_units)
"""The mappings that portals are known to use; the right one shows in where the pointer lands."""


def in_region(at: Point, frame: Size, region: Region) -> tuple[float, float]:
    """Return the place as libei takes it, given the region, in units of the desktop, that a frame shows."""
    across, down = in_units(at, frame, (region.width, region.height)).to
    return region.x + across, region.y + down


def upright(frame: NDArray[np.uint8], transform: int) -> NDArray[np.uint8]:
    """Turn a monitor's frame, given Wayland's number of its transform, to how a person sees it."""
    return np.rot90(frame[:, ::-1] if transform & _MIRRORED else frame, -(transform & _TURNS))


def in_frame(at: Point, size: tuple[int, int], transform: int) -> tuple[Point, tuple[int, int]]:
    """Return where the frame has a pixel of an `upright` picture of this width and height, and the frame's size."""
    (x, y), (width, height) = (at.x, at.y), size
    for _ in range(transform & _TURNS):
        x, y, width, height = y, width - 1 - x, height, width
    return Point(width - 1 - x if transform & _MIRRORED else x, y), (width, height)


def _split(at: int, pixels: float, units: float) -> tuple[float, float]:
    """Split a coordinate into the place that can be reached directly, and the units that are left."""
    place = at + 0.5
    to = min(place, units - 1)
    return to, (place - to) * units / pixels
