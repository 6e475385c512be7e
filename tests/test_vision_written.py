from pathlib import Path

import cv2
import numpy as np
import pytest

from sweepbot.vision.calibration import find_calibration
from sweepbot.vision.header.written import read_written
from sweepbot.vision.reader import Reader

KMINES = Path(__file__).parent.parent / "fixtures" / "kmines" / "beginner_fresh.png"


@pytest.mark.parametrize("first", [0, *(pytest.param(first, marks=pytest.mark.nightly) for first in (1, 2))])
def test_a_truncated_number_is_not_read(first: int) -> None:
    """Wherever a picture ends, even inside a counter, a number is read whole or not at all."""
    calibration = find_calibration("kmines")
    assert calibration.written is not None
    picture = np.asarray(cv2.imread(str(KMINES)), dtype=np.uint8)
    board = Reader(calibration).read(picture).grid.region
    read = [
        read_written(picture[:, :right], board, calibration.written)
        for right in range(100 + first, picture.shape[1], 3)
    ]
    assert {shown.mines_left for shown in read} == {None, 10}
