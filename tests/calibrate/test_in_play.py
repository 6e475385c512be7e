"""States that were not met while a client was learned: read at first sight, then learned in play."""

import errno
import os
import random
import shutil
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import yaml
from msgspec import structs

from sweepbot.board import Board, Phase, State
from sweepbot.calibrate.learned import Learned
from sweepbot.calibrate.memory import Memory
from sweepbot.calibrate.writing.write import complete
from sweepbot.demo.client import Client
from sweepbot.demo.memory import MemoryDesktop
from sweepbot.game import Game
from sweepbot.geometry import Cell
from sweepbot.level import FirstClick, Level
from sweepbot.sessions.settings import PlaySettings
from sweepbot.trace.events import Decided, Ended, Event
from sweepbot.vision.calibration import (
    FILE,
    STATE_NAMES,
    Calibration,
    find_calibration,
    load_calibration,
    shipped_calibrations,
    user_calibrations,
)
from sweepbot.vision.pictures.image import load_image
from sweepbot.vision.reader import Reader, unknown_client
from tests.playing import Bot
from tools.drawing.demo import templates
from tools.drawing.skins import Skin, SkinDesktop
from tools.places import FIXTURES


def without(client: str, states: list[str], folder: Path) -> Calibration:
    """A copy of a shipped calibration without some states."""
    made = folder / client
    shutil.copytree(shipped_calibrations() / client, made)
    file = yaml.safe_load((made / FILE).read_text(encoding="utf-8"))
    for state in states:
        del file["states"][state]
    file["unmet"] = states
    (made / FILE).write_text(yaml.safe_dump(file), encoding="utf-8")
    return load_calibration(made)


def hide_totals(calibration: Calibration) -> None:
    """Remove all that tells the total of mines: the counter and the levels."""
    file = yaml.safe_load(calibration.path.read_text(encoding="utf-8"))
    del file["panel"]
    calibration.path.write_text(yaml.safe_dump(file | {"levels": {}}), encoding="utf-8")


def expect_as_drawn(calibration: Calibration) -> None:
    """Assert that each template is what the demo draws."""
    drawn, names = templates(), {state: name for name, state in STATE_NAMES.items()}
    assert all(np.array_equal(template.image, drawn[names[template.state]]) for template in calibration.templates)


@pytest.mark.parametrize(
    ("client", "fixture", "unmet"),
    [
        ("winemine", "16x14-130_won", ["7", "8"]),
        ("xdemineur", "expert_won", ["5", "6", "7", "8"]),
        ("demo", "crowded_won", ["7", "8"]),
        ("kmines", "beginner_lost", ["flag", "wrong_flag", "exploded"]),
    ],
)
def test_states_that_were_not_met_are_not_misread(client: str, fixture: str, unmet: list[str], tmp_path: Path) -> None:
    """States that a calibration lacks are read at first sight or not at all, and every other cell as before."""
    truth = Board.parse((FIXTURES / client / f"{fixture}.txt").read_text(encoding="ascii")).cells
    seen = Reader(without(client, unmet, tmp_path)).read(load_image(FIXTURES / client / f"{fixture}.png")).board.cells
    never_met = np.isin(truth, [STATE_NAMES[name] for name in unmet])
    assert never_met.any()
    assert np.isin(seen[never_met & (seen != truth)], [State.UNKNOWN]).all()
    assert np.array_equal(seen[~never_met], truth[~never_met])


def play(calibration: Calibration, seed: int, folder: Path, kind: type[Game] = Game) -> list[str]:
    """Play crowded games of the demo in memory, keep what was learned, and return the states that were."""
    told: list[str] = []

    def remember(learned: Learned | None, _: str) -> None:
        if learned is not None:
            told.extend(label.state for label in learned.labels)
            complete(calibration, learned)

    rng, level = random.Random(seed), Level(10, 10, 34)
    desktop = MemoryDesktop(Client(lambda: kind(level, FirstClick.OPEN, rng)))
    settings = PlaySettings(games=5, mines=level.mines)
    Bot(desktop, desktop, calibration, folder, settings=settings, remember=remember).finish(5)
    return told


