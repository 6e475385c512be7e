"""Clients that write their numbers in whatever font a desktop has are read in fonts that no template shows."""

from pathlib import Path

import cv2
import msgspec
import numpy as np
import pytest

from sweepbot.board import Board, State
from sweepbot.vision.calibration import find_calibration
from sweepbot.vision.cells.fonts import NumbersInAnyFont, in_common_fonts
from sweepbot.vision.pictures.image import load_image
from sweepbot.vision.reader import Reader

PICTURES = sorted((Path(__file__).parent.parent / "fixtures" / "gnome-mines").glob("font_*.png"))


@pytest.mark.parametrize("picture", PICTURES, ids=lambda path: path.stem)
def test_numbers_in_other_fonts_are_read(picture: Path) -> None:
    """Every cell of GNOME Mines is read right in fonts of other desktops, two of which no part of sweepbot knows."""
    truth = Board.parse(picture.with_suffix(".txt").read_text())
    read = Reader(find_calibration("gnome-mines")).read(load_image(picture)).board
    assert (read.cells == truth.cells).all()


def test_templates_alone_refuse_what_they_do_not_show() -> None:
    """Without what is known of fonts numbers in another one are refused, and none is taken for another."""
    calibration = msgspec.structs.replace(find_calibration("gnome-mines"), fonts_vary=False)
    picture = next(path for path in PICTURES if "mononoki" in path.name)
    truth = Board.parse(picture.with_suffix(".txt").read_text()).cells
    cells = Reader(calibration).read(load_image(picture)).board.cells
    assert (cells == State.UNKNOWN).any()
    assert ((cells == truth) | (cells == State.UNKNOWN)).all()


@pytest.mark.parametrize("shape", ["bar", "cross", "disc", "triangle", "frame"])
def test_a_figure_that_is_no_number_is_none(shape: str) -> None:
    """Signs in the ink of numbers, on the ground of open cells, are refused: not every figure is the nearest number."""
    templates = find_calibration("gnome-mines").templates
    looks, states = np.stack([one.image for one in templates]), np.array([one.state for one in templates], np.uint8)
    numbers = NumbersInAnyFont(looks, states, in_common_fonts(templates))
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
    states, _, _ = numbers.tell(cell[None], np.array([State.UNKNOWN], np.uint8))
    assert states.tolist() == [State.UNKNOWN]
