"""Find what around a finished board may begin a new game when it is clicked.

That is what was there all along and has changed its look at the end of the game, as a face or a header does, and what
says so where words can be read. Nothing else is ever clicked: what the end has brought up may lead anywhere, and what
stands alone and says nothing may do anything.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import cv2
import numpy as np
from numpy.typing import NDArray

from sweepbot.calibrate.seeing.words import Meaning, meanings_of, offering_another
from sweepbot.control.widgets.blobs import drawn_pixels, find_blobs, find_changes, find_plates
from sweepbot.geometry import Cell, Image, Point, Region, extent
from sweepbot.vision.grid import Grid
from sweepbot.vision.pictures.difference import difference

_ABOVE_PX, _BELOW_PX, _BESIDE_PX = 200, 130, 260  # around the board in which controls are searched for
_OVERHANG_PX = 30  # by which controls above or below the board may reach beyond its sides
_SMALLEST_PX = 12  # the least side of a control
_MIN_CHANGE_PX = 3  # a side of what has changed on a control, such as the mouth of a face
_LARGEST_CHANGE_PX = (340, 110)  # width and height of what has changed, such as a header
_COUNTER_PX = 8  # beside what has changed, where a counter's other figures are, and a face's other parts
_NEW_LEVELS = 24  # by which a pixel must differ to be new
_BESIDE_FACE_PX = 60  # of the board's middle, in which nothing but a face is yellow
_YELLOW_LEVELS = 120  # least red and green of a face; of blue it has half as many less
_MIN_FACE_SHARE = 0.5  # of a face's middle that is yellow: the rest are its eyes and its mouth
_CORNER_PART = 7  # of a disc's side: what lies as far inside each side is all on the disc
_SAME_LEVELS = 6  # by which words may differ in the mean from what they were elsewhere, as their smoothed edges do
_RIM_PX = 3  # of a control that is no part of its words
_MIN_NEW_SHARE = 0.5  # of a control's pixels that must be new for it to be new
_MIN_DRAWN_SHARE = 0.5  # of the height of what has changed that must have been drawn on before
_LIKE_SHARE = 0.6  # least ratio between the heights of two controls of one kind
_IN_LINE_PX = 6  # by which the middles of the controls in a row or column may differ
_FACE_TIMES = 1.5  # by which a face may be higher than wide, or wider than high: words are wider
_WITHIN_BAR_SHARE = 0.6  # of a bar's area that a button on it may cover
_WIDER_THAN_CELL_TIMES = 1.3  # what is smaller in front of the board is a cell


@dataclass(frozen=True)
class Surroundings:
    """The desktop around a finished board.

    Attributes:
        image: The desktop, uint8 array of shape (height, width, 3).
        before: The desktop before the first game began.
        calm: The same, with what has moved along with the board since where it is now.
        played: The desktop in the middle of a game, in the same way.
        place: Where the board is in it.
        page: The part that belongs to the client; nothing else is clicked.
        idle: Cells on which a click does nothing in a game, as this one may not be over for the client; idlest first.
    """

    image: Image
    before: Image
    calm: Image
    played: Image
    place: Grid
    page: Region
    idle: Sequence[Cell] = ()

    def changed(self) -> list[Region]:
        """Return what was there all along and looks otherwise since the end, what is nearest above the board first.

        A counter had changed before the end, too. What is only lighter or darker lies behind something, or is disabled.
        Of several alike in a row or column only a face is returned: what is as high as wide over the board's middle,
        alone or with what has changed just beside it, as its eyes and its mouth may change apart.
        """
        board, around = self._board, self._around
        before, now = self.played.copy(), self.image.copy()
        for image in (before, now):
            image[board.grown(2).slices] = 0
        all_changes = find_changes(before[around.slices], now[around.slices], _MIN_CHANGE_PX)
        changes = [change.moved(around.origin) for change in all_changes]
        found = [change for change in changes if self._is_redrawn(change)]
        lines = [(one, [other for other in found if one is not other and _is_in_line(one, other)]) for one in found]
        things = [(_with_near(one, others), others) for one, others in lines]
        alone = {thing for thing, others in things if not others or self._is_face(thing)}
        return sorted(alone, key=lambda it: (it.bottom > board.y, abs(it.centre.y - board.y)))

    def named(self) -> list[Region]:
        """Return the controls from before the game whose words say that they begin one, even several alike."""
        named = [it for it, means in self._meanings.items() if means is Meaning.BEGINS_GAME]
        return [it for it in named if self._was_there(it) or self._was_elsewhere(it)]

    def faces(self) -> list[Region]:
        """Return the round yellow face over the board's middle, if one was there all along and stays as it is."""
        above = Region(self._board.centre.x - _BESIDE_FACE_PX, 0, 2 * _BESIDE_FACE_PX, self._board.y)
        above = above.intersection(self._around) or self._board
        face = _yellow_disc(self.calm[above.slices])
        faces = [] if face is None else [face.moved(above.origin)]
        return [it for it in faces if self._is_face(it) and it.bottom <= self._board.y and not self._is_new(it)]

    def answers(self) -> list[Region]:
        """Return what has come up in front of the board, and whose words say that it begins another game."""
        return offering_another([it for it in self._fresh if it.centre in self._board], self.image)

    def does_else(self, region: Region) -> bool:
        """Whether the words on a control, or on the one that a region is a part of, say that it begins no game."""
        meanings = [means for it, means in self._meanings.items() if region.centre in it]
        return Meaning.DOES_ELSE in (meanings or meanings_of([region], self.image))

    def bare_cell(self) -> Cell | None:
        """Return a cell of the board with nothing in front of it, an idle one if there are any, or else a corner."""
        place = self.place
        corners = [Cell(row, column) for row in (place.rows - 1, 0) for column in (place.columns - 1, 0)]
        for cell in self.idle or (*corners, Cell(place.rows // 2, place.columns // 2)):
            region = place.region_of(cell)
            if region.centre in self.page and not any(it.intersection(region) for it in self._fresh):
                return cell
        return None

    @property
    def _board(self) -> Region:
        return self.place.region

    @cached_property
    def _meanings(self) -> dict[Region, Meaning]:
        """What all controls around the board say that they do, read at once."""
        controls = self._controls(self.image)
        return dict(zip(controls, meanings_of(controls, self.image), strict=True))

    def _is_face(self, thing: Region) -> bool:
        """Whether a thing may be the face between two counters."""
        is_square = max(thing.width, thing.height) <= _FACE_TIMES * min(thing.width, thing.height)
        return is_square and abs(thing.centre.x - self._board.centre.x) <= _IN_LINE_PX

    def _is_redrawn(self, change: Region) -> bool:
        """Whether something that had not changed before the end has been drawn anew in its place."""
        if any(side > most for side, most in zip((change.width, change.height), _LARGEST_CHANGE_PX, strict=True)):
            return False
        beside = Region(change.x - _COUNTER_PX, change.y, change.width + 2 * _COUNTER_PX, change.height)
        beside = beside.intersection(Region.of(self.image)) or change
        if (difference(self.calm[beside.slices], self.played[beside.slices]) > _NEW_LEVELS).any():
            return False
        rim = change.grown(2).intersection(self._around) or change
        before, now = self.played[rim.slices], self.image[rim.slices]
        return _is_drawn_on(before) and _is_drawn_on(now) and not _is_tint(before, now)

    @cached_property
    def _fresh(self) -> list[Region]:
        """New plates, then new words; on the board, what is no larger than a cell is a cell."""
        cell = _WIDER_THAN_CELL_TIMES * max(self.place.pitch)
        return [
            it
            for it in controls_in(self.image, self._around)
            if self._is_new(it) and not self._was_there(it) and not (it.width <= cell and it.centre in self._board)
        ]

    def _was_there(self, region: Region) -> bool:
        """Whether a control of its size was in its place before the game, even if in other colours."""
        return any(_is_like(it, region) for it in self._calm_controls)

    def _was_elsewhere(self, region: Region) -> bool:
        """Whether the same words were somewhere on the client before the game: its end may have moved them."""
        is_plate = min(region.width, region.height) >= 2 * _SMALLEST_PX  # else words on none, which have no rim
        inside = self.image[region.grown(-_RIM_PX * is_plate).slices]
        words = extent(drawn_pixels(inside) > 0)
        if words is None or min(words.width, words.height) < _SMALLEST_PX // 2:
            return False
        apart = cv2.matchTemplate(self.before[self.page.slices], inside[words.slices], cv2.TM_SQDIFF)
        return bool(apart.min() <= _SAME_LEVELS**2 * inside[words.slices].size)

    @cached_property
    def _calm_controls(self) -> list[Region]:
        return self._controls(self.calm)

    def _is_new(self, region: Region) -> bool:
        new = difference(self.image[region.slices], self.calm[region.slices]) > _NEW_LEVELS
        return bool(new.mean() > _MIN_NEW_SHARE)

    @cached_property
    def _around(self) -> Region:
        board = self._board
        around = Region(
            board.x - _BESIDE_PX,
            board.y - _ABOVE_PX,
            board.width + 2 * _BESIDE_PX,
            board.height + _ABOVE_PX + _BELOW_PX,
        )
        return around.intersection(self.page) or board

    def _controls(self, image: Image) -> list[Region]:
        """Return all controls around the board in a picture of the desktop."""
        return [it for strip in self._strips() for it in controls_in(image, strip)]

    def _strips(self) -> Iterator[Region]:
        """Yield the strips above, below and beside the board that belong to the client."""
        board, seen = self._board, self._around
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


def moved_along(earlier: Image, now: Image, by: Point) -> Image:
    """Return an earlier picture in which what has moved with the board since is where it is now.

    A message may push down the board and all below it, or only a part of that: of each pixel and the one that was
    there if everything has moved, the one that is nearer to what is there now is taken.
    """
    moved = np.roll(earlier, (by.y, by.x), axis=(0, 1))
    is_nearer = difference(now, moved) < difference(now, earlier)
    return np.where(is_nearer[..., None], moved, earlier)


def controls_in(image: Image, strip: Region) -> list[Region]:
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
    return [it.moved(strip.origin) for it in (*plates, *blobs)]


def _is_like(one: Region, other: Region) -> bool:
    """Whether two regions are in the same place and nearly of one size."""
    sides = ((one.width, other.width), (one.height, other.height))
    return one.centre in other and other.centre in one and all(min(pair) >= _LIKE_SHARE * max(pair) for pair in sides)


def _with_near(one: Region, others: Sequence[Region]) -> Region:
    """Return the region of a thing and of those others that are just beside it."""
    near = [one, *(other for other in others if one.grown(_COUNTER_PX).intersection(other) is not None)]
    left, top = min(it.x for it in near), min(it.y for it in near)
    return Region(left, top, max(it.right for it in near) - left, max(it.bottom for it in near) - top)


def _is_in_line(one: Region, other: Region) -> bool:
    """Whether two regions of one size are in a row or column."""
    sides = ((one.width, other.width), (one.height, other.height))
    off = min(abs(one.centre.x - other.centre.x), abs(one.centre.y - other.centre.y))
    return off <= _IN_LINE_PX and all(min(pair) >= _LIKE_SHARE * max(pair) for pair in sides)


def _holds(bar: Region, thing: Region) -> bool:
    """Whether a region lies within another that is much larger."""
    return thing.width * thing.height <= _WITHIN_BAR_SHARE * bar.width * bar.height and thing.centre in bar


def _yellow_disc(image: Image) -> Region | None:
    """Return all that is yellow in a picture, if that is one disc with something dark on it, as a face is."""
    blue, green, red = (image[..., channel].astype(np.int16) for channel in range(3))
    is_yellow = (np.minimum(red, green) > _YELLOW_LEVELS) & (np.minimum(red, green) - blue > _YELLOW_LEVELS // 2)
    disc = extent(is_yellow)
    if disc is None or min(disc.width, disc.height) < _SMALLEST_PX or abs(disc.width - disc.height) > _RIM_PX:
        return None
    inside, corner = is_yellow[disc.slices], disc.width // _CORNER_PART
    middle = inside[corner:-corner, corner:-corner]
    is_round = not any(inside[at] for at in ((0, 0), (0, -1), (-1, 0), (-1, -1)))
    return disc if is_round and _MIN_FACE_SHARE < middle.mean() < 1 else None


def _is_drawn_on(image: Image) -> bool:
    """Whether most of a picture's height is drawn on."""
    rows = np.flatnonzero(drawn_pixels(image).any(axis=1))
    return bool(rows.size) and int(rows[-1] - rows[0]) + 1 >= _MIN_DRAWN_SHARE * image.shape[0]


def _is_tint(before: Image, now: Image) -> bool:
    """Whether a picture is another one, only lighter, darker or in other colours."""
    return all(_is_scaled(before[..., channel].ravel(), now[..., channel].ravel()) for channel in range(3))


def _is_scaled(before: NDArray[np.uint8], now: NDArray[np.uint8]) -> bool:
    spread = float(before.std())
    slope = 0.0 if spread == 0 else float(np.cov(before, now, bias=True)[0, 1]) / spread**2
    expected = now.mean() + slope * (before - before.mean())
    return bool(np.abs(now - expected).max() <= _NEW_LEVELS)
