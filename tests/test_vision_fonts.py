"""Numbers in fonts and sizes that no template shows."""

from pathlib import Path

import cv2
import numpy as np
import pytest

from sweepbot.board import Board, State
from sweepbot.geometry import Image
from sweepbot.vision.calibration import find_calibration
from sweepbot.vision.cells.numbers import Numbers
from sweepbot.vision.pictures.image import load_image
from sweepbot.vision.reader import Reader
from tests.nightly import by_turns

TEXT = """
##33221#1
2FFFF3F3F
24#424F4#
#42213F31
F#12F4#F2
3313#5F5F
#102FF##F
1102456#F
0001#F#F3
"""
PICTURES = sorted((Path(__file__).parent.parent / "fixtures" / "gnome-mines").glob("font_*.png"))


@pytest.mark.parametrize("picture", by_turns(PICTURES), ids=lambda path: path.stem)
def test_numbers_in_other_fonts_are_read(picture: Path) -> None:
    """GNOME Mines is read without an error in other desktops' fonts, two of which sweepbot has never seen."""
    truth = Board.parse(picture.with_suffix(".txt").read_text())
    read = Reader(find_calibration("gnome-mines")).read(load_image(picture)).board
    assert (read.cells == truth.cells).all()


@pytest.mark.parametrize("times", [0.85, 1.15, 1.25])
def test_numbers_of_another_size_are_read(times: float) -> None:
    """Clones of Windows XP's client with larger or smaller numbers are read without an error."""
    calibration = find_calibration("winxp")
    truth = Board.parse(TEXT)
    look = {template.state: template.image for template in reversed(calibration.templates)}
    drawn = {state: _written(image, look[0], times) if 0 < state < 9 else image for state, image in look.items()}
    rows = [np.hstack([drawn[int(state)] for state in row]) for row in truth.cells]
    window = cv2.copyMakeBorder(np.vstack(rows), 60, 20, 20, 20, cv2.BORDER_CONSTANT, value=(192, 192, 192))
    enlarged = cv2.resize(window, None, fx=2, fy=2, interpolation=cv2.INTER_CUBIC)
    read = Reader(calibration).read(np.asarray(enlarged, dtype=np.uint8)).board
    assert read.cells.tolist() == truth.cells.tolist()


def _written(template: Image, empty: Image, times: float) -> Image:
    """A template with its figure scaled about the middle of the cell."""
    height, width = empty.shape[:2]
    scale = np.array([[times, 0, (1 - times) * (width - 1) / 2], [0, times, (1 - times) * (height - 1) / 2]])
    figure = np.abs(template.astype(np.int16) - empty).max(axis=2).astype(np.float32) / 192
    cover = cv2.warpAffine(np.minimum(figure, 1), scale, (width, height), flags=cv2.INTER_LINEAR)[..., None]
    ink = np.median(template[figure > 0], axis=0)
    return np.asarray(np.rint(empty * (1 - cover) + ink * cover), dtype=np.uint8)


@pytest.mark.parametrize("shape", ["bar", "cross", "disc", "triangle", "frame"])
def test_other_signs_are_not_numbers(shape: str) -> None:
    """Signs in a number's ink on the ground of open cells are unread, not taken for the nearest number."""
    templates = find_calibration("gnome-mines").templates
    looks, states = np.stack([one.image for one in templates]), np.array([one.state for one in templates], np.uint8)
    numbers = Numbers(looks, states)
    cell = np.full_like(looks[0], (220, 222, 222))
    ink = 54, 52, 46
    match shape:
        case "bar":
            cv2.rectangle(cell, (12, 20), (33, 25), ink, -1)
        case "cross":
            cv2.line(cell, (13, 13), (33, 33), ink, 4, cv2.LINE_AA)
            cv2.line(cell, (33, 13), (13, 33), ink, 4, cv2.LINE_AA)
        case "disc":
            cv2.circle(cell, (23, 23), 9, ink, -1, cv2.LINE_AA)
        case "triangle":
            cv2.fillPoly(cell, [np.array([[14, 12], [33, 22], [14, 33]])], ink, cv2.LINE_AA)
        case "frame":
            cv2.rectangle(cell, (14, 12), (31, 33), ink, 3)
    states = numbers.recognise(cell[None], np.array([State.UNKNOWN], np.uint8)).states
    assert states.tolist() == [State.UNKNOWN]


def test_a_number_is_read_where_no_other_is_known() -> None:
    """Where only a 1 has been seen, a larger 1 is read, and a 4 in the same ink is not mistaken for it."""
    look = {template.state: template.image for template in reversed(find_calibration("winxp").templates)}
    known = (0, 1, State.HIDDEN)
    numbers = Numbers(np.stack([look[state] for state in known]), np.array(known, np.uint8))
    four = look[4].copy()
    four[(four == look[4][9, 9]).all(axis=2)] = np.median(look[1][(look[1] != look[0]).any(axis=2)], axis=0)
    cells = np.stack([_written(look[1], look[0], 1.2), four])
    states = numbers.recognise(cells, np.full(2, State.UNKNOWN, np.uint8)).states
    assert states.tolist() == [1, State.UNKNOWN]


def test_an_unknown_number_is_unread() -> None:
    """Where all numbers share one ink, a 6, 7 or 8 that was never seen is unread."""
    templates = find_calibration("gnome-mines").templates
    looks, states = np.stack([one.image for one in templates]), np.array([one.state for one in templates], np.uint8)
    met = ~np.isin(states, (6, 7, 8))
    cells = looks[~met]
    told = Numbers(looks[met], states[met]).recognise(cells, np.full(len(cells), State.UNKNOWN, np.uint8)).states
    assert (told == State.UNKNOWN).all()
    assert set(Numbers(looks, states).recognise(cells, np.full(len(cells), State.UNKNOWN, np.uint8)).states) == {
        6,
        7,
        8,
    }
