"""Clients with cells of several sizes: learned in one, unknown in another, then learned in both."""

import random
from contextlib import nullcontext
from dataclasses import replace
from functools import cache
from pathlib import Path

import cv2
import numpy as np
import pytest
import yaml
from click.testing import CliRunner

from sweepbot.board import State
from sweepbot.calibrate.learned import Learned
from sweepbot.calibrate.writing.write import complete, write
from sweepbot.cli.calibrate import command
from sweepbot.clock import VirtualClock
from sweepbot.desktop.desk import Desk
from sweepbot.errors import CalibrationError
from sweepbot.geometry import Cell, Image, Point, Region
from sweepbot.level import Level
from sweepbot.sessions.settings import PlaySettings
from sweepbot.vision.calibration import Calibration, load_calibration
from sweepbot.vision.reader import Reader
from tests.learning import learn
from tests.nightly import at_night, by_turns
from tests.playing import Bot
from tools.drawing.skins import Skin, SkinDesktop, part

SMALL, MEDIUM = Level(9, 9, 10), Level(16, 16, 40)


def client(seed: int, pitch: int, level: Level) -> SkinDesktop:
    """A client drawn from a seed with cells of `pitch` pixels."""
    return SkinDesktop(replace(Skin.of(seed), face=True, pitch=pitch), level)


@cache
def lesson(seed: int, pitch: int, level: Level) -> Learned:
    """What is learned about it, shared by several tests."""
    return learn(client(seed, pitch, level), 10)


def learned(seed: int, pitch: int, level: Level, folder: Path) -> Calibration:
    """The calibration written from that."""
    return load_calibration(write(lesson(seed, pitch, level), folder / "mine", "a skin", force=False).path.parent)


