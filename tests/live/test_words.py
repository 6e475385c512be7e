"""Words on controls, as Tesseract reads them: what begins a game, and what is never clicked."""

import subprocess
from dataclasses import replace
from unittest.mock import Mock

import numpy as np
import pytest
from PIL import Image as Picture
from PIL import ImageDraw, ImageFont

from sweepbot.calibrate.seeing.words import Meaning, meanings_of
from sweepbot.desktop.mouse import Button
from sweepbot.geometry import Image, Point, Region
from sweepbot.level import Level
from tests.live.conftest import need
from tests.standins.skins import Skin, SkinDesktop, learn, part

pytestmark = pytest.mark.live


@pytest.fixture(autouse=True)
def _tesseract() -> None:
    need("tesseract")


def _write(image: Image, control: Region, words: str, *, light: bool = False, letters_px: int = 13) -> None:
    """Draw a button with words on it, in letters of so many pixels."""
    ground, ink = ((40, 60, 90), (240, 240, 240)) if light else ((225, 225, 225), (20, 20, 20))
    drawn = Picture.new("RGB", (control.width, control.height), ground)
    pen = ImageDraw.Draw(drawn)
    pen.rectangle((0, 0, control.width - 1, control.height - 1), outline=ink)
    middle = control.width / 2, control.height / 2
    pen.text(middle, words, fill=ink, font=ImageFont.load_default(letters_px), anchor="mm")
    part(image, control)[:] = np.asarray(drawn)[..., ::-1]


def _meaning(words: str, *, light: bool = False) -> Meaning:
    image = np.full((60, 240, 3), 250, dtype=np.uint8)
    control = Region(20, 15, 200, 30)
    _write(image, control, words, light=light)
    return meanings_of([control.grown(-1)], image)[0]


@pytest.mark.parametrize("words", ["New Game", "Restart", "PLAY AGAIN", "Neues Spiel", "Rejouer", "Nueva partida"])
@pytest.mark.parametrize("light", [False, True])
def test_words_that_begin_a_game_are_read(words: str, *, light: bool) -> None:
    """Dark on light and light on dark, in several languages."""
    assert _meaning(words, light=light) is Meaning.BEGINS_GAME


@pytest.mark.parametrize("words", ["Solve", "Get Hint: 3 left", "Quit game", "Expert", "Beenden", "New levels"])
def test_words_that_do_something_else_are_read(words: str) -> None:
    """Even beside words that begin a game."""
    assert _meaning(words) is Meaning.DOES_ELSE


@pytest.mark.parametrize("words", ["", "Mines: 10", "A new record of 12 seconds!", "Minesweeper"])
def test_other_words_mean_nothing(words: str) -> None:
    """Neither titles, counters, sentences, nor a bare button."""
    assert _meaning(words) is Meaning.UNKNOWN


SAID = {
    "New game": Meaning.BEGINS_GAME,
    "Hint": Meaning.DOES_ELSE,
    "": Meaning.UNKNOWN,
    "PLAY AGAIN": Meaning.BEGINS_GAME,
    "Minesweeper": Meaning.UNKNOWN,
    "Settings": Meaning.DOES_ELSE,
}


def test_all_controls_of_a_picture_are_read_by_one_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """In letters of 12 to 40 pixels, each with its own words, and a second look at them starts no other."""
    run = Mock(wraps=subprocess.run)
    monkeypatch.setattr(subprocess, "run", run)
    image, buttons, expected = np.full((1400, 340, 3), 251, dtype=np.uint8), list[Region](), list[Meaning]()
    for letters_px in (12, 16, 24, 40):
        for words, meaning in SAID.items():
            button = Region(10, 6 + 56 * len(buttons), 320, 52)
            _write(image, button, words, letters_px=letters_px, light=len(buttons) % 2 == 0)
            buttons.append(button.grown(-1))
            expected.append(meaning)
    assert meanings_of(buttons, image) == expected
    assert meanings_of(buttons[::-1], image) == expected[::-1]
    assert run.call_count == 1


class ToolbarDesktop(SkinDesktop):
    """A client with three like buttons in a row above its board, of which the last one begins a game.

    Attributes:
        harm: The other buttons that were clicked.
    """

    def __init__(self) -> None:
        self.harm: list[str] = []
        super().__init__(replace(Skin.of(22), face=False), Level.parse("9x9/12"))
        left, top = self.area.centre.x - 105, self.area.y - 50
        names = "Solve", "Hint", "Restart"
        self.buttons = {name: Region(left + 70 * index, top, 66, 24) for index, name in enumerate(names)}

    def draw_over(self, whole: Image) -> None:
        for name, region in self.buttons.items():
            _write(whole, region, name)

    def click(self, at: Point, button: Button = "left", hold_s: float = 0.0) -> None:
        super().click(at, button, hold_s)
        for name, region in self.buttons.items():
            if at in region and name == "Restart":
                self._deal()
            elif at in region:
                self.harm.append(name)

    def press(self, key: str) -> None:
        self.pressed.append(key)


def test_the_one_of_several_like_buttons_that_says_so_begins_games() -> None:
    """A toolbar is not left alone if one of its buttons is called Restart, and the others are not touched."""
    desktop = ToolbarDesktop()
    learned = learn(desktop, 3)
    assert learned.stuck is None
    assert desktop.harm == []
    assert [way.click is not None for way in learned.behaviour.restart] == [True]
