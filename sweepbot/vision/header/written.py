"""Read numbers that a client writes as text beside its board: flags and mines as `3/10`, the time as `0:42`.

Fonts do not grow with cells, so that text is searched for only at the size in which it was recorded; if the user has
set another font, no number is read. Labels around the board show where a number is. A number is the text nearest to its
label, up to a blank, and is explained as a row of glyphs: the one that leaves least ink unexplained, found from left to
right by dynamic programming. It is believed if no glyph leaves much, and only ground is left between them.
"""

import math
import re
from collections.abc import Sequence
from typing import Annotated, Literal, NamedTuple

import cv2
import msgspec
import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from sweepbot.geometry import Image, Region
from sweepbot.vision.header.panel import Pictures, Shown

GLYPHS = "0123456789/:"
"""The characters in a picture of glyphs, side by side in fields of one width, dark on light or light on dark."""

_LABELS_WITHIN_PX = 250  # around the board
_LARGEST_ROOM_PX = 400  # that a number may take beside its label
_LEAST_LABEL_CORRELATION = 0.9  # of a place with the picture of a label
_INK_SHARE = 0.3  # of the strongest ink: pixels with less are ground
_PALE_SHARE = 0.5  # of the strongest ink: columns with no more may be the edge of a glyph beside them
_TEXT_SHIFTS_PX = (-0.5, -0.25, 0.0, 0.25, 0.5)  # by which text may be set off
_BLANK_SHARE = 0.7  # of the height of glyphs: a wider blank ends a text
_MOST_UNEXPLAINED_SHARE = 0.25  # of the ink of a glyph

Floats = NDArray[np.float32]


class WrittenNumber(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where a number is written.

    Attributes:
        labels: Pictures of the label to its left or above it, one for each of the client's themes.
        side: The side of the label on which it is; below, it is centred under it.
        room: Width and height that it may take beside the label, in pixels.
    """

    labels: Pictures
    side: Literal["right", "below"]
    room: tuple[Annotated[int, Meta(ge=8, le=_LARGEST_ROOM_PX)], Annotated[int, Meta(ge=8, le=100)]]


class WrittenPlaces(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The part of calibration.yaml about numbers written as text.

    Attributes:
        glyphs: The picture of `GLYPHS`.
        mines: Flags and mines, as `3/10` or `3 / 10`.
        clock: Minutes and seconds, as `0:42`.
    """

    glyphs: str
    mines: WrittenNumber | None = None
    clock: WrittenNumber | None = None


class Glyph(NamedTuple):
    """A character and its ink, float32 of shape (height, width), 1 where it is strongest."""

    character: str
    ink: Floats


class Written(NamedTuple):
    """The numbers that a client writes, with their pictures.

    Attributes:
        glyphs: The glyphs of `GLYPHS`, all of one height.
        mines: Where flags and mines are written, and the pictures of the label.
        clock: The same for the time.
    """

    glyphs: tuple[Glyph, ...]
    mines: tuple[WrittenNumber, tuple[Image, ...]] | None
    clock: tuple[WrittenNumber, tuple[Image, ...]] | None


def read_written(image: Image, board: Region, written: Written) -> Shown:
    """Read the numbers written around a board.

    Args:
        image: The picture, uint8 array of shape (height, width, 3).
        board: Where the board is in it.
        written: The numbers that its client writes.
    """
    # A number may reach beyond where labels are sought.
    around = board.grown(_LABELS_WITHIN_PX + _LARGEST_ROOM_PX).intersection(Region.of(image))
    if around is None:
        return Shown()
    near = image[around.slices].copy()
    left, top = board.x - around.x, board.y - around.y
    near[max(0, top) : top + board.height, max(0, left) : left + board.width] = 0  # its flags may look like a label
    sought = Region(left, top, board.width, board.height).grown(_LABELS_WITHIN_PX)
    flags_and_mines = _numbers(near, sought, written.mines, written.glyphs, r"(\d+)/(\d+)")
    minutes_and_seconds = _numbers(near, sought, written.clock, written.glyphs, r"(\d+):(\d\d)")
    return Shown(
        None if flags_and_mines is None else flags_and_mines[1] - flags_and_mines[0],
        None if minutes_and_seconds is None else 60 * minutes_and_seconds[0] + minutes_and_seconds[1],
    )


def inked_glyphs(row: Image) -> tuple[Glyph, ...]:
    """Return the glyphs in a picture of `GLYPHS`, each at several fractions of a pixel; a field may be empty."""
    glyphs = []
    for character, field in zip(GLYPHS, np.hsplit(_ink(row), len(GLYPHS)), strict=True):
        for shift in _TEXT_SHIFTS_PX:
            moved = cv2.warpAffine(field, np.array([[1, 0, shift], [0, 1, 0]]), field.shape[::-1])
            inked = np.flatnonzero((moved > _INK_SHARE).any(axis=0))
            if inked.size:
                glyphs.append(Glyph(character, np.ascontiguousarray(moved[:, inked[0] : inked[-1] + 1])))
    return tuple(glyphs)


def _numbers(
    near: Image,
    sought: Region,
    place: tuple[WrittenNumber, tuple[Image, ...]] | None,
    glyphs: tuple[Glyph, ...],
    form: str,
) -> tuple[int, int] | None:
    """Return the two numbers of a text of that form whose label is within `sought`, None if there is none."""
    if place is None:
        return None
    area = _area(near, sought, *place)
    if area is None or not area.size or area.shape[0] < glyphs[0].ink.shape[0] or _is_cut(area, place[0].room[0]):
        return None
    ink = _nearest(_ink(area), glyphs[0].ink.shape[0], from_left=place[0].side == "right")
    match = re.fullmatch(form, _text(ink, glyphs))
    return None if match is None else (int(match[1]), int(match[2]))


def _area(near: Image, sought: Region, number: WrittenNumber, labels: Sequence[Image]) -> Image | None:
    """Return the area beside a label, None if no label is found."""
    first = max(0, sought.x), max(0, sought.y)
    grey = cv2.cvtColor(near[first[1] : sought.bottom, first[0] : sought.right], cv2.COLOR_BGR2GRAY)
    for label in labels:
        height, width = label.shape[:2]
        if grey.shape[0] < height or grey.shape[1] < width:
            continue
        likeness = cv2.matchTemplate(grey, cv2.cvtColor(label, cv2.COLOR_BGR2GRAY), cv2.TM_CCOEFF_NORMED)
        _, most, _, (x, y) = cv2.minMaxLoc(np.where(np.isfinite(likeness), likeness, 0))
        if most >= _LEAST_LABEL_CORRELATION:
            x, y = x + first[0], y + first[1]
            across, down = number.room
            if number.side == "right":
                left, top = x + width, y + (height - down) // 2
            else:
                left, top = x + (width - across) // 2, y + height
            return near[max(0, top) : top + down, max(0, left) : left + across]
    return None


def _is_cut(area: Image, across: int) -> bool:
    """Whether an area is cut off at the picture's edge amid ink: the number may go on beyond it."""
    at_edge = _ink(area)[:, -math.ceil(_BLANK_SHARE * area.shape[0]) :]
    return area.shape[1] < across and bool((at_edge > _INK_SHARE).any())


def _ink(picture: Image) -> Floats:
    """Return how far each pixel is from the ground towards the strongest ink, (height, width), at most 1."""
    grey = cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY).astype(np.float32)
    relief = grey - np.median(grey)
    strongest = float(relief.flat[np.abs(relief).argmax()])
    ink: Floats = relief / strongest if strongest else relief
    return ink


