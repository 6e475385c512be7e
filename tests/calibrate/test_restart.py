"""Beginning new games of unknown clients: what is tried, in which order, and what is never touched."""

from collections.abc import Callable, Iterable
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest
from click.testing import CliRunner
from numpy.typing import NDArray

from sweepbot.behaviour import Restart
from sweepbot.board import Phase, State
from sweepbot.calibrate.seeing.surroundings import Surroundings
from sweepbot.cli.calibrate import command
from sweepbot.clock import VirtualClock
from sweepbot.desktop.desk import Desk
from sweepbot.desktop.mouse import Button
from sweepbot.desktop.windows import Window
from sweepbot.errors import ClientGoneError, StuckError, SweepbotError
from sweepbot.geometry import Image, Point, Region
from sweepbot.level import FirstClick, Level
from sweepbot.sessions.settings import PlaySettings
from sweepbot.vision.calibration import load_calibration
from sweepbot.vision.grid import Grid
from sweepbot.vision.reader import unknown_client
from tests.learning import WORDS, learn, mislabelled
from tests.nightly import at_night, by_turns
from tests.playing import Bot
from tests.standins.fake_windows import CLIENT, FakeWindows
from tools.drawing.skins import Skin, SkinDesktop, draw_button, fill, say
from tools.drawing.trap_clients import TRAPS, Kind, TrapDesktop

FACELESS = replace(Skin.of(3), face=False)


@pytest.mark.parametrize("seed", [506, 517])
def test_one_of_several_like_buttons_is_not_clicked(seed: int) -> None:
    """A button with others like it in its row is not clicked; a bar as wide as the window is not like it."""
    desktop = TrapDesktop(Kind.of(seed))
    learn(desktop, 3)
    assert desktop.harm == []


class OneGameDesktop(SkinDesktop):
    """A client on which nothing begins a second game."""

    def press(self, key: str) -> None:
        pass


def test_what_one_game_taught_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no new game can be begun, what was learned is written with a note, and the exit code is "stuck"."""
    desktop = OneGameDesktop(FACELESS, Level.parse("9x9/8"))
    desk = Desk(desktop, desktop, clock=VirtualClock())
    monkeypatch.setattr("sweepbot.cli.calibrate.open_desktop", lambda _: nullcontext(desk))
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
    desktop = SilentDesktop(FACELESS, Level.parse("9x9/5"))
    learn(desktop, 1)
    assert desktop.game.phase is Phase.WON


def test_clicks_stay_on_the_board_and_the_restart() -> None:
    """Nothing but cells and the face above them is clicked, and after the last game a new board is left behind."""
    desktop = SkinDesktop(Skin.of(7), Level.parse("9x9/12"))
    learn(desktop, 4)
    assert all(click in desktop.area or click in desktop.face for click in desktop.clicks)
    assert (desktop.shown() == State.HIDDEN).all()


class CountingDesktop(SkinDesktop):
    """A client that shows nothing at the end of a game, and counts those that it has dealt."""

    dealt = 0

    def _deal(self) -> None:
        self.dealt += 1
        super()._deal()


@pytest.mark.parametrize("grey", by_turns([228, 40], one_in=2))
def test_a_won_board_whose_zeros_look_hidden_is_no_new_game(grey: int) -> None:
    """Where a zero is told only by its change, the board of a game that was won is left, and the next ones played."""
    hidden, opened, ground = ((grey - darker,) * 3 for darker in (0, 9, 20))
    flat = replace(FACELESS, pitch=40, gap=2, bevel=0, gradient=0, hidden=(hidden, hidden), opened=(opened, opened))
    skin = replace(flat, ground=ground, digits=((250 - grey,) * 3,) * 8, shows_mines=False, flags_on_win=False)
    desktop = CountingDesktop(skin, Level.parse("9x9/6"))
    learned = learn(desktop, 3)
    assert learned.stuck is None
    assert desktop.dealt == 4


class MovingDesktop(SkinDesktop):
    """A desktop that moves everything down while a game is over, as a message on a page does."""

    drawn_by = ("game.over",)

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


class PushedDesktop(SkinDesktop):
    """A client whose only control is a word below the board, which is pushed aside by a game's end."""

    drawn_by = ("game.over",)

    @property
    def button(self) -> Region:
        more = 20 * self.game.over
        return Region(self.area.x + 4 * more, self.area.bottom + 5 + more, 110 + more, 20)

    def draw_over(self, whole: Image) -> None:
        fill(whole, Region(self.area.x, self.area.bottom + 3, self.area.width, 60), 210)
        say(whole, self.button, "Restart", (20, 20, 20))

    def click(self, at: Point, button: Button = "left", hold_s: float = 0.0) -> None:
        is_pressed = at in self.button
        super().click(at, button, hold_s)
        if is_pressed:
            self._deal()

    def press(self, key: str) -> None:
        self.pressed.append(key)


