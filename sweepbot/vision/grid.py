"""Where the cells of a board are in a picture."""

import itertools
from bisect import bisect_right
from dataclasses import dataclass
from functools import lru_cache
from typing import Self

import cv2
import numpy as np
from numpy import uint8
from numpy.typing import NDArray

from sweepbot.geometry import Cell, Point, Region

MIN_CELLS = 4
"""Least rows and columns of a board of a known client."""

MIN_UNKNOWN_CELLS = 6
"""The same of any other: few clients offer fewer, and parts of boards look like them."""

_SMOOTHING_PX = 0.3  # standard deviation, after a picture has shrunk: that of a box is 0.29
_SAME_LINE_PX = 0.1  # between lines that are the same but for rounding
_MAX_ASTRAY_PX = 1.5  # by which a line within a board may be off; what is beside it bends the outer ones by more


@dataclass(frozen=True, slots=True)
class Grid:
    """The lines between the cells of a board, in pixels of the picture it was found in.

    Attributes:
        xs: The left edges of all columns and the right edge of the last one, ascending.
        ys: The upper edges of all rows and the lower edge of the last one, ascending.
    """

    xs: tuple[float, ...]
    ys: tuple[float, ...]

    @classmethod
    def uniform(cls, origin: tuple[float, float], pitch: tuple[float, float], rows: int, columns: int) -> Self:
        """Make a grid of equal cells; `origin` and `pitch` are (x, y)."""
        return cls(
            tuple(origin[0] + pitch[0] * i for i in range(columns + 1)),
            tuple(origin[1] + pitch[1] * i for i in range(rows + 1)),
        )

    @property
    def rows(self) -> int:
        """The number of rows."""
        return len(self.ys) - 1

    @property
    def columns(self) -> int:
        """The number of columns."""
        return len(self.xs) - 1

    @property
    def cells(self) -> int:
        """The number of cells."""
        return self.rows * self.columns

    @property
    def origin(self) -> tuple[float, float]:
        """The top left corner of cell 0,0, as (x, y)."""
        return self.xs[0], self.ys[0]

    @property
    def pitch(self) -> tuple[float, float]:
        """The mean width and height of a cell."""
        return (self.xs[-1] - self.xs[0]) / self.columns, (self.ys[-1] - self.ys[0]) / self.rows

    @property
    def region(self) -> Region:
        """All cells together, rounded outwards to whole pixels."""
        left, top = int(np.floor(self.xs[0])), int(np.floor(self.ys[0]))
        right, bottom = int(np.ceil(self.xs[-1])), int(np.ceil(self.ys[-1]))
        return Region(left, top, right - left, bottom - top)

    def beside(self, offset: tuple[int, int], scale: float) -> Point:
        """Return the pixel at `offset` = (right, down), at scale 1, from the middle of the upper edge."""
        middle = (self.xs[0] + self.xs[-1]) / 2
        return Point(round(middle + offset[0] * scale), round(self.ys[0] + offset[1] * scale))

    def centre(self, cell: Cell) -> Point:
        """Return the middle pixel of a cell."""
        x = (self.xs[cell.column] + self.xs[cell.column + 1]) / 2
        y = (self.ys[cell.row] + self.ys[cell.row + 1]) / 2
        return Point(int(x), int(y))

    def cell_at(self, pixel: Point) -> Cell | None:
        """Return the cell of a pixel, None beside the board."""
        row, column = bisect_right(self.ys, pixel.y) - 1, bisect_right(self.xs, pixel.x) - 1
        return Cell(row, column) if 0 <= row < self.rows and 0 <= column < self.columns else None

    def region_of(self, cell: Cell) -> Region:
        """Return the pixels of a cell, without those on the lines to its neighbours."""
        left, top = int(np.ceil(self.xs[cell.column])), int(np.ceil(self.ys[cell.row]))
        right, bottom = int(self.xs[cell.column + 1]), int(self.ys[cell.row + 1])
        return Region(left, top, right - left, bottom - top)

    def part(self, rows: range, columns: range) -> "Grid":
        """Return some of its rows and columns."""
        return Grid(self.xs[columns.start : columns.stop + 1], self.ys[rows.start : rows.stop + 1])

    def contains(self, other: "Grid") -> bool:
        """Whether it reaches as far as another grid on every side."""
        pairs = ((self.xs, other.xs), (self.ys, other.ys))
        return all(own[0] <= lines[0] + _SAME_LINE_PX and lines[-1] <= own[-1] + _SAME_LINE_PX for own, lines in pairs)

    def over(self, region: Region) -> "Grid":
        """Return even lines that go on, at the mean pitch, over a region that contains this grid."""

        def lines(own: tuple[float, ...], first: int, last: int) -> tuple[float, ...]:
            pitch = (own[-1] - own[0]) / (len(own) - 1)
            before, after = max(0, round((own[0] - first) / pitch)), max(0, round((last - own[-1]) / pitch))
            return tuple(own[0] + pitch * step for step in range(-before, len(own) + after))

        xs = lines(self.xs, region.x, region.x + region.width)
        return Grid(xs, lines(self.ys, region.y, region.y + region.height))

    def moved(self, by: Point) -> "Grid":
        """Return the grid shifted."""
        return self.shifted(by.x, by.y)

    def shifted(self, right: float, down: float) -> "Grid":
        """Return the grid moved by parts of pixels."""
        return Grid(tuple(x + right for x in self.xs), tuple(y + down for y in self.ys))

    def whole(self) -> "Grid | None":
        """Return the even grid of whole pixels within about a pixel of every inner line, None if there is none."""
        lines = [np.array(along) for along in (self.xs, self.ys)]
        pitch = [round(float(np.median(np.diff(along)))) for along in lines]
        first = [
            round(float(np.median(along - step * np.arange(len(along)))))
            for along, step in zip(lines, pitch, strict=True)
        ]
        whole = Grid.uniform((first[0], first[1]), (pitch[0], pitch[1]), self.rows, self.columns)
        return whole if _inner(self).nearly(_inner(whole), _MAX_ASTRAY_PX) else None

    def snapped(self) -> "Grid":
        """Return the grid with all lines at the nearest whole pixels, where browsers draw them."""
        return Grid(*(tuple(map(float, np.rint(lines))) for lines in (self.xs, self.ys)))

    def nearly(self, other: "Grid", pixels: float) -> bool:
        """Whether both have as many cells, with no line further than `pixels` from the other's."""
        if (self.rows, self.columns) != (other.rows, other.columns):
            return False
        pairs = itertools.chain(zip(self.xs, other.xs, strict=True), zip(self.ys, other.ys, strict=True))
        return all(abs(one - another) <= pixels for one, another in pairs)

    def rectify(self, image: NDArray[uint8], cell: tuple[int, int], margin: int = 0) -> NDArray[uint8]:
        """Cut the board out of a picture, and resize its cells to one size.

        Args:
            image: uint8 array of shape (height, width, 3).
            cell: Width and height of a cell in the result.
            margin: Pixels of the result beyond the board on each side. Beyond the picture, its edge is repeated.

        Returns:
            uint8 array of shape (rows * cell height + 2 * margin, columns * cell width + 2 * margin, 3).
        """
        width, height = int(np.diff(self.xs).min()), int(np.diff(self.ys).min())
        is_multiple = width % cell[0] == height % cell[1] == 0
        if is_multiple and _are_whole(self.xs, width) and _are_whole(self.ys, height):
            return self._reduced(image, (width, height), cell, margin)
        ratios = self.pitch[0] / cell[0], self.pitch[1] / cell[1]
        map_x = _sample_positions(self.xs, cell[0], margin)
        map_y = _sample_positions(self.ys, cell[1], margin)
        return _sampled(image, map_x, map_y, ratios)

    def _reduced(
        self, image: NDArray[uint8], whole: tuple[int, int], cell: tuple[int, int], margin: int
    ) -> NDArray[uint8]:
        """Do what `rectify` does, for cells of `whole` pixels, a multiple of `cell`: as on a screen of high density."""
        across, down = whole[0] // cell[0], whole[1] // cell[1]
        xs = _pixels(self.xs, whole[0], margin * across)
        ys = _pixels(self.ys, whole[1], margin * down)
        part = _taken(_taken(image, ys, 0), xs, 1)
        if across == down == 1:
            return part
        size = len(xs) // across, len(ys) // down
        return np.asarray(cv2.resize(part, size, interpolation=cv2.INTER_AREA), dtype=uint8)


