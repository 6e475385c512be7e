"""Find things that stand out in a picture: icons, words and buttons.

A blob is what is drawn close together; a plate is a surface of one colour with a rim, whatever is written on it.
"""

import cv2
import numpy as np
from numpy.typing import NDArray

from sweepbot.geometry import Region
from sweepbot.vision.pictures.difference import difference

_EDGE_LEVELS = 24  # the least step that counts as drawn
_APART_PX = (6, 3)  # across and down: what is nearer belongs together
_MIN_FILL_SHARE = 0.5  # of its box that a plate fills, apart from what is written on it
_MIN_PX = 10  # a side of a blob
_MAX_PX = (340, 110)  # its width and height

BUTTON_PX = 20, 12
"""Width and height of the smallest button with something written on it."""

EVEN_LEVELS = 2
"""By which neighbouring pixels of one surface may differ."""


def find_blobs(image: NDArray[np.uint8]) -> list[Region]:
    """Find every blob in a picture, a uint8 array of shape (height, width, 3), from top to bottom."""
    things = _together(drawn_pixels(image))
    return [thing for thing in things if thing.width <= _MAX_PX[0] and thing.height <= _MAX_PX[1]]


def drawn_pixels(image: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return 1 for pixels that stand out from the one above or the one on the left, 0 for the others."""
    drawn = np.zeros(image.shape[:2], dtype=np.uint8)
    drawn[:, 1:] = difference(image[:, 1:], image[:, :-1]) >= _EDGE_LEVELS
    drawn[1:] |= (difference(image[1:], image[:-1]) >= _EDGE_LEVELS).astype(np.uint8)
    return drawn


def find_changes(before: NDArray[np.uint8], after: NDArray[np.uint8], min_px: int = _MIN_PX) -> list[Region]:
    """Find what has come, gone or changed between two pictures of one size, from top to bottom.

    Its sides have at least `min_px` pixels.
    """
    return _together((difference(before, after) >= _EDGE_LEVELS).astype(np.uint8), min_px)


def _together(drawn: NDArray[np.uint8], min_px: int = _MIN_PX) -> list[Region]:
    """Join what is drawn close together into regions, and leave out those that are too small."""
    joined = cv2.dilate(drawn, np.ones((2 * _APART_PX[1] + 1, 2 * _APART_PX[0] + 1), np.uint8))
    _, _, stats, _ = cv2.connectedComponentsWithStats(joined, connectivity=4)
    found = []
    for left, top, width, height, _area in stats[1:].tolist():
        inner = width - 2 * _APART_PX[0], height - 2 * _APART_PX[1]
        if min(inner) >= min_px:
            found.append(Region(left + _APART_PX[0], top + _APART_PX[1], *inner))
    return found


def find_plates(image: NDArray[np.uint8]) -> list[Region]:
    """Find every surface in a picture that may be a button: of one colour, and of the size of a button.

    What touches the picture's edge is left out, as it may go on beyond it.
    """
    if min(image.shape[:2]) < min(BUTTON_PX):
        return []
    joints = joined_pixels(image)
    _, _, stats, _ = cv2.connectedComponentsWithStats(joints, connectivity=4)
    found = []
    for left, top, across, down, area in stats[1:].tolist():
        sides = (across + 1) // 2, (down + 1) // 2
        cut_off = left == 0 or top == 0 or left + across == joints.shape[1] or top + down == joints.shape[0]
        fits = all(least <= side <= most for least, side, most in zip(BUTTON_PX, sides, _MAX_PX, strict=True))
        if fits and not cut_off and area >= _MIN_FILL_SHARE * across * down:
            found.append(Region(left // 2, top // 2, *sides))
    return found


def joined_pixels(image: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return a map whose 4-connected components are the surfaces of a picture, within which neighbours are alike.

    Args:
        image: uint8 array of shape (height, width, 3), at least two pixels high and wide.

    Returns:
        uint8 array of shape (2 * height - 1, 2 * width - 1). Every second place is a pixel of the picture, and 1; those
        in between are 1 if they join two neighbours that are alike.
    """
    height, width = image.shape[:2]
    joints = np.zeros((2 * height - 1, 2 * width - 1), dtype=np.uint8)
    joints[::2, ::2] = 1
    joints[::2, 1::2] = difference(image[:, 1:], image[:, :-1]) <= EVEN_LEVELS
    joints[1::2, ::2] = difference(image[1:], image[:-1]) <= EVEN_LEVELS
    return joints
