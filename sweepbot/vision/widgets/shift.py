"""Find where a part of a picture has moved to, as on a page below a message that comes or goes."""

import cv2
import numpy as np
from numpy.typing import NDArray

from sweepbot.geometry import Image, Point

_SAME = 2.0  # grey levels: most root mean square difference
_FEATURELESS = 4.0  # grey levels: a piece with a smaller standard deviation would be found anywhere


def found_again(piece: Image, known: NDArray[np.bool_], picture: Image) -> Point | None:
    """Return the pixel of a picture at which a piece of an earlier one begins, None if it is no longer shown.

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
