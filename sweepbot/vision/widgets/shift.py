"""Where a part of a picture has gone to: a page moves what is below a message that comes or goes."""

import cv2
import numpy as np
from numpy.typing import NDArray

from sweepbot.geometry import Image, Point
from sweepbot.vision.grid import Grid
from sweepbot.vision.lattices.untouched_boards import cells_of

_SAME = 2.0  # grey levels by which pixels may differ on average
_SAME_CELL = 2  # the same of a cell that was moved by whole pixels, at most
_FEATURELESS = 4.0  # grey levels: what deviates less is found anywhere
_LEAST_CELLS = 3  # of a row that must have gone the same way: one may show by chance what another has shown


def found_again(piece: Image, known: NDArray[np.bool_], picture: Image) -> Point | None:
    """The pixel of a picture at which a piece of an earlier one begins; None where it does not show any more.

    Args:
        piece: uint8 array of shape (height, width, 3).
        known: Which of its pixels still look as they did, of shape (height, width).
        picture: uint8 array of shape (height, width, 3), no smaller than the piece.
    """
    if not known.any() or piece[known].std(axis=0).max() < _FEATURELESS:
        return None
    differences = cv2.matchTemplate(picture, piece, cv2.TM_SQDIFF, mask=known.astype(np.uint8))
    least, _, (x, y), _ = cv2.minMaxLoc(differences)
    return Point(x, y) if least <= _SAME**2 * 3 * known.sum() else None


def gap_opened(before: Image, now: Image, place: Grid) -> int:
    """The pixels by which some rows of a board stand lower than they did, while others stayed; 0 where none do.

    Args:
        before: An earlier picture, uint8 array of shape (height, width, 3).
        now: A later one of the same region.
        place: The board in the earlier picture.
    """
    cells = cells_of(before, place)
    stayed = _same(cells, cells_of(now, place))
    if (stayed.sum(axis=1) > place.columns - _LEAST_CELLS).all():
        return 0
    for distance in range(1, int(place.pitch[1] / 2) + 1):
        for down in (distance, -distance):
            below = place.moved(Point(0, down))
            tells = ~_same(cells, cells_of(before, below))  # what looks the same there may have moved, or not
            moved = _same(cells, cells_of(now, below)) & ~stayed & tells
            if (stayed & tells).any() and (moved.sum(axis=1) >= _LEAST_CELLS).any():
                return down
    return 0


def _same(cells: Image, others: Image) -> NDArray[np.bool_]:
    """Which of the cells of two boards are the same: of shape (rows, columns)."""
    differences = np.abs(cells.astype(np.int16) - others)
    same: NDArray[np.bool_] = differences.max(axis=(2, 3, 4)) <= _SAME_CELL
    return same
