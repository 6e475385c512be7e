"""Learning clients that put something in front of their boards: a tutorial, or a prompt after a win."""

from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from sweepbot.board import Phase, State
from sweepbot.calibrate.live.times import Times
from sweepbot.calibrate.writing.write import write
from sweepbot.desktop.mouse import Button
from sweepbot.desktop.screen import Frame
from sweepbot.desktop.windows import Window, WindowId
from sweepbot.errors import ClientMovedError, NoBoardFoundError
from sweepbot.geometry import Image, Point, Region
from sweepbot.level import Level
from sweepbot.sessions.settings import PlaySettings
from sweepbot.vision.calibration import load_calibration
from tests.fake_windows import CLIENT, FakeWindows
from tests.nightly import at_night
from tests.playing import Bot
from tests.skins import Skin, SkinDesktop, draw_button, fill, learn, looks, mislabelled, part

SKIN = replace(Skin.of(4), face=False)


class TutorialDesktop(SkinDesktop):
    """A client with a tutorial in front of its board that lets no click through.

    `closes` is what takes it away: `esc`, `cross` (at its corner) or nothing; `harm` counts other clicks on it.
    """

    def __init__(self, closes: str) -> None:
        self._closes, self._is_up, self.harm = closes, True, 0
        super().__init__(SKIN, Level.parse("9x9/10"))
        middle = self.area.centre
        self.box = Region(middle.x - 85, middle.y - 55, 170, 103)
        self.cross = Region(self.box.right - 22, self.box.y + 6, 14, 14)
        self.button = Region(self.box.x + 50, self.box.bottom - 32, 70, 24)

    def draw_over(self, whole: Image) -> None:
        if self._is_up:
            fill(whole, self.box.grown(1), 40)
            fill(whole, self.box, 232)
            for row in range(3):
                whole[
                    self.box.y + 30 + 12 * row : self.box.y + 36 + 12 * row, self.box.x + 20 : self.box.right - 20 : 3
                ] = 60
            draw_button(whole, self.button)
            if self._closes == "cross":
                for step in range(14):
                    for x in (step, 13 - step):
                        fill(whole, Region(self.cross.x + x - 1, self.cross.y + step, 2, 1), 20)

    def click(self, at: Point, button: Button = "left", hold_s: float = 0.0) -> None:
        if not self._is_up:
            super().click(at, button, hold_s)
            return
        self.move(at)
        self._is_up = not (self._closes == "cross" and at in self.cross)
        self.harm += self._is_up and at in self.box

    def press(self, key: str) -> None:
        if self._is_up:
            self._is_up = not (key == "esc" and self._closes == "esc")
        else:
            super().press(key)


@pytest.mark.parametrize("closes", ["esc", "cross", ""])
def test_a_tutorial_is_closed_only_where_that_is_safe(closes: str) -> None:
    """A box over a fresh board is closed by Escape or its cross; otherwise learning stops."""
    desktop, told = TutorialDesktop(closes), list[str]()
    with nullcontext() if closes else pytest.raises(NoBoardFoundError, match="in front of the board"):
        learned = learn(desktop, 4, tell=told.append)
        assert learned.stuck is None
        assert mislabelled(desktop, learned) == []
    assert told[0] == f"a box is in front of the board, at {desktop.box}"
    assert desktop.harm == 0


@pytest.mark.parametrize("others", [1, 2])
def test_a_window_of_the_clients_own_in_front_is_asked_to_close(others: int) -> None:
    """A single window in front of a fresh board is asked to close; where there are several, none is."""
    desktop, told = SkinDesktop(SKIN, Level.parse("9x9/10")), list[str]()
    windows = FakeWindows(desktop)
    windows.in_front = [Window(20 + number, desktop.area.grown(-20), owner=CLIENT) for number in range(others)]
    with nullcontext() if others == 1 else pytest.raises(NoBoardFoundError, match="in front of the board"):
        assert learn(desktop, 2, windows=windows, tell=told.append).stuck is None
    assert windows.dismissed == ([20] if others == 1 else [])
    assert told[0] == "another window of the client's is in front of the board"


