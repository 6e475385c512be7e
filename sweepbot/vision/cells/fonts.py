"""The numbers 1 to 8 in fonts that desktops often have."""

from functools import lru_cache
from importlib.resources import files

import cv2
import numpy as np
from numpy.typing import NDArray

from sweepbot.vision.cells.figures import Figures, figures

NUMBERS = range(1, 9)
"""The numbers that are written in cells."""

_DIGITS = "digits.png"  # a row a font, with the numbers side by side, in white on black
_HEIGHT_PX = 32  # of a row


@lru_cache(maxsize=1)
def in_common_fonts() -> tuple[Figures, NDArray[np.uint8]]:
    """Return the figures of the numbers in all fonts, and the number that each shows: uint8 of shape (figures,)."""
    sheet = cv2.imdecode(np.frombuffer(files(__package__).joinpath(_DIGITS).read_bytes(), np.uint8), 0)
    digits = np.asarray(sheet, dtype=np.float32)
    rows = np.vsplit(digits, len(digits) // _HEIGHT_PX)
    fields = [field for row in rows for field in np.hsplit(row, len(NUMBERS))]
    return figures(fields), np.tile(np.array(NUMBERS, dtype=np.uint8), len(rows))
