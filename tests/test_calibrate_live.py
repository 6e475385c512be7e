"""Learning unknown clients in memory: from the first look to a calibration that reads what the game shows."""

import random
from collections import Counter
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from functools import cached_property
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from numpy.typing import NDArray

from sweepbot.board import Board, Phase, State, neighbours
from sweepbot.calibrate.buttons import buttons
from sweepbot.calibrate.check import check
from sweepbot.calibrate.learned import Label, Learned, undisplaced, undisputed, without_strays
from sweepbot.calibrate.learner import own_looks
from sweepbot.calibrate.live import calibrate_live, find_board
from sweepbot.calibrate.pictures import Album, same_figure
from sweepbot.calibrate.place import Image, find_places
from sweepbot.calibrate.table import looks_untouched
from sweepbot.calibrate.touch import Times, Touch
from sweepbot.calibrate.writing import scales_for, write, write_fixtures
from sweepbot.cli.calibrate import command
from sweepbot.demo.client import Client
from sweepbot.demo.memory import MemoryDesktop
from sweepbot.demo.templates import templates
from sweepbot.desktop.mouse import Button
from sweepbot.desktop.screen import Frame
from sweepbot.desktop.session import Desktop
from sweepbot.errors import CalibrationError, ClientGoneError, NoBoardFoundError, StuckError, UntrustedReadingError
from sweepbot.game import Game
from sweepbot.geometry import Cell, Point, Region
from sweepbot.level import FirstClick, Level
from sweepbot.player.guard import GuardedMouse
from sweepbot.vision.calibration import STATE_NAMES, load_calibration
from sweepbot.vision.grid import Grid
from sweepbot.vision.image import load_image
from sweepbot.vision.reader import Reader
from tests.skins import Skin, SkinDesktop, mislabelled

FIXTURES = Path(__file__).parent.parent / "fixtures"
AT_ONCE = Times(quiet=0, limit=0, flash=0)


def learn_demo(seed: int, kind: type[Game] = Game, *, question_marks: bool = True) -> Learned:
    """Learn the demo's client in memory, with this kind of game in it."""
    rng = random.Random(seed)
    level = Level.parse("beginner")
    client = Client(lambda: kind(level, FirstClick.SAFE, rng, question_marks=question_marks))
    desktop = MemoryDesktop(client)
    mouse = GuardedMouse(desktop.mouse, desktop.screen.region)
    place = find_board(desktop.screen, None)
    return calibrate_live(desktop.screen, mouse, place, max_games=15, times=AT_ONCE, tell=lambda _: None)


@pytest.fixture(scope="module")
def demo() -> Learned:
    """What was learned of the demo."""
    return learn_demo(1)


def test_the_demos_skin_is_learned(demo: Learned) -> None:
    """Every state that was learned of the demo is labelled as the demo draws it, to the last pixel."""
    drawn = templates()
    states = {label.state for label in demo.labels}
    assert states >= {"hidden", "0", "1", "2", "3", "flag", "question", "mine", "exploded", "wrong_flag"}
    for label in demo.labels:
        assert all(np.array_equal(picture, drawn[label.state]) for picture in label.pictures), label.state


def test_the_demos_manners_are_observed(demo: Learned) -> None:
    """The face begins a new game, the middle button chords, question marks are there, flags are not needed."""
    manners = demo.manners
    assert manners.restart[0].click is not None
    assert (manners.chord_button, manners.question_marks, manners.flags_to_win) == ("middle", True, False)
    assert demo.levels == {"calibrated": "9x9/10"}


def test_no_question_marks_are_observed() -> None:
    """Where a second right click takes the flag away again, none are learned."""
    learned = learn_demo(2, question_marks=False)
    assert not learned.manners.question_marks
    assert "question" not in {label.state for label in learned.labels}


class UnmarkedGame(Game):
    """A game that takes no flags, and flags its mines itself when it is won."""

    def mark(self, cell: Cell) -> None:
        """A right click does nothing."""


@pytest.mark.parametrize("seed", [1, 2])
def test_flags_that_only_a_won_game_shows_are_no_mines(seed: int) -> None:
    """Where no click sets a flag, what a won game shows for its mines is held against what a lost one shows."""
    drawn = templates()
    learned = learn_demo(seed, UnmarkedGame)
    assert {label.state for label in learned.labels} >= {"flag", "mine", "exploded"}
    for label in learned.labels:
        assert all(np.array_equal(picture, drawn[label.state]) for picture in label.pictures), label.state


def test_the_shipped_fixtures_are_not_misread(demo: Learned, tmp_path: Path) -> None:
    """With what was learned every cell of the demo's fixtures is read right, or refused where it was never met."""
    calibration = write(demo, tmp_path / "demo", "the demo", force=False)
    learned = {label.state for label in demo.labels}
    for text in sorted((FIXTURES / "demo").glob("*.txt")):
        truth = Board.parse(text.read_text(encoding="ascii"))
        seen = Reader(calibration).read(load_image(text.with_suffix(".png"))).board
        for cell in truth:
            state = truth[cell]
            name = str(state) if state < State.HIDDEN else State(state).name.lower()
            assert seen[cell] in (state, State.UNKNOWN), f"{text.name}: {cell}"
            assert name not in learned or seen[cell] == state, f"{text.name}: {cell}"


