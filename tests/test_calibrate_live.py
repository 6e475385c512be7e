"""Learning unknown clients in memory, from the first look to a calibration that reads the game."""

import random
from collections import Counter
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from sweepbot.board import Board, State
from sweepbot.calibrate.confusion import check
from sweepbot.calibrate.labels.belief import first_click_of, infer
from sweepbot.calibrate.labels.log import Entry, FirstOpening, Log
from sweepbot.calibrate.labels.looks import PatchStore
from sweepbot.calibrate.learned import Learned
from sweepbot.calibrate.live.calibrate import calibrate_live, find_board
from sweepbot.calibrate.seeing.untouched_boards import find_places
from sweepbot.calibrate.thresholds import Pace
from sweepbot.calibrate.writing.write import write, write_fixtures
from sweepbot.demo.client import Client
from sweepbot.demo.memory import MemoryDesktop
from sweepbot.desktop.desk import Desk
from sweepbot.desktop.mouse import Button
from sweepbot.errors import CalibrationError, NoBoardFoundError, UntrustedReadingError
from sweepbot.game import Game
from sweepbot.geometry import Cell, Image, Point
from sweepbot.level import FirstClick, Level
from sweepbot.vision.calibration import load_calibration
from sweepbot.vision.pictures.image import load_image
from sweepbot.vision.reader import Reader
from tests.drawn_demo import templates
from tests.nightly import at_night, by_turns
from tests.skins import OpenDesktop, Skin, SkinDesktop, at_once, learn, looks, mislabelled

FIXTURES = Path(__file__).parent.parent / "fixtures"


def learn_demo(seed: int, kind: type[Game] = Game, *, question_marks: bool = True) -> Learned:
    """Learn the demo's client in memory, with this kind of game."""
    rng = random.Random(seed)
    level = Level.parse("beginner")
    client = Client(lambda: kind(level, FirstClick.SAFE, rng, question_marks=question_marks))
    desktop = MemoryDesktop(client)
    desk, place = Desk(desktop, desktop), find_board(desktop.grab())
    return calibrate_live(desk, place, max_games=15, times=at_once(), tell=lambda _: None)


@pytest.fixture(scope="module")
def demo() -> Learned:
    """What was learned about the demo."""
    return learn_demo(1)


def test_the_demos_skin_is_learned(demo: Learned) -> None:
    """Every learned state of the demo is labelled right, to the last pixel."""
    shown = {"hidden", "0", "1", "2", "3", "flag", "question", "mine", "exploded", "wrong_flag"}
    assert looks(demo).keys() >= shown
    assert as_drawn(demo)


def test_the_demos_manners_are_observed(demo: Learned) -> None:
    """F2 restarts, the middle button chords, question marks exist, and a win needs no flags."""
    behaviour = demo.behaviour
    assert [way.key for way in behaviour.restart] == ["f2"]
    assert (behaviour.chord_button, behaviour.flags_to_win) == ("middle", False)
    assert "question" in looks(demo)
    assert demo.levels == {"calibrated": "9x9/10"}


def test_no_question_marks_are_observed() -> None:
    """Where a second right click removes the flag, no question mark is learned."""
    learned = learn_demo(2, question_marks=False)
    assert "question" in learned.not_missed
    assert "question" not in looks(learned)


def as_drawn(learned: Learned) -> bool:
    """Whether each picture is that of its state to the last pixel."""
    drawn = templates()
    return all(np.array_equal(one, drawn[state]) for state, pictures in looks(learned).items() for one in pictures)


class UnmarkedGame(Game):
    """A game that takes no flags, and flags its mines itself after a win."""

    def mark(self, cell: Cell) -> None: ...


@pytest.mark.parametrize("seed", [1, *at_night(2)])
def test_flags_after_a_win_are_not_mines(seed: int) -> None:
    """Where no click sets a flag, the cells of a won game are compared with the mines of a lost one."""
    learned = learn_demo(seed, UnmarkedGame)
    assert looks(learned).keys() >= {"flag", "mine", "exploded"}
    assert as_drawn(learned)


def test_the_shipped_fixtures_are_not_misread(demo: Learned, tmp_path: Path) -> None:
    """With what was learned, the demo's fixtures have no misread cell; states never seen are unread."""
    calibration = write(demo, tmp_path / "demo", "the demo", force=False)
    learned = looks(demo).keys()
    for text in sorted((FIXTURES / "demo").glob("*.txt")):
        truth = Board.parse(text.read_text(encoding="ascii"))
        seen = Reader(calibration).read(load_image(text.with_suffix(".png"))).board
        for cell in truth:
            state = truth[cell]
            name = str(state) if state < State.HIDDEN else State(state).name.lower()
            assert seen[cell] in (state, State.UNKNOWN), f"{text.name}: {cell}"
            assert name not in learned or seen[cell] == state, f"{text.name}: {cell}"


