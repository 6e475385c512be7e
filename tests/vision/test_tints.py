"""Boards of every client under night light, dimming and fading."""

from contextlib import suppress

import numpy as np
import pytest

from sweepbot.board import Board, State
from sweepbot.errors import NoBoardFoundError
from sweepbot.vision.calibration import find_calibration
from sweepbot.vision.pictures.image import load_image
from sweepbot.vision.reader import Reader
from tests.nightly import by_turns
from tools.places import FIXTURES

# Looks with equal figures on different grounds, gradients and thin figures: the hardest under a tint.
BOARDS = (
    "gnome-mines/small_bgcolors_early",
    "gnome-mines/small_default_middle",
    "kmines/beginner_middle",
    "sgt-mines/beginner_early",
    "winemine/16x14-130_middle",
    "xdemineur/12x10-15_early",
    "demo/intermediate_middle",
)
TINTS = {
    "night light": ((0.6, 0.85, 1.0), 0),
    "dimmed": ((0.5, 0.5, 0.5), 0),
    "washed out": ((0.75, 0.75, 0.75), 25),
}


@pytest.mark.parametrize(("name", "tint"), by_turns(BOARDS, TINTS, one_in=4))
def test_a_tinted_board_is_read(name: str, tint: str) -> None:
    """Every cell is read right on a dimmed screen; by night light or washed out a board may not be found."""
    picture, gains = FIXTURES / f"{name}.png", np.array(TINTS[tint][0])
    tinted = np.clip(np.rint(load_image(picture) * gains + TINTS[tint][1]), 0, 255).astype(np.uint8)
    reader = Reader(find_calibration(picture.parent.name))
    if tint != "dimmed":
        with suppress(NoBoardFoundError):
            read = reader.read(tinted).board.cells
            truth = Board.parse(picture.with_suffix(".txt").read_text()).cells
            assert (read == truth)[read != State.UNKNOWN].all()
        return
    reading = reader.read(tinted)
    assert str(reading.board) == str(Board.parse(picture.with_suffix(".txt").read_text()))


def test_a_board_half_in_shade_is_found_whole() -> None:
    """A board with some rows slightly darker than calibrated is found whole."""
    picture = FIXTURES / "winemine/expert_fresh.png"
    shaded = load_image(picture).astype(np.int16)
    whole = Reader(find_calibration("winemine")).read(load_image(picture)).grid
    shaded[: round(whole.ys[3])] -= 5
    reading = Reader(find_calibration("winemine")).read(np.clip(shaded, 0, 255).astype(np.uint8))
    assert (reading.grid.rows, reading.grid.columns) == (whole.rows, whole.columns) == (16, 30)
