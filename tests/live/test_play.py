"""Whole games against real clients in real windows, played by the command line."""

import json
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from sweepbot.demo.process import demo_window
from sweepbot.level import Level
from tests.live.clients import WinePrefix, sgt_mines, xdemineur
from tests.live.conftest import need
from tests.live.display import Display, wait_until
from tests.nightly import at_night

pytestmark = pytest.mark.live

BATCH = 4
MOST_GAMES = 40
PATIENCE = 120.0
"""Seconds within which a batch of games must have ended."""


@dataclass(frozen=True, slots=True)
class Bot:
    """Runs `sweepbot play` on a display."""

    display: Display
    home: Path

    def play(self, *options: str, exit_code: int = 0) -> dict[str, Any]:
        """Play some games and return the report."""
        with self.start(*options) as playing:
            try:
                out, talk = playing.communicate(timeout=PATIENCE)
            finally:
                playing.kill()
        assert playing.returncode == exit_code, talk
        report: dict[str, Any] = json.loads(out)
        return report

    def start(self, *options: str) -> subprocess.Popen[str]:
        """Start to play in the background."""
        return subprocess.Popen(
            [sys.executable, "-m", "sweepbot", "play", "--no-countdown", "--json", *options],
            env=self.display.environment | {"XDG_STATE_HOME": str(self.home)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def play_until_won(self, wins: int, *options: str) -> None:
        """Play until so many games are won; none may be misread or lost on a certain cell."""
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
    """Three beginner games of WineMine are won without a misread."""
    with wine.winemine(Level.parse("beginner")):
        bot.play_until_won(3, "--client", "winemine", "--level", "beginner")


def test_winemines_dialogs_are_closed(bot: Bot, wine: WinePrefix) -> None:
    """Games go on after a best time, for which WineMine asks for a name and shows a list."""
    with wine.winemine(Level.parse("beginner"), best_times=True):
        bot.play_until_won(2, "--client", "winemine")


def test_xdemineur_is_won(bot: Bot, display: Display) -> None:
    """A game of xdemineur on its smallest board is won, which takes a flag on every mine."""
    need("xdemineur")
    with xdemineur(display, Level.parse("12x8/10")):
        bot.play_until_won(1, "--client", "xdemineur", "--mines", "10")


def test_sgt_mines_own_boards_need_no_guess(bot: Bot, display: Display) -> None:
    """Expert games of Tatham's Mines as it deals them by default are won without a guess."""
    need("sgt-mines")
    with sgt_mines(display, Level.parse("expert"), no_guess=True):
        report = bot.play("--client", "sgt-mines", "--games", "2")
    assert [(game["result"], game["guesses"]) for game in report["games"]] == [("won", 0)] * 2


@pytest.mark.parametrize("client", ["winxp", *at_night("demo")])
def test_the_demos_window_is_won(bot: Bot, monkeypatch: pytest.MonkeyPatch, client: str) -> None:
    """A game in the demo's window is won, by its own calibration and by its look-alike's."""
    monkeypatch.setenv("DISPLAY", bot.display.environment["DISPLAY"])
    with demo_window(Level.parse("beginner")):
        bot.play_until_won(1, "--client", client)


def test_an_empty_desktop_is_an_error(bot: Bot) -> None:
    """On an empty desktop no board is found, and nothing is played."""
    report = bot.play("--client", "winxp", exit_code=3)
    assert (report["won"], report["lost"]) == (0, 0)


def test_moving_the_mouse_stops_the_bot(bot: Bot, monkeypatch: pytest.MonkeyPatch) -> None:
    """A real movement of the pointer in mid-game ends everything with exit 5."""
    need("xdotool")
    monkeypatch.setenv("DISPLAY", bot.display.environment["DISPLAY"])
    with demo_window(Level.parse("expert")), bot.start("--client", "demo", "--games", "500") as playing:
        assert playing.stderr is not None
        assert any(line.startswith("game 1 of 500") for line in playing.stderr)
        # A hand moves in many steps; a single one may fall between the bot's look at the pointer and its own move.
        wait_until(lambda: _pushed(playing), "the bot to stop")
        report, talk = playing.communicate(timeout=PATIENCE)
    assert playing.returncode == 5, talk
    assert "stopped: the mouse was moved by hand" in talk
    assert json.loads(report)["games"][-1]["result"] == "aborted"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_a_run_with_its_report(bot: Bot, monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    """Ctrl-C and SIGTERM stop the run with exit 5, and the games so far are reported."""
    monkeypatch.setenv("DISPLAY", bot.display.environment["DISPLAY"])
    with demo_window(Level.parse("beginner")), bot.start("--client", "demo", "--games", "500") as playing:
        assert playing.stderr is not None
        assert any(line.startswith("game 1 of 500") for line in playing.stderr)
        playing.send_signal(number)
        report, talk = playing.communicate(timeout=PATIENCE)
    assert playing.returncode == 5, talk
    assert "Traceback" not in talk
    assert ("stopped by Ctrl-C" if number == signal.SIGINT else "stopped by the signal SIGTERM") in talk
    assert len(json.loads(report)["games"]) >= 1


def _pushed(playing: subprocess.Popen[str]) -> bool | None:
    """Push the mouse a little further; True once the bot has ended."""
    subprocess.run(["xdotool", "mousemove_relative", "--", "-5", "7"], check=True)
    return None if playing.poll() is None else True
