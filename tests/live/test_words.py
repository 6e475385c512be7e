"""Words on controls, as Tesseract reads them: what begins a game, and what is never clicked."""

import subprocess
from dataclasses import replace
from itertools import product
from unittest.mock import Mock

import numpy as np
import pytest
from PIL import Image as Picture
from PIL import ImageDraw, ImageFont

from sweepbot.board import Phase
from sweepbot.calibrate.seeing.words import Meaning, ends_by_words, meanings_of
from sweepbot.desktop.mouse import Button
from sweepbot.geometry import Image, Point, Region
from sweepbot.level import Level
from tests.learning import learn
from tests.live.conftest import need
from tools.drawing.skins import Skin, SkinDesktop, part

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


LETTERS_PX = (12, 16, 24, 40)
LIGHT_PX = (16, 40)
"""Those that are light on dark."""

SAID = {
    **dict.fromkeys(("New Game", "Restart", "PLAY AGAIN", "Neues Spiel", "Rejouer", "Jugar"), Meaning.BEGINS_GAME),
    **dict.fromkeys(
        ("Solve", "Get Hint: 3 left", "No thanks", "Expert", "Beenden", "New levels", "Settings"), Meaning.DOES_ELSE
    ),
    **dict.fromkeys(("", "Mines: 10", "A new record of 12 seconds!", "Minesweeper", "Oh no!"), Meaning.UNKNOWN),
}
"""Words on buttons; titles, counters, sentences and a bare button mean nothing."""


def test_words_on_controls_are_read_by_one_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Dark on light and light on dark, in letters of 12 to 40 pixels, in several languages; once for each picture."""
    run = Mock(wraps=subprocess.run)
    monkeypatch.setattr(subprocess, "run", run)
    written = list(product(LETTERS_PX, SAID))
    image = np.full((56 * len(written), 640, 3), 251, dtype=np.uint8)
    buttons = [Region(10, 2 + 56 * number, 620, 52) for number in range(len(written))]
    for number, (letters_px, words) in enumerate(written):
        _write(image, buttons[number], words, letters_px=letters_px, light=letters_px in LIGHT_PX)
    controls = [button.grown(-1) for button in buttons]
    read = meanings_of(controls, image)
    assert [it for it, meaning in zip(written, read, strict=True) if meaning is not SAID[it[1]]] == []
    assert meanings_of(controls[::-1], image) == read[::-1]
    assert run.call_count == 1


@pytest.mark.parametrize(
    ("words", "ends"),
    [("Sorry,\nyou lost", {Phase.LOST}), ("You win!", {Phase.WON}), ("Game over", set())],
)
def test_what_is_said_of_an_end_is_read(words: str, ends: set[Phase]) -> None:
    """In one line or several; what may be said of either end says nothing."""
    image, sign = np.full((120, 300, 3), 250, dtype=np.uint8), Region(20, 15, 240, 80)
    _write(image, sign, words, letters_px=20)
    assert ends_by_words([sign.grown(-1)], image) == ends


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
