"""Telling the looks of an unknown client's cells apart: changes by themselves, redrawings, covers."""

from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from numpy.typing import NDArray

from sweepbot.behaviour import Settle
from sweepbot.board import Phase, State, neighbours
from sweepbot.calibrate.confusion import without_doubtful
from sweepbot.calibrate.labels.looks import PatchStore, same_figure
from sweepbot.calibrate.labels.marks import own_looks
from sweepbot.calibrate.learned import Label
from sweepbot.calibrate.live.board_tracker import looks_untouched
from sweepbot.calibrate.live.times import Times
from sweepbot.calibrate.live.touch import Touch
from sweepbot.calibrate.writing.write import write
from sweepbot.clock import VirtualClock
from sweepbot.control.client_window import ClientWindow
from sweepbot.control.controls import Controls
from sweepbot.desktop.desk import Desk
from sweepbot.desktop.mouse import Button
from sweepbot.desktop.screen import Frame
from sweepbot.geometry import Cell, Image, Point, Region
from sweepbot.level import Level
from sweepbot.sessions.settings import PlaySettings
from sweepbot.vision.calibration import STATE_NAMES, load_calibration
from sweepbot.vision.grid import Grid
from tests.nightly import at_night
from tests.playing import Bot
from tests.skins import HoveringDesktop, Skin, SkinDesktop, fill, learn, looks, mislabelled, part
from tests.trap_clients import Kind, TrapDesktop

if TYPE_CHECKING:
    from sweepbot.game import Game

FIXTURES = Path(__file__).parent.parent / "fixtures"


def test_a_row_of_ones_is_not_a_fresh_board() -> None:
    """Cells of two looks are a fresh board where they alternate, not where one look may be a 1 beside zeros."""
    cells = {colour: np.full((20, 20, 3), colour, dtype=np.uint8) for colour in (170, 190)}
    place = Grid.uniform((0, 0), (20, 20), 9, 9)

    def board(colour: Callable[[int, int], int]) -> Image:
        return np.vstack([np.hstack([cells[colour(row, column)] for column in range(9)]) for row in range(9)])

    assert looks_untouched(board(lambda _row, _column: 170), place)
    assert looks_untouched(board(lambda row, column: 190 if (row + column) % 2 else 170), place)
    assert not looks_untouched(board(lambda row, _column: 190 if row == 4 else 170), place)


class Film:
    """A screen that shows one picture after another, each for some looks and the last one for ever."""

    region = Region(0, 0, 900, 900)

    def __init__(self, *pictures: tuple[int, int]) -> None:
        self._looks = [shade for shade, looks in pictures for _ in range(looks)]

    def grab(self, region: Region | None = None) -> Frame:
        shade = self._looks.pop(0) if len(self._looks) > 1 else self._looks[0]
        return Frame(np.full((4, 4, 3), shade, dtype=np.uint8), region or self.region)


@pytest.mark.parametrize(("looks", "rested"), [(1, False), (45, True)])
def test_a_picture_before_a_cover_must_have_rested(looks: int, *, rested: bool) -> None:
    """What was visible before a cover came up counts as at rest only if it stayed for more than a moment."""
    film = Film((10, 1), (20, 1), (30, looks), (200, 1))
    desk = Desk(film, SkinDesktop(Skin.of(4), Level.parse("9x9/12")), clock=VirtualClock())
    touch = Touch(Controls(desk, ClientWindow(desk), Settle(0, 0, 0)), Times(quiet=0.3), Region(0, 0, 4, 4))
    touch.is_clear = lambda image: bool(image.max() < 100)
    touch.look()
    seen = touch.seen
    assert (int(seen.image.max()), int(seen.uncovered.max()), seen.rested) == (200, 30, rested)


class BlankedDesktop(SkinDesktop):
    """A client that shows its mines as open zeros once a game is over."""

    def shown(self) -> NDArray[np.uint8]:
        cells = super().shown()
        if self.game.over:
            for cell in self.game.mines:
                cells[cell] = 0
        return cells


def test_a_win_gives_the_mines() -> None:
    """Where the end of a game shows nonsense, its mines are the cells left after the last safe one."""
    desktop = BlankedDesktop(Skin.of(3), Level.parse("9x9/8"))
    learned = learn(desktop, 8)
    assert learned.levels == {"calibrated": "9x9/8"}
    assert mislabelled(desktop, learned) == []