@WORDS
def test_a_control_that_the_end_has_pushed_aside_is_clicked() -> None:
    """A control that was there all along begins the next game, though the end of one has moved it."""
    desktop, told = PushedDesktop(FACELESS, Level.parse("9x9/12")), list[str]()
    learned = learn(desktop, 2, tell=told.append)
    assert learned.stuck is None
    assert any("as its words say so" in text for text in told)


class WaitingDesktop(PushedDesktop):
    """A client that shows its board, but opens no cell until its button is clicked."""

    is_on = False
    begun = 0

    def click(self, at: Point, button: Button = "left", hold_s: float = 0.0) -> None:
        self.begun += at in self.button
        self.is_on = (self.is_on or at in self.button) and not self.game.over
        self.dead = not self.is_on
        super().click(at, button, hold_s)


@WORDS
def test_a_board_that_waits_for_its_button_is_begun() -> None:
    """Where no cell of a fresh board opens, what alone says that it begins a game is clicked, each time."""
    desktop = WaitingDesktop(FACELESS, Level.parse("9x9/12"))
    learned = learn(desktop, 2)
    assert learned.stuck is None
    assert desktop.begun == 4  # two games are begun, and after each another one is dealt


class TwoStartsDesktop(WaitingDesktop):
    """One with a second button, which begins something else."""

    strayed = 0

    @property
    def button(self) -> Region:
        return Region(self.area.x, self.area.bottom + 5, 60, 20)

    @property
    def other(self) -> Region:
        return Region(self.area.x, self.area.bottom + 31, 120, 20)

    def draw_over(self, whole: Image) -> None:
        fill(whole, Region(self.area.x, self.area.bottom + 3, self.area.width, 60), 210)
        draw_button(whole, self.button, "Start")
        draw_button(whole, self.other, "Start online")

    def click(self, at: Point, button: Button = "left", hold_s: float = 0.0) -> None:
        self.strayed += at in self.other
        super().click(at, button, hold_s)


@WORDS
def test_of_two_buttons_that_say_so_the_one_that_says_no_more_is_clicked() -> None:
    """A board that waits is begun by what only says that it begins a game, though more is said to begin something."""
    desktop = TwoStartsDesktop(FACELESS, Level.parse("9x9/12"))
    assert learn(desktop, 1).stuck is None
    assert (desktop.begun > 0, desktop.strayed) == (True, 0)


class StillFaceDesktop(SkinDesktop):
    """A client whose only way to a new game is a face that always smiles, or something as yellow that is none."""

    drawn_by = ()

    def __init__(self, *, is_round: bool) -> None:
        self.is_round = is_round
        super().__init__(replace(FACELESS, face=True), Level.parse("9x9/12"))

    def draw_over(self, whole: Image) -> None:
        middle, yellow = self.face.centre, (60, 210, 230)
        fill(whole, self.face, self.skin.ground)
        if self.is_round:
            cv2.circle(whole, (middle.x, middle.y), 13, yellow, -1)
        else:
            fill(whole, self.face, yellow)
        for x, y in ((-4, -4), (4, -4), (0, 6)):
            cv2.circle(whole, (middle.x + x, middle.y + y), 2, (20, 20, 20), -1)

    def press(self, key: str) -> None:
        self.pressed.append(key)


@pytest.mark.parametrize("is_round", [True, False])
def test_a_face_that_stays_the_same_is_clicked_and_nothing_else_that_is_yellow(is_round: bool) -> None:  # noqa: FBT001
    """A round yellow face over the board begins a game though it never changes; what is only yellow may not."""
    desktop = StillFaceDesktop(is_round=is_round)
    learned = learn(desktop, 2)
    assert (learned.stuck is None) is is_round
    assert any(click in desktop.face for click in desktop.clicks) is is_round


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
    desktop = RefittedDesktop(FACELESS, Level.parse("9x9/12"))
    learned = learn(desktop, 2)
    assert learned.stuck is None
    assert [way.key for way in learned.behaviour.restart] == ["f2"]


class LeadingAwayDesktop(SkinDesktop):
    """A client that a key leads away from its game: to another program, to a menu, or to another level."""

    drawn_by = ("has_left",)

    def __init__(self, key: str, to: str) -> None:
        self._key, self._to = key, to
        self.clicks_by_then = 0
        super().__init__(FACELESS, Level.parse("9x9/12"))
        noise = np.random.default_rng(5).integers(0, 256, self._image.shape[:2], dtype=np.uint8)
        self._other_program = np.repeat(noise[:, :, None], 3, axis=2)

    @property
    def has_left(self) -> bool:
        return self._key in self.pressed

    def draw_over(self, whole: Image) -> None:
        if self.has_left and self._to == "another program":
            whole[:] = self._other_program
        elif self.has_left and self._to == "a menu":
            fill(whole, self.area, 220)
            for number in range(3):
                fill(whole, Region(self.area.x + 20, self.area.y + 10 + 30 * number, 80, 20), (60, 90, 30))

    def press(self, key: str) -> None:
        self.pressed.append(key)
        self.clicks_by_then = len(self.clicks)
        if key == self._key and self._to == "a level":
            self._level = Level.parse("10x9/12")
            self._deal()
            self._shown = np.full((9, 10), State.UNKNOWN, dtype=np.uint8)