def test_its_own_fixtures_check_out(demo: Learned, tmp_path: Path) -> None:
    """The pictures recorded on the way are read as the rules said, and the check finds nothing wrong."""
    calibration = write(demo, tmp_path / "demo", "the demo", force=False)
    write_fixtures(demo.fixtures, tmp_path / "fixtures")
    done = check(calibration, tmp_path / "fixtures")
    assert done.sound
    assert sum(fixture.right for fixture in done.fixtures) > 0


def test_a_calibration_is_not_overwritten(demo: Learned, tmp_path: Path) -> None:
    """An existing calibration stays unless it is to be replaced; then it is kept beside the new one."""
    folder = tmp_path / "demo"
    write(demo, folder, "the first", force=False)
    with pytest.raises(CalibrationError, match="exists already"):
        write(demo, folder, "the second", force=False)
    assert load_calibration(folder).description == "the first"
    assert write(demo, folder, "the second", force=True).description == "the second"
    assert load_calibration(tmp_path / ".demo-before-1").description == "the first"


def test_a_folder_that_is_no_calibration_is_not_replaced(demo: Learned, tmp_path: Path) -> None:
    """A folder of that name that is no calibration stays as it is."""
    folder = tmp_path / "letters"
    folder.mkdir()
    (folder / "mine.txt").write_text("kept", encoding="ascii")
    with pytest.raises(CalibrationError, match="is no calibration"):
        write(demo, folder, "the demo", force=True)
    assert (folder / "mine.txt").read_text(encoding="ascii") == "kept"


@pytest.mark.parametrize("seed", by_turns([4, 6, 9, 13, 28, 36], one_in=3))
def test_skins_from_seeds_are_learned(seed: int) -> None:
    """Unknown skins are learned without a wrong label: bevelled, flat, graded and chequered ones."""
    desktop = SkinDesktop(Skin.of(seed), Level.parse("9x9/12"))
    learned = learn(desktop, 15)
    assert mislabelled(desktop, learned) == []
    assert looks(learned).keys() >= {"hidden", "0", "1", "2"}


def test_the_log_gives_the_same_labels() -> None:
    """Inferring once more from the log gives each state the same pictures and reason."""
    log = Log(PatchStore())

    def observe(entry: Entry, new: Sequence[Image]) -> None:
        for picture in new:
            log.patches.number(picture)
        log.entries.append(entry)

    learned = learn(SkinDesktop(Skin.of(4), Level.parse("9x9/12")), 8, observe=observe)
    inferred = infer(log.patches, log.entries)
    assert inferred.totals == learned.totals
    for label in learned.labels:
        ((commonest, _),) = inferred.states[label.state].most_common(1)
        assert np.array_equal(log.patches[commonest], label.pictures[0])
        assert inferred.why[label.state] == label.why


def test_an_empty_desktop_has_no_board() -> None:
    """A picture without a board is an error, and nothing is clicked."""
    assert find_places(np.full((400, 500, 3), 90, dtype=np.uint8)) == []


@pytest.mark.parametrize(("seed", "is_found"), [(0, False), (23, False), (59, True)])
def test_thirds_of_cells_are_not_cells(seed: int, *, is_found: bool) -> None:
    """A mostly open board is found with its own cells or not at all, never with thirds of them."""
    desktop = OpenDesktop(Skin.of(seed), Level.parse("9x9/10"))
    with nullcontext() if is_found else pytest.raises(NoBoardFoundError, match="no board found"):
        found = find_board(desktop.grab())
        assert (found.columns, found.rows) == (9, 9)


def test_a_pattern_that_does_not_react_is_not_a_board() -> None:
    """A repeating pattern that never changes is refused after a few clicks inside it."""
    desktop = SkinDesktop(Skin.of(4), Level.parse("9x9/12"))
    desktop.dead = True
    place = find_board(desktop.grab())
    with pytest.raises(NoBoardFoundError, match="change nothing"):
        learn(desktop, 5)
    assert all(click in place.region for click in desktop.clicks)


class PatternedSkin(Skin):
    """A skin whose hidden cells all show one noisy pattern, without any plain area."""

    def cell(self, state: int, cell: Cell, rows: int) -> Image:
        picture = super().cell(state, cell, rows)
        if state not in (State.HIDDEN, State.FLAG, State.QUESTION, State.WRONG_FLAG):
            return picture
        noise = np.random.default_rng(self.seed).integers(-40, 40, (self.pitch, self.pitch, 1))
        patterned: Image = np.clip(picture.astype(np.int16) + noise, 0, 255).astype(np.uint8)
        return patterned


