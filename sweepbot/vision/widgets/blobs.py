"""Things that stand out in a picture, such as icons, words and buttons.

What is drawn close together is one thing; so is a plate: a surface of one colour with a rim, whatever is written on it.
"""

import cv2
import numpy as np
from numpy.typing import NDArray

from sweepbot.geometry import Region
from sweepbot.vision.pictures.difference import difference
from sweepbot.vision.widgets.pieces import joined_pixels

_EDGE = 24  # grey levels: the least step that is drawn
_APART = (6, 3)  # pixels, across and down: what is nearer to each other belongs together
_EVEN = 2  # grey levels by which neighbouring pixels of a plate may differ
_LEAST_FILL = 0.5  # of its box: what a plate fills at least, with something written on it
_SMALLEST = 10  # pixels: a side of a thing
_LARGEST = (340, 110)  # pixels: its width and height


def find_blobs(image: NDArray[np.uint8]) -> list[Region]:
    """Every thing in a picture, uint8 array of shape (height, width, 3), from top to bottom."""
    things = _together(drawn_pixels(image))
    return [thing for thing in things if thing.width <= _LARGEST[0] and thing.height <= _LARGEST[1]]


def drawn_pixels(image: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Which pixels stand out from the one above or the one on the left: 1 of those, 0 of the others."""
    drawn = np.zeros(image.shape[:2], dtype=np.uint8)
    drawn[:, 1:] = difference(image[:, 1:], image[:, :-1]) >= _EDGE
    drawn[1:] |= (difference(image[1:], image[:-1]) >= _EDGE).astype(np.uint8)
    return drawn


def find_changes(before: NDArray[np.uint8], after: NDArray[np.uint8]) -> list[Region]:
    """Every thing that has come, gone or changed between two pictures of the same size, from top to bottom."""
    return _together((difference(before, after) >= _EDGE).astype(np.uint8))


def _together(drawn: NDArray[np.uint8]) -> list[Region]:
    """What is drawn close together, as one thing each, where it is not too small for one."""
    joined = cv2.dilate(drawn, np.ones((2 * _APART[1] + 1, 2 * _APART[0] + 1), np.uint8))
    _, _, stats, _ = cv2.connectedComponentsWithStats(joined, connectivity=4)
    found = []
    for left, top, width, height, _area in stats[1:].tolist():
        inner = width - 2 * _APART[0], height - 2 * _APART[1]
        if min(inner) >= _SMALLEST:
            found.append(Region(left + _APART[0], top + _APART[1], *inner))
    return found


def find_plates(image: NDArray[np.uint8]) -> list[Region]:
    """Every surface in a picture that may be a button, by its being of one colour and of a button's size.

    What touches the picture's edge is left out: nothing tells how it goes on.
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