def _nearest(ink: Floats, height: int, *, from_left: bool) -> Floats:
    """Return the part of an area with one text: the leftmost, or the one in the middle."""
    columns = np.flatnonzero((ink > _INK_SHARE).any(axis=0))
    if not columns.size:
        return ink[:, :0]
    texts = np.split(columns, np.flatnonzero(np.diff(columns) > _BLANK_SHARE * height) + 1)
    middle = ink.shape[1] / 2
    text = texts[0] if from_left else min(texts, key=lambda text: abs((text[0] + text[-1]) / 2 - middle))
    return ink[:, text[0] : text[-1] + 1]


def _text(ink: Floats, glyphs: tuple[Glyph, ...]) -> str:
    """Return the row of glyphs that explains some ink, empty if none explains all of it."""
    height = glyphs[0].ink.shape[0]
    inked = np.flatnonzero((ink > _INK_SHARE).any(axis=1))
    if not inked.size:
        return ""
    ink = np.pad(ink, ((0, 0), (1, 1)))  # the edge of a glyph may be too pale to be ink
    tops = range(max(0, inked[-1] + 1 - height), min(inked[0], ink.shape[0] - height) + 1)
    return min((_explained(ink[top : top + height], glyphs) for top in tops), default=(math.inf, ""))[1]


def _explained(rows: Floats, glyphs: tuple[Glyph, ...]) -> tuple[float, str]:
    """Return the least sum of squares of unexplained ink, infinite for none, and the row of glyphs that leaves it."""
    width = rows.shape[1]
    blank = np.where((rows > _PALE_SHARE).any(axis=0), math.inf, (rows * rows).sum(axis=0)).tolist()
    cost, text = [0.0] + [math.inf] * width, [""] * (width + 1)
    steps = [(1, "", blank)]
    for character, glyph in glyphs:
        if glyph.shape[1] <= width:
            left = cv2.matchTemplate(rows, glyph, cv2.TM_SQDIFF)[0]
            most = _MOST_UNEXPLAINED_SHARE * float((glyph * glyph).sum())
            steps.append((glyph.shape[1], character, np.where(left <= most, left, math.inf).tolist()))
    for x in range(width):
        for step, character, left_here in steps:
            if x < len(left_here) and cost[x] + left_here[x] < cost[x + step]:
                cost[x + step], text[x + step] = cost[x] + left_here[x], text[x] + character
    return cost[width], text[width]
