"""Boards whose look a fresh board does not give away: identified again once open cells cannot be read."""

from pathlib import Path

import pytest

from sweepbot.board import Board
from sweepbot.desktop.mouse import Button
from sweepbot.desktop.screen import Frame
from sweepbot.errors import StuckError
from sweepbot.geometry import Point, Region
from sweepbot.solver import Solver
from sweepbot.vision.calibration import find_calibration
from sweepbot.vision.pictures.image import load_image
from tests.playing import Bot
from tools.places import FIXTURES

PICTURES = FIXTURES / "gnome-mines"


class TwoPictures:
    """GNOME Mines on a dense desktop: fresh, then as it was after a click; then nothing happens."""

    def __init__(self) -> None:
        self._images = [load_image(PICTURES / f"scaled200_medium_{name}.png") for name in ("fresh", "middle")]
        height, width = self._images[0].shape[:2]
        self.region = Region(0, 0, width, height)
        self.clicks: list[Point] = []
        self._at = Point(100, 100)

    def grab(self, region: Region | None = None) -> Frame:
        region = region or self.region
        image = self._images[min(1, len(self.clicks))]
        return Frame(image[region.slices].copy(), region)

    def position(self) -> Point:
        return self._at

    def move(self, to: Point) -> None:
        self._at = to

    def click(self, at: Point, button: Button = "left", hold_s: float = 0.0) -> None:  # noqa: ARG002
        assert button == "left"
        self._at = at
        self.clicks.append(at)

    def press(self, key: str) -> None:
        assert key == "esc", "Escape is for a menu that may be open"


def test_open_cells_tell_the_look_that_a_fresh_board_did_not(tmp_path: Path) -> None:
    """Empty cells of an unexpected look are read at the second look, and the safe cells are clicked."""
    desktop = TwoPictures()
    bot = Bot(desktop, desktop, find_calibration("gnome-mines"), tmp_path)
    with pytest.raises(StuckError):
        bot.play(1)
    board = Board.parse((PICTURES / "scaled200_medium_middle.txt").read_text(encoding="ascii"), mines=40)
    origin, pitch = Point(12, 12), 72
    clicked = {((at - origin).y // pitch, (at - origin).x // pitch) for at in desktop.clicks[1:]}
    assert clicked
    assert all(Solver().probabilities(board)[cell] == 0 for cell in clicked)
