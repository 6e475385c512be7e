"""Learning clients with links, solvers and panels around their boards, and things that are no boards."""

import itertools
import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from sweepbot.behaviour import Restart
from sweepbot.board import State
from sweepbot.calibrate.learned import Learned
from sweepbot.calibrate.writing.write import write
from sweepbot.clock import VirtualClock
from sweepbot.desktop.mouse import Button
from sweepbot.desktop.windows import Window
from sweepbot.errors import StuckError
from sweepbot.geometry import Cell, Image, Point, Region
from sweepbot.level import FirstClick, Level
from sweepbot.sessions.settings import PlaySettings
from sweepbot.vision.calibration import load_calibration
from tests.learning import WORDS, learn
from tests.nightly import at_night
from tests.playing import Bot
from tests.standins.fake_windows import FakeWindows
from tools.drawing.skins import Skin, SkinDesktop, draw_button, fill, part

SKIN = replace(Skin.of(3), face=False)
_TILE_PX = 22
OTHER_SITE = Window(99, Region(0, 0, 400, 300))


class SiteDesktop(SkinDesktop):
    """A game on a page, at whose end a button appears that opens another site in a new window.

    Args:
        restart: What begins a new game: `button` (always there, below the board), `board` (a click on the ended board)
            or a key; anything else does not.
        panel: How the panel that a button below the board puts over it goes away: `esc`, `again` (the same button) or
            `time`. There is no such button if it is empty.

    Attributes:
        harm: Clicks that no learner should make.
    """

    drawn_by = ("game.over", "shows_panel")

    offers = ""
    """What the button that appears says, if that can be read."""

    def __init__(self, restart: str, panel: str = "") -> None:
        self._restart, self._panel = restart, panel
        self._opened_at: float | None = None
        self.clock = VirtualClock()
        self.harm: list[str] = []
        super().__init__(SKIN, Level.parse("9x9/12"))
        self.windows = FakeWindows(self)
        self.button = Region(self.area.centre.x - 40, self.area.bottom + 24, 80, 26)
        self.link = Region(self.area.centre.x - 50, self.area.centre.y - 13, 100, 26)

    @property
    def shows_panel(self) -> bool:
        is_over = self._panel == "time" and self._opened_at is not None and self.clock.now() - self._opened_at > 2.0
        return self._opened_at is not None and not is_over

    def draw_over(self, whole: Image) -> None:
        if self._restart == "button" or self._panel:
            draw_button(whole, self.button, "New game")
        if self.game.over:
            draw_button(whole, self.link, self.offers)
        if self.shows_panel:
            fill(whole, self.area, 235)
            whole[self.area.y + 30 : self.area.bottom - 30 : 20, self.area.x + 20 : self.area.right - 20] = 60

    def click(self, at: Point, button: Button = "left", hold_s: float = 0.0) -> None:
        was_over = self.game.over
        if at in self.button and self._panel:
            self._opened_at = None if self._panel == "again" and self.shows_panel else self.clock.now()
            self.move(at)
        elif self.shows_panel:
            self.move(at)
        elif was_over and at in self.link:
            self.harm.append("link")
            self.windows.in_front.append(OTHER_SITE)
            self.move(at)
        else:
            super().click(at, button, hold_s)
            if (self._restart == "button" and at in self.button) or (
                self._restart == "board" and was_over and at in self.area
            ):
                self._deal()

    def press(self, key: str) -> None:
        self.pressed.append(key)
        if key == "esc" and self._panel == "esc":
            self._opened_at = None
        elif key == self._restart:
            self._deal()


def learn_site(desktop: SiteDesktop, games: int = 3) -> Learned:
    """Learn the client without waiting."""
    return learn(desktop, games, windows=desktop.windows, clock=desktop.clock)


@WORDS
def test_a_permanent_button_is_tried_first() -> None:
    """A "New game" that was always there is clicked before a button that came up after a loss."""
    desktop = SiteDesktop("button")
    learned = learn_site(desktop)
    assert learned.stuck is None
    assert desktop.harm == []
    assert learned.behaviour.restart[0].click is not None


def test_a_click_on_the_ended_board_is_a_way_to_a_new_game() -> None:
    """A restart by clicking the ended board is found before any key that loads things, and written down."""
    desktop = SiteDesktop("board")
    learned = learn_site(desktop)
    assert learned.stuck is None
    assert desktop.harm == []
    assert not {"f5", "ctrl+r", "ctrl+n"} & set(desktop.pressed)
    assert [way.on_board is not None for way in learned.behaviour.restart] == [True]


def test_a_client_that_begins_by_a_click_on_its_ended_board_is_played(tmp_path: Path) -> None:
    """Such a calibration is written and played with; the link is never clicked."""
    desktop = SiteDesktop("board")
    desktop.link = desktop.button  # below the board, so that it covers no cell
    written = write(learn_site(desktop, 5), tmp_path / "site", "a site", force=False)
    settings = PlaySettings(games=3)
    bot = Bot(
        desktop, desktop, load_calibration(written.path.parent), tmp_path, windows=desktop.windows, settings=settings
    )
    bot.play(3)
    assert len(bot.results) == 3
    assert "aborted" not in {game.result for game in bot.results}
    assert desktop.harm == []


@WORDS
@pytest.mark.parametrize("panel", ["esc", *at_night("again", "time")])
def test_a_button_that_only_covers_the_board_does_not_end_the_search(panel: str) -> None:
    """A panel over the board is closed or waited out, and the next way is tried."""
    desktop = SiteDesktop("ctrl+r", panel)
    learned = learn_site(desktop)
    assert learned.stuck is None
    assert desktop.harm == []
    assert learned.behaviour.restart == (Restart(key="ctrl+r"),)