@pytest.mark.parametrize(
    ("key", "to", "kind", "says"),
    [
        ("f2", "another program", ClientGoneError, "the key f2 has made the client disappear"),
        *at_night(
            ("ctrl+r", "another program", ClientGoneError, "the key ctrl+r has made the client disappear"),
            ("n", "another program", ClientGoneError, "the key n has made the client disappear"),
        ),
        ("ctrl+n", "a menu", StuckError, ""),
        ("n", "a level", StuckError, "10x9 cells"),
    ],
)
def test_after_a_key_that_leads_away_nothing_is_pressed(
    key: str, to: str, kind: type[SweepbotError], says: str
) -> None:
    """What has come in place of the game gets neither keys nor clicks, and the key is not written down as a restart."""
    desktop = LeadingAwayDesktop(key, to)
    learned = learn(desktop, 3)
    assert isinstance(learned.stuck, kind)
    assert says in str(learned.stuck)
    assert desktop.pressed[-1] == key
    assert len(desktop.clicks) == desktop.clicks_by_then
    assert learned.behaviour.restart == ()


def shown() -> tuple[Image, Region, Callable[[Image], Surroundings]]:
    """A client's picture, where its board is, and what is around that in the picture of an ended game."""
    desktop = SkinDesktop(FACELESS, Level.parse("9x9/12"))
    image, board = desktop.grab().image.copy(), desktop.area
    place = Grid.uniform((board.x, board.y), (desktop.skin.pitch,) * 2, 9, 9)
    return image, board, lambda ended: Surroundings(ended, image, image, image, place, desktop.region)


@WORDS
def test_a_button_within_a_bar_is_found() -> None:
    """A bar with a text and a button is no button; the button inside it is clicked."""
    image, board, around = shown()
    bar = Region(board.x, board.y - 50, board.width, 40)
    button = Region(bar.right - 90, bar.y + 5, 80, 30)
    for shape, level in ((bar, 90), (bar.grown(-1), 160)):
        fill(image, shape, level)
    draw_button(image, button, "Restart")
    image[bar.y + 15 : bar.y + 27, bar.x + 10 : bar.x + 60 : 4] = 0
    found = around(image).named()
    assert [thing.centre in button for thing in found] == [True]


def test_a_face_whose_eyes_and_mouth_change_apart_is_one_thing() -> None:
    """Two strokes of one size, one above the other over the board's middle, are not two of several alike."""
    played, board, around = shown()
    face = Region(board.centre.x - 14, board.y - 48, 28, 28)
    fill(played, face, 220)
    ended = played.copy()
    for image, level in ((played, 0), (ended, 255)):
        for y in (face.y + 6, face.y + 17):
            fill(image, Region(face.x + 7, y, 14, 4), level)
            image[y + 1, face.x + 9 : face.right - 9] = 120
    found = around(ended).changed()
    assert [thing.centre in face for thing in found] == [True]


@pytest.mark.parametrize("off_px", [0, 60])
def test_a_face_is_tried_although_a_counter_in_its_row_has_changed_too(off_px: int) -> None:
    """It stands over the middle of the board; of other things alike in a row none is."""
    played, board, around = shown()
    face = Region(board.centre.x - 14 + off_px, board.y - 48, 28, 28)
    ended = played.copy()
    for image, level in ((played, 60), (ended, 190)):
        for thing in (face, Region(board.x, board.y - 47, 24, 26)):
            fill(image, thing, 120)
            fill(image, thing.grown(-4), level)
            image[thing.centre.y, thing.x + 6 : thing.right - 6] = 0
    found = around(ended).changed()
    assert [thing.centre in face for thing in found] == ([] if off_px else [True])


@WORDS
@pytest.mark.parametrize(
    ("restart", "end", "later"), [("put up", "dimmed", {"ctrl+r", "f5"}), ("below", "plain", {"enter", "esc"})]
)
def test_a_button_that_says_so_is_clicked_before_keys_that_reload_or_close(
    restart: str, end: str, later: set[str]
) -> None:
    """Whether the end puts it in front of the dimmed board, or it is always there below the board."""
    desktop = TrapDesktop(replace(Kind.plain(restart, "esc quits", end=end), skin=FACELESS))
    learned = learn(desktop, 3)
    assert learned.stuck is None
    assert learned.behaviour.restart[0].click is not None
    assert desktop.harm == []
    assert not later & set(desktop.pressed)


