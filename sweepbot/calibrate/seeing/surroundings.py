"""Find what may begin a new game when it is clicked, in an order of least harm.

First comes a control whose words say so, where words can be read. Of the others only the place and the time at which it
appeared matter: first comes one above the middle of the board, then one that stands alone, and last one that appeared
at the end of a game, which may lead anywhere. Several of one kind in a row or column are a menu, a choice of levels or
a toolbar; a small square thing that appeared off the middle closes something; words away from the middle may be links.
None of those is clicked, nor is what says that it does something else.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sweepbot.calibrate.seeing.words import Meaning, meaning_of
from sweepbot.control.widgets.blobs import find_blobs, find_plates
from sweepbot.geometry import Cell, Image, Point, Region
from sweepbot.vision.grid import Grid
from sweepbot.vision.pictures.difference import difference

_ABOVE_PX, _BELOW_PX, _BESIDE_PX = 200, 130, 260  # around the board in which controls are searched for
_OVERHANG_PX = 30  # by which controls above or below the board may reach beyond its sides
_SMALLEST_PX, _LARGEST_FACE_PX = 12, 90  # the least side of a control, and the largest of a face
_REACH_CELLS = 7  # above the board in which a face is searched for
_SQUARE_FACTOR = 1.5  # largest ratio between the sides of a face
_OFF_MIDDLE_PX, _OFF_MIDDLE_SHARE = 8, 0.05  # of the board's width: by either, what is centred may be off
_NEW_LEVELS = 24  # by which a pixel must differ to be new
_LEAST_NEW_SHARE = 0.5  # of a control's pixels that must be new for it to be new
_LIKE_SHARE = 0.6  # least ratio between the heights of two controls of one kind
_IN_LINE_PX = 6  # by which the middles of the controls in a row or column may differ
_WITHIN_BAR_SHARE = 0.6  # of a bar's area that a button on it may cover
_WIDER_THAN_CELL_TIMES = 1.3  # what is smaller in front of the board is a cell


@dataclass(frozen=True, slots=True)
class Control:
    """Something around a board that may be clicked.

    Attributes:
        region: Where it is.
        is_plate: Whether it is a surface with a rim, like a button, and not a mere icon or word; None if it may be
            either.
    """

    region: Region
    is_plate: bool | None

    @property
    def is_square(self) -> bool:
        """Whether its sides are those of a face."""
        sides = self.region.width, self.region.height
        return max(sides) <= min(_LARGEST_FACE_PX, _SQUARE_FACTOR * min(sides))


@dataclass(frozen=True)
class Surroundings:
    """The desktop around a finished board.

    Attributes:
        image: The desktop, uint8 array of shape (height, width, 3).
        calm: The desktop before the game began.
        place: Where the board is in it.
        page: The part that belongs to the client; nothing else is clicked.
    """

    image: Image
    calm: Image
    place: Grid
    page: Region

    def named(self) -> list[Region]:
        """Return the controls whose words say that they begin a game, even if several alike are beside them."""
        regions = [it.region for it in (*self._controls, *self._fresh)]
        return [region for region in regions if meaning_of(region, self.image) is Meaning.BEGINS_GAME]

    def does_else(self, region: Region) -> bool:
        """Whether the words on a control say that it does something else than begin a game."""
        return meaning_of(region, self.image) is Meaning.DOES_ELSE

    def faces(self) -> list[Region]:
        """Return the squarish controls above the middle of the board, but none with several alike beside it."""
        blocks = [Control(block, None) for block in _blocks_above(self.image, self.place) if self._is_centred(block)]
        alone = [it for it in blocks if it.region.centre in self.page and not self._has_like(it, at_most=1)]
        found: list[Region] = []
        for region in (it.region for it in (*alone, *self._above_middle()) if it.is_square):
            if not any(region.centre in other for other in found):
                found.append(region)
        return sorted(found, key=lambda face: -face.bottom)

    def standing(self) -> list[Region]:
        """Return controls from before the game, alone on the board's middle: buttons, then a word above it."""
        above = [it for it in self._above_middle() if self._was_there(it.region) and not it.is_square]
        plates = [it.region for it in above if it.is_plate]
        lone = [region for region in self._alone() if self._is_centred(region)]
        return [*plates, *lone, *[it.region for it in above if not it.is_plate][:1]]

    def apart(self) -> list[Region]:
        """Return the one button off the middle from before the game that is alone; none of several."""
        alone = self._alone()
        return alone if len(alone) == 1 and not self._is_centred(alone[0]) else []

    def put_up(self) -> list[Region]:
        """Return what has appeared on the board or near it since the end: buttons, then words.

        Of several buttons in one row only the first is returned; a square one off the middle is a cross. Of the words,
        the lowest come first.
        """
        plates, words = (
            self._likely_of([it for it in self._fresh if it.is_plate == is_plate]) for is_plate in (True, False)
        )
        return [*plates, *[it for it in words if self._board.x <= it.centre.x < self._board.right][::-1][:2]]

    def bare_cell(self) -> Cell | None:
        """Return a cell of the board with nothing in front of it, a corner if possible."""
        place = self.place
        corners = [Cell(row, column) for row in (place.rows - 1, 0) for column in (place.columns - 1, 0)]
        for cell in (*corners, Cell(place.rows // 2, place.columns // 2)):
            region = place.region_of(cell)
            if region.centre in self.page and not any(it.region.intersection(region) for it in self._fresh):
                return cell
        return None

    def captions(self) -> list[Region]:
        """Return a word that is alone below the middle of the board: a restart, or a line of text."""
        words = [it for it in self._others() if not it.is_plate and self._is_centred(it.region)]
        return [it.region for it in words if it.region.y >= self._board.bottom and not self._has_like(it, at_most=0)][
            :1
        ]

    def headings(self) -> list[Region]:
        """Return the one word above the board, off its middle, from before the game; none of several."""
        words = [it for it in self._others() if not it.is_plate and it.region.bottom <= self._board.y]
        there = [it for it in words if self._was_there(it.region) and not it.is_square]
        return [it.region for it in there if len(there) == 1 and not self._has_like(it, at_most=0)]

    @property
    def _board(self) -> Region:
        return self.place.region

    def _is_centred(self, region: Region) -> bool:
        off = abs(region.centre.x - self._board.centre.x)
        return off <= max(_OFF_MIDDLE_PX, _OFF_MIDDLE_SHARE * self._board.width) and region.width <= self._board.width

    def _above_middle(self) -> list[Control]:
        """Return the controls above the middle of the board without several alike beside them, the nearest first."""
        above = [it for it in self._controls if it.region.bottom <= self._board.y and self._is_centred(it.region)]
        return sorted((it for it in above if not self._has_like(it, at_most=1)), key=lambda it: -it.region.bottom)

    def _others(self) -> list[Control]:
        """Return the controls elsewhere around the board."""
        return [it for it in self._controls if it.region.bottom > self._board.y or not self._is_centred(it.region)]

    def _has_like(self, control: Control, *, at_most: int) -> bool:
        """Whether more than `at_most` others of its kind are in its row or column; unless it is square, any in its row.

        Counters, which change, do not count, nor does a bar wider than the board.
        """
        region = control.region
        row = column = 0
        for other in self._controls:
            like, here = other.region, region
            heights = sorted((like.height, here.height))
            is_other = control.is_plate is not None and other.is_plate != control.is_plate
            if like.centre in here or is_other or heights[0] < _LIKE_SHARE * heights[1]:
                continue
            if control.is_square and not (other.is_square and like.width >= _LIKE_SHARE * here.width):
                continue
            if like.width > self._board.width or self._is_new(like) or self._has_changed(like):
                continue
            row += abs(like.centre.y - here.centre.y) <= _IN_LINE_PX
            is_below = min(abs(like.centre.x - here.centre.x), abs(like.x - here.x)) <= _IN_LINE_PX
            column += is_below and abs(like.centre.y - here.centre.y) <= 4 * here.height
        return row > (at_most if control.is_square else 0) or column > at_most

    def _alone(self) -> list[Region]:
        """Return the buttons elsewhere around the board from before the game, with none alike beside them."""
        others = [it for it in self._others() if it.is_plate and self._was_there(it.region)]
        return [it.region for it in others if not self._has_like(it, at_most=0)]

    @cached_property
    def _fresh(self) -> list[Control]:
        """New plates, then new words; on the board, what is no larger than a cell is a cell."""
        cell = _WIDER_THAN_CELL_TIMES * max(self.place.pitch)
        return [
            it
            for it in _controls_of(self.image, self._around(self._board))
            if self._is_new(it.region)
            and not self._was_there(it.region)
            and not (it.region.width <= cell and it.region.centre in self._board)
        ]

    def _likely_of(self, fresh: list[Control]) -> list[Region]:
        """Return those that may begin a game, from top to bottom: no cross, and only the first of each row."""
        found: list[Region] = []
        for it in sorted(fresh, key=lambda it: (it.region.y // _IN_LINE_PX, it.region.x)):
            is_cross = it.is_square and not self._is_centred(it.region)
            is_next = any(abs(it.region.centre.y - other.centre.y) <= 2 * _IN_LINE_PX for other in found)
            if not (is_cross or is_next):
                found.append(it.region)
        return found

    def _was_there(self, region: Region) -> bool:
        """Whether a control of its size was in its place before the game, even if in other colours."""
        return any(_is_like(it.region, region) for it in self._before)

    def _is_new(self, region: Region) -> bool:
        return bool(self._changed(region).mean() > _LEAST_NEW_SHARE)

    def _has_changed(self, region: Region) -> bool:
        return bool(self._changed(region).any())

    def _changed(self, region: Region) -> NDArray[np.bool_]:
        return difference(self.image[region.slices], self.calm[region.slices]) > _NEW_LEVELS

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
        """All controls around the board."""
        return [it for strip in self._strips() for it in _controls_of(self.image, strip)]

    @cached_property
    def _before(self) -> list[Control]:
        """The controls around it before the game."""
        return [it for strip in self._strips() for it in _controls_of(self.calm, strip)]

    def _strips(self) -> Iterator[Region]:
        """Yield the strips above, below and beside the board that belong to the client."""
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
    """Return the plates of a part of a picture, without bars that hold others, and the icons and words on no plate."""
    shown = image[strip.slices]
    plates = find_plates(shown)
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
    """Whether two regions are in the same place and nearly of one size."""
    sides = ((one.width, other.width), (one.height, other.height))
    return one.centre in other and other.centre in one and all(min(pair) >= _LIKE_SHARE * max(pair) for pair in sides)


def _holds(bar: Region, thing: Region) -> bool:
    """Whether a region lies within another that is much larger."""
    return thing.centre in bar and thing.width * thing.height <= _WITHIN_BAR_SHARE * bar.width * bar.height


def _blocks_above(image: Image, place: Grid) -> list[Region]:
    """Return squarish regions above a board that stand out from the commonest colours there, even within a frame."""
    top, middle = int(place.ys[0]), place.region.centre.x
    first = max(0, top - max(int(_REACH_CELLS * max(place.pitch)), _LARGEST_FACE_PX))
    left, right = max(0, middle - _LARGEST_FACE_PX), min(image.shape[1], middle + _LARGEST_FACE_PX)
    strip = image[first:top, left:right].astype(np.int16)
    if min(strip.shape[:2]) < _SMALLEST_PX:
        return []
    core = slice(middle - left - _SMALLEST_PX // 2, middle - left + _SMALLEST_PX // 2)
    found: list[Region] = []
    for ground in _grounds(strip):
        apart = np.abs(strip - ground).max(axis=2) > _NEW_LEVELS
        found.extend(block.moved(Point(left, first)) for block in _blocks(apart, core))
    return found


def _grounds(strip: NDArray[np.int16]) -> list[NDArray[np.int16]]:
    """Return the two commonest colours of a strip."""
    colours, counts = np.unique(strip.reshape(-1, 3), axis=0, return_counts=True)
    return [colours[index] for index in np.argsort(-counts)[:2]]


def _blocks(apart: NDArray[np.bool_], core: slice) -> Iterator[Region]:
    """Yield squarish regions that stand alone: first by gaps in the rows of the columns `core`, then in the columns."""
    for start, stop in _runs(np.any(apart[:, core], axis=1)):
        if not _SMALLEST_PX <= stop - start <= _LARGEST_FACE_PX:
            continue
        for left, right in _runs(np.any(apart[start:stop], axis=0)):
            sides = right - left, stop - start
            if _SMALLEST_PX <= right - left <= _LARGEST_FACE_PX and max(sides) <= _SQUARE_FACTOR * min(sides):
                yield Region(left, start, right - left, stop - start)


def _runs(flags: NDArray[np.bool_]) -> list[tuple[int, int]]:
    edges = np.flatnonzero(np.diff(np.concatenate([[0], flags.astype(np.int8), [0]])))
    return list(zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True))
