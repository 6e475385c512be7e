"""What may begin a new game when it is clicked, in an order of least harm, and what is never clicked.

No text on a button is read. So it is told by where it stands and by when it came: a control above the middle of the
board, one that stands alone, and last one that the end of a game has put up, which may lead anywhere. What stands in a
row or a column of its like is a menu, a choice of levels or a bar of tools; a small square thing that came up beside
the middle is a cross that closes something; words away from the middle may be links. None of those is clicked.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sweepbot.geometry import Cell, Image, Point, Region
from sweepbot.vision.grid import Grid
from sweepbot.vision.pictures.difference import difference
from sweepbot.vision.widgets.blobs import find_blobs, find_plates

_ABOVE_PX, _BELOW_PX, _BESIDE_PX = 200, 130, 260  # around the board in which controls are looked for
_OVERHANG_PX = 30  # by which what is above or below the board may reach beyond its sides
_SMALLEST_PX, _LARGEST_FACE_PX = 12, 90  # a side of a control; of a face
_BUTTON_PX = (20, 12)  # width and height of the smallest button with something written on it
_REACH_CELLS = 7  # above the board in which a face is looked for
_SQUARE = 1.5  # one side of a face is at most so many times the other
_OFF_MIDDLE_PX, _OFF_MIDDLE = 8, 0.05  # pixels, or share of the board's width, by which what is centred may be off
_NEW = 24  # grey levels from which on a pixel is another one
_LEAST_NEW = 0.5  # of a thing's pixels that must be new for the thing to be
_LIKE = 0.6  # of one's height is the other's at least, of two things of one kind
_IN_LINE_PX = 6  # by which the middles of a row's or a column's things may be apart
_WITHIN_BAR = 0.6  # of a bar's area is a button's on it at most
_WIDER_THAN_CELL = 1.3  # times a cell is a button in front of the board; what is smaller is a cell


@dataclass(frozen=True, slots=True)
class Control:
    """Something around a board that may be clicked.

    Attributes:
        region: Where it is.
        is_plate: Whether it is a surface with a rim, as buttons are, and not an icon or a word alone; None where it may
            be either.
    """

    region: Region
    is_plate: bool | None

    @property
    def is_square(self) -> bool:
        """Whether it may be a face, by its sides."""
        sides = self.region.width, self.region.height
        return max(sides) <= min(_LARGEST_FACE_PX, _SQUARE * min(sides))


@dataclass(frozen=True)
class Surroundings:
    """The desktop around a finished board.

    Attributes:
        image: The desktop, uint8 array of shape (height, width, 3).
        calm: The same before the game began.
        place: Where the board is in it.
        page: The part that is the client's; nothing else is clicked.
    """

    image: Image
    calm: Image
    place: Grid
    page: Region

    def faces(self) -> list[Region]:
        """The squarish controls above the middle of the board that have not several of their like beside them."""
        blocks = [Control(block, None) for block in _blocks_above(self.image, self.place) if self._is_centred(block)]
        alone = [it for it in blocks if it.region.centre in self.page and not self._has_like(it, at_most=1)]
        found: list[Region] = []
        for region in (it.region for it in (*alone, *self._above_middle()) if it.is_square):
            if not any(region.centre in other for other in found):
                found.append(region)
        return sorted(found, key=lambda face: -face.bottom)

    def standing(self) -> list[Region]:
        """What was there before the game, in line with the board's middle and alone: buttons, then words above it."""
        above = [it for it in self._above_middle() if self._was_there(it.region) and not it.is_square]
        plates = [it.region for it in above if it.is_plate]
        lone = [region for region in self._alone() if self._is_centred(region)]
        return [*plates, *lone, *[it.region for it in above if not it.is_plate][:1]]

    def apart(self) -> list[Region]:
        """The one button off the middle that was there before the game and is alone; of several none."""
        alone = self._alone()
        return alone if len(alone) == 1 and not self._is_centred(alone[0]) else []

    def put_up(self) -> list[Region]:
        """What stands in front of the board or near it since the end: buttons, then what looks like none.

        Of several buttons in one row it is the first; a square one off the middle is a cross. Of words a line to be
        clicked comes after the others.
        """
        plates, words = (self._likely_of(self._fresh(are_plates=are_plates)) for are_plates in (True, False))
        return [*plates, *[it for it in words if self._board.x <= it.centre.x < self._board.right][::-1][:2]]

    def bare_cell(self) -> Cell | None:
        """A cell of the board with nothing put up on it, a corner if there is one."""
        place = self.place
        fresh = [it.region for are_plates in (True, False) for it in self._fresh(are_plates=are_plates)]
        corners = [Cell(row, column) for row in (place.rows - 1, 0) for column in (place.columns - 1, 0)]
        for cell in (*corners, Cell(place.rows // 2, place.columns // 2)):
            region = place.region_of(cell)
            if region.centre in self.page and not any(it.intersection(region) for it in fresh):
                return cell
        return None

    def captions(self) -> list[Region]:
        """Words alone below the middle of the board: a restart's, or a line of text."""
        words = [it for it in self._others() if not it.is_plate and self._is_centred(it.region)]
        return [it.region for it in words if it.region.y >= self._board.bottom and not self._has_like(it, at_most=0)][
            :1
        ]

    def headings(self) -> list[Region]:
        """The one word above the board off its middle that was there before the game; of several none."""
        words = [it for it in self._others() if not it.is_plate and it.region.bottom <= self._board.y]
        there = [it for it in words if self._was_there(it.region) and not it.is_square]
        return [it.region for it in there if len(there) == 1 and not self._has_like(it, at_most=0)]

    @property
    def _board(self) -> Region:
        return self.place.region

    def _is_centred(self, region: Region) -> bool:
        off = abs(region.centre.x - self._board.centre.x)
        return off <= max(_OFF_MIDDLE_PX, _OFF_MIDDLE * self._board.width) and region.width <= self._board.width

    def _above_middle(self) -> list[Control]:
        """The controls above the middle of the board without several of their like, the nearest first."""
        above = [it for it in self._controls if it.region.bottom <= self._board.y and self._is_centred(it.region)]
        return sorted((it for it in above if not self._has_like(it, at_most=1)), key=lambda it: -it.region.bottom)

    def _others(self) -> list[Control]:
        """The controls elsewhere around the board."""
        return [it for it in self._controls if it.region.bottom > self._board.y or not self._is_centred(it.region)]

    def _has_like(self, control: Control, *, at_most: int) -> bool:
        """Whether more than so many of its kind stand in its row or its column; of what is no face, any in its row.

        Counters, which change, do not count, nor does a bar wider than the board.
        """
        region = control.region
        row = column = 0
        for other in self._controls:
            like, here = other.region, region
            heights = sorted((like.height, here.height))
            is_other = control.is_plate is not None and other.is_plate != control.is_plate
            if like.centre in here or is_other or heights[0] < _LIKE * heights[1]:
                continue
            if control.is_square and not (other.is_square and like.width >= _LIKE * here.width):
                continue
            if like.width > self._board.width or self._is_new(like) or self._has_changed(like):
                continue
            row += abs(like.centre.y - here.centre.y) <= _IN_LINE_PX
            is_below = min(abs(like.centre.x - here.centre.x), abs(like.x - here.x)) <= _IN_LINE_PX
            column += is_below and abs(like.centre.y - here.centre.y) <= 4 * here.height
        return row > (at_most if control.is_square else 0) or column > at_most

    def _alone(self) -> list[Region]:
        """The buttons elsewhere around the board that were there before the game, without any of their like."""
        others = [it for it in self._others() if it.is_plate and self._was_there(it.region)]
        return [it.region for it in others if not self._has_like(it, at_most=0)]

    def _fresh(self, *, are_plates: bool) -> list[Control]:
        """What was not there before, plates or else words; on the board, what is no larger than a cell is one."""
        cell = _WIDER_THAN_CELL * max(self.place.pitch)
        return [
            it
            for it in _controls_of(self.image, self._around(self._board))
            if it.is_plate == are_plates
            and self._is_new(it.region)
            and not self._was_there(it.region)
            and not (it.region.width <= cell and it.region.centre in self._board)
        ]

    def _likely_of(self, fresh: list[Control]) -> list[Region]:
        """Those that may begin a game, from top to bottom: no cross, and the first of each row."""
        found: list[Region] = []
        for it in sorted(fresh, key=lambda it: (it.region.y // _IN_LINE_PX, it.region.x)):
            is_cross = it.is_square and not self._is_centred(it.region)
            is_next = any(abs(it.region.centre.y - other.centre.y) <= 2 * _IN_LINE_PX for other in found)
            if not (is_cross or is_next):
                found.append(it.region)
        return found

    def _was_there(self, region: Region) -> bool:
        """Whether there was a control as large in its place before the game, be it in other colours."""
        return any(_is_like(it.region, region) for it in self._before)

    def _is_new(self, region: Region) -> bool:
        return bool(self._changed(region).mean() > _LEAST_NEW)

    def _has_changed(self, region: Region) -> bool:
        return bool(self._changed(region).any())

    def _changed(self, region: Region) -> NDArray[np.bool_]:
        return difference(_part(self.image, region), _part(self.calm, region)) > _NEW

    def _around(self, board: Region) -> Region:
        around = Region(
            board.x - _BESIDE_PX,
            board.y - _ABOVE_PX,
            board.width + 2 * _BESIDE_PX,
            board.height + _ABOVE_PX + _BELOW_PX,
        )
        return around.intersection(self.page) or board

    @cached_property
    def _controls(self) -> list[Control]:
        """Everything around the board that may be a control."""
        return [it for strip in self._strips() for it in _controls_of(self.image, strip)]

    @cached_property
    def _before(self) -> list[Control]:
        """The same before the game."""
        return [it for strip in self._strips() for it in _controls_of(self.calm, strip)]

    def _strips(self) -> Iterator[Region]:
        """Above the board, below it and beside it, as far as that is the client's."""
        board, seen = self._board, self._around(self._board)
        left, width = board.x - _OVERHANG_PX, board.width + 2 * _OVERHANG_PX
        top, height = board.y - _OVERHANG_PX, board.height + 2 * _OVERHANG_PX
        for x, y, across, down in (
            (left, seen.y, width, board.y - seen.y),
            (left, board.bottom + 4, width, seen.bottom - board.bottom - 4),
            (board.right + 8, top, seen.right - board.right - 8, height),
            (seen.x, top, board.x - 8 - seen.x, height),
        ):
            strip = Region(x, y, across, down).intersection(seen) if min(across, down) > _SMALLEST_PX else None
            if strip is not None:
                yield strip


def _controls_of(image: Image, strip: Region) -> list[Control]:
    """The plates of a part of a picture, without bars that hold others, and the icons and words that are on none."""
    shown = _part(image, strip)
    plates = [it for it in find_plates(shown) if it.width >= _BUTTON_PX[0] and it.height >= _BUTTON_PX[1]]
    plates = [it for it in plates if not any(_holds(it, other) for other in plates)]
    alone = [
        it
        for it in find_blobs(shown)
        if min(it.width, it.height) >= _SMALLEST_PX - 2 and not any(it.centre in of or of.centre in it for of in plates)
    ]
    blobs = [it for it in alone if not any(_holds(it, other) for other in alone)]
    return [
        Control(it.moved(strip.origin), is_plate)
        for things, is_plate in ((plates, True), (blobs, False))
        for it in things
    ]


def _is_like(one: Region, other: Region) -> bool:
    """Whether two things are in the same place and nearly of one size."""
    sides = ((one.width, other.width), (one.height, other.height))
    return one.centre in other and other.centre in one and all(min(pair) >= _LIKE * max(pair) for pair in sides)


def _holds(bar: Region, thing: Region) -> bool:
    """Whether a thing lies within another one that is much larger."""
    return thing.centre in bar and thing.width * thing.height <= _WITHIN_BAR * bar.width * bar.height


def _part(image: Image, region: Region) -> Image:
    return image[region.y : region.bottom, region.x : region.right]


def _blocks_above(image: Image, place: Grid) -> list[Region]:
    """The squarish things above a board that stand out from the commonest colours there, be it within a frame."""
    top, middle = int(place.ys[0]), place.region.centre.x
    first = max(0, top - max(int(_REACH_CELLS * max(place.pitch)), _LARGEST_FACE_PX))
    left, right = max(0, middle - _LARGEST_FACE_PX), min(image.shape[1], middle + _LARGEST_FACE_PX)
    strip = image[first:top, left:right].astype(np.int16)
    if min(strip.shape[:2]) < _SMALLEST_PX:
        return []
    core = slice(middle - left - _SMALLEST_PX // 2, middle - left + _SMALLEST_PX // 2)
    found: list[Region] = []
    for ground in _grounds(strip):
        apart = np.abs(strip - ground).max(axis=2) > _NEW
        found.extend(block.moved(Point(left, first)) for block in _blocks(apart, core))
    return found


def _grounds(strip: NDArray[np.int16]) -> list[NDArray[np.int16]]:
    """The commonest colours of a strip."""
    colours, counts = np.unique(strip.reshape(-1, 3), axis=0, return_counts=True)
    return [colours[index] for index in np.argsort(-counts)[:2]]


def _blocks(apart: NDArray[np.bool_], core: slice) -> Iterator[Region]:
    """Squarish things that stand alone: the rows that they fill in the columns `core`, then the columns have gaps."""
    for start, stop in _runs(np.any(apart[:, core], axis=1)):
        if not _SMALLEST_PX <= stop - start <= _LARGEST_FACE_PX:
            continue
        for left, right in _runs(np.any(apart[start:stop], axis=0)):
            sides = right - left, stop - start
            if _SMALLEST_PX <= right - left <= _LARGEST_FACE_PX and max(sides) <= _SQUARE * min(sides):
                yield Region(left, start, right - left, stop - start)


def _runs(flags: NDArray[np.bool_]) -> list[tuple[int, int]]:
    edges = np.flatnonzero(np.diff(np.concatenate([[0], flags.astype(np.int8), [0]])))
    return list(zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True))