@WORDS
@pytest.mark.parametrize("seed", by_turns([14, 16, 18, 19]))
def test_no_trap_is_touched(seed: int) -> None:
    """A restart is found without a click on a menu, level, link, switch or cross."""
    desktop = TrapDesktop(Kind.of(seed))
    learned = learn(desktop, 2)
    assert desktop.harm == []
    assert learned.stuck is None


class HeadingDesktop(TrapDesktop):
    """A client that restarts at a click on something above its board, off the middle.

    `restart` is `word` or `wide` (a button), as in `RESTARTS`; `traps` is what else is around the board.
    """

    def __init__(self, restart: str, traps: frozenset[str], *, at_left: bool) -> None:
        self._at_left = at_left
        super().__init__(Kind.plain(restart, *traps))

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
    desktop = TrapDesktop(Kind.plain("ctrl+r", "mode", "put up"))
    learned = learn(desktop, 3)
    assert desktop.harm == []
    assert learned.stuck is None
    assert learned.behaviour.restart == (Restart(key="ctrl+r"),)


@pytest.mark.parametrize(
    ("restart", "moves"), [("face", False), ("corner face", False), ("header", False), *at_night(("header", True))]
)
def test_what_looks_otherwise_at_the_end_is_clicked_first(restart: str, *, moves: bool) -> None:
    """A face, even off the middle, or a header that changes at the end restarts before any key is pressed."""
    desktop = ClockDesktop(Kind.plain(restart, *TRAPS, moves=moves))
    learned = learn(desktop, 3)
    assert learned.stuck is None
    assert [way.click is not None for way in learned.behaviour.restart] == [True]
    assert desktop.harm == []
    assert desktop.pressed == []
    assert desktop.clocked == 0


class ClockDesktop(TrapDesktop):
    """A client with a counter of its clicks above the board; `clocked` counts the clicks on that."""

    drawn_by = ("_ended", "_is_boxed", "_marks_only", "game.over", "_count")

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
        super().__init__(Kind.plain("ctrl+r", end="flags"))

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


class VaryingDesktop(SkinDesktop):
    """A client whose third game has more mines than the two before."""

    dealt = 0

    def _deal(self) -> None:
        self.dealt += 1
        self._level = Level(9, 9, 8 if self.dealt < 3 else 15)
        super()._deal()


def test_a_game_with_more_mines_than_those_before_is_played() -> None:
    """That the ends of two games agree in their total is no promise for the next, which is played to its end."""
    desktop = VaryingDesktop(Skin.of(3), Level(9, 9, 8))
    learned = learn(desktop, 4)
    assert learned.stuck is None
    assert desktop.dealt == 5


class AlertingDesktop(SkinDesktop):
    """A client whose first games are lost at once, behind a box that darkens the page, until enter.

    It counts the games that it has dealt, and the clicks on those that were over.
    """

    drawn_by = ("is_up",)
    dealt, wasted, is_up = 1, 0, False

    def draw_over(self, whole: Image) -> None:
        if self.is_up:
            whole[:] = whole * 0.4
            box = Region(self.area.centre.x - 90, self.area.y - 120, 180, 70)
            fill(whole, box, 250)
            say(whole, Region(box.x + 10, box.y + 8, 100, 20), "You lost!", (20, 20, 20))
            draw_button(whole, Region(box.right - 60, box.bottom - 34, 50, 24), "OK")

    def click(self, at: Point, button: Button = "left", hold_s: float = 0.0) -> None:
        self.wasted += at in self.area and self.game.over
        cell = self.cell_at(at)
        while self.dealt < 3 and self.game.phase is Phase.FRESH and cell is not None:
            self.game.open(cell)
            if not self.game.over:
                self._deal()
        if not self.is_up:
            super().click(at, button, hold_s)
            self.is_up = self.game.phase is Phase.LOST

    def press(self, key: str) -> None:
        self.is_up &= key != "enter"
        if key == "f2" and not self.is_up:
            self.dealt += 1
            self._deal()


def test_a_game_lost_at_once_behind_a_box_is_not_played_again(tmp_path: Path) -> None:
    """Where the first click loses, and a box darkens the board, the next one is another, and each is counted once."""
    skin = replace(FACELESS, first_click=FirstClick.NONE, shows_mines=True)
    desktop = AlertingDesktop(skin, Level(9, 9, 10))
    bot = Bot(desktop, desktop, unknown_client("new"), tmp_path, settings=PlaySettings(games=3))
    bot.play(3)
    assert desktop.dealt == 4
    assert desktop.wasted == 0
    assert [game.result for game in bot.results][:2] == ["lost", "lost"]