def _inner(grid: Grid) -> Grid:
    """Return all but the outermost cells."""
    return grid.part(range(1, grid.rows - 1), range(1, grid.columns - 1))


def _are_whole(lines: tuple[float, ...], side: int) -> bool:
    """Whether lines are on whole pixels, with `side` pixels or one more between them, as browsers draw cells."""
    whole = np.array(lines).astype(np.intp)
    return np.array_equal(whole, lines) and bool(np.isin(np.diff(whole), (side, side + 1)).all())


def _pixels(lines: tuple[float, ...], side: int, margin: int) -> NDArray[np.intp]:
    """Return the first `side` pixels of all cells between lines on whole pixels, with a margin at both ends."""
    starts = np.array(lines[:-1]).astype(np.intp)
    pixels: NDArray[np.intp] = (starts[:, None] + np.arange(side)).ravel()
    return np.concatenate([pixels[0] - np.arange(margin, 0, -1), pixels, pixels[-1] + 1 + np.arange(margin)])


def _taken(image: NDArray[uint8], pixels: NDArray[np.intp], axis: int) -> NDArray[uint8]:
    """Take rows or columns of a picture, repeating its edge beyond it; a view if they are contiguous."""
    first, last = int(pixels[0]), int(pixels[-1])
    if last - first + 1 == len(pixels) and first >= 0 and last < image.shape[axis]:
        return image[first : last + 1] if axis == 0 else image[:, first : last + 1]
    return np.take(image, np.clip(pixels, 0, image.shape[axis] - 1), axis=axis)