def test_what_the_end_has_brought_up_is_left_to_a_person() -> None:
    """Where nothing else begins a game, a button that only the end shows, and that says nothing, is not clicked."""
    desktop = SiteDesktop("nothing")
    learned = learn_site(desktop)
    assert isinstance(learned.stuck, StuckError)
    assert "no new game starts" in str(learned.stuck)
    assert desktop.harm == []
    assert learned.behaviour.restart == ()


class LyingDesktop(SiteDesktop):
    """The same with a button that says "Play again" and opens another site."""

    offers = "Play again"


@WORDS
def test_a_click_that_opens_another_window_is_the_last_one() -> None:
    """Where a button opens another site the run stops and reports what was clicked."""
    desktop = LyingDesktop("nothing")
    learned = learn_site(desktop)
    assert isinstance(learned.stuck, StuckError)
    assert "leads to another window" in str(learned.stuck)
    assert desktop.harm == ["link"]
    assert learned.behaviour.restart == ()


class BrowserDesktop(LyingDesktop):
    """The same in a browser, which shows at its lower left where the link under the pointer leads."""

    def __init__(self) -> None:
        super().__init__("f5")
        self.windows.program = "chromium"

    def draw_over(self, whole: Image) -> None:
        super().draw_over(whole)
        if self.game.over and self.position() in self.link:
            whole[-22:, :150] = 250


@WORDS
def test_a_link_is_not_clicked() -> None:
    """A button that leads to another site is not clicked; the page is reloaded instead."""
    desktop = BrowserDesktop()
    learned = learn_site(desktop)
    assert learned.stuck is None
    assert desktop.harm == []
    assert learned.behaviour.restart == (Restart(key="f5"),)


class RenamedDesktop(SiteDesktop):
    """The same, with a button below the board that loads another page in its place."""

    def __init__(self) -> None:
        super().__init__("button")
        self.windows.name = "Mines 0:07"

    def click(self, at: Point, button: Button = "left", hold_s: float = 0.0) -> None:
        if at in self.button:
            self.move(at)
            self.windows.name = "Friends of Mines 0:07"
        else:
            super().click(at, button, hold_s)


@WORDS
def test_a_click_that_leads_to_another_page_is_the_last_one() -> None:
    """Once the title has changed, apart from its digits, nothing more is clicked or pressed."""
    desktop = RenamedDesktop()
    learned = learn_site(desktop)
    assert isinstance(learned.stuck, StuckError)
    assert "'Friends of Mines 0:07'" in str(learned.stuck)
    assert desktop.pressed[-1] == "space"
    assert desktop.clicks[-1] in desktop.area


@pytest.mark.parametrize("program", ["xterm", *at_night("org.gnome.gedit")])
def test_no_key_is_pressed_in_a_terminal_or_an_editor(program: str) -> None:
    """A game in a terminal is learned by clicks alone, as a key there may be a command."""
    desktop = SiteDesktop("board")
    desktop.windows.program = program
    assert learn_site(desktop).stuck is None
    assert desktop.pressed == []


class PictureDesktop(SiteDesktop):
    """A static picture of a half-open board."""

    def __init__(self) -> None:
        super().__init__("nothing")
        self.game.open(Cell(4, 4))
        self.dead = True


def test_no_key_is_pressed_before_a_click_has_an_effect() -> None:
    """No key is pressed until a click has shown that the board's cells react."""
    desktop = PictureDesktop()
    assert isinstance(learn_site(desktop).stuck, StuckError)
    assert desktop.pressed == []


class WalledDesktop(SkinDesktop):
    """A game in the middle of a page that is papered with tiles."""

    drawn_by = ()

    def draw_over(self, whole: Image) -> None:
        around = self.area.grown(20)
        kept = part(whole, around).copy()
        rng = random.Random(1)
        for y, x in itertools.product(range(0, self.region.height, _TILE_PX), range(0, self.region.width, _TILE_PX)):
            tile = rng.choice((40, 120, 220))
            whole[y : y + _TILE_PX, x : x + _TILE_PX] = tile // 2
            whole[y + 3 : y + _TILE_PX - 3, x + 3 : x + _TILE_PX - 3] = tile
        fill(whole, around, kept)


def test_what_repeats_around_the_board_all_along_is_no_larger_board() -> None:
    """A way to a new game counts although tiles around the board, as larger boards have them, are on the page."""
    learned = learn(WalledDesktop(SKIN, Level.parse("9x9/10")), 3)
    assert learned.stuck is None
    assert learned.behaviour.restart == (Restart(key="f2"),)


class FramedDesktop(SkinDesktop):
    """A client whose open cells are plates, each in a frame that goes on into that of the next one in the row."""

    drawn_by = ()

    def draw_over(self, whole: Image) -> None:
        for row, column in np.argwhere(self.shown() < State.HIDDEN):
            cell = self.pixels(Cell(int(row), int(column)))
            plate = part(whole, cell.grown(-9)).copy()
            fill(whole, Region(cell.x, cell.y + 4, cell.width, cell.height - 8), (200, 190, 180))
            fill(whole, cell.grown(-9), plate)

    def press(self, key: str) -> None:
        self.pressed.append(key)
        super().press(key)


def test_a_row_of_open_cells_is_no_box_with_buttons() -> None:
    """Where open cells stand in frames that form a surface, none of them is taken for a box and answered."""
    skin = replace(Skin.of(3), face=False, gradient=0, first_click=FirstClick.OPEN)
    desktop = FramedDesktop(skin, Level.parse("9x9/8"))
    assert learn(desktop, 2).stuck is None
    assert "enter" not in desktop.pressed
