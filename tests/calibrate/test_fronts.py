"""Learning clients that put something in front of their boards: a tutorial, or a prompt after a win."""

from dataclasses import replace
from pathlib import Path

import pytest

from sweepbot.board import Phase
from sweepbot.calibrate.writing.write import write
from sweepbot.desktop.mouse import Button
from sweepbot.desktop.windows import Window, WindowId
from sweepbot.geometry import Image, Point, Region
from sweepbot.level import Level
from sweepbot.sessions.settings import PlaySettings
from sweepbot.vision.calibration import load_calibration
from tests.nightly import at_night
from tests.playing import Bot
from tests.standins.fake_windows import CLIENT, FakeWindows
from tests.standins.skins import Skin, SkinDesktop, draw_button, fill, learn, mislabelled

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
    """A client that asks in its own window whether to play again; Enter accepts.

    Closing that window without an answer ends the client.
    """

    def __init__(self) -> None:
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
        if key == "enter" and self.windows.keyboard in [window.id for window in self.windows.in_front]:
            self.windows.in_front, self.windows.keyboard = [], CLIENT
            self._deal()


class _AskingWindows(FakeWindows):
    def dismiss(self, window: WindowId) -> None:
        super().dismiss(window)
        self.is_open = False


def test_an_offer_to_play_again_is_accepted() -> None:
    """An offer to play again is accepted: closing it would end the client."""
    desktop = AskingDesktop()
    learned = learn(desktop, 4, windows=desktop.windows)
    assert learned.stuck is None
    assert mislabelled(desktop, learned) == []
    assert len(desktop.ends) >= 3
    assert desktop.windows.dismissed == []