def test_numbers_are_learned_in_play(tmp_path: Path) -> None:
    """A calibration that ends at 4 learns more on crowded boards, exactly as the demo draws it."""
    told = play(without("demo", ["5", "6", "7", "8"], tmp_path), 2, tmp_path / "evidence")
    learned = load_calibration(tmp_path / "demo")
    numbers = {template.state for template in learned.templates if template.state < State.HIDDEN}
    assert 5 in numbers
    assert {*told} == {str(number) for number in numbers if number > 4}
    assert set(learned.unmet) == {5, 6, 7, 8} - numbers
    expect_as_drawn(learned)


def test_games_end_without_a_known_end(tmp_path: Path) -> None:
    """Without templates of mines and some numbers, games are finished, even lost ones, and new ones begun."""
    play(without("demo", ["exploded", "mine", "wrong_flag", "4", "5", "6", "7", "8"], tmp_path), 2, tmp_path)
    expect_as_drawn(load_calibration(tmp_path / "demo"))


class FrankGame(Game):
    """A game that shows every number when it is lost."""

    def _lose(self, exploded: Iterable[Cell]) -> None:
        super()._lose(exploded)
        for cell in self.board.where(State.HIDDEN):
            self._cells[cell] = sum(other in self.mines for other in self.board.neighbours(cell))


def test_a_loss_that_shows_every_number_is_harmless(tmp_path: Path) -> None:
    """Where a loss shows all cells, unknown looks included, the next game still begins."""
    play(without("demo", ["5", "6", "7", "8"], tmp_path), 3, tmp_path / "evidence", FrankGame)
    expect_as_drawn(load_calibration(tmp_path / "demo"))


def test_a_loss_with_unknown_mines_is_seen(tmp_path: Path) -> None:
    """A game is lost on a known exploded mine, whatever the other mines look like."""
    assert play(without("demo", ["mine"], tmp_path), 3, tmp_path / "evidence") == ["mine"]
    expect_as_drawn(load_calibration(tmp_path / "demo"))


@pytest.mark.parametrize("mines", [8, None])
def test_shown_mines_are_not_always_a_loss(mines: int | None, tmp_path: Path) -> None:
    """Where shown mines look alike in won and lost games, and numbers were not met, each result is told truly."""
    ends: list[str] = []

    class AlikeGame(Game):
        def _win(self) -> None:
            self.phase = Phase.WON
            for cell in self.mines:
                self._cells[cell] = State.MINE
            ends.append("won")

        def _lose(self, exploded: Iterable[Cell]) -> None:
            super()._lose(exploded)
            ends.append("lost")

    copy = without("demo", ["3", "4", "5", "6", "7", "8"], tmp_path)
    if mines is None:
        hide_totals(copy)
    rng, level = random.Random(2), Level(6, 6, 8)
    desktop = MemoryDesktop(Client(lambda: AlikeGame(level, FirstClick.OPEN, rng)))
    settings = PlaySettings(games=6, mines=mines)
    bot = Bot(desktop, desktop, load_calibration(copy.path.parent), tmp_path, settings=settings, tell=lambda _: None)
    bot.play(6)
    assert [game.result for game in bot.results] == ends


@pytest.mark.usefixtures("own_folders")
def test_a_shipped_calibration_is_copied_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is learned about a shipped calibration goes into the user's own copy."""
    monkeypatch.setattr("sweepbot.vision.calibration.shipped_calibrations", lambda: tmp_path / "shipped")
    calibration = without("demo", ["5", "6", "7", "8"], tmp_path / "shipped")
    before = calibration.path.read_bytes()
    play(calibration, 2, tmp_path / "evidence")
    assert calibration.path.read_bytes() == before
    assert (user_calibrations() / "demo").is_dir()
    assert find_calibration("demo").path.parent == user_calibrations() / "demo"