def _sampled(
    image: NDArray[uint8], map_x: NDArray[np.float32], map_y: NDArray[np.float32], ratios: tuple[float, float]
) -> NDArray[uint8]:
    """Sample a picture at some columns and rows, `ratios` pixels apart, across and down."""
    reach = 2 + int(max(ratios))  # pixels beyond the outermost places that count
    (left, right), (top, bottom) = (
        (min(max(int(places.min()) - reach, 0), side - 1), max(int(places.max()) + reach, 1))
        for places, side in ((map_x, image.shape[1]), (map_y, image.shape[0]))
    )
    part = image[top:bottom, left:right]
    if max(ratios) > 1:  # what lies between two places must count, too
        across, down = (ratio * _SMOOTHING_PX for ratio in ratios)
        part = np.asarray(cv2.GaussianBlur(part, (0, 0), across, sigmaY=down, borderType=cv2.BORDER_REPLICATE), uint8)
    grid_x, grid_y = np.meshgrid(map_x - left, map_y - top)
    board = cv2.remap(part, grid_x, grid_y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(board, dtype=uint8)


@lru_cache(maxsize=256)  # grids that are tried one after the other have lines in common
def _sample_positions(lines: tuple[float, ...], size: int, margin: int) -> NDArray[np.float32]:
    """Return the source coordinate of the middle of each target pixel along one axis, cell by cell between `lines`."""
    target = np.arange(-margin, (len(lines) - 1) * size + margin) + 0.5
    at = np.arange(len(lines)) * size
    source = np.interp(target, at, lines)
    # np.interp is constant beyond its ends; the margin continues at the pitch of the outermost cells.
    before, after = target < at[0], target > at[-1]
    source[before] = lines[0] + (target[before] - at[0]) * (lines[1] - lines[0]) / size
    source[after] = lines[-1] + (target[after] - at[-1]) * (lines[-1] - lines[-2]) / size
    positions = source - 0.5
    # Within its cell: what the neighbours show would blur into an enlarged cell's rim.
    cell = np.clip((target // size).astype(np.intp), 0, len(lines) - 2)
    inside = ~(before | after)
    first, last = np.array(lines)[cell], np.array(lines)[cell + 1] - 1
    positions[inside] = np.clip(positions, first, np.maximum(first, last))[inside]
    return np.asarray(positions, dtype=np.float32)
