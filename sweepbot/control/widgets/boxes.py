"""Find message boxes that have come up, as at the end of a game, and the buttons on them.

A box is a surface of one colour whose edge is a rectangle, with a few things on it: an icon, text, and buttons below.
It has come up if an earlier picture does not show that edge.
"""

from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from sweepbot.control.widgets.blobs import (
    BUTTON_PX,
    EVEN_LEVELS,
    drawn_pixels,
    find_blobs,
    find_changes,
    find_plates,
    joined_pixels,
)
from sweepbot.geometry import Image, Region

_MIN_PX, _MAX_PX = (100, 36), (900, 500)  # width and height of a box
_EDGE_SHARE = 0.85  # of a box's outermost pixels that have its colour: round corners have another
_SAME_EDGE_SHARE = 0.97  # of them: if more had that colour before, the box was there already
_MAX_COVERED_SHARE = 0.8  # of a board: what covers more is not a box in front of it
_MIN_COVERED_PX = 10  # of a board's width and height: the smallest cells have 12
_BETWEEN_PX = 4  # a wider gap separates buttons or words
_ROW_PX = 12  # buttons whose middles differ less in height stand in one row
_DARKER_FACTORS = 0.2, 0.9  # by which a window is dimmed behind a box that lets no click through
_DIMMED_SHARE = 0.7  # of its pixels that must be as much darker, as the box covers some
_DARK_LINE_SHARE = 0.2  # of a line of pixels that must be darker for it to be dimmed: the rest is the board, or the box
_DIMMED_OFF_LEVELS = 4  # by which a dimmed pixel may be off
_LIT_LEVELS = 40  # from which on a pixel can tell by how much it was dimmed


def find_box_buttons(image: Image, before: Image, board: Region, *, may_be_beside: bool = False) -> list[Region]:
    """Find the buttons of the boxes that have come up between two pictures of the desktop.

    Args:
        image: uint8 array of shape (height, width, 3).
        before: An earlier picture of the same shape.
        board: Where the board is in them. A box covers a part of it: what is around nearly all of it is its window, and
            what is beside it a part of that window.
        may_be_beside: Whether a box beside the board counts, too, as where a window is dimmed behind it.

    Returns:
        The lowest row of things on each box, from left to right; those of the smallest box first.
    """
    found = find_boxes(image, before)
    boxes = [it for it in found if (may_be_beside or covers(it, board)) and _share(board, it) < _MAX_COVERED_SHARE]
    return [button for box in boxes for button in _lowest_row(image, box)]


def covers(box: Region, board: Region) -> bool:
    """Whether a box is in front of a part of a board, not only of its rim, as a clock may be that ticks beside it."""
    common = box.intersection(board)
    return common is not None and common != board and min(common.width, common.height) >= _MIN_COVERED_PX


def find_boxes(image: Image, before: Image) -> list[Region]:
    """Find the boxes that have come up between two pictures of the desktop, without frames, the smallest first."""
    found: list[Region] = []
    for change in find_changes(before, image):
        around = change.grown(2).intersection(Region.of(image))
        if around is None or around.width < _MIN_PX[0] or around.height < _MIN_PX[1]:
            continue
        for surface, colour in _rectangles(image[around.slices]):
            box = surface.moved(around.origin)
            was_there = (np.abs(_edge(before[box.slices]).astype(np.int16) - colour) <= EVEN_LEVELS).all(axis=1).mean()
            if was_there < _SAME_EDGE_SHARE:
                found.append(box)
    kept: list[Region] = []
    for box in sorted(found, key=lambda box: box.width * box.height):
        inside = [other for other in kept if other.centre in box]
        if all(_is_one_line(image, other) for other in inside):  # as the field of a box that asks for a name
            kept = [other for other in kept if other not in inside] + [box]
    return kept


