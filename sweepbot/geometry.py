"""Pictures, places on the screen, and cells of a board.

Pixels: x to the right, y down. Cells: row down, column to the right, from 0.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

Image: TypeAlias = NDArray[np.uint8]
"""A picture: shape (height, width, 3), in BGR order."""

MAX_CELLS = 65_025
"""Of a board: 255x255, the most that files of Minesweeper Arbiter have. Work and memory grow with it."""

_REGION_TEXT = re.compile(r"(\d+)x(\d+)([+-]-?\d+)([+-]-?\d+)")


class Cell(NamedTuple):
    """A cell of a board: `row` down and `column` to the right, both from 0."""

    row: int
    column: int

    def __str__(self) -> str:
        return f"row {self.row}, column {self.column}"


@dataclass(frozen=True, slots=True)
class Point:
    """A pixel of the screen; coordinates are negative on monitors left of or above the primary one."""

    x: int
    y: int

    def __str__(self) -> str:
        return f"{self.x},{self.y}"

    def __add__(self, other: "Point") -> "Point":
        return Point(self.x + other.x, self.y + other.y)

    def __sub__(self, other: "Point") -> "Point":
        return Point(self.x - other.x, self.y - other.y)

    def __neg__(self) -> "Point":
        return Point(-self.x, -self.y)


@dataclass(frozen=True, slots=True)
class Region:
    """A rectangle of pixels: its top left pixel, and its width and height, both at least 1."""

    x: int
    y: int
    width: int
    height: int

    def __post_init__(self) -> None:
        if self.width < 1 or self.height < 1:
            raise ValueError(f"a region needs a width and a height of at least 1, not {self.width}x{self.height}")

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parse `WIDTHxHEIGHT+X+Y`, as in X11; a negative X or Y is left of or above the primary monitor.

        Raises:
            ValueError: The text has another form, or the region is empty.
        """
        match = _REGION_TEXT.fullmatch(text.strip())
        if match is None:
            raise ValueError(f"a region is written WIDTHxHEIGHT+X+Y, for example 800x600+0+40, not {text!r}")
        width, height, x, y = (int(part.replace("+-", "-")) for part in match.groups())
        return cls(x, y, width, height)

    @classmethod
    def between(cls, start: Point, end: Point) -> Self:
        """Return the rectangle from its top left pixel to the first pixel beyond it in both directions."""
        return cls(start.x, start.y, end.x - start.x, end.y - start.y)

    @classmethod
    def around(cls, at: Point, pixels: int) -> Self:
        """Return a square around a pixel, with `pixels` on each side of it."""
        return cls(at.x - pixels, at.y - pixels, 2 * pixels + 1, 2 * pixels + 1)

    @classmethod
    def of(cls, image: NDArray[Any]) -> Self:
        """Return the region of a whole picture."""
        return cls(0, 0, image.shape[1], image.shape[0])

    @classmethod
    def spanning(cls, regions: Sequence["Region"]) -> Self:
        """Return the smallest rectangle that contains all of these, of which there is at least one."""
        start = Point(min(it.x for it in regions), min(it.y for it in regions))
        return cls.between(start, Point(max(it.right for it in regions), max(it.bottom for it in regions)))

    def __str__(self) -> str:
        return f"{self.width}x{self.height}{self.x:+d}{self.y:+d}"

    @property
    def origin(self) -> Point:
        """The top left pixel."""
        return Point(self.x, self.y)

    @property
    def centre(self) -> Point:
        """The middle pixel."""
        return Point(self.x + self.width // 2, self.y + self.height // 2)

    @property
    def end(self) -> Point:
        """The first pixel beyond the region in both directions."""
        return Point(self.right, self.bottom)

    @property
    def slices(self) -> tuple[slice, slice]:
        """The index of the region in a picture whose top left pixel is 0,0: rows, then columns."""
        return slice(self.y, self.bottom), slice(self.x, self.right)

    @property
    def right(self) -> int:
        """The first x beyond the region."""
        return self.x + self.width

    @property
    def bottom(self) -> int:
        """The first y beyond the region."""
        return self.y + self.height

    def __contains__(self, point: Point) -> bool:
        return self.x <= point.x < self.right and self.y <= point.y < self.bottom

    def moved(self, by: Point) -> "Region":
        """Return the rectangle shifted."""
        return Region(self.x + by.x, self.y + by.y, self.width, self.height)

    def grown(self, pixels: int) -> "Region":
        """Return the rectangle with `pixels` more on each of its four sides."""
        return Region(self.x - pixels, self.y - pixels, self.width + 2 * pixels, self.height + 2 * pixels)

    def intersection(self, other: "Region") -> "Region | None":
        """Return what both regions cover; None if they do not overlap."""
        left, top = max(self.x, other.x), max(self.y, other.y)
        right, bottom = min(self.right, other.right), min(self.bottom, other.bottom)
        return Region(left, top, right - left, bottom - top) if right > left and bottom > top else None

    def overlap(self, other: "Region") -> float:
        """Return the share of the smaller region that lies in the other."""
        common, *areas = (0 if of is None else of.width * of.height for of in (self.intersection(other), self, other))
        return common / min(areas)


@dataclass(frozen=True, slots=True)
class PixelMap:
    """Converts between the pixels of a screenshot and the points that a pointer moves in.

    On most desktops both are the same. On a macOS Retina screen there are `scale` pixels to a point:
    `pixel = (point - origin) * scale + pixel_origin`, with origins on the virtual desktop, which may be negative.
    """

    scale: float = 1.0
    origin: Point = Point(0, 0)
    pixel_origin: Point = Point(0, 0)

    def to_point(self, pixel: Point) -> Point:
        """Return the point that puts the pointer over `pixel`."""
        return Point(
            math.floor((pixel.x - self.pixel_origin.x) / self.scale) + self.origin.x,
            math.floor((pixel.y - self.pixel_origin.y) / self.scale) + self.origin.y,
        )

    def to_pixel(self, point: Point) -> Point:
        """Return the pixel under a pointer at `point`; of several, the top left one."""
        return Point(
            math.ceil((point.x - self.origin.x) * self.scale) + self.pixel_origin.x,
            math.ceil((point.y - self.origin.y) * self.scale) + self.pixel_origin.y,
        )

    def in_points(self, pixels: Region) -> Region:
        """Return the smallest region of whole points that covers a region of pixels."""
        return Region.between(self.to_point(pixels.origin), self.to_point(pixels.end - Point(1, 1)) + Point(1, 1))

    def in_pixels(self, points: Region) -> Region:
        """Return the pixels of a region of points."""
        return Region.between(self.to_pixel(points.origin), self.to_pixel(points.end))


def extent(marked: NDArray[np.bool_]) -> Region | None:
    """Return the smallest rectangle around what is True in an array of shape (height, width); None if nothing is."""
    # Rows first, then columns within these rows only: most changes are small.
    rows = np.flatnonzero(marked.any(axis=1))
    if not rows.size:
        return None
    top, bottom = int(rows[0]), int(rows[-1]) + 1
    columns = np.flatnonzero(marked[top:bottom].any(axis=0))
    return Region(int(columns[0]), top, int(columns[-1]) + 1 - int(columns[0]), bottom - top)


def same_pixels(one: Image, other: Image, rim_px: int = 0) -> bool:
    """Whether two pictures are equal, all but the outermost `rim_px` pixels at each side.

    It compares eight bytes at a time, much faster than `np.array_equal`.
    """
    if one is other:
        return True
    if rim_px:
        inside = slice(rim_px, -rim_px), slice(rim_px, -rim_px)
        return same_pixels(one, other) or np.array_equal(one[inside], other[inside])
    if one.shape != other.shape or not (one.flags.c_contiguous and other.flags.c_contiguous):
        return np.array_equal(one, other)
    eights = one.size // 8 * 8
    flat, other_flat = one.reshape(-1), other.reshape(-1)
    differs = flat[:eights].view(np.uint64) != other_flat[:eights].view(np.uint64)
    return not differs.any() and flat[eights:].tobytes() == other_flat[eights:].tobytes()