class QuietGame(Game):
    """A game whose end shows no flags after a win, and only the exploded mine after a loss."""

    def _win(self) -> None:
        self.phase = Phase.WON

    def _lose(self, exploded: Iterable[Cell]) -> None:
        self.phase = Phase.LOST
        for cell in exploded:
            self._cells[cell] = State.EXPLODED


@pytest.mark.parametrize("kind", [Game, QuietGame])
def test_the_total_of_mines_is_learned_in_play(kind: type[Game], tmp_path: Path) -> None:
    """Without a known total, cells that are safe for any total are opened until a game's end gives it.

    The end may show the mines, or be a finished board that takes no more clicks.
    """
    copy = without("demo", [], tmp_path)
    hide_totals(copy)
    calibration = load_calibration(copy.path.parent)
    told: list[str] = []
    rng, level = random.Random(3), Level(10, 12, 15)
    client = Client(lambda: kind(level, FirstClick.OPEN, rng))
    desktop = MemoryDesktop(client)

    def observe(event: Event) -> None:
        if isinstance(event, Decided) and client.game.mines:
            assert client.game.mines.isdisjoint(event.safe)

    settings = PlaySettings(games=4)
    folder = tmp_path / "evidence"
    player = Bot(desktop, desktop, calibration, folder, settings=settings, tell=told.append, watch=observe)
    player.finish(4)
    assert len(told) == 1
    assert "10x12 cells have 15 mines" in told[0]
    assert load_calibration(tmp_path / "demo").level_of_size(10, 12) == level


def test_games_go_on_where_a_total_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What cannot be kept of what a game has taught costs no game: it is said once, with the reason."""
    copy = without("demo", [], tmp_path)
    hide_totals(copy)
    calibration = load_calibration(copy.path.parent)
    told: list[str] = []
    rng, level = random.Random(3), Level(10, 12, 15)
    desktop = MemoryDesktop(Client(lambda: Game(level, FirstClick.OPEN, rng)))

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "no space left")

    monkeypatch.setattr(os, "rename", full)
    player = Bot(desktop, desktop, calibration, tmp_path / "evidence", settings=PlaySettings(games=4), tell=told.append)
    player.finish(4)
    assert len(told) == 1
    assert "10x12 cells have 15 mines" in told[0]
    assert "no space left" in told[0]


def test_two_equal_ends_give_the_total_of_mines(tmp_path: Path) -> None:
    """Two games in a row that end with the same total give it, and it is written down for that size."""
    folder = tmp_path / "demo"
    shutil.copytree(shipped_calibrations() / "demo", folder)
    told: list[str] = []
    rng, level = random.Random(3), Level(10, 12, 15)
    desktop = MemoryDesktop(Client(lambda: Game(level, FirstClick.SAFE, rng)))
    calibration = structs.replace(load_calibration(folder), panel=None)
    settings = PlaySettings(games=4)
    player = Bot(desktop, desktop, calibration, tmp_path / "evidence", settings=settings, tell=told.append)
    player.play(4)
    totals = [event.total for event in player.events if isinstance(event, Ended)]
    assert totals[:2] == [None, None]
    assert totals[-1] == level.mines
    assert told[0].startswith("learned that boards of 10x12 cells have 15 mines")
    assert load_calibration(folder).level_of_size(10, 12) == level


def test_hidden_cells_of_a_board_that_has_moved_a_little_are_no_mines() -> None:
    """Where all hidden cells look otherwise at one side, those of the outermost row that do so elsewhere are hidden."""
    desktop = SkinDesktop(replace(Skin.of(3), face=False, gradient=0), Level(9, 9, 10))
    desktop.click(desktop.pixels(Cell(4, 4)).centre)
    later = desktop.grab().image.copy()
    reading = Reader(unknown_client("new"), is_told=True).read(later)
    memory = Memory(unknown_client("new"), lambda _: None)
    assert memory.study(later.copy(), reading)[0].board == reading.board
    for cell in reading.board.where(State.HIDDEN):
        seen = desktop.pixels(cell, rim=3)
        later[seen.y : seen.y + (2 if cell.row else seen.height), seen.x : seen.right] -= 40
    assert memory.study(later, reading)[0].board == reading.board
