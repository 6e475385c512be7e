"""Find equal pieces in rows and columns: the cells of a fresh board in an unknown skin.

On a fresh board every cell has a face of the same size, separated from the next by a line, a gap, an edge in relief or
another shade. So the picture is divided into pieces within which neighbouring pixels are nearly alike; pieces of one
size are put in order by stepping from each to the next. Pitches may mix by a pixel, as when a client spreads the rest
of its window's width over some columns. Cells with a pattern are not found in this way; see `repeats`.
"""

import itertools
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from sweepbot.geometry import Image
from sweepbot.vision.grid import MIN_CELLS, MIN_UNKNOWN_CELLS, Grid
from sweepbot.vision.pictures.difference import difference

SAME_BOARD_SHARE = 0.5
"""Of the smaller one's area: two findings of equal pieces that share more are of one board."""

_STEP_LEVELS = (0, 3, 8)  # by which neighbouring pixels of one piece may differ
_SMALLEST_PIECE_PX, _LARGEST_PIECE_PX = 5, 120  # a side of a piece
_MIN_FILL_SHARE = 0.55  # of its box that a piece fills
_MAX_PIECES = 5000  # of one size: patterns have more, and putting them in order takes quadratic time
_STARTS_TRIED = 10  # pieces of one size from which others are followed: a picture may have many out of order
_SIZES_TRIED = 12  # of pieces, the commonest first
_WIDEST_GAP_SHARE = 0.7  # of a piece's side, between two
_JUMP_PIECES = 4  # from one to the next, as those between may be missing
_WAYS = np.array(
    sorted(
        (
            way
            for way in itertools.product(range(-_JUMP_PIECES, _JUMP_PIECES + 1), repeat=2)
            if 0 < abs(way[0]) + abs(way[1]) <= _JUMP_PIECES
        ),
        key=lambda way: abs(way[0]) + abs(way[1]),
    )
)  # columns and rows from one piece to another, the nearest first
_DIAGONALS = np.array([(-1, -1), (-1, 1), (1, -1), (1, 1)])
_STEP_SLACK_PX = 1.5  # by which a step from one piece to the next may be off
_MIN_FILLED_SHARE = 0.3  # of a tiling's places that are filled

Boxes = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Tiling:
    """Equal pieces in rows and columns.

    Attributes:
        grid: The lines midway between them, in whole pixels.
        tiles: The number of pieces; some places may be empty.
    """

    grid: Grid
    tiles: int


def tiled_boards(image: Image, *, whole: bool = False) -> list[Grid]:
    """Return the tilings of a picture that may be boards, if `whole` only those that no tile is missing of."""
    tilings = [it for it in find_tilings(image) if it.tiles == it.grid.cells or not whole]
    return [tiling.grid for tiling in tilings if may_be_board(tiling.grid)]


def may_be_board(grid: Grid) -> bool:
    """Whether equal pieces in rows and columns are as many and as square as the cells of a board."""
    return min(grid.rows, grid.columns) >= MIN_UNKNOWN_CELLS and abs(grid.pitch[0] - grid.pitch[1]) <= 1


def find_tilings(image: Image) -> list[Tiling]:
    """Find every tiling of a picture, the one with most pieces first; of several for one board, that one.

    Args:
        image: uint8 array of shape (height, width, 3), blue, green, red.
    """
    if min(image.shape[:2]) < MIN_CELLS * _SMALLEST_PIECE_PX:
        return []
    found = [one for step in _STEP_LEVELS for boxes in _sizes(_pieces(image, step)) for one in _tilings(boxes)]
    kept: list[Tiling] = []
    for tiling in sorted(found, key=lambda tiling: -tiling.tiles):
        if not any(tiling.grid.region.overlap(other.grid.region) > SAME_BOARD_SHARE for other in kept):
            kept.append(tiling)
    return kept


def _pieces(image: Image, step: int) -> Boxes:
    """Return the boxes of all pieces that may be the face of a cell, as (left, top, width, height)."""
    # Pixels that are like the next ones to the right and below make up a piece, all but its last row and column.
    alike = np.zeros(image.shape[:2], dtype=np.uint8)
    right, down = (difference(image[:-1, :-1], of) for of in (image[:-1, 1:], image[1:, :-1]))
    alike[:-1, :-1] = cv2.max(right, down) <= step
    _, _, stats, _ = cv2.connectedComponentsWithStats(alike, connectivity=4)
    inner = stats[1:, :4].astype(np.intp)
    wide, high = inner[:, 2] + 1, inner[:, 3] + 1
    fits = (np.minimum(wide, high) >= _SMALLEST_PIECE_PX) & (np.maximum(wide, high) <= _LARGEST_PIECE_PX)
    fits &= stats[1:, cv2.CC_STAT_AREA] >= _MIN_FILL_SHARE * inner[:, 2] * inner[:, 3]
    pieces: Boxes = inner[fits] + np.array([0, 0, 1, 1])
    return pieces


def _sizes(boxes: Boxes) -> Iterator[Boxes]:
    """Yield the pieces of each of the commonest sizes, to within a pixel."""
    sizes = Counter(map(tuple, boxes[:, 2:].tolist()))
    for size, count in sizes.most_common(_SIZES_TRIED):
        alike = boxes[np.abs(boxes[:, 2:] - size).max(axis=1) <= 1]
        if count >= MIN_CELLS and MIN_CELLS**2 <= len(alike) <= _MAX_PIECES:
            yield alike


