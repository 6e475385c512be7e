"""Clients that show a start screen, or a message, before any board."""

from dataclasses import replace

import pytest

from sweepbot.calibrate.map.start_screens import start_game
from sweepbot.clock import VirtualClock
from sweepbot.desktop.desk import Desk
from sweepbot.desktop.mouse import Button
from sweepbot.errors import NoBoardFoundError
from sweepbot.geometry import Image, Point, Region
from sweepbot.level import Level
from sweepbot.vision.reader import Reader, unknown_client
from tests.learning import WORDS
from tests.standins.fake_windows import FakeWindows
from tools.drawing.skins import Skin, SkinDesktop, draw_button, fill, say


class StartDesktop(SkinDesktop):
    """A client with buttons in place of its board until the last of them is clicked.

    Args:
        words: What the buttons say.
        is_page: Whether it is a page, with a message that only Escape closes in front of its buttons, if any.
    """

    drawn_by = ("is_started", "has_message")

    def __init__(self, *words: str, is_page: bool = False) -> None:
        self.is_started, self.has_message = False, is_page
        self.wrong: list[str] = []
        super().__init__(replace(Skin.of(3), face=False), Level.parse("9x9/10"))
        left, top = self.area.centre.x - 60, self.area.y + 20
        self.buttons = {said: Region(left, top + 44 * number, 120, 30) for number, said in enumerate(words)}
        self.windows = FakeWindows(self)
        self.windows.name, self.windows.program = "Minesweeper", "chromium" if is_page else "python3"

    def draw_over(self, whole: Image) -> None:
        if not self.is_started:
            fill(whole, self.window, 235)
            for said, place in self.buttons.items():
                draw_button(whole, place, said)
        if self.has_message:
            fill(whole, self.window, 90)
            fill(whole, Region(60, 10, 300, 90), 255)
            say(whole, Region(70, 20, 200, 30), "Ten mines were laid", (20, 20, 20))

    def click(self, at: Point, button: Button = "left", hold_s: float = 0.0) -> None:  # noqa: ARG002
        said = next((said for said, place in self.buttons.items() if at in place), "")
        self.move(at)
        if self.has_message or self.is_started or said != list(self.buttons)[-1]:
            self.wrong.append(said)
        else:
            self.is_started = True

    def press(self, key: str) -> None:
        self.pressed.append(key)
        if key == "esc":
            self.has_message = False
            self.is_started |= not self.buttons


def starts(desktop: StartDesktop) -> bool:
    """Start a game, if that is what happens; return whether a board is in sight then."""
    reader = Reader(unknown_client("new"), is_told=True)
    start_game(Desk(desktop, desktop, desktop.windows, VirtualClock()), reader, lambda _: None)
    try:
        reader.read(desktop.grab().image)
    except NoBoardFoundError:
        return False
    return True


@WORDS
@pytest.mark.parametrize("said", ["Play", "Start game", "New game"])
def test_a_button_that_alone_says_so_starts_a_game(said: str) -> None:
    """A program's start screen with its way out is left by that button, and no key is pressed."""
    desktop = StartDesktop("Quit", said)
    assert starts(desktop)
    assert desktop.wrong == desktop.pressed == []


def test_a_message_in_front_of_a_page_is_closed() -> None:
    """What a page says before it shows its board is closed by Escape, and nothing is clicked."""
    desktop = StartDesktop(is_page=True)
    assert starts(desktop)
    assert (desktop.wrong, desktop.pressed) == ([], ["esc"])


@pytest.mark.parametrize("words", [("Easy", "Hard"), ("Start easy", "Start hard"), ("Play online", "Play")])
def test_a_choice_is_left_to_a_person(words: tuple[str, ...]) -> None:
    """Of levels, and of several buttons that say so, none is clicked."""
    desktop = StartDesktop(*words)
    assert not starts(desktop)
    assert desktop.wrong == desktop.pressed == []


class PagesDesktop(StartDesktop):
    """A client with a start screen, then a form with a button, before its board."""

    drawn_by = ("is_started", "buttons")

    def click(self, at: Point, button: Button = "left", hold_s: float = 0.0) -> None:
        first, form = self.buttons, {"Start": Region(self.area.x + 30, self.area.y + 90, 90, 30)}
        super().click(at, button, hold_s)
        if self.is_started and first != form:
            self.is_started, self.buttons = False, form


@WORDS
def test_pages_before_the_board_are_left_one_by_one() -> None:
    """What a start screen leads to is itself left by its one button, until there is a board."""
    desktop = PagesDesktop("Quit", "Play")
    assert starts(desktop)
    assert desktop.wrong == desktop.pressed == []


class KeyDesktop(StartDesktop):
    """A client whose start screen says which key to press."""

    def draw_over(self, whole: Image) -> None:
        super().draw_over(whole)
        if not self.is_started:
            say(whole, Region(60, 20, 300, 30), "Press ENTER to start", (20, 20, 20))

    def press(self, key: str) -> None:
        self.pressed.append(key)
        self.is_started |= key == "enter"


@WORDS
def test_a_key_that_words_name_starts_a_game() -> None:
    """Where a start screen says which key to press, that is pressed, and nothing is clicked."""
    desktop = KeyDesktop()
    assert starts(desktop)
    assert (desktop.pressed, desktop.clicks) == (["enter"], [])


@WORDS
def test_another_window_is_left_alone() -> None:
    """A button that says so counts only in a window that is titled as a Minesweeper."""
    desktop = StartDesktop("Play")
    desktop.windows.name = "Tower defence"
    assert not starts(desktop)
    assert desktop.clicks == []
    assert desktop.wrong == []
