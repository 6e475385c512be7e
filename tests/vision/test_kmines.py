"""KMines' themes whose cells lack edges, or whose numbers hardly differ."""

from pathlib import Path

import pytest

from sweepbot.board import Board, State
from sweepbot.errors import NoBoardFoundError
from sweepbot.vision.eyes import boards_of_any_client
from sweepbot.vision.pictures.image import load_image
from tests.nightly import by_turns
from tests.places import FIXTURES

PICTURES = sorted((FIXTURES / "kmines").glob("gr*.png"))


@pytest.mark.parametrize("picture", by_turns(PICTURES), ids=lambda path: path.stem)
def test_boards_of_green_and_graveyard_are_not_misread(picture: Path) -> None:
    """Boards of 14 to 63 px a cell in pictures that no network knows are not found, or no cell of them is misread."""
    try:
        reading = boards_of_any_client(load_image(picture))[0][0]
    except NoBoardFoundError:
        return
    truth = Board.parse(picture.with_suffix(".txt").read_text(encoding="utf-8")).cells
    if not reading.problems:
        assert reading.board.cells.shape == truth.shape
        read = reading.board.cells != State.UNKNOWN
        assert (reading.board.cells == truth)[read].all()
