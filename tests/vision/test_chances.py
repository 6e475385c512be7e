"""Hidden cells with something drawn over them: a mine of any opacity, as Metasweeper shows chances, or text."""

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from sweepbot.board import State
from sweepbot.vision.calibration import find_calibration
from sweepbot.vision.pictures.image import load_image
from sweepbot.vision.reader import Reader
from tests.nightly import by_turns
from tests.vision.test_grounds import check
from tools.drawing.chances import draw_with_chances, hidden_templates
from tools.drawing.positions import page, position
from tools.places import CALIBRATIONS


def _drawn(seed: int) -> NDArray[np.uint8]:
    cells = position(9, 9, seed)
    cells[cells == State.QUESTION] = State.HIDDEN
    return cells


@pytest.mark.parametrize(("smooth", "pitch"), by_turns([False, True], [12, 16, 21, 26, 40, 64]))
def test_hidden_cells_under_chances_are_not_misread(pitch: int, smooth: bool) -> None:  # noqa: FBT001
    """A mine of any opacity over hidden cells makes some of them unread, and no cell another."""
    drawn = _drawn(pitch)
    chances = np.random.default_rng(pitch).choice([0.0, 0.05, 0.2, 0.5, 0.83, 1.0], drawn.shape)
    picture = page(draw_with_chances(drawn, chances, pitch, smooth=smooth))
    check(Reader(find_calibration("arbiter")).read(picture).board, drawn, most_refused=0.5)


@pytest.mark.parametrize(
    ("colour", "pitch"), by_turns([(0, 0, 0), (0, 0, 255), (255, 0, 0), (0, 128, 0)], [16, 26, 40], one_in=3)
)
def test_text_on_a_hidden_cell_is_not_a_number(pitch: int, colour: tuple[int, int, int]) -> None:
    """A hidden cell with a percentage written on it is read as hidden or unread."""
    drawn = _drawn(3)
    board = draw_with_chances(drawn, np.zeros(drawn.shape), pitch, smooth=True)
    for number, (row, column) in enumerate(np.argwhere(drawn == State.HIDDEN).tolist()):
        place = column * pitch + pitch // 6, row * pitch + 2 * pitch // 3
        cv2.putText(board, str(number % 100), place, cv2.FONT_HERSHEY_SIMPLEX, pitch / 60, colour, 1, cv2.LINE_AA)
    read = Reader(find_calibration("arbiter")).read(page(board)).board.cells
    hidden = drawn == State.HIDDEN
    assert np.isin(read[hidden], (State.HIDDEN, State.UNKNOWN)).all()
    assert (read[~hidden] == drawn[~hidden]).all()


def test_shipped_hidden_cells_match_the_drawing() -> None:
    """The shipped pictures are exactly what the drawing code in tests/ produces."""
    for name, template in hidden_templates().items():
        assert np.array_equal(load_image(CALIBRATIONS / "arbiter" / name), template)