def test_cells_with_a_pattern_are_learned() -> None:
    """A client with patterned hidden cells is found to the pixel and learned."""
    desktop = SkinDesktop(PatternedSkin.of(4), Level.parse("9x9/12"))
    learned = learn(desktop, 8)
    assert learned.place.region == desktop.area
    assert mislabelled(desktop, learned) == []
    assert looks(learned).keys() >= {"hidden", "0", "1", "2", "flag", "mine"}


@pytest.mark.parametrize("seed", [20, *at_night(28)])
def test_zeros_are_not_taken_for_hidden(seed: int) -> None:
    """Where most of a new board is open, a click with an effect tells which look is hidden."""
    desktop = OpenDesktop(Skin.of(seed), Level.parse("12x10/15"))
    learned = learn(desktop, 15)
    assert mislabelled(desktop, learned) == []
    assert looks(learned).keys() >= {"hidden", "0", "1", "2", "flag"}


MOST_DEALS = 2000
"""The most boards dealt to find one that repeats a number."""


class RepeatingDesktop(OpenDesktop):
    """A client on whose new boards the cell clicked last shows the same number again where possible."""

    _clicked: Cell | None = None

    def click(self, at: Point, button: Button = "left", hold_s: float = 0.0) -> None:
        self._clicked = self.cell_at(at) or self._clicked
        super().click(at, button, hold_s)

    def _deal(self) -> None:
        clicked, dealt = self._clicked, self.dealt + 1
        before = None if clicked is None else self.shown()[clicked]
        for _ in range(MOST_DEALS):
            super()._deal()
            if clicked is None or self.shown()[clicked] == before:
                break
        self.dealt = dealt


def test_a_new_board_may_repeat_the_last_number() -> None:
    """Each game is begun only once, even if the cell that ended the last one looks the same on the new board."""
    desktop = RepeatingDesktop(Skin.of(20), Level.parse("12x10/15"))
    learned = learn(desktop, 4)
    assert desktop.dealt == learned.games + 1


def test_a_game_that_takes_too_long_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    """When time is up no further cell is opened, and nothing is inferred from the unfinished game."""
    monkeypatch.setattr("sweepbot.calibrate.live.session.PACE", Pace(longest_s=-1.0, enough_s=-1.0))
    desktop = SkinDesktop(Skin.of(3), Level.parse("9x9/12"))
    with pytest.raises(UntrustedReadingError, match="could not be learned"):
        learn(desktop, 9)
    assert len(desktop.clicks) <= 2


def test_lines_are_found_to_the_pixel() -> None:
    """On a fresh board the lines found are those it was drawn with."""
    desktop = SkinDesktop(Skin.of(0), Level.parse("12x9/12"))
    place = find_places(desktop.grab().image)[0]
    corner = place.region_of(Cell(0, 0))
    assert (place.rows, place.columns) == (9, 12)
    assert max(abs(corner.x - desktop.area.x), abs(corner.y - desktop.area.y)) <= 1


class VaryingGame(Game):
    """A game whose total of mines is one of three, whatever its level says."""

    def __init__(self, level: Level, first_click: FirstClick, rng: random.Random, *, question_marks: bool) -> None:
        mines = rng.choice((8, 10, 12))
        super().__init__(replace(level, mines=mines), first_click, rng, question_marks=question_marks)


def test_a_varying_total_is_not_written(tmp_path: Path) -> None:
    """Where boards of one size have different totals, no total is written or relied on."""
    learned = learn_demo(1, VaryingGame)
    assert len(learned.totals) > 1
    calibration = write(learned, tmp_path / "demo", "the demo", force=False)
    assert calibration.totals_vary
    assert calibration.levels == {}


@pytest.mark.parametrize(
    ("opened", "pictures", "promise"),
    [
        ([9] * 6, [0] * 6, FirstClick.OPEN),
        ([1, 9, 1, 4], [0, 1, 7, 0], FirstClick.NONE),
        ([1, 9, 1, 4], [0, 1, 2, 0], None),
        ([1] * 40, [1] * 40, FirstClick.SAFE),
    ],
)
def test_the_first_click_rule_needs_evidence(
    opened: list[int], pictures: list[int], promise: FirstClick | None
) -> None:
    """A mine at a first click disproves any promise; a few safe first clicks prove none."""
    clicks = [FirstOpening(*click) for click in zip(opened, pictures, strict=True)]
    assert first_click_of(clicks, {"exploded": Counter({7: 1})}, 0.12) is promise
