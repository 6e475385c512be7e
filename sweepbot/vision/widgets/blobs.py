"""Find things that stand out in a picture: icons, words and buttons.

A blob is what is drawn close together; a plate is a surface of one colour with a rim, whatever is written on it.
"""

import cv2
import numpy as np
from numpy.typing import NDArray

from sweepbot.geometry import Region
from sweepbot.vision.pictures.difference import difference
from sweepbot.vision.widgets.pieces import joined_pixels

_EDGE = 24  # grey levels: the least step that counts as drawn
_APART = (6, 3)  # pixels, across and down: what is nearer belongs together
_EVEN = 2  # grey levels by which neighbouring pixels of a plate may differ
_LEAST_FILL = 0.5  # of its box that a plate fills, apart from what is written on it
_SMALLEST = 10  # pixels: a side of a blob or plate
_LARGEST = (340, 110)  # pixels: its width and height


def find_blobs(image: NDArray[np.uint8]) -> list[Region]:
    """Find every blob in a picture, a uint8 array of shape (height, width, 3), from top to bottom."""
    things = _together(drawn_pixels(image))
    return [thing for thing in things if thing.width <= _LARGEST[0] and thing.height <= _LARGEST[1]]


def drawn_pixels(image: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return 1 for pixels that stand out from the one above or the one on the left, 0 for the others."""
    drawn = np.zeros(image.shape[:2], dtype=np.uint8)
    drawn[:, 1:] = difference(image[:, 1:], image[:, :-1]) >= _EDGE
    drawn[1:] |= (difference(image[1:], image[:-1]) >= _EDGE).astype(np.uint8)
    return drawn


def find_changes(before: NDArray[np.uint8], after: NDArray[np.uint8]) -> list[Region]:
    """Find everything that has come, gone or changed between two pictures of one size, from top to bottom."""
    return _together((difference(before, after) >= _EDGE).astype(np.uint8))


def _together(drawn: NDArray[np.uint8]) -> list[Region]:
    """Join what is drawn close together into regions, and leave out those that are too small."""
    joined = cv2.dilate(drawn, np.ones((2 * _APART[1] + 1, 2 * _APART[0] + 1), np.uint8))
    _, _, stats, _ = cv2.connectedComponentsWithStats(joined, connectivity=4)
    found = []
    for left, top, width, height, _area in stats[1:].tolist():
        inner = width - 2 * _APART[0], height - 2 * _APART[1]
        if min(inner) >= _SMALLEST:
            found.append(Region(left + _APART[0], top + _APART[1], *inner))
    return found


def find_plates(image: NDArray[np.uint8]) -> list[Region]:
    """Find every surface in a picture that may be a button: of one colour, and of the size of a button.

    What touches the picture's edge is left out, as it may go on beyond it.
    """
    if min(image.shape[:2]) < _SMALLEST:
        return []
    joints = joined_pixels(image, _EVEN)
    _, _, stats, _ = cv2.connectedComponentsWithStats(joints, connectivity=4)
    found = []
    for left, top, across, down, area in stats[1:].tolist():
        sides = (across + 1) // 2, (down + 1) // 2
        cut_off = left == 0 or top == 0 or left + across == joints.shape[1] or top + down == joints.shape[0]
        fits = not cut_off and min(sides) >= _SMALLEST and sides[0] <= _LARGEST[0] and sides[1] <= _LARGEST[1]
        if fits and area >= _LEAST_FILL * across * down:
            found.append(Region(left // 2, top // 2, *sides))
    return found
