"""Find where a part of a picture has moved to, as on a page below a message that comes or goes."""

import cv2
import numpy as np
from numpy.typing import NDArray

from sweepbot.geometry import Image, Point

_SAME_PIECE_LEVELS = 2.0  # most by which it may differ, root mean square
_FEATURELESS_LEVELS = 4.0  # a piece with a smaller standard deviation would be found anywhere


def found_again(piece: Image, known: NDArray[np.bool_], picture: Image) -> Point | None:
    """Return the pixel of a picture at which a piece of an earlier one begins, None if it is no longer shown.

    Args:
        piece: uint8 array of shape (height, width, 3).
        known: Which of its pixels still look as they did, of shape (height, width).
        picture: uint8 array of shape (height, width, 3), no smaller than the piece.
    """
    if not known.any() or piece[known].std(axis=0).max() < _FEATURELESS_LEVELS:
        return None
    differences = cv2.matchTemplate(picture, piece, cv2.TM_SQDIFF, mask=known.astype(np.uint8))
    least, _, (x, y), _ = cv2.minMaxLoc(differences)
    return Point(x, y) if least <= _SAME_PIECE_LEVELS**2 * 3 * known.sum() else None