@pytest.mark.parametrize("kind", [SkinDesktop, HoveringDesktop])
def test_hovering_is_observed(kind: type[SkinDesktop]) -> None:
    """A change under the pointer is detected, and its looks are labelled as nothing."""
    desktop = kind(Skin.of(4), Level.parse("9x9/12"))
    times = Times(quiet=0, limit=0.01, flash=0)
    learned = learn(desktop, 3, times)
    assert any(times.hovers) == (kind is HoveringDesktop)
    assert mislabelled(desktop, learned) == []


class FadingDesktop(SkinDesktop):
    """A client that once shows a half faded-in number for so long that it seems to rest."""

    def __init__(self, skin: Skin, level: Level) -> None:
        super().__init__(skin, level)
        self._fading: Cell | None = None
        self._game_of = self.game

    def draw_over(self, whole: Image) -> None:
        ones = np.argwhere(self.shown() == 1)
        if self._fading is None and len(ones):
            self._fading, self._game_of = Cell(int(ones[0][0]), int(ones[0][1])), self.game
        if self._fading is not None and self.game is self._game_of:
            hidden = self.skin.cell(State.HIDDEN, self._fading, 9).astype(np.int16)
            fill(whole, self.pixels(self._fading), np.clip(hidden + 9, 0, 255).astype(np.uint8))


def test_a_half_faded_number_is_not_labelled() -> None:
    """A look that only one cell has shown of a number is no picture of that number."""
    desktop = FadingDesktop(Skin.of(3), Level.parse("9x9/12"))
    learned = learn(desktop, 8)
    assert "1" in looks(learned)
    assert mislabelled(desktop, learned) == []


class TellingDesktop(SkinDesktop):
    """A client that shows every number after a loss, even those never seen before."""

    def shown(self) -> NDArray[np.uint8]:
        cells = super().shown()
        if (cells == State.EXPLODED).any():
            around = neighbours(*cells.shape)
            for row, column in np.argwhere(cells == State.HIDDEN):
                cell = Cell(int(row), int(column))
                cells[cell] = sum(other in self.game.mines for other in around[cell])
        return cells


def test_numbers_shown_after_a_loss_are_not_mines() -> None:
    """Where a loss shows all numbers, none is taken for a mine or left out."""
    seeds = [seed for seed in range(100) if Skin.of(seed).shows_mines and not Skin.of(seed).gradient][:2]
    for seed in seeds:
        desktop = TellingDesktop(Skin.of(seed), Level.parse("9x9/12"))
        learned = learn(desktop, 8)
        assert looks(learned).keys() >= {"0", "1", "2", "3", "mine"}, seed
        assert mislabelled(desktop, learned) == [], seed


def test_a_picture_belongs_to_one_state() -> None:
    """A second picture that two states share is dropped; where it is the first of both, both states are."""
    skin = Skin.of(4)
    one, two, hidden = (skin.cell(state, Cell(0, 0), 9) for state in (1, 2, State.HIDDEN))
    faded = np.clip(hidden.astype(np.int16) + 2, 0, 255).astype(np.uint8)
    labels = [Label("1", [one, faded], ""), Label("2", [two], ""), Label("hidden", [hidden], "")]
    kept = without_doubtful(labels)
    assert [(label.state, len(label.pictures)) for label in kept] == [("1", 1), ("2", 1), ("hidden", 1)]
    assert kept[0].pictures[0] is one
    assert [label.state for label in without_doubtful([*labels, Label("mine", [two], "")])] == ["1", "hidden"]


class RedrawingDesktop(SkinDesktop):
    """A client that redraws every number at each click, alternately a pixel higher."""

    def draw_over(self, whole: Image) -> None:
        numbers = (self.shown() > 0) & (self.shown() < State.HIDDEN)
        for place in np.argwhere(numbers) if len(self.clicks) % 2 else ():
            inner = part(whole, self.pixels(Cell(*place), rim=3))
            inner[:-1] = inner[1:].copy()


