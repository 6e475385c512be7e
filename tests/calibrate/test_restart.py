"""Beginning new games of unknown clients: what is tried, in which order, and what is never touched."""

from collections.abc import Iterable
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from numpy.typing import NDArray

from sweepbot.behaviour import Restart
from sweepbot.board import Phase, State
from sweepbot.calibrate.seeing.surroundings import Surroundings
from sweepbot.cli.calibrate import command
from sweepbot.desktop.desk import Desk
from sweepbot.desktop.mouse import Button
from sweepbot.desktop.windows import Window
from sweepbot.errors import ClientGoneError, StuckError
from sweepbot.geometry import Image, Point, Region
from sweepbot.level import Level
from sweepbot.vision.calibration import load_calibration
from sweepbot.vision.grid import Grid
from tests.nightly import at_night, by_turns
from tests.standins.fake_windows import CLIENT, FakeWindows
from tests.standins.skins import WORDS, Skin, SkinDesktop, draw_button, fill, learn, mislabelled, say
from tests.standins.trap_clients import Kind, TrapDesktop


@pytest.mark.parametrize("seed", [506, 517])
def test_one_of_several_like_buttons_is_not_clicked(seed: int) -> None:
    """A button with others like it in its row is not clicked; a bar as wide as the window is not like it."""
    desktop = TrapDesktop(Kind.of(seed))
    learn(desktop, 8)
    assert desktop.harm == []


class OneGameDesktop(SkinDesktop):
    """A client on which nothing begins a second game."""

    def press(self, key: str) -> None:
        pass


