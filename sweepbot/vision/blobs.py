"""Things that stand out in a picture, such as icons, words and buttons: what is drawn close together, in boxes."""

import cv2
import numpy as np
from numpy.typing import NDArray

from sweepbot.geometry import Region

_EDGE = 24  # grey levels: the least step that is drawn
_APART = (6, 3)  # pixels, across and down: what is nearer to each other belongs together
_SMALLEST = 10  # pixels: a side of a thing
_LARGEST = (340, 110)  # pixels: its width and height


def find_blobs(image: NDArray[np.uint8]) -> list[Region]:
    """Every thing in a picture, uint8 array of shape (height, width, 3), from top to bottom."""
    drawn = np.zeros(image.shape[:2], dtype=np.uint8)
    drawn[:, 1:] = cv2.absdiff(image[:, 1:], image[:, :-1]).max(axis=2) >= _EDGE
    drawn[1:] |= (cv2.absdiff(image[1:], image[:-1]).max(axis=2) >= _EDGE).astype(np.uint8)
    joined = cv2.dilate(drawn, np.ones((2 * _APART[1] + 1, 2 * _APART[0] + 1), np.uint8))
    _, _, stats, _ = cv2.connectedComponentsWithStats(joined, connectivity=4)
    found = []
    for left, top, width, height, _area in stats[1:].tolist():
        inner = width - 2 * _APART[0], height - 2 * _APART[1]
        if min(inner) >= _SMALLEST and inner[0] <= _LARGEST[0] and inner[1] <= _LARGEST[1]:
            found.append(Region(left + _APART[0], top + _APART[1], *inner))
    return found
