"""What a run may not see where windows are unknown: boxes over the board, which may ask for a name, or show some."""

from dataclasses import replace

import numpy as np

from sweepbot.control.widgets.blobs import EVEN_LEVELS
from sweepbot.control.widgets.boxes import find_boxes
from sweepbot.desktop.screen import Frame
from sweepbot.geometry import Image, Point, Region
from sweepbot.trace.masking import Mask
from sweepbot.vision.grid import Grid
from sweepbot.vision.pictures.difference import difference

_CORNER_PART = 8  # of a cell, from where four meet to the pixels of each that are compared
_OFF_PX = 1.5  # from which on a side is off a line: an opening of one colour has all of its sides on them

_MIN_PLAIN_SHARE = 0.75  # of a box that has its colour: a window that was moved here has a board on it


class BoxMask(Mask):
    """Empties boxes that have come up over the board since all of it was read: they keep their colour alone."""

    def __init__(self) -> None:
        super().__init__()
        self._calm: tuple[Grid, Frame] | None = None
        self._last: Frame | None = None
        self._kept: Region | None = None

    def note_read(self, board: Grid) -> None:
        """Note that the last picture shows a board with nothing over it."""
        last, region = self._last, board.region
        if last is not None and region.intersection(last.region) == region:
            self._calm = board, Frame(last.part(region).copy(), region)

    def masked(self, seen: Frame) -> Frame:
        """See `Mask.masked`."""
        self._last, self._kept = seen, None
        if self._calm is None or self._calm[1].region.intersection(seen.region) != self._calm[1].region:
            return seen
        board, calm = self._calm
        now = np.ascontiguousarray(seen.part(calm.region))
        inner = board.moved(-calm.region.origin)
        hidden = _without_lines(now, inner) - _without_lines(calm.image, inner)
        if not hidden:
            return seen  # without a search for boxes, which takes longer
        image = seen.image.copy()
        for box in find_boxes(now, calm.image):
            if _is_off_lines(box, inner) and any(crossing in box for crossing in hidden):
                part = Frame(image, seen.region).part(box.moved(calm.region.origin))
                colour = np.median(part, axis=(0, 1))
                if (np.abs(part - colour) <= EVEN_LEVELS).all(axis=2).mean() >= _MIN_PLAIN_SHARE:
                    part[:] = colour
                    self._kept = calm.region
        return replace(seen, image=image)

    def kept(self, seen: Frame) -> Frame:
        """See `Mask.kept`: what is beside the board may be a part of the box."""
        return seen if self._kept is None else Frame(seen.part(self._kept), self._kept)


def _without_lines(picture: Image, board: Grid) -> set[Point]:
    """Return where four cells meet that look the same as what is between them, as under a box."""
    xs, ys = (np.array(lines[1:-1]).astype(int) for lines in (board.xs, board.ys))
    off = max(1, int(min(board.pitch)) // _CORNER_PART)
    middle = picture[np.ix_(ys, xs)]
    corners = (picture[np.ix_(ys + down, xs + right)] for down in (-off, off) for right in (-off, off))
    is_plain = np.logical_and.reduce([difference(corner, middle) <= EVEN_LEVELS for corner in corners])
    return {Point(int(xs[column]), int(ys[row])) for row, column in np.argwhere(is_plain)}


def _is_off_lines(box: Region, board: Grid) -> bool:
    """Whether a box has a side within the board that is on no line between cells, or covers all of it."""
    ends = ((box.x, board.xs), (box.right, board.xs), (box.y, board.ys), (box.bottom, board.ys))
    off = [abs(np.subtract(lines, end)) > _OFF_PX for end, lines in ends]
    return any(one.all() for one in off) or not any(one[[0, -1]].all() for one in off)