def test_what_one_game_taught_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no new game can be begun, what was learned is written with a note, and the exit code is "stuck"."""
    desktop = OneGameDesktop(replace(Skin.of(3), face=False), Level.parse("9x9/8"))
    monkeypatch.setattr("sweepbot.cli.calibrate.open_desktop", lambda _: nullcontext(Desk(desktop, desktop)))
    done = CliRunner().invoke(command, ["once", "--live", "--yes", "--output", str(tmp_path)])
    assert isinstance(done.exception, StuckError)
    assert done.exception.exit_code == 6
    states = {template.state for template in load_calibration(tmp_path / "once").templates}
    assert states >= {State.HIDDEN, 0, 1}
    text = (tmp_path / "once" / "calibration.yaml").read_text(encoding="utf-8")
    assert "# Learned in part: no new game starts" in text


class SilentDesktop(OneGameDesktop):
    """A client that does not show the end of a game."""

    def shown(self) -> NDArray[np.uint8]:
        cells = super().shown()
        cells[cells > State.HIDDEN] = State.HIDDEN
        return cells


@pytest.mark.parametrize("seed", by_turns([3, 8, 9], one_in=3))
def test_unconfirmed_labels_are_not_written(seed: int) -> None:
    """Where no game reached an end that makes sense, a few zeros and ones are no calibration."""
    desktop = SilentDesktop(replace(Skin.of(seed), face=False), Level.parse("9x9/26"))
    learned = learn(desktop, 3)
    assert isinstance(learned.stuck, StuckError)
    assert learned.labels == []


def test_a_board_with_fewer_mines_than_usual_is_played_to_its_end() -> None:
    """That as many cells are left as boards of this size usually have mines is no win while numbers tell more."""
    desktop = SilentDesktop(replace(Skin.of(3), face=False), Level.parse("9x9/5"))
    learn(desktop, 1)
    assert desktop.game.phase is Phase.WON


def test_clicks_stay_on_the_board_and_the_restart() -> None:
    """While learning, nothing but cells and the face above them is clicked."""
    desktop = SkinDesktop(Skin.of(7), Level.parse("9x9/12"))
    learn(desktop, 5)
    assert all(click in desktop.area or click in desktop.face for click in desktop.clicks)


def test_a_new_board_is_left_behind() -> None:
    """After the last game a new board is left to play on."""
    desktop = SkinDesktop(Skin.of(3), Level.parse("9x9/12"))
    learn(desktop, 4)
    assert (desktop.shown() == State.HIDDEN).all()


class MovingDesktop(SkinDesktop):
    """A desktop that moves everything down while a game is over, as a message on a page does."""

    def _off(self) -> Point:
        return Point(0, 28 if self.game.over else 0)

    def draw_over(self, whole: Image) -> None:
        whole[:] = np.roll(whole, self._off().y, axis=0)

    def click(self, at: Point, button: Button = "left", hold_s: float = 0.0) -> None:
        super().click(at - self._off(), button, hold_s)
        self.move(at)


def test_a_board_that_moves_at_the_end_of_a_game_is_followed() -> None:
    """Where a message pushes the board down, its end is read, and the next game begins."""
    desktop = MovingDesktop(Skin.of(8), Level.parse("9x9/12"))
    learned = learn(desktop, 3)
    assert learned.stuck is None
    assert mislabelled(desktop, learned) == []


class RefittedDesktop(SkinDesktop):
    """A client that fits its cells to what they show, so that each new board has smaller ones than the ended one."""

    def press(self, key: str) -> None:
        super().press(key)
        if key == "f2":
            self._size = (self._size[0] - 2, self._size[1] - 2)
            fill(self._image, self.area, self.skin.ground)
            self.area = Region(self.area.x, self.area.y, 9 * self._size[0], 9 * self._size[1])
            self._cells.clear()
            self._shown = np.full((9, 9), State.UNKNOWN, dtype=np.uint8)


def test_a_new_board_with_cells_of_another_size_is_found() -> None:
    """A board with as many cells of another size is the next game, and not something else."""
    desktop = RefittedDesktop(replace(Skin.of(3), face=False), Level.parse("9x9/12"))
    learned = learn(desktop, 2)
    assert learned.stuck is None
    assert [way.key for way in learned.behaviour.restart] == ["f2"]


class ClosingDesktop(SkinDesktop):
    """A client that quits at a key and leaves another program in its place.

    With `asks` a dialog appears in front of the board at the end of each game.
    """

    def __init__(self, skin: Skin, ends: str, *, asks: bool) -> None:
        self._ends, self._asks = ends, asks
        self.clicks_by_then = 0
        super().__init__(skin, Level.parse("9x9/12"))
        noise = np.random.default_rng(5).integers(0, 256, self._image.shape[:2], dtype=np.uint8)
        self._other_program = np.repeat(noise[:, :, None], 3, axis=2)

    def draw_over(self, whole: Image) -> None:
        if self._ends in self.pressed:
            whole[:] = self._other_program
        elif self._asks and self.game.over:
            box = Region(self.area.x + 10, self.area.y + 10, self.area.width - 40, self.area.height // 2)
            fill(whole, box, (70, 200, 90))

    def press(self, key: str) -> None:
        self.pressed.append(key)
        self.clicks_by_then = len(self.clicks)


@pytest.mark.parametrize(("ends", "asks"), [("f2", False), *at_night(("ctrl+r", False), ("n", False))])
def test_after_a_key_that_ends_the_client_nothing_is_pressed(ends: str, *, asks: bool) -> None:
    """After a key that closes the client, the program in its place gets neither keys nor clicks."""
    desktop = ClosingDesktop(replace(Skin.of(3), face=False), ends, asks=asks)
    learned = learn(desktop, 3)
    assert isinstance(learned.stuck, ClientGoneError)
    assert f"the key {ends} has made the client disappear" in str(learned.stuck)
    assert desktop.pressed[-1] == ends
    assert len(desktop.clicks) == desktop.clicks_by_then


@WORDS
def test_a_button_within_a_bar_is_found() -> None:
    """A bar with a text and a button is no button; the button inside it is clicked."""
    desktop = SkinDesktop(replace(Skin.of(3), face=False), Level.parse("9x9/12"))
    image, board = desktop.grab().image, desktop.area
    bar = Region(board.x, board.y - 50, board.width, 40)
    button = Region(bar.right - 90, bar.y + 5, 80, 30)
    for shape, level in ((bar, 90), (bar.grown(-1), 160)):
        fill(image, shape, level)
    draw_button(image, button, "Restart")
    image[bar.y + 15 : bar.y + 27, bar.x + 10 : bar.x + 60 : 4] = 0
    place = Grid.uniform((board.x, board.y), (desktop.skin.pitch,) * 2, 9, 9)
    found = Surroundings(image, image, image, place, desktop.region).named()
    assert [thing.centre in button for thing in found] == [True]


def test_a_face_whose_eyes_and_mouth_change_apart_is_one_thing() -> None:
    """Two strokes of one size, one above the other over the board's middle, are not two of several alike."""
    desktop = SkinDesktop(replace(Skin.of(3), face=False), Level.parse("9x9/12"))
    played, board = desktop.grab().image.copy(), desktop.area
    face = Region(board.centre.x - 14, board.y - 48, 28, 28)
    fill(played, face, 220)
    ended = played.copy()
    for image, level in ((played, 0), (ended, 255)):
        for y in (face.y + 6, face.y + 17):
            fill(image, Region(face.x + 7, y, 14, 4), level)
            image[y + 1, face.x + 9 : face.right - 9] = 120
    place = Grid.uniform((board.x, board.y), (desktop.skin.pitch,) * 2, 9, 9)
    found = Surroundings(ended, played, played, place, desktop.region).changed()
    assert [thing.centre in face for thing in found] == [True]


