"""Things that stand out in a picture, found by their being drawn together or of one colour."""

import numpy as np
import pytest

from sweepbot.geometry import Region
from sweepbot.vision.widgets.blobs import find_plates


def test_a_button_is_a_plate_whatever_is_written_on_it() -> None:
    """A surface of one colour with a rim is found in whole, a dark word on it notwithstanding."""
    picture = np.full((80, 160, 3), 200, dtype=np.uint8)
    picture[20:50, 30:110] = 60
    picture[21:49, 31:109] = 230
    picture[33:37, 50:90] = 0
    assert Region(31, 21, 78, 28) in find_plates(picture)


@pytest.mark.parametrize("size", [(1, 1), (1, 300), (300, 1), (9, 300)])
def test_a_strip_too_thin_for_a_button_holds_none(size: tuple[int, int]) -> None:
    """What is left beside a board near the edge of the screen may be a line of pixels."""
    assert find_plates(np.zeros((*size, 3), dtype=np.uint8)) == []
