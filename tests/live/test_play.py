"""Whole games against real clients in real windows, played as a user would: by the command line."""

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from sweepbot.demo.process import demo_window
from sweepbot.game import Level
from tests.live.clients import WinePrefix, xdemineur
from tests.live.conftest import need
from tests.live.display import Display

pytestmark = pytest.mark.live

BATCH = 4
MOST_GAMES = 40


@dataclass(frozen=True, slots=True)
class Bot:
    """Runs `sweepbot play` on a display."""

    display: Display
    home: Path

    def play(self, *options: str, exit_code: int = 0) -> dict[str, Any]:
        """Play some games and return the report."""
        command = [sys.executable, "-m", "sweepbot", "play", "--no-countdown", "--json", *options]
        environment = self.display.environment | {"XDG_STATE_HOME": str(self.home)}
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=300)
        assert done.returncode == exit_code, done.stderr
        report: dict[str, Any] = json.loads(done.stdout)
        return report

    def play_until_won(self, wins: int, *options: str) -> None:
        """Play until so many games are won; none may be misread, which includes losing on a certain cell."""
        won = played = 0
        while won < wins:
            report = self.play("--games", str(BATCH), *options)
            assert [game["result"] for game in report["games"] if game["result"] not in ("won", "lost")] == []
            assert sum(game["misreads"] for game in report["games"]) == 0
            won += report["won"]
            played += BATCH
            assert played <= MOST_GAMES, f"{won} of {played} games won"


@pytest.fixture
def bot(display: Display, tmp_path: Path) -> Bot:
    """The bot on the session's display; what it saves goes into a folder of the test."""
    return Bot(display, tmp_path)


def test_winemine_is_won(bot: Bot, wine: WinePrefix) -> None:
    """Three beginner games of WineMine are won, its mines new in each, and none is misread."""
    with wine.winemine(Level.parse("beginner")):
        bot.play_until_won(3, "--client", "winemine", "--level", "beginner")


def test_winemines_dialogs_are_closed(bot: Bot, wine: WinePrefix) -> None:
    """Games go on after a best time, for which WineMine asks for a name and then shows a list."""
    with wine.winemine(Level.parse("9x9/3"), best_times=True):
        report = bot.play("--client", "winemine", "--mines", "3", "--games", "3")
    assert [game["result"] for game in report["games"]].count("aborted") == 0
    assert len(report["games"]) == 3


def test_xdemineur_is_won(bot: Bot, display: Display) -> None:
    """A game of xdemineur on its smallest board is won, which takes a flag on every mine."""
    need("xdemineur")
    with xdemineur(display, Level.parse("12x8/10")):
        bot.play_until_won(1, "--client", "xdemineur", "--mines", "10")


@pytest.mark.parametrize("client", ["demo", "winxp"])
def test_the_demos_window_is_won(bot: Bot, monkeypatch: pytest.MonkeyPatch, client: str) -> None:
    """A game in the demo's window is won, by its own calibration and by that of the client it looks like."""
    monkeypatch.setenv("DISPLAY", bot.display.environment["DISPLAY"])
    with demo_window(Level.parse("beginner")):
        bot.play_until_won(1, "--client", client)


def test_no_client_is_said(bot: Bot) -> None:
    """On an empty desktop no board is found, and nothing is played."""
    report = bot.play("--client", "winxp", exit_code=3)
    assert (report["won"], report["lost"]) == (0, 0)


def test_moving_the_mouse_stops_the_bot(bot: Bot, monkeypatch: pytest.MonkeyPatch) -> None:
    """A real movement of the real pointer, in the middle of a game, ends everything with exit 5."""
    need("xdotool")
    monkeypatch.setenv("DISPLAY", bot.display.environment["DISPLAY"])
    # A person who waits for the first cell to open, then pushes the mouse.
    push = "until xdotool getmouselocation | grep -qv x:800; do :; done; xdotool mousemove_relative 120 120"
    with demo_window(Level.parse("expert")), bot.display.program(["sh", "-c", push]):
        report = bot.play("--client", "demo", "--games", "500", exit_code=5)
    assert report["games"][-1]["result"] == "aborted"
