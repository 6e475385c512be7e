"""Windows XP's client in colour and without, and Windows 98's and 2000's at their scales."""

import random

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from sweepbot.board import State
from sweepbot.demo.drawing import Smiley, draw
from sweepbot.vision.calibration import find_calibration
from sweepbot.vision.reader import Reader
from tools.drawing import torture

GREYS = (0, 128, 192, 255)


@pytest.fixture(scope="module")
def reader() -> Reader:
    return Reader(find_calibration("winxp"))


def without_colour(image: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Turn all but greys and the two lightest colours black; an 8 has the grey of bevels."""
    grey = (image == image[..., :1]).all(axis=2) & np.isin(image[..., 0], GREYS)
    return np.where(grey[..., None], image, np.uint8(0))


@pytest.mark.parametrize("seed", range(4))
def test_games_without_colour_are_not_misread(reader: Reader, seed: int) -> None:
    """Positions in black on grey are read right; a red exploded mine may be unread."""
    board = torture.position(random.Random(seed))
    cells = reader.read(without_colour(draw(board, 10, 0, Smiley.SMILE))).board.cells
    different = cells != board.cells
    assert (cells[different] == State.UNKNOWN).all()
    assert (board.cells[different] == State.EXPLODED).all()


@pytest.mark.parametrize("seed", range(3))
def test_a_screen_in_greys_is_read(reader: Reader, seed: int) -> None:
    """A picture turned to greys keeps its numbers apart."""
    board = torture.position(random.Random(seed))
    grey = cv2.cvtColor(draw(board, 10, 0, Smiley.SMILE), cv2.COLOR_BGR2GRAY)
    cells = reader.read(np.asarray(cv2.merge([grey] * 3), np.uint8)).board.cells
    assert (cells[cells != board.cells] == State.UNKNOWN).all()