def _tilings(boxes: Boxes) -> Iterator[Tiling]:
    """Put pieces of one size in order."""
    pitch = _pitch(boxes, 0), _pitch(boxes, 1)
    if pitch[0] is None or pitch[1] is None:
        return
    waiting = np.ones(len(boxes), dtype=np.bool_)
    for _ in range(_STARTS_TRIED):
        if waiting.sum() < MIN_CELLS**2:
            return
        places = _followed(boxes, waiting, (pitch[0], pitch[1]))
        waiting[list(places)] = False
        if len(places) >= MIN_CELLS**2:
            tiling = _tiling(boxes, places)
            if tiling is not None:
                yield tiling


def _pitch(boxes: Boxes, axis: int) -> int | None:
    """Return the commonest step from a piece to the next one beside (0) or below it (1), None if there is none."""
    corners = boxes[:, :2]
    side = int(boxes[0, 2 + axis])
    steps: Counter[int] = Counter()
    order = np.lexsort((corners[:, axis], corners[:, 1 - axis]))
    for one, following in zip(corners[order][:-1], corners[order][1:], strict=True):
        step = int(following[axis] - one[axis])
        if following[1 - axis] == one[1 - axis] and side <= step <= side * (1 + _WIDEST_GAP_SHARE):
            steps[step] += 1
    return max(steps, key=lambda step: (steps[step], -step)) if steps else None


def _followed(boxes: Boxes, waiting: NDArray[np.bool_], pitch: tuple[int, int]) -> dict[int, tuple[int, int]]:
    """Return the pieces that can be reached from the first one waiting, with their columns and rows from it.

    Pieces do not overlap, so that a field as large as the smallest contains the corner of at most one. A table of
    fields finds the pieces near a place in constant time.
    """
    corners, field = boxes[:, :2], boxes[:, 2:].min(axis=0)
    in_field = np.full(
        corners.max(axis=0) // field + 2, -1
    )  # the last field of each axis stays empty, for what is outside
    in_field[tuple((corners[waiting] // field).T)] = np.flatnonzero(waiting)
    slack = np.minimum(_STEP_SLACK_PX * np.abs(_WAYS).sum(axis=1), 0.2 * min(pitch))[:, None]
    reached = np.flatnonzero(waiting)[:1]
    places = {int(reached[0]): (0, 0)}
    while len(reached):
        in_field[tuple((corners[reached] // field).T)] = -1
        expected = (corners[reached][:, None] + _WAYS * pitch)[:, :, None]
        within = np.floor((expected + slack[:, None] * _DIAGONALS) / field).astype(np.intp)
        found = in_field[tuple(np.moveaxis(np.clip(within, -1, np.array(in_field.shape) - 1), -1, 0))]
        near = (found >= 0) & (np.abs(corners[found] - expected) <= slack[:, None]).all(axis=3)
        way, start, _ = np.nonzero(near.swapaxes(0, 1))  # the shortest step first, which is the most exact
        pieces, first = np.unique(found.swapaxes(0, 1)[near.swapaxes(0, 1)], return_index=True)
        for piece, one, by in zip(
            pieces.tolist(), reached[start[first]].tolist(), _WAYS[way[first]].tolist(), strict=True
        ):
            places[piece] = places[one][0] + by[0], places[one][1] + by[1]
        reached = pieces
    return places


def _tiling(boxes: Boxes, places: dict[int, tuple[int, int]]) -> Tiling | None:
    """Return the lines between pieces in order, None if they fill too few of the places."""
    places = _without_stragglers(_without_stragglers(places, 0), 1)
    if min(len({place[axis] for place in places.values()}) for axis in (0, 1)) < MIN_CELLS:
        return None
    lines = [_lines(boxes, places, axis) for axis in (0, 1)]
    rooms = (len(lines[0]) - 1) * (len(lines[1]) - 1)
    if min(map(len, lines)) <= MIN_CELLS or len(set(places.values())) < _MIN_FILLED_SHARE * rooms:
        return None
    return Tiling(Grid(lines[0], lines[1]), len(places))


def _without_stragglers(places: dict[int, tuple[int, int]], axis: int) -> dict[int, tuple[int, int]]:
    """Leave out pieces beyond an empty column (0) or row (1) if there are only a few, such as a face or a button."""
    counts = Counter(place[axis] for place in places.values())
    runs: list[list[int]] = []
    for number in sorted(counts):
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    firm = {number for run in runs if sum(counts[number] for number in run) >= MIN_CELLS for number in run}
    if not firm:
        return places
    first, last = min(firm), max(firm)
    return {index: place for index, place in places.items() if first <= place[axis] <= last}


def _lines(boxes: Boxes, places: dict[int, tuple[int, int]], axis: int) -> tuple[float, ...]:
    """Return the lines between columns (0) or rows (1), midway between the pieces on both sides."""
    starts: dict[int, list[int]] = {}
    stops: dict[int, list[int]] = {}
    for index, place in places.items():
        start = int(boxes[index, axis])
        starts.setdefault(place[axis], []).append(start)
        stops.setdefault(place[axis], []).append(start + int(boxes[index, 2 + axis]))
    numbers = np.arange(min(starts), max(starts) + 1)
    known = sorted(starts)
    start_of = np.interp(numbers, known, [float(np.median(starts[number])) for number in known])
    stop_of = np.interp(numbers, known, [float(np.median(stops[number])) for number in known])
    gaps = start_of[1:] - stop_of[:-1]
    rim = float(np.median(gaps)) / 2
    inner = (start_of[1:] + stop_of[:-1]) / 2
    return tuple(np.floor([start_of[0] - rim, *inner, stop_of[-1] + rim]).tolist())
