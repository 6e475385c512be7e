"""How the pixels of a monitor's frames are told to its desktop, which counts in units of its own where it is scaled.

A mapping takes a pixel, the size of a frame in pixels, and the size of the monitor in the desktop's own units.
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
    """A movement of the pointer: to a place (x, y) as the portal counts, then by (x, y) units of the desktop."""

    to: tuple[float, float]
    by: tuple[float, float] = (0.0, 0.0)


_TURNS, _MIRRORED = 3, 4
"""Of a monitor's transform: quarters of a turn, and whether it is mirrored before that."""

Mapping = Callable[[Point, Size, Size], Motion]


def in_pixels(at: Point, frame: Size, monitor: Size) -> Motion:
    """As GNOME has it: places are pixels, yet none beyond the monitor's size in units; the rest is gone in units."""
    to, by = zip(*map(_reached, (at.x, at.y), frame, monitor), strict=True)
    return Motion(to, by)


def in_units(at: Point, frame: Size, monitor: Size) -> Motion:
    """As the portal's description has it: places are in units."""
    return Motion(((at.x + 0.5) * monitor[0] / frame[0], (at.y + 0.5) * monitor[1] / frame[1]))


MAPPINGS: tuple[Mapping, ...] = (in_pixels, in_units)
"""Those that portals are known to have; which one holds is seen by where the pointer lands."""


def in_region(at: Point, frame: Size, region: Region) -> tuple[float, float]:
    """The place that libei takes, given the region of the desktop, in units, that a frame shows."""
    across, down = in_units(at, frame, (region.width, region.height)).to
    return region.x + across, region.y + down


def upright(frame: NDArray[np.uint8], transform: int) -> NDArray[np.uint8]:
    """The frame of a monitor that is turned, by Wayland's number for that, as who looks at it sees it."""
    return np.rot90(frame[:, ::-1] if transform & _MIRRORED else frame, -(transform & _TURNS))


def in_frame(at: Point, size: tuple[int, int], transform: int) -> tuple[Point, tuple[int, int]]:
    """Where a frame has a pixel of such a picture, given the width and height of that; and those of the frame."""
    (x, y), (width, height) = (at.x, at.y), size
    for _ in range(transform & _TURNS):
        x, y, width, height = y, width - 1 - x, height, width
    return Point(width - 1 - x if transform & _MIRRORED else x, y), (width, height)


def _reached(at: int, pixels: float, units: float) -> tuple[float, float]:
    """Along one axis: the place that can be told, and the units that are left."""
    place = at + 0.5
    to = min(place, units - 1)
    return to, (place - to) * units / pixels
