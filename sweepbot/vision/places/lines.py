"""Where the lines of a board are to the pixel."""

import itertools

import cv2
import numpy as np

from sweepbot.geometry import Image
from sweepbot.vision.grid import Grid
from sweepbot.vision.trust import Floats

_LARGEST_STEP_LEVELS = 128  # between pixels: those of figures would outweigh those between cells
_EDGE_SHARE = 0.02  # of a cell, over which edges are smoothed
_ASTRAY_SHARE = 0.2  # of a cell, by which a line may be off
_SAME_EDGE_SHARE = 0.04  # of a cell, within which two edges are one
_SAME_LINES_PX = 0.2  # by which all lines of two grids may differ and be the same
_EDGES_TRIED = 3  # across, and down
_MIN_EDGE_SHARE = 0.5  # of the highest edge's height
_MAX_GAP_SHARE = 0.25  # of a cell, between its neighbour and it: the edges of a wider one are none of a gap

Lines = tuple[float, ...]
"""Where the lines of a board are, across or down."""

_Edges = tuple[float, Lines]  # with their height, relative to that of the highest


def to_the_pixel(image: Image, grid: Grid) -> list[Grid]:
    """Return where the lines of a known board may be: by the edges drawn between its cells, the likeliest first.

    Rims, gaps and shadows draw several edges beside each line. Each is tried on whole pixels, as found, and rounded.
    """
    columns, rows = _edges(image, grid)
    pairs = [(one + other, Grid(xs, ys)) for one, xs in columns for other, ys in rows]
    found = [grid, *(lines for _, lines in sorted(pairs, key=lambda pair: -pair[0]))]
    even = (whole for lines in found if (whole := lines.whole()) is not None)
    kept: list[Grid] = []
    for lines in (*even, *found, *(of.snapped() for of in found)):
        if not any(lines.nearly(other, _SAME_LINES_PX) for other in kept):
            kept.append(lines)
    return kept


def by_axis(image: Image, grid: Grid) -> tuple[list[Lines], list[Lines]]:
    """Return where a board's lines may be across and down: on edges, the likeliest first, then in the middle of gaps.

    A gap between cells has an edge on both sides.
    """
    columns, rows = _edges(image, grid)
    return _with_gaps(columns, grid.pitch[0]), _with_gaps(rows, grid.pitch[1])


def _with_gaps(edges: list[_Edges], pitch: float) -> list[Lines]:
    lines = [of for _, of in edges]
    between = [np.array(sides) for sides in itertools.combinations(lines, 2)]
    gaps = [sides.mean(0) for sides in between if np.abs(np.diff(sides, axis=0)).max() < _MAX_GAP_SHARE * pitch]
    return [*lines, *(tuple(gap.tolist()) for gap in gaps)]


def _edges(image: Image, grid: Grid) -> tuple[list[_Edges], list[_Edges]]:
    """Return the lines across and down at which edges are high, the highest first."""
    left, right = max(0, round(grid.xs[0])), round(grid.xs[-1])
    top, bottom = max(0, round(grid.ys[0])), round(grid.ys[-1])
    reach = 1 + round(max(grid.pitch))
    x, y = max(0, left - reach), max(0, top - reach)
    grey = cv2.cvtColor(image[y : bottom + reach, x : right + reach], cv2.COLOR_BGR2GRAY).astype(np.float32)
    across = np.minimum(np.abs(np.diff(grey[top - y : bottom - y], axis=1)), _LARGEST_STEP_LEVELS).mean(0)
    down = np.minimum(np.abs(np.diff(grey[:, left - x : right - x], axis=0)), _LARGEST_STEP_LEVELS).mean(1)
    columns = [(height, _off(lines, -x)) for height, lines in _evenly(_off(grid.xs, x), across)]
    rows = [(height, _off(lines, -y)) for height, lines in _evenly(_off(grid.ys, y), down)]
    return columns, rows


def _off(lines: Lines, start: int) -> Lines:
    return tuple(line - start for line in lines)


def _evenly(lines: Lines, steps: Floats) -> list[_Edges]:
    """Return evenly spaced lines near others, where a profile of steps between pixels is high, with that height."""
    count = len(lines) - 1
    pitch = (lines[-1] - lines[0]) / count
    profile = cv2.GaussianBlur(steps[None], (0, 0), max(0.5, _EDGE_SHARE * pitch))[0]
    reach = np.arange(-_ASTRAY_SHARE * pitch, _ASTRAY_SHARE * pitch + 0.125, 0.25)
    first, last = lines[0] + reach[:, None, None], lines[-1] + reach[None, :, None]
    tried = first + (last - first) * (np.arange(count + 1) / count)
    heights = np.interp(tried, np.arange(1, len(profile) + 1), profile, 0, 0).mean(2)
    highest, middles, found = heights.max(), tried.mean(2), list[_Edges]()
    while len(found) < _EDGES_TRIED and heights.max() > _MIN_EDGE_SHARE * highest:
        one, other = divmod(int(heights.argmax()), len(reach))
        found.append((float(heights[one, other] / highest), tuple(tried[one, other].tolist())))
        heights[np.abs(middles - middles[one, other]) < max(1.0, _SAME_EDGE_SHARE * pitch)] = 0
    return found or [(0.0, lines)]
