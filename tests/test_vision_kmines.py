"""KMines' themes whose cells lack edges, or whose numbers hardly differ."""

from pathlib import Path

import pytest

from sweepbot.board import Board, State
from sweepbot.vision.calibration import find_calibration
from sweepbot.vision.identify import identify
from sweepbot.vision.pictures.image import load_image
from sweepbot.vision.reader import Reader
from tests.nightly import by_turns

_FIXTURES = sorted((Path(__file__).parents[1] / "fixtures" / "kmines").glob("gr*.png"))


@pytest.mark.parametrize("picture", by_turns(_FIXTURES), ids=lambda path: path.stem)
def test_boards_of_green_and_graveyard_are_read(picture: Path) -> None:
    """Boards of 14 to 63 px a cell, fresh ones too, are identified and read."""
    reading = identify(load_image(picture))
    assert reading.client == "kmines"
    assert str(reading.board) == str(Board.parse(picture.with_suffix(".txt").read_text(encoding="utf-8")))


def test_the_counter_is_read_in_any_theme() -> None:
    """The text below the board is read over any theme's background."""
    reading = Reader(find_calibration("kmines")).read(load_image(_FIXTURES[0].with_name("green19_expert_fresh.png")))
    assert reading.board.count(State.HIDDEN) == 480
    assert reading.board.mines == 190
