"""Things that stand out in a picture: connected outlines and areas of one colour."""

import numpy as np
import pytest

from sweepbot.control.widgets.blobs import find_plates
from sweepbot.geometry import Region


def test_a_button_with_dark_text_is_found_whole() -> None:
    """A surface of one colour with a rim is found whole, despite a dark word on it."""
    picture = np.full((80, 160, 3), 200, dtype=np.uint8)
    picture[20:50, 30:110] = 60
    picture[21:49, 31:109] = 230
    picture[33:37, 50:90] = 0
    assert Region(31, 21, 78, 28) in find_plates(picture)


@pytest.mark.parametrize("size", [(1, 1), (1, 300), (300, 1), (9, 300)])
def test_a_strip_too_thin_for_a_button_holds_none(size: tuple[int, int]) -> None:
    """A strip that is a single pixel wide, as beside a board at the edge of the screen, holds no button."""
    assert find_plates(np.zeros((*size, 3), dtype=np.uint8)) == []
