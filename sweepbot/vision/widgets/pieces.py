"""Divide a picture into pieces within which neighbouring pixels are nearly alike."""

import numpy as np
from numpy.typing import NDArray

from sweepbot.vision.pictures.difference import difference


def joined_pixels(image: NDArray[np.uint8], step: int) -> NDArray[np.uint8]:
    """Return a map whose 4-connected components are the pieces of a picture.

    Args:
        image: uint8 array of shape (height, width, 3), at least two pixels high and wide.
        step: Grey levels by which neighbouring pixels of one piece may differ.

    Returns:
        uint8 array of shape (2 * height - 1, 2 * width - 1). Every second place is a pixel of the picture, and 1; those
        in between are 1 if they join two neighbours that are alike.
    """
    height, width = image.shape[:2]
    joints = np.zeros((2 * height - 1, 2 * width - 1), dtype=np.uint8)
    joints[::2, ::2] = 1
    joints[::2, 1::2] = difference(image[:, 1:], image[:, :-1]) <= step
    joints[1::2, ::2] = difference(image[1:], image[:-1]) <= step
    return joints