@pytest.mark.parametrize("off_px", [0, 60])
def test_a_face_is_tried_although_a_counter_in_its_row_has_changed_too(off_px: int) -> None:
    """It stands over the middle of the board; of other things alike in a row none is."""
    desktop = SkinDesktop(replace(Skin.of(3), face=False), Level.parse("9x9/12"))
    played, board = desktop.grab().image, desktop.area
    face = Region(board.centre.x - 14 + off_px, board.y - 48, 28, 28)
    ended = played.copy()
    for image, level in ((played, 60), (ended, 190)):
        for thing in (face, Region(board.x, board.y - 47, 24, 26)):
            fill(image, thing, 120)
            fill(image, thing.grown(-4), level)
            image[thing.centre.y, thing.x + 6 : thing.right - 6] = 0
    place = Grid.uniform((board.x, board.y), (desktop.skin.pitch,) * 2, 9, 9)
    found = Surroundings(ended, played, played, place, desktop.region).changed()
    assert [thing.centre in face for thing in found] == ([] if off_px else [True])


class AskingDesktop(SkinDesktop):
    """A client that shows a button over its dimmed board, and whose Ctrl+R leads to a screen without a board."""

    def __init__(self, skin: Skin) -> None:
        super().__init__(skin, Level.parse("9x9/12"))
        self._left = False
        middle = self.area.centre
        self.button = Region(middle.x - 40, middle.y + 10, 80, 26)

    def draw_over(self, whole: Image) -> None:
        if self._left:
            whole[:] = 50
        elif self.game.over:
            whole //= 2
            fill(whole, self.button, 0)
            fill(whole, self.button.grown(-1), (0, 200, 255))
            say(whole, self.button, "Play again", (0, 0, 0))

    def click(self, at: Point, button: Button = "left", hold_s: float = 0.0) -> None:
        if self.game.over and at in self.button:
            self.move(at)
            self._deal()
        else:
            super().click(at, button, hold_s)

    def press(self, key: str) -> None:
        self._left = self._left or key == "ctrl+r"


@WORDS
def test_an_offer_in_front_of_the_board_is_taken_before_reloading() -> None:
    """A game is restarted by the button over its board that says so, before the page is reloaded."""
    desktop = AskingDesktop(replace(Skin.of(3), face=False))
    learned = learn(desktop, 3)
    assert learned.stuck is None
    assert learned.behaviour.restart[0].click is not None


class BelowDesktop(SkinDesktop):
    """A client that restarts only by a button below its board, and records keys."""

    def __init__(self, skin: Skin) -> None:
        super().__init__(skin, Level.parse("9x9/12"))
        self.button = Region(self.area.centre.x - 40, self.area.bottom + 24, 80, 26)

    def draw_over(self, whole: Image) -> None:
        draw_button(whole, self.button, "New game")

    def click(self, at: Point, button: Button = "left", hold_s: float = 0.0) -> None:
        super().click(at, button, hold_s)
        if at in self.button:
            self._deal()

    def press(self, key: str) -> None:
        self.pressed.append(key)


