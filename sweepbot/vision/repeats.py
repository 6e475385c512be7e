"""Boards whose untouched cells show a pattern, and so fall into no pieces as `tiles` looks for: one picture repeats.

Each pixel of such a board is as the one a cell further on, and as the one a cell below, up to the last column and row.
Beside the board that ends at once, so that the lines are found to the pixel.
"""

import cv2
import numpy as np
from numpy.typing import NDArray

from sweepbot.geometry import Image
from sweepbot.vision.grid import Grid
from sweepbot.vision.tiles import LEAST_TILES

_SMALLEST, _LARGEST = 10, 80  # pixels: a side of a cell
_SAME = 6  # grey levels by which a pixel may differ from its repetition, as over a gradient
_LEAST_SHARE = 0.5  # of the board's pixels that are repeated: some cells may be open
_OFF = 1  # pixels by which a board may be no whole number of cells wide or high
_PLAIN = 3.0  # grey levels that the pixels of an empty surface deviate at most


def find_repeats(image: Image) -> list[Grid]:
    """The boards in a picture, uint8 array of shape (height, width, 3), the largest first."""
    found: list[tuple[int, Grid]] = []
    for lag in range(_SMALLEST, min(_LARGEST, min(image.shape[:2]) // LEAST_TILES) + 1):
        again = _alike(image[:-lag, lag:], image[:-lag, :-lag]) & _alike(image[lag:, :-lag], image[:-lag, :-lag])
        _, _, stats, _ = cv2.connectedComponentsWithStats(again, connectivity=4)
        for left, top, width, height, area in stats[1:].tolist():
            columns, rows = 1 + round(width / lag), 1 + round(height / lag)
            off = max(abs(width + lag - columns * lag), abs(height + lag - rows * lag))
            if min(columns, rows) >= LEAST_TILES and off <= _OFF and area >= _LEAST_SHARE * width * height:
                cell = image[top : top + lag, left : left + lag].reshape(-1, 3)
                if cell.std(axis=0).max() > _PLAIN:
                    found.append((width * height, Grid.uniform((left, top), (lag, lag), rows, columns)))
    return [grid for _, grid in sorted(found, key=lambda one: -one[0])]


def _alike(one: Image, other: Image) -> NDArray[np.uint8]:
    alike: NDArray[np.uint8] = (cv2.absdiff(one, other).max(axis=2) <= _SAME).astype(np.uint8)
    return alike
