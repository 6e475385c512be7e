"""Learning clients that put something in front of their boards: a tutorial, or a prompt after a win."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from sweepbot.board import Phase, State
from sweepbot.calibrate.writing.write import write
from sweepbot.desktop.mouse import Button
from sweepbot.desktop.windows import Window, WindowId
from sweepbot.errors import ClientCoveredError, StuckError
from sweepbot.game import Game
from sweepbot.geometry import Cell, Image, Point, Region
from sweepbot.level import Level
from sweepbot.sessions.settings import PlaySettings
from sweepbot.vision.calibration import load_calibration
from sweepbot.vision.reader import unknown_client
from tests.learning import WORDS, learn, mislabelled
from tests.nightly import at_night
from tests.playing import Bot
from tests.standins.fake_windows import CLIENT, FakeWindows
from tools.drawing.skins import Skin, SkinDesktop, draw_button, fill, say

SKIN = replace(Skin.of(3), face=False)


class PromptDesktop(SkinDesktop):
    """A page that asks for a name after a win, and repaints nothing until it is answered.

    Args:
        skin: Its look.
        is_modal: Whether it asks above the board, and dims the page behind the question.
    """

    def __init__(self, skin: Skin, *, is_modal: bool = False) -> None:
        self._frozen: Image | None = None
        self.ends: list[str] = []
        self._is_modal = is_modal
        super().__init__(skin, Level.parse("9x9/10"))
        self.box = Region(self.area.centre.x - 95, self.area.y - (130 if is_modal else 30), 190, 110)

    def draw_over(self, whole: Image) -> None:
        if self._frozen is None:
            return
        whole[:] = self._frozen // 2 if self._is_modal else self._frozen
        fill(whole, self.box.grown(1), 70)
        fill(whole, self.box, 240)
        whole[self.box.y + 14 : self.box.y + 24, self.box.x + 14 : self.box.right - 60 : 3] = 30
        field = Region(self.box.x + 14, self.box.y + 36, self.box.width - 28, 22)
        fill(whole, field, 120)
        fill(whole, field.grown(-1), 255)
        for button in (Region(self.box.right - 70 * n, self.box.bottom - 34, 56, 24) for n in (1, 2)):
            draw_button(whole, button)

    def click(self, at: Point, button: Button = "left", hold_s: float = 0.0) -> None:
        if self._frozen is not None:
            self.move(at)
            return
        before, was_over = self.grab().image, self.game.over
        super().click(at, button, hold_s)
        if self.game.over and not was_over:
            self.ends.append(self.game.phase.value)
            if self.game.phase is Phase.WON:
                self._frozen = before

    def press(self, key: str) -> None:
        if self._frozen is None:
            super().press(key)
        elif key in {"enter", "esc"}:
            self._frozen = None


@pytest.mark.parametrize("is_modal", [False, True])
@pytest.mark.parametrize("seed", [0, *at_night(4)])
def test_a_win_behind_a_prompt_is_a_win(seed: int, tmp_path: Path, *, is_modal: bool) -> None:
    """A win whose last click only shows once a prompt is answered counts, and the next game is played.

    The prompt may stand beside the board, with the page dimmed behind it.
    """
    desktop = PromptDesktop(replace(Skin.of(seed), gradient=0), is_modal=is_modal)
    learned = learn(desktop, 10)
    assert learned.stuck is None
    assert {dialog.after for dialog in learned.behaviour.dialogs} >= {"won"}
    folder = write(learned, tmp_path / "prompting", "a page", force=False).path.parent
    desktop.ends.clear()
    bot = Bot(desktop, desktop, load_calibration(folder), tmp_path, settings=PlaySettings(games=4))
    bot.play(4)
    assert [result.result for result in bot.results] == desktop.ends
    assert "won" in desktop.ends


class AskingDesktop(SkinDesktop):
    """A client that asks in its own window whether to play again; a key accepts.

    Closing that window without an answer ends the client.
    """

    def __init__(self, accepts: str) -> None:
        self._accepts = accepts
        super().__init__(SKIN, Level.parse("9x9/10"))
        self.windows = _AskingWindows(self)
        self.ends: list[str] = []

    def click(self, at: Point, button: Button = "left", hold_s: float = 0.0) -> None:
        if self.windows.in_front:
            self.move(at)
            return
        super().click(at, button, hold_s)
        if self.game.over:
            self.ends.append(self.game.phase.value)
            self.windows.in_front = [Window(20 + len(self.ends), self.area.grown(-40), owner=CLIENT)]

    def press(self, key: str) -> None:
        if key == self._accepts and self.windows.keyboard in [window.id for window in self.windows.in_front]:
            self.windows.in_front, self.windows.keyboard = [], CLIENT
            self._deal()


class _AskingWindows(FakeWindows):
    def dismiss(self, window: WindowId) -> None:
        super().dismiss(window)
        self.is_open = False


class TellingDesktop(SkinDesktop):
    """A client whose first cell is a mine, and that tells of a loss only by a box in front of its board."""

    drawn_by = ("_is_told",)

    def __init__(self, words: str) -> None:
        self._words, self._is_told = words, False
        super().__init__(SKIN, Level.parse("9x9/10"))
        self._box = Region(self.area.x + 10, self.area.centre.y - 45, 190, 90)

    def _deal(self) -> None:
        mines = [Cell(0, 0), Cell(0, 8), Cell(8, 0), Cell(8, 8), *(Cell(4, column) for column in range(1, 7))]
        self._game, self._flagged = Game.with_mines(9, 9, mines), np.zeros((9, 9), dtype=np.bool_)

    def shown(self) -> NDArray[np.uint8]:
        return np.where(self.game.board.cells < State.HIDDEN, self.game.board.cells, np.uint8(State.HIDDEN))

    def draw_over(self, whole: Image) -> None:
        if self._is_told:
            fill(whole, self._box.grown(1), 70)
            fill(whole, self._box, 240)
            say(whole, Region(self._box.x + 10, self._box.y + 12, 170, 24), self._words, (10, 10, 10))
            draw_button(whole, Region(self._box.right - 70, self._box.bottom - 34, 56, 24))

    def click(self, at: Point, button: Button = "left", hold_s: float = 0.0) -> None:
        if self._is_told:
            self.move(at)
            return
        was_over = self.game.over
        super().click(at, button, hold_s)
        self._is_told = self.game.over and not was_over

    def press(self, key: str) -> None:
        self._is_told = self._is_told and key != "enter"


class FlagCounting(TellingDesktop):
    """The same, which counts right clicks."""

    flags = 0

    def click(self, at: Point, button: Button = "left", hold_s: float = 0.0) -> None:
        self.flags += button == "right"
        super().click(at, button, hold_s)


@WORDS
def test_a_loss_that_only_a_box_tells_is_a_loss(tmp_path: Path) -> None:
    """What the words of a box say of the end counts after it was closed, though the board looks as before."""
    desktop = TellingDesktop("You have lost")
    bot = Bot(desktop, desktop, unknown_client("new"), tmp_path, settings=PlaySettings(games=1))
    bot.play(1)
    assert [result.result for result in bot.results] == ["lost"]


@WORDS
def test_no_flag_is_set_on_a_board_of_which_nothing_is_open(tmp_path: Path) -> None:
    """A lost board that shows nothing, and never begins anew, is not flagged as one that is won but for its flags."""
    desktop = FlagCounting("You have lost")
    bot = Bot(desktop, desktop, unknown_client("new"), tmp_path, settings=PlaySettings(games=2))
    with pytest.raises(StuckError):
        bot.play(2)
    assert desktop.flags == 0


class HidingDesktop(SkinDesktop):
    """A client that brings up a window over most of its won board, of which nobody can tell that it is its own."""

    def __init__(self) -> None:
        super().__init__(SKIN, Level.parse("9x9/10"))
        self.windows = FakeWindows(self)

    def _deal(self) -> None:
        mines = [Cell(2, 8), Cell(4, 8), Cell(8, 0)]  # no zero opens the cell between the first two
        self._game = Game.with_mines(9, 9, mines)
        self._flagged = np.zeros((9, 9), dtype=np.bool_)

    def draw_over(self, whole: Image) -> None:
        for window in self.windows.in_front:
            fill(whole, window.region, 230)

    def click(self, at: Point, button: Button = "left", hold_s: float = 0.0) -> None:
        super().click(at, button, hold_s)
        if self.game.over:
            self.windows.in_front = [Window(20, replace(self.area, height=self.area.height * 3 // 5), is_menu=True)]


def test_a_win_behind_a_window_of_nobodys_is_told_before_the_run_ends(tmp_path: Path) -> None:
    """Once every safe cell was opened a game is won, even if another window stays in front of most of it."""
    desktop = HidingDesktop()
    bot = Bot(
        desktop, desktop, unknown_client("new"), tmp_path, windows=desktop.windows, settings=PlaySettings(games=2)
    )
    with pytest.raises(ClientCoveredError):
        bot.play(2)
    assert [result.result for result in bot.results] == ["won"]


@pytest.mark.parametrize("key", ["enter", "space"])
def test_an_offer_to_play_again_is_accepted(key: str) -> None:
    """An offer to play again is accepted: closing it would end the client."""
    desktop = AskingDesktop(key)
    learned = learn(desktop, 4, windows=desktop.windows)
    assert learned.stuck is None
    assert mislabelled(desktop, learned) == []
    assert len(desktop.ends) >= 3
    assert desktop.windows.dismissed == []