@WORDS
def test_a_button_beside_the_board_is_tried_before_keys_that_close() -> None:
    """A button that says so is clicked before any key that closes things."""
    desktop = BelowDesktop(replace(Skin.of(3), face=False))
    learned = learn(desktop, 2)
    assert learned.behaviour.restart[0].click is not None
    assert not {"enter", "esc"} & set(desktop.pressed)


@WORDS
@pytest.mark.parametrize("seed", by_turns([14, 16, 18, 19]))
def test_no_trap_is_touched(seed: int) -> None:
    """A restart is found without a click on a menu, level, link, switch or cross."""
    desktop = TrapDesktop(Kind.of(seed))
    learned = learn(desktop, 2)
    assert desktop.harm == []
    assert learned.stuck is None


class LevelDesktop(SkinDesktop):
    """A client whose key n leads to a board with one more column."""

    def press(self, key: str) -> None:
        if key == "n":
            self._level = Level.parse("10x9/12")
            self._deal()
            self._shown = np.full((9, 10), State.UNKNOWN, dtype=np.uint8)


def test_a_way_that_leads_to_a_board_of_another_size_is_given_up() -> None:
    """A key that changes the level is not written down as the restart, and nothing is clicked after it."""
    desktop = LevelDesktop(replace(Skin.of(3), face=False), Level.parse("9x9/12"))
    learned = learn(desktop, 3)
    assert isinstance(learned.stuck, StuckError)
    assert "10x9 cells" in str(learned.stuck)
    assert all(way.key != "n" for way in learned.behaviour.restart)


class MenuDesktop(SkinDesktop):
    """A client whose Ctrl+N leads to a menu, where Enter chooses another level."""

    def __init__(self, skin: Skin) -> None:
        self._is_menu = False
        super().__init__(skin, Level.parse("9x9/12"))

    def draw_over(self, whole: Image) -> None:
        if self._is_menu:
            fill(whole, self.area, 220)
            for number in range(3):
                at = Region(self.area.x + 20, self.area.y + 10 + 30 * number, 80, 20)
                fill(whole, at, (60, 90, 30))

    def press(self, key: str) -> None:
        self.pressed.append(key)
        self._is_menu = self._is_menu or key == "ctrl+n"


def test_a_menu_in_the_place_of_the_board_is_left_alone() -> None:
    """After a key that leads to a menu, nothing more is pressed or clicked, and it is not written down."""
    desktop = MenuDesktop(replace(Skin.of(3), face=False))
    learned = learn(desktop, 3)
    assert isinstance(learned.stuck, StuckError)
    assert desktop.pressed[-1] == "ctrl+n"
    assert learned.behaviour.restart == ()


class HeadingDesktop(TrapDesktop):
    """A client that restarts at a click on something above its board, off the middle.

    `restart` is `word` or `wide` (a button), as in `RESTARTS`; `traps` is what else is around the board.
    """

    def __init__(self, restart: str, traps: frozenset[str], *, at_left: bool) -> None:
        kind = replace(Kind.of(6), restart=restart, traps=traps, end="plain", covers=False, moves=False, holds=False)
        self._at_left = at_left
        super().__init__(replace(kind, skin=replace(kind.skin, face=False)))

    def _laid_out(self) -> Iterable[tuple[str, Region]]:
        for name, place in super()._laid_out():
            x = self.area.x if self._at_left else self.area.right - place.width
            yield name, Region(x, place.y, place.width, place.height) if name == "restart" else place


@WORDS
@pytest.mark.parametrize(
    ("restart", "traps", "at_left"),
    [
        ("word", frozenset({"menu", "levels", "link", "cross", "esc quits"}), True),
        *at_night(("word", frozenset[str](), False), ("wide", frozenset[str](), True)),
    ],
)
def test_a_heading_beside_the_middle_restarts(restart: str, traps: frozenset[str], *, at_left: bool) -> None:
    """A text or button above the board, off the middle, is clicked where nothing else restarts."""
    desktop = HeadingDesktop(restart, traps, at_left=at_left)
    learned = learn(desktop, 4)
    assert learned.stuck is None
    assert learned.behaviour.restart[0].click is not None
    assert desktop.harm == []