def counts(calibration: Calibration, seed: int, pitch: int, level: Level) -> tuple[int, int, int]:
    """How many cells of some positions are read right, unread and misread."""
    desktop, reader, rng = client(seed, pitch, level), Reader(calibration), random.Random(seed)
    right = refused = wrong = 0
    for opened in (0, 30, 60, 90):
        desktop.press("f2")
        desktop.game.open(Cell(level.rows // 2, level.columns // 2))
        cells = [Cell(*map(int, cell)) for cell in np.ndindex(level.rows, level.columns)]
        safe = [cell for cell in cells if cell not in desktop.game.mines]
        for cell in rng.sample(safe, min(opened, len(safe) // 2)):
            desktop.game.open(cell)
        shown, seen = desktop.shown(), reader.read(desktop.grab().image).board.cells
        assert seen.shape == shown.shape
        right += int((seen == shown).sum())
        refused += int((seen == State.UNKNOWN).sum())
        wrong += int(((seen != shown) & (seen != State.UNKNOWN)).sum())
    return right, refused, wrong


def test_cells_drawn_otherwise_at_another_size_are_learned_beside_the_first(tmp_path: Path) -> None:
    """A client learned at two sizes is read and played at both."""
    seed, first, second = 3, 32, 24
    both = complete(learned(seed, first, SMALL, tmp_path), lesson(seed, second, MEDIUM))
    assert sorted(both.widths) == sorted((first, second))
    for pitch, level in ((first, SMALL), (second, MEDIUM)):
        right, refused, wrong = counts(both, seed, pitch, level)
        assert wrong == 0
        assert refused <= 0.002 * right
    assert both.level_of_size(16, 16) == MEDIUM
    board = client(seed, second, MEDIUM)
    Bot(board, board, both, tmp_path, settings=PlaySettings(games=2)).finish(2)


@pytest.mark.nightly
@pytest.mark.parametrize(("seed", "pitch"), [(15, 16), (10, 40)])
def test_numbers_are_read_in_unseen_shades(seed: int, pitch: int, tmp_path: Path) -> None:
    """On a ground that darkens from top to bottom numbers are read everywhere, and none is misread."""
    right, refused, wrong = counts(learned(seed, pitch, MEDIUM, tmp_path), seed, pitch, MEDIUM)
    assert wrong == 0
    assert refused <= 0.002 * right


@pytest.mark.nightly
def test_small_numbers_in_unseen_shades_are_not_misread(tmp_path: Path) -> None:
    """Small numbers of one ink on such a ground may be unread, but none is misread."""
    assert counts(learned(2, 16, MEDIUM, tmp_path), 2, 16, MEDIUM)[2] == 0


def test_adding_a_size_keeps_a_persons_comments(tmp_path: Path) -> None:
    """Comments stay in place, and a size that is learned twice is kept together."""
    calibration = learned(3, 32, SMALL, tmp_path)
    text = calibration.path.read_text(encoding="utf-8")
    calibration.path.write_text(text.replace("states:", "states:  # checked by hand", 1), encoding="utf-8")
    other = lesson(3, 24, MEDIUM)
    once = complete(load_calibration(tmp_path / "mine"), other)
    twice = complete(once, other)
    assert "states:  # checked by hand" in twice.path.read_text(encoding="utf-8")
    native: dict[int, dict[str, list[str]]] = yaml.safe_load(twice.path.read_text(encoding="utf-8"))["native"]
    assert list(native) == [24]
    assert len(twice.native[24]) == 2 * len(once.native[24])


def test_cells_of_another_shape_are_another_client(tmp_path: Path) -> None:
    """Cells that are wider than high are not another size of square ones."""
    calibration = learned(3, 32, SMALL, tmp_path)
    other = lesson(3, 24, MEDIUM)
    other = replace(other, place=replace(other.place, xs=tuple(x * 1.5 for x in other.place.xs)))
    with pytest.raises(CalibrationError, match="cells of 36x24 pixels"):
        complete(calibration, other)


def test_a_size_that_is_known_is_not_learned_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a size is known, nothing is clicked, and the error says what else can be done."""
    learned(3, 32, SMALL, tmp_path)
    desktop = client(3, 32, SMALL)
    desk = Desk(desktop, desktop, clock=VirtualClock())
    monkeypatch.setattr("sweepbot.cli.calibrate.open_desktop", lambda _: nullcontext(desk))
    done = CliRunner().invoke(command, ["mine", "--live", "--yes", "--output", str(tmp_path)])
    assert isinstance(done.exception, CalibrationError)
    assert "has cells of 32 pixels" in str(done.exception)
    assert "--force" in done.exception.hint
    assert not desktop.clicks


@pytest.mark.parametrize("cell", by_turns([(34, 31), (16, 28)]), ids=str)
def test_cells_that_are_not_square_are_learned_and_played(cell: tuple[int, int], tmp_path: Path) -> None:
    """A client with oblong cells is learned and played without a misread."""
    desktop = SkinDesktop(replace(Skin.of(4), pitch=max(cell), gap=0), SMALL, cell)
    learned = learn(desktop, 6)
    assert learned.cell == cell
    calibration = load_calibration(write(learned, tmp_path / "mine", "a skin", force=False).path.parent)
    Bot(desktop, desktop, calibration, tmp_path, settings=PlaySettings(games=2)).finish(2)


class ScaledDesktop(SkinDesktop):
    """A client with cells of a fractional width, as on a page that is zoomed out."""

    drawn_by = ()

    def __init__(self, seed: int) -> None:
        super().__init__(replace(Skin.of(seed), gradient=0), SMALL)
        self._drawn, side = self.area, round(0.81 * self.area.width)
        self.area = Region(self.area.x, self.area.y, side, side)

    def cell_at(self, at: Point) -> Cell | None:
        inside, side = at - self.area.origin, self.area.width
        return Cell(9 * inside.y // side, 9 * inside.x // side) if at in self.area else None

    def draw_over(self, whole: Image) -> None:
        board = part(whole, self._drawn).copy()
        part(whole, self._drawn)[:] = self.skin.ground
        part(whole, self.area)[:] = cv2.resize(board, (self.area.width,) * 2, interpolation=cv2.INTER_AREA)


@pytest.mark.parametrize("seed", [22, *at_night(26)])
def test_figures_may_be_off_their_usual_place(seed: int, tmp_path: Path) -> None:
    """Figures seen in several places give the tolerance for those seen in one."""
    desktop = ScaledDesktop(seed)
    calibration = write(learn(desktop, 6), tmp_path / "mine", "a page", force=False)
    Bot(desktop, desktop, calibration, tmp_path, settings=PlaySettings(games=3)).finish(3)