def test_its_own_fixtures_check_out(demo: Learned, tmp_path: Path) -> None:
    """The pictures recorded on the way are read as the rules said, and the check calls the calibration sound."""
    calibration = write(demo, tmp_path / "demo", "the demo", force=False)
    write_fixtures(demo.fixtures, tmp_path / "fixtures")
    done = check(calibration, tmp_path / "fixtures")
    assert done.sound
    assert sum(fixture.right for fixture in done.fixtures) > 0


def test_nothing_is_written_over(demo: Learned, tmp_path: Path) -> None:
    """A calibration that is there already stays as it is, unless it is to be replaced."""
    folder = tmp_path / "demo"
    folder.mkdir()
    (folder / "mine.txt").write_text("kept", encoding="ascii")
    with pytest.raises(CalibrationError, match="exists already"):
        write(demo, folder, "the demo", force=False)
    assert (folder / "mine.txt").read_text(encoding="ascii") == "kept"
    write(demo, folder, "the demo", force=True)
    assert not (folder / "mine.txt").exists()


@pytest.mark.parametrize("seed", [4, 6, 9, 13, 28, 36])
def test_skins_from_seeds_are_learned(seed: int) -> None:
    """Skins that nobody has seen are learned without a wrong label: bevelled, flat, graded and chequered ones."""
    desktop = SkinDesktop(Skin.of(seed), Level.parse("9x9/12"))
    mouse = GuardedMouse(desktop, desktop.region)
    place = find_board(desktop, None)
    learned = calibrate_live(desktop, mouse, place, max_games=15, times=AT_ONCE, tell=lambda _: None)
    pictures = {label.state: label.pictures for label in learned.labels}
    assert mislabelled(desktop, learned.place, pictures) == []
    assert pictures.keys() >= {"hidden", "0", "1", "2"}


def test_an_empty_desktop_has_no_board() -> None:
    """A picture without a board is refused, and nothing is clicked."""
    assert find_places(np.full((400, 500, 3), 90, dtype=np.uint8)) == []


def test_what_does_not_react_is_no_board() -> None:
    """Something that repeats itself like a board but never changes is refused after a few clicks inside it."""
    desktop = SkinDesktop(Skin.of(4), Level.parse("9x9/12"))
    desktop.dead = True
    place = find_board(desktop, None)
    with pytest.raises(NoBoardFoundError, match="change nothing"):
        calibrate_live(
            desktop, GuardedMouse(desktop, desktop.region), place, max_games=5, times=AT_ONCE, tell=lambda _: None
        )
    assert all(click in place.region for click in desktop.clicks)


def test_ones_alone_do_not_make_a_board_look_untouched() -> None:
    """Cells of two looks are untouched where they alternate, and not where one is a 1 beside what looks like a 0."""
    cells = {colour: np.full((20, 20, 3), colour, dtype=np.uint8) for colour in (170, 190)}
    place = Grid.uniform((0, 0), (20, 20), 9, 9)

    def board(colour: Callable[[int, int], int]) -> Image:
        return np.vstack([np.hstack([cells[colour(row, column)] for column in range(9)]) for row in range(9)])

    assert looks_untouched(board(lambda _row, _column: 170), place)
    assert looks_untouched(board(lambda row, column: 190 if (row + column) % 2 else 170), place)
    assert not looks_untouched(board(lambda row, _column: 190 if row == 4 else 170), place)


@pytest.mark.parametrize(("side", "scales"), [(70, (0.17, 3.5)), (20, (0.6, 3.5)), (16, (0.7, 3.75)), (12, (0.7, 4.0))])
def test_other_sizes_of_a_client_are_looked_for(side: int, scales: tuple[float, float]) -> None:
    """Cells of 12 to 60 pixels are within the scales of what was learned at another size, as far as scales may go."""
    assert scales_for((side, side)) == scales


class OpenDesktop(SkinDesktop):
    """A client whose boards have an open region from the start, at first one of more zeros than hidden cells."""

    def _deal(self) -> None:
        while True:
            super()._deal()
            cells = self._game.board.cells
            self._game.open(Cell(self._rng.randrange(cells.shape[0]), self._rng.randrange(cells.shape[1])))
            cells = self._game.board.cells
            zeros, hidden = ((cells == state).sum() for state in (0, State.HIDDEN))
            if not self._game.over and zeros > (0 if self.clicks else hidden):
                break


@pytest.mark.parametrize("seed", [20, 28])
def test_zeros_are_not_taken_for_hidden(seed: int) -> None:
    """Where most of a new board is open, a click that changes something tells which look is the hidden one."""
    desktop = OpenDesktop(Skin.of(seed), Level.parse("12x10/15"))
    mouse = GuardedMouse(desktop, desktop.region)
    learned = calibrate_live(desktop, mouse, find_board(desktop, None), max_games=15, times=AT_ONCE, tell=print)
    pictures = {label.state: label.pictures for label in learned.labels}
    assert mislabelled(desktop, learned.place, pictures) == []
    assert pictures.keys() >= {"hidden", "0", "1", "2", "flag"}
    assert learned.manners.starts_open


class OneGameDesktop(SkinDesktop):
    """A client on which nothing begins a second game."""

    def press(self, key: str) -> None:
        pass


