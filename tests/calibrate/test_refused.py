"""Clients that nobody has calibrated and that cannot be played: refused soon, with the true cause."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from sweepbot.board import State
from sweepbot.clock import VirtualClock
from sweepbot.desktop.mouse import Button
from sweepbot.errors import SweepbotError, UntrustedReadingError
from sweepbot.geometry import Cell, Image, Point, Region
from sweepbot.level import Level
from sweepbot.sessions.settings import PlaySettings
from sweepbot.vision.reader import Reader, unknown_client
from tests.nightly import by_turns
from tests.playing import Bot
from tools.drawing.skins import Skin, SkinDesktop, fill

SOON_S = 60


def refused(desktop: SkinDesktop, kind: type[SweepbotError], folder: Path) -> str:
    """The words with which the client is refused, by an error of this kind, within a minute."""
    clock = VirtualClock()
    bot = Bot(desktop, desktop, unknown_client("new"), folder, clock=clock, settings=PlaySettings(games=3))
    with pytest.raises(kind) as error:
        bot.play(3)
    assert clock.now() <= SOON_S
    assert all(result.misreads == 0 for result in bot.results)
    return f"{error.value} {error.value.hint}"


class LyingDesktop(SkinDesktop):
    """A client that counts a mine too many at every third number."""

    def shown(self) -> NDArray[np.uint8]:
        cells = super().shown()
        for row, column in np.argwhere((cells >= 1) & (cells < 8)).tolist():
            cells[row, column] += (row * 31 + column * 17) % 3 == 0
        return cells


@pytest.mark.parametrize("seed", by_turns([0, 3]))
def test_a_client_whose_numbers_lie_is_refused(seed: int, tmp_path: Path) -> None:
    """Its numbers contradict each other, which is said instead of asking what is in front of the board."""
    hint = refused(LyingDesktop(Skin.of(seed), Level.parse("16x16/40")), UntrustedReadingError, tmp_path)
    assert "contradict each other" in hint


class DryDesktop(SkinDesktop):
    """A client whose zeros do not open their neighbours."""

    def __init__(self, skin: Skin, level: Level) -> None:
        self.opened: set[Cell] = set()
        super().__init__(skin, level)

    def shown(self) -> NDArray[np.uint8]:
        cells = super().shown()
        for row, column in np.argwhere(cells < State.HIDDEN).tolist():
            if Cell(row, column) not in self.opened:
                cells[row, column] = State.HIDDEN
        return cells

    def click(self, at: Point, button: Button = "left", hold_s: float = 0.0) -> None:
        if (cell := self.cell_at(at)) is not None:
            self.opened.add(cell)
        super().click(at, button, hold_s)


def test_a_client_whose_zeros_open_nothing_is_refused(tmp_path: Path) -> None:
    """The clicked cell stands among hidden ones: that is said, and which cell it is."""
    desktop = DryDesktop(Skin.of(0), Level.parse("9x9/10"))
    why = refused(desktop, SweepbotError, tmp_path)
    assert any(f"the cell at {cell} looks otherwise, but opens no others" in why for cell in desktop.opened)


class HalfSeenDesktop(SkinDesktop):
    """A client the last three rows of whose board cannot be seen."""

    drawn_by = ()

    def draw_over(self, whole: Image) -> None:
        height = 3 * self.skin.pitch
        fill(whole, Region(self.area.x, self.area.bottom - height, self.area.width, height), self.skin.ground)


@pytest.mark.parametrize("seed", by_turns([0, 3]))
def test_a_board_that_is_larger_than_it_was_read_is_refused(seed: int, tmp_path: Path) -> None:
    """Only its last row contradicts the rules: it says where the board may go on, and which size was read."""
    hint = refused(HalfSeenDesktop(Skin.of(seed), Level.parse("16x16/40")), UntrustedReadingError, tmp_path)
    assert "only cells at the bottom contradict the rules: does the board of 16x13 cells go on there?" in hint


def test_a_board_of_few_cells_is_played_where_a_person_says_that_it_is_one(tmp_path: Path) -> None:
    """Else it cannot be told from a part of a larger one, which is said, and not that it is none."""
    desktop = SkinDesktop(replace(Skin.of(3), pitch=32), Level.parse("4x5/3"))
    desktop.click(desktop.area.centre)
    found = Reader(unknown_client("new")).read(desktop.grab().image)
    assert found.doubts == ("4x5 cells: too small to be told from a part of a larger board",)
    Bot(desktop, desktop, unknown_client("new"), tmp_path).finish(1)