def test_a_button_that_says_nothing_is_left_alone() -> None:
    """A switch that stands alone below the board is not clicked, nor what the end brings up beside it."""
    traps = frozenset({"mode", "put up"})
    kind = replace(Kind.of(16), restart="ctrl+r", end="plain", traps=traps, covers=False, moves=False)
    desktop = TrapDesktop(replace(kind, holds=False, goes_on=False))
    learned = learn(desktop, 3)
    assert desktop.harm == []
    assert learned.stuck is None
    assert learned.behaviour.restart == (Restart(key="ctrl+r"),)


@pytest.mark.parametrize(
    ("restart", "moves"), [("face", False), ("corner face", False), ("header", False), *at_night(("header", True))]
)
def test_what_looks_otherwise_at_the_end_is_clicked_first(restart: str, *, moves: bool) -> None:
    """A face, even off the middle, or a header that changes at the end restarts before any key is pressed."""
    traps = frozenset({"menu", "levels", "link", "mode", "cross", "put up", "esc quits", "q quits"})
    kind = replace(Kind.of(16), restart=restart, end="plain", traps=traps, covers=False, moves=moves)
    desktop = ClockDesktop(replace(kind, holds=False, goes_on=False))
    learned = learn(desktop, 3)
    assert learned.stuck is None
    assert [way.click is not None for way in learned.behaviour.restart] == [True]
    assert desktop.harm == []
    assert desktop.pressed == []
    assert desktop.clocked == 0


class ClockDesktop(TrapDesktop):
    """A client with a counter of its clicks above the board; `clocked` counts the clicks on that."""

    def __init__(self, kind: Kind) -> None:
        self.clocked = self._count = 0
        super().__init__(kind)
        self._clock = Region(self.area.right - 44, self.area.y - 46, 40, 20)

    def draw_over(self, whole: Image) -> None:
        super().draw_over(whole)
        fill(whole, self._clock, 20)
        say(whole, self._clock, f"{self._count:03}", (60, 60, 250))

    def click(self, at: Point, button: Button = "left", hold_s: float = 0.0) -> None:
        self.clocked += at in self._clock
        self._count += at in self.area
        super().click(at, button, hold_s)


class AwaitingDesktop(TrapDesktop):
    """A client whose game goes on until every mine is flagged, in which a click on one of them loses it."""

    def __init__(self) -> None:
        kind = replace(Kind.of(16), restart="ctrl+r", end="flags", traps=frozenset[str](), covers=False)
        super().__init__(replace(kind, moves=False, holds=False, goes_on=False, mines=(11,)))

    def _click_board(self, at: Point, button: Button) -> None:
        cell = self.cell_at(at)
        if self._awaits_flags and button == "left" and cell is not None and self.shown()[cell] == State.HIDDEN:
            self.harm.append(f"a mine at {cell}")
        super()._click_board(at, button)


def test_a_game_that_awaits_flags_is_not_lost_by_a_try() -> None:
    """A board that may not be over for its client is clicked on an open cell, to see whether that begins a new game."""
    desktop = AwaitingDesktop()
    learned = learn(desktop, 4)
    assert desktop.harm == []
    assert learned.stuck is None
    assert "won" in desktop.ends


class CongratulatingDesktop(AwaitingDesktop):
    """The same, which tells of an end in a window of its own, and begins anew once that is closed by Enter."""

    def __init__(self) -> None:
        super().__init__()
        self.kind = replace(self.kind, restart="")
        self.windows = FakeWindows(self)

    def _click_board(self, at: Point, button: Button) -> None:
        if not self.windows.in_front:
            super()._click_board(at, button)
        if self.game.over and not self._awaits_flags:
            self.windows.in_front = [Window(20, self.area.grown(-30), owner=CLIENT)]

    def press(self, key: str) -> None:
        self.pressed.append(key)
        if key == "enter" and self.windows.in_front:
            self.windows.in_front, self.windows.keyboard = [], CLIENT
            self._deal()


def test_what_the_last_flag_brings_up_is_closed_before_another_way_is_tried() -> None:
    """A window that comes up once every mine is flagged is answered, and only that begins the next game."""
    desktop = CongratulatingDesktop()
    learned = learn(desktop, 4, windows=desktop.windows)
    assert "won" in desktop.ends
    assert learned.stuck is None
    assert {way.key for way in learned.behaviour.restart} <= {"enter"}