def test_what_one_game_has_taught_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no new game can be begun, what was learned is written with a note of that, and the command is stuck."""
    desktop = OneGameDesktop(replace(Skin.of(4), face=False), Level.parse("9x9/8"))
    monkeypatch.setattr("sweepbot.cli.calibrate.open_desktop", lambda: nullcontext(Desktop(desktop, desktop)))
    monkeypatch.setattr("sweepbot.cli.calibrate.Times", lambda: AT_ONCE)
    done = CliRunner().invoke(command, ["once", "--live", "--yes", "--output", str(tmp_path)])
    assert isinstance(done.exception, StuckError)
    assert done.exception.exit_code == 6
    states = {template.state for template in load_calibration(tmp_path / "once").templates}
    assert states >= {State.HIDDEN, 0, 1}
    text = (tmp_path / "once" / "calibration.yaml").read_text(encoding="utf-8")
    assert "# Learned in part: no new game begins" in text


class SilentDesktop(OneGameDesktop):
    """A client that shows nothing of the end of a game."""

    def shown(self) -> NDArray[np.uint8]:
        cells = super().shown()
        cells[cells > State.HIDDEN] = State.HIDDEN
        return cells


def test_what_nothing_bears_out_is_not_written() -> None:
    """Where no game could be played to an end that makes sense, a few zeros and ones are no calibration."""
    desktop = SilentDesktop(replace(Skin.of(4), face=False), Level.parse("9x9/3"))
    mouse, place = GuardedMouse(desktop, desktop.region), find_board(desktop, None)
    with pytest.raises(StuckError):
        calibrate_live(desktop, mouse, place, max_games=3, times=AT_ONCE, tell=lambda _: None)


def test_clicks_stay_on_the_board_and_the_restart() -> None:
    """While it learns, it clicks nothing but cells and the face above them."""
    desktop = SkinDesktop(Skin.of(6), Level.parse("9x9/12"))
    place = find_board(desktop, None)
    calibrate_live(
        desktop, GuardedMouse(desktop, desktop.region), place, max_games=5, times=AT_ONCE, tell=lambda _: None
    )
    assert all(click in place.region or click in desktop.face for click in desktop.clicks)


def test_a_new_board_is_left_behind() -> None:
    """After the last game a new one is there to be played."""
    desktop = SkinDesktop(Skin.of(3), Level.parse("9x9/12"))
    mouse = GuardedMouse(desktop, desktop.region)
    calibrate_live(desktop, mouse, find_board(desktop, None), max_games=4, times=AT_ONCE, tell=lambda _: None)
    assert (desktop.shown() == State.HIDDEN).all()


class MovingDesktop(SkinDesktop):
    """A desktop on which everything stands lower while a game is over, as below a message on a page."""

    def _off(self) -> Point:
        return Point(0, 28 if self.game.over else 0)

    def grab(self, region: Region | None = None) -> Frame:
        region = region or self.region
        image = np.roll(super().grab(None).image, self._off().y, axis=0)
        return Frame(image[region.y : region.bottom, region.x : region.right].copy(), region)

    def click(self, at: Point, button: Button = "left") -> None:
        super().click(at - self._off(), button)
        self.move(at)


def test_a_board_that_moves_at_the_end_of_a_game_is_followed() -> None:
    """Where a message pushes the board away, its end is read all the same: mines are learned, and nothing wrong."""
    seed = next(seed for seed in range(100) if Skin.of(seed).shows_mines and not Skin.of(seed).gradient)
    desktop = MovingDesktop(Skin.of(seed), Level.parse("9x9/12"))
    learned = calibrate_live(
        desktop,
        GuardedMouse(desktop, desktop.region),
        find_board(desktop, None),
        max_games=8,
        times=AT_ONCE,
        tell=lambda _: None,
    )
    labels = {label.state: label.pictures for label in learned.labels}
    assert "mine" in labels
    assert mislabelled(desktop, learned.place, labels) == []


class Film:
    """A screen that shows one picture after the other, each for some looks and the last one for ever."""

    region = Region(0, 0, 4, 4)

    def __init__(self, *pictures: tuple[int, int]) -> None:
        self._looks = [shade for shade, looks in pictures for _ in range(looks)]

    def grab(self, region: Region | None = None) -> Frame:
        shade = self._looks.pop(0) if len(self._looks) > 1 else self._looks[0]
        return Frame(np.full((4, 4, 3), shade, dtype=np.uint8), region or self.region)


@pytest.mark.parametrize(("looks", "rested"), [(1, False), (120, True)])
def test_a_picture_before_a_cover_is_at_rest_or_not(looks: int, *, rested: bool) -> None:
    """What was seen before something came in front counts as at rest only if it stayed for more than a moment."""
    film = Film((10, 1), (20, 1), (30, looks), (200, 1))
    mouse = GuardedMouse(SkinDesktop(Skin.of(4), Level.parse("9x9/12")), Region(0, 0, 900, 900))
    touch = Touch(film, mouse, Times(quiet=0.3))
    seen = touch.look(film.region, np.zeros((4, 4, 3), dtype=np.uint8), lambda image: image.max() < 100)
    assert (int(seen.image.max()), int(seen.unharmed.max()), seen.rested) == (200, 30, rested)


class BlankedDesktop(SkinDesktop):
    """A desktop whose client shows a finished game with all cells like an open 0 in the place of its mines."""

    def shown(self) -> NDArray[np.uint8]:
        cells = super().shown()
        if self.game.over:
            for cell in self.game.mines:
                cells[cell] = 0
        return cells


def test_the_mines_of_a_board_follow_from_a_game_that_ended_on_a_safe_cell() -> None:
    """Where the end of a game shows nonsense, its mines are what was left when the last safe cell was opened."""
    desktop = BlankedDesktop(Skin.of(3), Level.parse("9x9/8"))
    mouse, place = GuardedMouse(desktop, desktop.region), find_board(desktop, None)
    learned = calibrate_live(desktop, mouse, place, max_games=8, times=AT_ONCE, tell=lambda _: None)
    assert learned.levels == {"calibrated": "9x9/8"}
    assert mislabelled(desktop, learned.place, {label.state: label.pictures for label in learned.labels}) == []


class HoveringDesktop(SkinDesktop):
    """A desktop on which a hidden cell under the pointer is lighter."""

    def grab(self, region: Region | None = None) -> Frame:
        region = region or self.region
        whole = super().grab(None).image
        inside, pitch = self.position() - self.area.origin, self.skin.pitch
        if self.position() in self.area and self.shown()[inside.y // pitch, inside.x // pitch] == State.HIDDEN:
            y, x = self.area.y + inside.y // pitch * pitch, self.area.x + inside.x // pitch * pitch
            cell = whole[y : y + pitch, x : x + pitch]
            cell[:] = np.minimum(235, cell) + np.uint8(20)
        return Frame(whole[region.y : region.bottom, region.x : region.right].copy(), region)


@pytest.mark.parametrize("kind", [SkinDesktop, HoveringDesktop])
def test_hovering_is_observed(kind: type[SkinDesktop]) -> None:
    """Whether a cell looks another under the pointer is measured, and what it looks like then stands for nothing."""
    desktop = kind(Skin.of(4), Level.parse("9x9/12"))
    mouse, place = GuardedMouse(desktop, desktop.region), find_board(desktop, None)
    times = Times(quiet=0, limit=0.01, flash=0)
    learned = calibrate_live(desktop, mouse, place, max_games=3, times=times, tell=lambda _: None)
    assert any(times.hovers) == (kind is HoveringDesktop)
    assert mislabelled(desktop, learned.place, {label.state: label.pictures for label in learned.labels}) == []


class FadingDesktop(SkinDesktop):
    """A desktop that once shows a cell with a number still half hidden, and for so long that it seems to rest."""

    def __init__(self, skin: Skin, level: Level) -> None:
        super().__init__(skin, level)
        self._fading: Cell | None = None
        self._game_of = self.game

    def grab(self, region: Region | None = None) -> Frame:
        region = region or self.region
        whole = super().grab(None).image
        ones = np.argwhere(self.shown() == 1)
        if self._fading is None and len(ones):
            self._fading, self._game_of = Cell(int(ones[0][0]), int(ones[0][1])), self.game
        if self._fading is not None and self.game is self._game_of:
            pitch = self.skin.pitch
            y, x = self.area.y + self._fading.row * pitch, self.area.x + self._fading.column * pitch
            hidden = self.skin.cell(State.HIDDEN, self._fading, 9).astype(np.int16)
            whole[y : y + pitch, x : x + pitch] = np.clip(hidden + 9, 0, 255).astype(np.uint8)
        return Frame(whole[region.y : region.bottom, region.x : region.right].copy(), region)


def test_a_cell_taken_in_the_middle_of_a_change_stands_for_nothing() -> None:
    """What one cell alone has shown for a number that others show otherwise is no picture of that number."""
    desktop = FadingDesktop(Skin.of(3), Level.parse("9x9/12"))
    mouse, place = GuardedMouse(desktop, desktop.region), find_board(desktop, None)
    learned = calibrate_live(desktop, mouse, place, max_games=8, times=AT_ONCE, tell=lambda _: None)
    labels = {label.state: label.pictures for label in learned.labels}
    assert "1" in labels
    assert mislabelled(desktop, learned.place, labels) == []


class TellingDesktop(SkinDesktop):
    """A desktop whose client shows every number when a game is lost, those that were never seen before as well."""

    def shown(self) -> NDArray[np.uint8]:
        cells = super().shown()
        if (cells == State.EXPLODED).any():
            around = neighbours(*cells.shape)
            for row, column in np.argwhere(cells == State.HIDDEN):
                cell = Cell(int(row), int(column))
                cells[cell] = sum(other in self.game.mines for other in around[cell])
        return cells


def test_numbers_shown_when_a_game_is_lost_are_no_mines() -> None:
    """Where the end of a lost game shows all numbers, no number is taken for a mine, nor left out for that."""
    seeds = [seed for seed in range(100) if Skin.of(seed).shows_mines and not Skin.of(seed).gradient][:2]
    for seed in seeds:
        desktop = TellingDesktop(Skin.of(seed), Level.parse("9x9/12"))
        mouse, place = GuardedMouse(desktop, desktop.region), find_board(desktop, None)
        learned = calibrate_live(desktop, mouse, place, max_games=8, times=AT_ONCE, tell=lambda _: None)
        labels = {label.state: label.pictures for label in learned.labels}
        assert labels.keys() >= {"0", "1", "2", "3", "mine"}, seed
        assert mislabelled(desktop, learned.place, labels) == [], seed


def test_a_game_that_takes_too_long_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    """When the time is over no further cell is opened, and nothing is made of a game that goes on."""
    monkeypatch.setattr("sweepbot.calibrate.learner._LONGEST", -1.0)
    monkeypatch.setattr("sweepbot.calibrate.learner._ENOUGH_TIME", -1.0)
    desktop = SkinDesktop(Skin.of(3), Level.parse("9x9/12"))
    mouse = GuardedMouse(desktop, desktop.region)
    with pytest.raises(UntrustedReadingError, match="could not be told"):
        calibrate_live(desktop, mouse, find_board(desktop, None), max_games=9, times=AT_ONCE, tell=lambda _: None)
    assert len(desktop.clicks) <= 2


def test_lines_are_found_to_the_pixel() -> None:
    """On an untouched board of whole pixels the lines found are those that it was drawn with."""
    desktop = SkinDesktop(Skin.of(0), Level.parse("12x9/12"))
    place = find_places(desktop.grab().image)[0]
    corner = place.region_of(Cell(0, 0))
    assert (place.rows, place.columns) == (9, 12)
    assert max(abs(corner.x - desktop.area.x), abs(corner.y - desktop.area.y)) <= 1


def test_the_gap_between_tiles_is_measured(demo: Learned) -> None:
    """Lines of one colour around every closed tile are a gap; a bevel that reaches the rim leaves none."""
    assert demo.gap == 0
    apart = [
        Label(
            label.state,
            [np.pad(picture, ((2, 2), (2, 2), (0, 0)), constant_values=7) for picture in label.pictures],
            "",
        )
        for label in demo.labels
    ]
    assert replace(demo, labels=apart).gap == 4


def test_what_was_moved_stands_for_no_other_state() -> None:
    """Pictures of numbers and hidden cells that rows have carried along are not kept as pictures of an open 0."""
    skin = Skin.of(4)
    drawn = {name: skin.cell(state, Cell(0, 0), 9) for name, state in (("0", 0), ("1", 1), ("hidden", State.HIDDEN))}
    album = Album()
    numbers = {name: album.number(picture) for name, picture in drawn.items()}
    moved = [album.number(np.roll(drawn[name], 3, axis=0)) for name in ("1", "hidden")]
    states = {name: Counter({number: 50}) for name, number in numbers.items()}
    states["0"].update(dict.fromkeys(moved, 9))
    assert undisplaced(album, states)["0"] == Counter({numbers["0"]: 50})
    assert undisplaced(album, states)["1"] == Counter({numbers["1"]: 50})


def test_what_was_moved_both_ways_is_no_mine_that_was_hit() -> None:
    """A picture that one cell alone has shown, of an open cell that has moved down and sideways, is no state."""
    sunken, album = np.full((30, 40, 3), 220, dtype=np.uint8), Album()
    sunken[4:-4, 4:-4] = 120
    zero, hidden = album.number(sunken), album.number(np.full_like(sunken, 200))
    moved = album.number(np.roll(sunken, (-3, -2), axis=(0, 1)))
    states = {"0": Counter({zero: 50}), "hidden": Counter({hidden: 80}), "exploded": Counter({moved: 1})}
    assert undisplaced(album, states).keys() == {"0", "hidden"}


def test_what_was_taken_before_a_cell_had_changed_stands_for_nothing() -> None:
    """Pictures that few cells have shown for a number are left out where they are more like hidden cells."""
    album = Album()
    faces = [np.full((16, 16, 3), shade, dtype=np.uint8) for shade in (90, 110, 250, 236)]
    for face in faces[2:]:
        face[5:11, 7:9] = 0
    hidden, lighter, one, on_other_ground = map(album.number, faces)
    states = {"hidden": Counter({hidden: 81}), "1": Counter({one: 40, lighter: 2, on_other_ground: 3})}
    assert without_strays(album, states) == states | {"1": Counter({one: 40, on_other_ground: 3})}
    few = {"hidden": Counter({hidden: 81}), "1": Counter({lighter: 1})}
    assert without_strays(album, few) == few


def test_of_two_that_claim_one_picture_at_most_one_is_kept() -> None:
    """A picture that one cell in many has shown is left out where another state shows it; else both states are."""
    album = Album()
    one, hidden, other = (album.number(np.full((16, 16, 3), shade, dtype=np.uint8)) for shade in (90, 180, 40))
    faded = album.number(np.full((16, 16, 3), 183, dtype=np.uint8))
    states = {"1": Counter({one: 90, faded: 1}), "hidden": Counter({hidden: 81}), "2": Counter({other: 9})}
    assert undisputed(album, states) == states | {"1": Counter({one: 90})}
    states = {"1": Counter({one: 90}), "hidden": Counter({hidden: 81}), "2": Counter({other: 9, faded: 1})}
    assert undisputed(album, states).keys() == {"1"}  # one of ten: it may as well be the 2 that is right


class ClosingDesktop(SkinDesktop):
    """A client that a key ends, after which another program is there in its place.

    Args:
        skin: The look and the manners.
        ends: The key.
        asks: Whether a dialog comes up in front of the board at the end of each game.
    """

    def __init__(self, skin: Skin, ends: str, *, asks: bool) -> None:
        self._ends, self._asks = ends, asks
        self.pressed: list[str] = []
        self.clicks_by_then = 0
        super().__init__(skin, Level.parse("9x9/12"))
        noise = np.random.default_rng(5).integers(0, 256, self._image.shape[:2], dtype=np.uint8)
        self._other_program = np.repeat(noise[:, :, None], 3, axis=2)

    def grab(self, region: Region | None = None) -> Frame:
        region = region or self.region
        whole = super().grab(None).image
        if self._ends in self.pressed:
            whole = self._other_program
        elif self._asks and self.game.over:
            box = Region(self.area.x + 10, self.area.y + 10, self.area.width - 40, self.area.height // 2)
            whole[box.y : box.bottom, box.x : box.right] = (70, 200, 90)
        return Frame(whole[region.y : region.bottom, region.x : region.right].copy(), region)

    def press(self, key: str) -> None:
        self.pressed.append(key)
        self.clicks_by_then = len(self.clicks)


@pytest.mark.parametrize(("ends", "asks"), [("esc", True), ("f2", False), ("ctrl+r", False), ("n", False)])
def test_after_a_key_that_ends_the_client_nothing_is_pressed(ends: str, *, asks: bool) -> None:
    """A key that makes the client vanish is the last one: another program in its place gets neither keys nor clicks."""
    desktop = ClosingDesktop(replace(Skin.of(4), face=False), ends, asks=asks)
    mouse, place = GuardedMouse(desktop, desktop.region), find_board(desktop, None)
    learned = calibrate_live(desktop, mouse, place, max_games=3, times=AT_ONCE, tell=lambda _: None)
    assert isinstance(learned.stuck, ClientGoneError)
    assert f"the key {ends} has made the client go" in str(learned.stuck)
    assert desktop.pressed[-1] == ends
    assert len(desktop.clicks) == desktop.clicks_by_then


class RedrawingDesktop(SkinDesktop):
    """A desktop whose client sets every number anew at each click, a pixel higher or lower by turns."""

    def grab(self, region: Region | None = None) -> Frame:
        region = region or self.region
        whole = super().grab(None).image
        pitch = self.skin.pitch
        for row, column in (
            np.argwhere((self.shown() > 0) & (self.shown() < State.HIDDEN)) if len(self.clicks) % 2 else ()
        ):
            y, x = self.area.y + row * pitch, self.area.x + column * pitch
            inner = whole[y + 3 : y + pitch - 3, x + 3 : x + pitch - 3]
            inner[:-1] = inner[1:].copy()
        return Frame(whole[region.y : region.bottom, region.x : region.right].copy(), region)


def test_numbers_that_are_set_anew_are_the_same_numbers() -> None:
    """Where text moves by a pixel whenever anything is drawn, games go on, and flags and mines are learned."""
    skin = next(skin for skin in map(Skin.of, range(100)) if skin.shows_mines and not skin.gradient and skin.pitch > 30)
    desktop = RedrawingDesktop(skin, Level.parse("9x9/10"))
    mouse, place = GuardedMouse(desktop, desktop.region), find_board(desktop, None)
    learned = calibrate_live(desktop, mouse, place, max_games=8, times=AT_ONCE, tell=lambda _: None)
    labels = {label.state: label.pictures for label in learned.labels}
    assert labels.keys() >= {"0", "1", "2", "flag", "mine"}
    assert learned.levels == {"calibrated": "9x9/10"}
    assert all(len(labels[number]) > 1 for number in "12")


def test_a_figure_set_anew_is_told_from_what_comes_in_front() -> None:
    """A number a pixel beside its place is the same; another ground, another figure or a stroke more is not."""
    skin = next(skin for skin in map(Skin.of, range(100)) if not skin.gradient and skin.pitch > 30)
    cells = {state: skin.cell(state, Cell(0, 0), 9) for state in (0, 1, 2, 3, State.HIDDEN)}
    assert same_figure(cells[2], np.roll(cells[2], 1, axis=0))
    assert same_figure(cells[2], cells[2])
    others = [cells[0], cells[1], cells[3], cells[State.HIDDEN], cells[2] // 2, np.roll(cells[2], 4, axis=1)]
    assert not any(same_figure(cells[2], other) for other in others)
    flag, wrong = (Skin.of(28).cell(state, Cell(0, 0), 9) for state in (State.FLAG, State.WRONG_FLAG))
    assert not same_figure(flag, wrong)


class QuittingDesktop(ClosingDesktop):
    """A client that ends at Escape, dims its board at the end of a game, and begins a new one at the key n."""

    def __init__(self, skin: Skin) -> None:
        super().__init__(skin, "esc", asks=False)

    def grab(self, region: Region | None = None) -> Frame:
        frame = super().grab(region)
        return Frame(frame.image // 2, frame.region) if self.game.over else frame

    def press(self, key: str) -> None:
        super().press(key)
        if key == "n":
            self._deal()


def test_a_key_that_may_end_a_client_is_the_last_resort() -> None:
    """Where something in front of the end of a game stays, other ways to begin one are tried before Escape."""
    desktop = QuittingDesktop(replace(Skin.of(4), face=False))
    mouse, place = GuardedMouse(desktop, desktop.region), find_board(desktop, None)
    learned = calibrate_live(desktop, mouse, place, max_games=3, times=AT_ONCE, tell=lambda _: None)
    assert learned.stuck is None
    assert learned.manners.restart[0].key == "n"
    assert "esc" not in desktop.pressed


def test_a_button_within_a_bar_is_found() -> None:
    """A bar above a board with a text and a button in it is no button itself: the one in it is clicked."""
    desktop = SkinDesktop(replace(Skin.of(4), face=False), Level.parse("9x9/12"))
    image, board = desktop.grab().image, desktop.area
    bar = Region(board.x, board.y - 50, board.width, 40)
    button = Region(bar.right - 90, bar.y + 5, 80, 30)
    for shape, colour in ((bar, 90), (bar.grown(-1), 160), (button, 40), (button.grown(-1), 200)):
        image[shape.y : shape.bottom, shape.x : shape.right] = colour
    image[bar.y + 15 : bar.y + 27, bar.x + 10 : bar.x + 60 : 4] = 0
    found = buttons(image, Grid.uniform((board.x, board.y), (desktop.skin.pitch,) * 2, 9, 9))
    assert any(thing.centre in button for thing in found)
    assert not any(thing.centre in bar and thing.width > bar.width // 2 for thing in found)


class AskingDesktop(SkinDesktop):
    """A client that puts up a button over its dimmed board, and that Ctrl+R takes to a screen without a board."""

    def __init__(self, skin: Skin) -> None:
        super().__init__(skin, Level.parse("9x9/12"))
        self._left = False
        middle = self.area.centre
        self.button = Region(middle.x - 40, middle.y + 10, 80, 26)

    def grab(self, region: Region | None = None) -> Frame:
        region = region or self.region
        whole = super().grab(None).image
        if self._left:
            whole[:] = 50
        elif self.game.over:
            whole //= 2
            for part, colour in ((self.button, 0), (self.button.grown(-1), (0, 200, 255))):
                whole[part.y : part.bottom, part.x : part.right] = colour
        return Frame(whole[region.y : region.bottom, region.x : region.right].copy(), region)

    def click(self, at: Point, button: Button = "left") -> None:
        if self.game.over and at in self.button:
            self.move(at)
            self._deal()
        else:
            super().click(at, button)

    def press(self, key: str) -> None:
        self._left = self._left or key == "ctrl+r"


def test_a_button_that_the_end_puts_up_is_tried_before_a_page_is_loaded_again() -> None:
    """A game with a start screen is begun anew by the button that its end shows, and not left for that screen."""
    desktop = AskingDesktop(replace(Skin.of(4), face=False))
    mouse, place = GuardedMouse(desktop, desktop.region), find_board(desktop, None)
    learned = calibrate_live(desktop, mouse, place, max_games=3, times=AT_ONCE, tell=lambda _: None)
    assert learned.stuck is None
    assert learned.manners.restart[0].click is not None


class BelowDesktop(SkinDesktop):
    """A client that begins a new game by a button below its board alone, and notes the keys."""

    def __init__(self, skin: Skin) -> None:
        super().__init__(skin, Level.parse("9x9/12"))
        self.button = Region(self.area.centre.x - 40, self.area.bottom + 24, 80, 26)
        self.pressed: list[str] = []

    def grab(self, region: Region | None = None) -> Frame:
        region = region or self.region
        whole = super().grab(None).image
        for part, colour in ((self.button, 0), (self.button.grown(-1), 200)):
            whole[part.y : part.bottom, part.x : part.right] = colour
        return Frame(whole[region.y : region.bottom, region.x : region.right].copy(), region)

    def click(self, at: Point, button: Button = "left") -> None:
        super().click(at, button)
        if at in self.button:
            self._deal()

    def press(self, key: str) -> None:
        self.pressed.append(key)


def test_a_button_beside_the_board_is_tried_before_keys_that_close() -> None:
    """Where the end of a game has put up nothing, there is nothing to close: a button is clicked first."""
    desktop = BelowDesktop(replace(Skin.of(4), face=False))
    mouse, place = GuardedMouse(desktop, desktop.region), find_board(desktop, None)
    learned = calibrate_live(desktop, mouse, place, max_games=2, times=AT_ONCE, tell=lambda _: None)
    assert learned.manners.restart[0].click is not None
    assert not {"enter", "esc"} & set(desktop.pressed)


class ShiftedFlagsDesktop(SkinDesktop):
    """A client that flags the rest of a won board, a pixel beside where a right click draws a flag."""

    def grab(self, region: Region | None = None) -> Frame:
        region = region or self.region
        whole = super().grab(None).image
        if self.game.phase is Phase.WON:
            pitch = self.skin.pitch
            for row, column in np.argwhere((self.shown() == State.FLAG) & ~self._flagged):
                y, x = self.area.y + row * pitch, self.area.x + column * pitch
                inner = whole[y + 4 : y + pitch - 4, x + 4 : x + pitch - 4]
                inner[:-1] = inner[1:].copy()
        return Frame(whole[region.y : region.bottom, region.x : region.right].copy(), region)


def test_flags_a_pixel_beside_their_place_are_no_mines() -> None:
    """What a won board shows in the place of its mines is a flag wherever in the cell it is drawn."""
    desktop = ShiftedFlagsDesktop(Skin.of(9), Level.parse("9x9/8"))
    mouse, place = GuardedMouse(desktop, desktop.region), find_board(desktop, None)
    learned = calibrate_live(desktop, mouse, place, max_games=8, times=AT_ONCE, tell=lambda _: None)
    labels = {label.state: label.pictures for label in learned.labels}
    assert "flag" in labels
    assert mislabelled(desktop, learned.place, {"mine": labels.get("mine", [])}) == []


class ShadedDesktop(SkinDesktop):
    """A client that draws a cell a little darker once a flag was taken from it."""

    def grab(self, region: Region | None = None) -> Frame:
        region = region or self.region
        whole = super().grab(None).image
        cells, origin, pitch = self.game.board.cells, self.area.origin, self.skin.pitch
        for cell in {self._cell(at) for at in self.marked if at in self.area}:
            if cells[cell] == State.HIDDEN:
                y, x = origin.y + cell.row * pitch, origin.x + cell.column * pitch
                inner = whole[y + 3 : y + pitch - 3, x + 3 : x + pitch - 3]
                inner[:] = np.maximum(inner, 20) - 20
        return Frame(whole[region.y : region.bottom, region.x : region.right].copy(), region)

    def click(self, at: Point, button: Button = "left") -> None:
        super().click(at, button)
        if button == "right":
            self.marked.append(at)

    @cached_property
    def marked(self) -> list[Point]:
        """Where the right button was clicked."""
        return []

    def _cell(self, at: Point) -> Cell:
        return Cell((at.y - self.area.y) // self.skin.pitch, (at.x - self.area.x) // self.skin.pitch)


def test_a_hidden_cell_of_another_shade_is_no_question_mark() -> None:
    """What a second right click shows is a question mark only where a third one leaves the cell as it was."""
    seed = next(seed for seed in range(100) if not (Skin.of(seed).question_marks or Skin.of(seed).gradient))
    desktop = ShadedDesktop(Skin.of(seed), Level.parse("9x9/8"))
    mouse, place = GuardedMouse(desktop, desktop.region), find_board(desktop, None)
    learned = calibrate_live(desktop, mouse, place, max_games=4, times=AT_ONCE, tell=lambda _: None)
    assert desktop.marked
    assert {"flag", "question"} & {label.state for label in learned.labels} == {"flag"}


def test_specks_make_no_other_picture() -> None:
    """A few pixels of a round edge that are drawn a little otherwise are the same picture; a faint stroke is not."""
    album, cell = Album(), np.full((36, 36, 3), 120, dtype=np.uint8)
    number = album.number(cell)
    specks, stroke = cell.copy(), cell.copy()
    specks[10, 10:14] = 125
    stroke[10, 5:30] = 125
    assert album.number(specks) == number
    assert album.number(stroke) != number


class ConfusedDesktop(SkinDesktop):
    """A client that shows numbers of its own making in its first game, as one does that is looked at too early."""

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
    """After a game that makes no sense each picture is waited for longer."""
    desktop = ConfusedDesktop(replace(Skin.of(4), face=True), Level.parse("9x9/12"))
    mouse, place = GuardedMouse(desktop, desktop.region), find_board(desktop, None)
    times = Times(quiet=0.004, limit=0, flash=0.02)
    learned = calibrate_live(desktop, mouse, place, max_games=4, times=times, tell=lambda _: None)
    assert times.quiet == pytest.approx(0.006)
    assert mislabelled(desktop, learned.place, {label.state: label.pictures for label in learned.labels}) == []


class BoxedDesktop(SkinDesktop):
    """A client that puts up a box over the middle of a lost board, beside which mines are seen; it may dim the rest."""

    def __init__(self, skin: Skin, *, dims: bool) -> None:
        super().__init__(skin, Level.parse("12x10/20"))
        self._dims = dims

    def grab(self, region: Region | None = None) -> Frame:
        region = region or self.region
        whole = super().grab(None).image
        if self.game.phase is Phase.LOST:
            whole //= 1 + self._dims
            middle, pitch = self.area.centre, self.skin.pitch
            box = Region(middle.x - 2 * pitch, middle.y - pitch // 2, 4 * pitch, 2 * pitch)
            whole[box.y : box.bottom, box.x : box.right] = (30, 20, 20)
        return Frame(whole[region.y : region.bottom, region.x : region.right].copy(), region)


@pytest.mark.parametrize(("seed", "dims"), [(4, False), (9, True), (1, True)])
def test_mines_are_seen_beside_what_stays_in_front_of_them(seed: int, *, dims: bool) -> None:
    """Where a box stays in front of lost games, the mines beside it are learned, where they are shown at all."""
    desktop = BoxedDesktop(Skin.of(seed), dims=dims)
    mouse, place = GuardedMouse(desktop, desktop.region), find_board(desktop, None)
    learned = calibrate_live(desktop, mouse, place, max_games=10, times=AT_ONCE, tell=lambda _: None)
    labels = {label.state: label.pictures for label in learned.labels}
    ends = {state: labels.pop(state) for state in ("mine", "exploded") if state in labels}
    assert ("mine" in ends) == desktop.skin.shows_mines
    assert mislabelled(desktop, learned.place, labels) == []
    drawn = {
        state: [desktop.skin.cell(STATE_NAMES[state], cell, 10) // (1 + dims) for cell in (Cell(0, 0), Cell(0, 1))]
        for state in ends
    }
    for state, pictures in ends.items():
        assert all(any(np.array_equal(one, other) for other in drawn[state]) for one in pictures), state


def test_a_mine_on_another_shade_of_ground_is_none_that_was_hit() -> None:
    """What differs from the usual look of a state by its ground alone is no look of another state."""
    album = Album()
    pictures = [np.full((20, 20, 3), shade, dtype=np.uint8) for shade in (90, 104, 90)]
    for picture, ink in zip(pictures, (10, 10, 240), strict=True):
        picture[6:14, 6:14] = ink
    usual, paler, hit = map(album.number, pictures)
    assert own_looks(album, {paler: 3, hit: 1}, [usual]) == {hit: 1}
    assert own_looks(album, {paler: 3}, []) == {paler: 3}
