"""Learning unknown clients in memory, from the first look to a calibration that reads the game."""

import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from sweepbot.board import Board, State
from sweepbot.calibrate.confusion import check
from sweepbot.calibrate.learned import Learned
from sweepbot.calibrate.writing.write import write
from sweepbot.demo.client import Client
from sweepbot.demo.memory import MemoryDesktop
from sweepbot.desktop.mouse import Button
from sweepbot.errors import CalibrationError
from sweepbot.game import Game
from sweepbot.geometry import Cell, Point
from sweepbot.level import FirstClick, Level
from sweepbot.vision.calibration import NAME_OF_STATE, load_calibration
from sweepbot.vision.pictures.image import load_image
from sweepbot.vision.reader import Reader
from tests.learning import learn, looks, mislabelled
from tests.nightly import by_turns
from tools.drawing.demo import templates
from tools.drawing.skins import OpenDesktop, Skin, SkinDesktop
from tools.places import FIXTURES


def learn_demo(seed: int, kind: type[Game] = Game) -> Learned:
    """Learn the demo's client in memory, with this kind of game."""
    rng = random.Random(seed)
    level = Level.parse("beginner")
    client = Client(lambda: kind(level, FirstClick.SAFE, rng, question_marks=True))
    return learn(MemoryDesktop(client), 15)


@pytest.fixture(scope="module")
def demo() -> Learned:
    """What was learned about the demo."""
    return learn_demo(1)


def test_the_demos_skin_is_learned(demo: Learned) -> None:
    """Every learned state of the demo is labelled right, to the last pixel."""
    assert looks(demo).keys() >= {"hidden", "0", "1", "2", "3"}
    assert as_drawn(demo)


def test_the_demos_manners_are_observed(demo: Learned) -> None:
    """Its face, which changes at the end, restarts, a win needs no flags, and ends of games give the total of mines."""
    assert [way.click is not None and way.click[1] < 0 for way in demo.behaviour.restart] == [True]
    assert demo.behaviour.flags_to_win is not True
    assert demo.levels == {"remembered": "9x9/10"}


def as_drawn(learned: Learned) -> bool:
    """Whether each picture is that of its state to the last pixel."""
    drawn = templates()
    return all(np.array_equal(one, drawn[state]) for state, pictures in looks(learned).items() for one in pictures)


def test_the_shipped_fixtures_are_not_misread(demo: Learned, tmp_path: Path) -> None:
    """With what was learned, the demo's fixtures have no misread cell, and none of a learned state is unread."""
    calibration = write(demo, tmp_path / "demo", "the demo", force=False)
    learned = looks(demo).keys()
    for text in sorted((FIXTURES / "demo").glob("*_*.txt")):
        if text.stem.startswith("crowded"):  # most of its cells show what was never met
            continue
        truth = Board.parse(text.read_text(encoding="ascii"))
        seen = Reader(calibration).read(load_image(text.with_suffix(".png"))).board
        for cell in truth:
            name = NAME_OF_STATE[truth[cell]]
            assert seen[cell] in (truth[cell], State.UNKNOWN), f"{text.name}: {cell}"
            assert name not in learned or seen[cell] == truth[cell], f"{text.name}: {cell}"


def test_what_was_learned_checks_out(demo: Learned, tmp_path: Path) -> None:
    """No picture is read as another state by all others."""
    assert check(write(demo, tmp_path / "demo", "the demo", force=False), None).sound


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


@pytest.mark.parametrize("seed", by_turns([0, 1, 2, 3, 7, 8, 12, 16, 20, 22, 24], one_in=3))
def test_skins_from_seeds_are_learned(seed: int) -> None:
    """Unknown skins are learned without a wrong label: bevelled, flat, graded and chequered ones."""
    desktop = SkinDesktop(Skin.of(seed), Level.parse("9x9/12"))
    learned = learn(desktop, 15)
    assert mislabelled(desktop, learned) == []
    assert looks(learned).keys() >= {"hidden", "0", "1", "2"}


def test_a_pattern_that_does_not_react_is_not_a_board() -> None:
    """A repeating pattern that never changes is refused after a few clicks inside it."""
    desktop = SkinDesktop(Skin.of(3), Level.parse("9x9/12"))
    desktop.dead = True
    assert "has not changed after 4 rounds of clicks" in str(learn(desktop, 5).stuck)
    assert all(click in desktop.area for click in desktop.clicks)


MAX_DEALS = 2000
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
        for _ in range(MAX_DEALS):
            super()._deal()
            if clicked is None or self.shown()[clicked] == before:
                break
        self.dealt = dealt


def test_a_new_board_may_repeat_the_last_number() -> None:
    """Each game is begun only once, even if the cell that ended the last one looks the same on the new board."""
    desktop = RepeatingDesktop(Skin.of(20), Level.parse("12x10/15"))
    learn(desktop, 4)
    assert desktop.dealt == 4 + 1


class VaryingGame(Game):
    """A game whose total of mines is one of three, whatever its level says."""

    def __init__(self, level: Level, first_click: FirstClick, rng: random.Random, *, question_marks: bool) -> None:
        mines = rng.choice((8, 10, 12))
        super().__init__(replace(level, mines=mines), first_click, rng, question_marks=question_marks)


def test_a_varying_total_is_not_written(tmp_path: Path) -> None:
    """Where boards of one size have different totals, no total is written or relied on."""
    learned = learn_demo(2, VaryingGame)
    assert len(learned.totals) > 1
    calibration = write(learned, tmp_path / "demo", "the demo", force=False)
    assert calibration.totals_vary
    assert calibration.levels == {}


class FlagLikeDesktop(SkinDesktop):
    """A client whose threes look like its flags; it has no others, as nobody places any."""

    def __init__(self, skin: Skin) -> None:
        self.buttons: set[str] = set()
        super().__init__(skin, Level.parse("9x9/10"))

    def shown(self) -> NDArray[np.uint8]:
        cells = super().shown()
        if not self.game.over:
            cells[cells == 3] = State.FLAG
        return cells

    def click(self, at: Point, button: Button = "left", hold_s: float = 0.0) -> None:
        self.buttons.add(button)
        super().click(at, button, hold_s)


@pytest.mark.parametrize("seed", by_turns([0, 3, 5]))
def test_a_number_that_looks_like_a_flag_is_none(seed: int) -> None:
    """A flag in play that nobody has placed is something else: it is left alone, and never learned as one."""
    desktop = FlagLikeDesktop(replace(Skin.of(seed), flags_on_win=True))
    learned = learn(desktop, 3)
    assert desktop.buttons == {"left"}
    assert mislabelled(desktop, learned) == []