class PromptDesktop(SkinDesktop):
    """A page that asks for a name after a win, and repaints nothing until it is answered."""

    def __init__(self, skin: Skin) -> None:
        self._frozen: Image | None = None
        self.ends: list[str] = []
        super().__init__(skin, Level.parse("9x9/10"))
        self.box = Region(self.area.centre.x - 95, self.area.y - 30, 190, 110)

    def draw_over(self, whole: Image) -> None:
        if self._frozen is None:
            return
        whole[:] = self._frozen
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


@pytest.mark.parametrize("seed", [3, *at_night(4)])
def test_a_win_behind_a_prompt_is_a_win(seed: int, tmp_path: Path) -> None:
    """A win whose last click only shows once a prompt is answered counts, and the next game is played."""
    desktop = PromptDesktop(replace(Skin.of(seed), gradient=0))
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


def test_an_offer_to_play_again_is_accepted(tmp_path: Path) -> None:
    """An offer to play again is accepted, in learning and in play: closing it would end the client."""
    desktop = AskingDesktop()
    learned = learn(desktop, 6, windows=desktop.windows)
    assert learned.stuck is None
    assert mislabelled(desktop, learned) == []
    folder = write(learned, tmp_path / "asking", "asks", force=False).path.parent
    desktop.ends.clear()
    calibration, settings = load_calibration(folder), PlaySettings(games=4)
    bot = Bot(desktop, desktop, calibration, tmp_path, windows=desktop.windows, settings=settings)
    bot.play(4)
    assert [result.result for result in bot.results] == desktop.ends
    assert len(desktop.ends) == 4
    assert desktop.windows.dismissed == []


class FittingDesktop(SkinDesktop):
    """A client whose window gets narrower with every flag, while its board stays in place."""

    def click(self, at: Point, button: Button = "left", hold_s: float = 0.0) -> None:
        super().click(at, button, hold_s)
        flags = int((self.game.board.cells == State.FLAG).sum())
        self.window = Region(0, 0, self.region.width - 3 * flags, self.region.height)


class SlidingDesktop(FittingDesktop):
    """The same, but the board moves with the window's edge."""

    def grab(self, region: Region | None = None) -> Frame:
        whole = super().grab().image
        by = self.region.width - self.window.width
        return Frame(part(np.roll(whole, -by, axis=1), region or self.region).copy(), region or self.region)


@pytest.mark.parametrize("kind", [FittingDesktop, SlidingDesktop])
def test_a_window_that_is_resized_is_followed_where_its_board_stays(kind: type[SkinDesktop]) -> None:
    """A resized window is followed if the board stays in place; if it moves, learning stops and says so."""
    desktop = kind(SKIN, Level.parse("9x9/10"))
    with nullcontext() if kind is FittingDesktop else pytest.raises(ClientMovedError, match="moved or resized"):
        learned = learn(desktop, 6, windows=FakeWindows(desktop))
        assert learned.stuck is None
        assert mislabelled(desktop, learned) == []
        assert "flag" in looks(learned)


class ClockedDesktop(SkinDesktop):
    """A client that draws a running clock over its first cells."""

    ticks = 0

    def grab(self, region: Region | None = None) -> Frame:
        self.ticks += 1
        return super().grab(region)

    def draw_over(self, whole: Image) -> None:
        clock = Region(self.area.x + 8, self.area.y + 8, 40, 8)
        fill(whole, clock, 255)
        fill(whole, Region(clock.x + self.ticks // 4 % 30, clock.y, 10, 8), 0)


def test_a_board_with_a_clock_on_it_is_refused_before_the_first_click() -> None:
    """Cells that change by themselves are named, and nothing is clicked."""
    desktop = ClockedDesktop(SKIN, Level.parse("9x9/10"))
    with pytest.raises(NoBoardFoundError, match="change by themselves, such as the one in row 0, column 0"):
        learn(desktop, 4, Times())
    assert desktop.clicks == []