def test_numbers_that_move_by_a_pixel_stay_the_same() -> None:
    """Where text moves by a pixel at each redrawing, games go on, and flags and mines are learned."""
    skin = next(skin for skin in map(Skin.of, range(100)) if skin.shows_mines and not skin.gradient and skin.pitch > 30)
    desktop = RedrawingDesktop(skin, Level.parse("9x9/10"))
    learned = learn(desktop, 4)
    labels = looks(learned)
    assert labels.keys() >= {"0", "1", "2", "flag", "mine"}
    assert learned.levels == {"calibrated": "9x9/10"}
    assert all(len(labels[number]) > 1 for number in "12")


def test_a_moved_figure_is_told_from_another() -> None:
    """A number moved by a pixel is the same; another ground, figure or stroke makes another look."""
    skin = next(skin for skin in map(Skin.of, range(100)) if not skin.gradient and skin.pitch > 30)
    cells = {state: skin.cell(state, Cell(0, 0), 9) for state in (0, 1, 2, 3, State.HIDDEN)}
    assert same_figure(cells[2], np.roll(cells[2], 1, axis=0))
    assert same_figure(cells[2], cells[2])
    others = [cells[0], cells[1], cells[3], cells[State.HIDDEN], cells[2] // 2, np.roll(cells[2], 4, axis=1)]
    assert not any(same_figure(cells[2], other) for other in others)
    flag, wrong = (Skin.of(28).cell(state, Cell(0, 0), 9) for state in (State.FLAG, State.WRONG_FLAG))
    assert not same_figure(flag, wrong)


class ShiftedFlagsDesktop(SkinDesktop):
    """A client that flags the rest of a won board a pixel beside the usual place."""

    def draw_over(self, whole: Image) -> None:
        if self.game.phase is Phase.WON:
            for place in np.argwhere((self.shown() == State.FLAG) & ~self._flagged):
                inner = part(whole, self.pixels(Cell(*place), rim=4))
                inner[:-1] = inner[1:].copy()


def test_flags_moved_by_a_pixel_are_not_mines() -> None:
    """What a won board shows in place of its mines is a flag wherever in the cell it is drawn."""
    desktop = ShiftedFlagsDesktop(Skin.of(9), Level.parse("9x9/8"))
    learned = learn(desktop, 8)
    assert "flag" in looks(learned)
    assert mislabelled(desktop, learned, "mine") == []


def test_a_dimmed_hidden_cell_is_not_a_mine() -> None:
    """What may be a dimmed hidden cell after a win is not learned as a mine."""
    desktop = TrapDesktop(Kind.of(309))
    assert desktop.kind.end == "dimmed"
    assert mislabelled(desktop, learn(desktop, 8), dims=True) == []


def test_the_place_of_a_board_that_moved_is_not_an_exploded_mine() -> None:
    """Where a loss moves the board away, what is then under the last click is no cell."""
    desktop = TrapDesktop(Kind.of(409))
    assert desktop.kind.moves
    learned = learn(desktop, 8)
    assert mislabelled(desktop, learned) == []


class ShadedDesktop(SkinDesktop):
    """A client that draws a cell slightly darker after a flag was removed from it."""

    def draw_over(self, whole: Image) -> None:
        for cell in self.marked:
            if self.game.board.cells[cell] == State.HIDDEN:
                inner = part(whole, self.pixels(cell, rim=3))
                inner[:] = np.maximum(inner, 20) - 20

    def click(self, at: Point, button: Button = "left", hold_s: float = 0.0) -> None:
        super().click(at, button, hold_s)
        if button == "right" and (cell := self.cell_at(at)) is not None:
            self.marked.add(cell)

    @cached_property
    def marked(self) -> set[Cell]:
        return set()


def test_a_darker_hidden_cell_is_not_a_question_mark() -> None:
    """The look after a second right click is a question mark only if a third restores the first look."""
    skins = (skin for skin in map(Skin.of, range(100)) if not (skin.question_marks or skin.gradient))
    desktop = ShadedDesktop(next(skin for skin in skins if _flag_levels(skin) > 64), Level.parse("9x9/8"))
    learned = learn(desktop, 4)
    assert desktop.marked
    assert {"flag", "question"} & looks(learned).keys() == {"flag"}


def test_specks_are_ignored() -> None:
    """A few slightly different pixels are the same picture; a faint stroke is another."""
    patches, cell = PatchStore(), np.full((36, 36, 3), 120, dtype=np.uint8)
    number = patches.number(cell)
    specks, stroke = cell.copy(), cell.copy()
    specks[10, 10:14] = 125
    stroke[10, 5:30] = 125
    assert patches.number(specks) == number
    assert patches.number(stroke) != number


class ConfusedDesktop(SkinDesktop):
    """A client that shows wrong numbers in its first game, as if it was looked at too early."""

    def __init__(self, skin: Skin, level: Level) -> None:
        self._first: Game | None = None
        super().__init__(skin, level)
        self._first = self.game

    def shown(self) -> NDArray[np.uint8]:
        cells = super().shown()
        if self.game is self._first:
            made_up = np.indices(cells.shape).sum(axis=0) % 3 + 1
            cells = np.where((cells < State.HIDDEN) & (cells > 0), made_up, cells).astype(np.uint8)
        return cells


def test_a_client_that_contradicts_the_rules_is_given_more_time() -> None:
    """After a game that makes no sense every picture is waited for longer."""
    desktop = ConfusedDesktop(replace(Skin.of(4), face=True), Level.parse("9x9/12"))
    times = Times(quiet=0.004, limit=0, flash=0.02)
    learned = learn(desktop, 4, times)
    assert times.quiet == pytest.approx(0.006)
    assert mislabelled(desktop, learned) == []


class BoxedDesktop(SkinDesktop):
    """A client that puts a box over the middle of a lost board, and may dim the rest."""

    def __init__(self, skin: Skin, *, dims: bool) -> None:
        super().__init__(skin, Level.parse("12x10/20"))
        self._dims = dims

    def draw_over(self, whole: Image) -> None:
        if self.game.phase is Phase.LOST:
            whole //= 1 + self._dims
            middle, pitch = self.area.centre, self.skin.pitch
            box = Region(middle.x - 2 * pitch, middle.y - pitch // 2, 4 * pitch, 2 * pitch)
            fill(whole, box, (30, 20, 20))


@pytest.mark.parametrize(("seed", "dims"), [(4, False), *at_night((1, True), (9, True))])
def test_mines_beside_a_box_are_learned(seed: int, *, dims: bool) -> None:
    """Where a box stays in front of lost games, the mines beside it are learned if they are shown at all."""
    desktop = BoxedDesktop(Skin.of(seed), dims=dims)
    learned = learn(desktop, 10)
    labels = looks(learned)
    ends = {state: labels.pop(state) for state in ("mine", "exploded") if state in labels}
    assert ("mine" in ends) == desktop.skin.shows_mines
    assert mislabelled(desktop, learned, *labels) == []
    drawn = {
        state: [desktop.skin.cell(STATE_NAMES[state], cell, 10) // (1 + dims) for cell in (Cell(0, 0), Cell(0, 1))]
        for state in ends
    }
    for state, pictures in ends.items():
        assert all(any(np.array_equal(one, other) for other in drawn[state]) for one in pictures), state


def test_another_ground_is_not_another_state() -> None:
    """A look that differs from a state's usual one only in its ground belongs to no other state."""
    patches = PatchStore()
    pictures = [np.full((20, 20, 3), shade, dtype=np.uint8) for shade in (90, 104, 90)]
    for picture, ink in zip(pictures, (10, 10, 240), strict=True):
        picture[6:14, 6:14] = ink
    usual, paler, hit = map(patches.number, pictures)
    assert own_looks(patches, {paler: 3, hit: 1}, [usual]) == {hit: 1}
    assert own_looks(patches, {paler: 3}, []) == {paler: 3}


def _flag_levels(skin: Skin) -> int:
    """The largest difference between a flag and a hidden cell, in grey levels."""
    flag, hidden = (skin.cell(state, Cell(0, 0), 9).astype(np.int16) for state in (State.FLAG, State.HIDDEN))
    return int(np.abs(flag - hidden).max())


class FaintDesktop(SkinDesktop):
    """A client that marks cells only by a tint."""

    def draw_over(self, whole: Image) -> None:
        for place in np.argwhere(self._game.board.cells == State.FLAG):
            face = self.skin.cell(State.HIDDEN, Cell(*place), 9)
            face[4:-4, 4:-4, 0] += 18
            fill(whole, self.pixels(Cell(*place)), face)


def test_a_flag_that_hardly_differs_is_left_out() -> None:
    """A flag that is almost a hidden cell is left out and reported; all looks of hidden cells are kept."""
    seed = next(seed for seed in range(100) if Skin.of(seed).hidden[0][0] < 200 and not Skin.of(seed).question_marks)
    desktop = FaintDesktop(Skin.of(seed), Level.parse("9x9/12"))
    learned = learn(desktop, 6)
    labels = looks(learned)
    assert "flag" not in labels
    assert {"hidden", "0", "1", "2"} <= labels.keys()
    assert mislabelled(desktop, learned) == []
    assert "flag: it looks almost like a hidden cell" in learned.open_questions


class CastingDesktop(SkinDesktop):
    """A client whose hidden cells cast a faint shadow on the cell below."""

    def draw_over(self, whole: Image) -> None:
        for row, column in np.argwhere(self.shown() >= State.HIDDEN):
            cell = self.pixels(Cell(int(row), int(column)))
            shadow = part(whole, Region(cell.x, cell.bottom, cell.width, cell.height // 6))
            shadow[:] = np.maximum(shadow, 6) - 6


@pytest.mark.parametrize("seed", [2, *at_night(5, 6)])
def test_a_shadow_is_not_part_of_a_look(seed: int, tmp_path: Path) -> None:
    """The shadow of a hidden cell on its neighbour does not change the neighbour's look."""
    desktop = CastingDesktop(replace(Skin.of(seed), gradient=0), Level.parse("9x9/10"))
    learned = learn(desktop, 10)
    assert learned.stuck is None
    assert set("0123") <= looks(learned).keys()
    folder = write(learned, tmp_path / "shaded", "casts shadows", force=False).path.parent
    Bot(desktop, desktop, load_calibration(folder), tmp_path, settings=PlaySettings(games=3)).finish(3)


def test_a_mine_after_which_play_goes_on_is_not_a_number(tmp_path: Path) -> None:
    """An exploded mine may agree with a number in several games, but is not learned as one."""
    desktop = TrapDesktop(Kind.of(25))
    learned = learn(desktop, 8)
    assert desktop.kind.goes_on
    assert "3" in looks(learned)
    assert mislabelled(desktop, learned) == []
    write(learned, tmp_path / "mine", "a kind", force=False)


def test_the_commonest_rim_comes_first() -> None:
    """Of cells that differ only in their rims the commonest picture is kept first, then those at the sides."""
    cells = np.full((4, 4, 40, 40, 3), 255, dtype=np.uint8)
    cells[:, 1:, :, :1] = cells[1:, :, :1] = 170
    patches = PatchStore()
    assert patches.numbers(cells).tolist() == [[0] * 4] * 4
    kept = [patches[0], *patches.variants(0)]
    assert [picture.tobytes() for picture in kept] == [cells[at].tobytes() for at in ((1, 1), (0, 1), (1, 0))]


class FramedDesktop(SkinDesktop):
    """A client that frames the cell clicked last, even on the next board."""

    framed: Cell | None = None

    def draw_over(self, whole: Image) -> None:
        if self.framed is not None:
            frame, inside = (part(whole, self.pixels(self.framed, rim=rim)) for rim in (3, 4))
            kept = inside.copy()
            frame[:] = np.maximum(frame, 18) - 18
            inside[:] = kept

    def click(self, at: Point, button: Button = "left", hold_s: float = 0.0) -> None:
        super().click(at, button, hold_s)
        if button == "left":
            self.framed = self.cell_at(at) or self.framed


@pytest.mark.parametrize("seed", [21, *at_night(22)])
def test_a_frame_around_the_last_click_is_ignored(seed: int) -> None:
    """A number with a frame is the same number, and a new board with one framed cell is a new board."""
    learned = learn(FramedDesktop(Skin.of(seed), Level.parse("9x9/10")), 4)
    assert learned.stuck is None
    assert looks(learned).keys() >= {"0", "1", "2", "3", "hidden", "flag", "mine"}
