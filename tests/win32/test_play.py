"""Whole games on the Win32 API, of the demo's window and of WineMine, and what goes wrong in the middle of them."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from sweepbot.desktop.desk import Desk
from sweepbot.desktop.windows import Windows
from sweepbot.errors import ClientCoveredError, ClientGoneError
from sweepbot.level import LEVELS, Level
from tests.live.runs import expect_games
from tests.playing import Bot, play_past
from tools.live.win32 import Stage, ToldWindow, staged, winemine

pytestmark = pytest.mark.live

MINES = 30
"""On 16x16 cells: seldom lost early, and never won by one opening."""


def sweepbot(*words: str) -> dict[str, Any]:
    """Run a command that must end well; its JSON."""
    command = [sys.executable, "-m", "sweepbot", *words, "--json"]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    report: dict[str, Any] = json.loads(done.stdout)
    return report


def test_the_demo_is_played_in_a_real_window() -> None:
    """Seen on the screen and clicked with the mouse, with no cell misread."""
    report = sweepbot("demo", "--games", "3", "--level", "beginner", "--cps", "1000")
    expect_games(report, 3)


@pytest.mark.usefixtures("_needs_winemine")
@pytest.mark.parametrize(("level", "games"), [("beginner", "4"), ("intermediate", "3"), ("expert", "2")])
def test_winemine_is_played_and_its_dialogs_closed(windows: Windows, level: str, games: str) -> None:
    """Games go on, and none is misread, though each that is won asks for the winner's name."""
    with winemine(windows, LEVELS[level], best_times=True):
        report = sweepbot("play", "--client", "winemine", "--level", level, "--no-countdown", "--games", games)
        expect_games(report, int(games))


@pytest.fixture
def stage(_needs_winemine: None, desktop: Desk, windows: Windows) -> Iterator[Stage]:
    """WineMine on a board that takes several rounds, with a witness behind it."""
    with staged(desktop, windows, Level.parse(f"16x16/{MINES}")) as stage:
        yield stage


def play(stage: Stage, folder: Path, act: Callable[[], object]) -> Bot:
    """Play a game in which something happens once. See `play_past`."""
    return play_past(stage.desktop, "winemine", MINES, folder, lambda _, __: act())


def expect_played(bot: Bot, stage: Stage) -> None:
    """The game came to its end, with no cell misread and no click beside the client."""
    assert bot.results[-1].result in ("won", "lost")
    assert sum(result.misreads for result in bot.results) == 0
    assert stage.witness.told() == []


def test_a_window_that_is_moved_is_followed(stage: Stage, tmp_path: Path) -> None:
    """The game goes on where the window is now."""
    expect_played(play(stage, tmp_path, stage.move), stage)


def test_a_window_that_is_minimised_for_a_while_is_played_on(stage: Stage, tmp_path: Path) -> None:
    """It costs nothing but the time."""

    def hide() -> None:
        stage.minimise()
        stage.later(stage.restore, 1.0)

    expect_played(play(stage, tmp_path, hide), stage)


def test_what_lies_in_front_gets_no_click(stage: Stage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A client that stays covered is given up, and neither what covers it nor what is behind it is clicked on."""
    monkeypatch.setattr("sweepbot.player.watcher.COVERED_S", 1.5)
    covers: list[ToldWindow] = []
    with pytest.raises(ClientCoveredError):
        play(stage, tmp_path, lambda: covers.append(stage.cover()))
    assert covers[0].told() == []
    assert stage.witness.told() == []


def test_a_client_that_is_closed_ends_the_run(stage: Stage, tmp_path: Path) -> None:
    """With that reason, and nothing is clicked in its place."""
    with pytest.raises(ClientGoneError):
        play(stage, tmp_path, stage.close)
    assert stage.witness.told() == []