def dimmed_like(before: Image, image: Image, window: Region, board: Region) -> Image | None:
    """Return an earlier picture of the desktop with a window as dark as it is now; None if that is not dimmed.

    A window is dimmed behind a box that lets no click through, except for its bars. Only what is around the board
    tells, as the game has changed that.
    """
    earlier, now = before[window.slices].astype(np.float32), image[window.slices].astype(np.float32)
    tells = earlier >= _LIT_LEVELS
    inside = board.intersection(window)
    if inside is not None:
        tells[inside.moved(-window.origin).slices] = False
    factor = float(np.median(now[tells] / earlier[tells])) if tells.any() else 1.0
    least, most = _DARKER_FACTORS
    if not least <= factor <= most:
        return None
    lit = np.asarray(tells.any(axis=2))
    is_dark = lit & (np.abs(now - factor * earlier) <= _DIMMED_OFF_LEVELS).all(axis=2)
    if is_dark[lit].mean() < _DIMMED_SHARE:
        return None
    rows, columns = (np.flatnonzero(is_dark.mean(axis=axis) >= _DARK_LINE_SHARE) for axis in (1, 0))
    if not (rows.size and columns.size):
        return None
    page = slice(rows[0], rows[-1] + 1), slice(columns[0], columns[-1] + 1)  # a bar of the browser's stays as it is
    dimmed = before.copy()
    dimmed[window.slices][page] = (factor * earlier[page]).astype(np.uint8)
    return dimmed


def _share(board: Region, box: Region) -> float:
    """Return the share of a board that a box covers."""
    common = board.intersection(box)
    return 0.0 if common is None else common.width * common.height / (board.width * board.height)


def _rectangles(image: Image) -> list[tuple[Region, NDArray[np.int16]]]:
    """Find the surfaces of one colour with a rectangular edge, with their colours."""
    _, labels, stats, _ = cv2.connectedComponentsWithStats(joined_pixels(image), connectivity=4)
    found = []
    for number, (left, top, across, down, _) in enumerate(stats.tolist()):
        width, height = (across + 1) // 2, (down + 1) // 2
        is_large = _MIN_PX[0] <= width <= _MAX_PX[0] and _MIN_PX[1] <= height <= _MAX_PX[1]
        if number == 0 or not is_large:
            continue
        own = _edge(labels[top : top + down : 2, left : left + across : 2]) == number
        if own.mean() >= _EDGE_SHARE:
            surface = Region(left // 2, top // 2, width, height)
            found.append((surface, np.median(_edge(image[surface.slices])[own], axis=0).astype(np.int16)))
    return found


def _is_one_line(image: Image, box: Region) -> bool:
    """Whether all things on a box stand in one row, as on a button or in a field."""
    inner = box.grown(-2)
    things = find_blobs(image[inner.slices])
    return max((it.centre.y for it in things), default=0) - min((it.centre.y for it in things), default=0) <= _ROW_PX


def _lowest_row(image: Image, box: Region) -> list[Region]:
    """Find the lowest row of things on a box, from left to right."""
    inner = box.grown(-2)
    shown = image[inner.slices]
    drawn = drawn_pixels(shown)
    blobs = [part for blob in find_blobs(shown) for part in _parted(drawn, blob)]
    things = [one for one in (*find_plates(shown), *blobs) if one.width >= BUTTON_PX[0] and one.height >= BUTTON_PX[1]]
    lowest = max((thing.centre.y for thing in things), default=0)
    row: list[Region] = []
    for thing in sorted(things, key=lambda thing: -thing.width):  # a button comes before the word on it
        if thing.centre.y > lowest - _ROW_PX and not any(thing.centre in other for other in row):
            row.append(thing)
    return [thing.moved(inner.origin) for thing in sorted(row, key=lambda thing: thing.x)]


def _parted(drawn: NDArray[np.uint8], blob: Region) -> list[Region]:
    """Part a thing at blank columns: buttons may stand close together."""
    columns = np.flatnonzero(drawn[blob.slices].any(axis=0))
    parts = np.split(columns, np.flatnonzero(np.diff(columns) > _BETWEEN_PX) + 1)
    return [
        Region(blob.x + int(part[0]), blob.y, int(part[-1] - part[0]) + 1, blob.height) for part in parts if part.size
    ]


def _edge(values: NDArray[Any]) -> NDArray[Any]:
    """Return the outermost values of an array, side after side."""
    return np.concatenate([values[0], values[-1], values[1:-1, 0], values[1:-1, -1]])
