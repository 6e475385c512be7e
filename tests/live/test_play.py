"""Whole games against real clients in real windows, played by the command line."""

import json
import subprocess
import time
from contextlib import closing
from pathlib import Path

import pytest

from sweepbot.demo.process import demo_window
from sweepbot.desktop.mss_screen import DesktopScreen
from sweepbot.level import Level
from tests.commands import result, until_game
from tests.live.conftest import need
from tests.live.runs import expect_games, playing, sweepbot
from tests.nightly import at_night
from tools.live.clients import CLIENTS, WinePrefix, sgt_mines
from tools.live.display import Display, find_program, virtual_display
from tools.places import FIXTURES
from tools.waiting import wait_until

pytestmark = pytest.mark.live


BATCH = 4
MAX_GAMES = 40

MAX_S = 5.0
"""Of processor time, for a picture of a large display."""

Environment = dict[str, str]


@pytest.fixture
def environment(display: Display, tmp_path: Path) -> Environment:
    """The session's display, and a folder of the test for what is saved."""
    return display.environment | {"XDG_STATE_HOME": str(tmp_path)}


@pytest.fixture
def on_display(display: Display, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have this process use the session's display too."""
    monkeypatch.setenv("DISPLAY", display.environment["DISPLAY"])


def play_until_won(environment: Environment, wins: int, *options: str) -> None:
    """Play until so many games are won; none may be misread or lost on a certain cell."""
    won = played = 0
    while won < wins:
        with playing(environment, "--games", str(BATCH), *options) as bot:
            report, _ = result(bot, 0)
        expect_games(report, BATCH)
        won += report["won"]
        played += BATCH
        assert played <= MAX_GAMES, f"{won} of {played} games won"


@pytest.mark.parametrize(("client", "wins"), [("xdemineur", 1), *at_night(*((name, 3) for name in CLIENTS))])
def test_a_client_is_won(environment: Environment, display: Display, client: str, wins: int) -> None:
    """Games of each client on its smallest board are won without a misread; some take a flag on every mine."""
    need(*CLIENTS[client].needs)
    level = Level.parse(CLIENTS[client].smallest)
    with CLIENTS[client].start(display, level):
        play_until_won(environment, wins, "--client", client, "--mines", str(level.mines))


def test_winemines_dialogs_are_closed(environment: Environment, wine: WinePrefix) -> None:
    """Games go on after a best time, for which WineMine asks for a name and shows a list."""
    with wine.winemine(Level.parse("beginner"), best_times=True):
        play_until_won(environment, 2, "--client", "winemine")


def test_sgt_mines_own_boards_need_no_guess(environment: Environment, display: Display) -> None:
    """Expert games of Tatham's Mines as it deals them by default are won without a guess."""
    need("sgt-mines")
    with (
        sgt_mines(display, Level.parse("expert"), no_guess=True),
        playing(environment, "--client", "sgt-mines", "--games", "2") as bot,
    ):
        report, _ = result(bot, 0)
    assert [(game["result"], game["guesses"]) for game in report["games"]] == [("won", 0)] * 2


@pytest.mark.usefixtures("on_display")
@pytest.mark.parametrize("client", ["winxp", *at_night("demo")])
def test_the_demos_window_is_won(environment: Environment, client: str) -> None:
    """A game in the demo's window is won, by its own calibration and by its look-alike's."""
    with demo_window(Level.parse("beginner")):
        play_until_won(environment, 1, "--client", client)


def test_an_empty_desktop_is_an_error(environment: Environment) -> None:
    """On an empty desktop no board is found, and nothing is played."""
    with playing(environment, "--client", "winxp") as bot:
        report, _ = result(bot, 3)
    assert (report["won"], report["lost"]) == (0, 0)


@pytest.mark.parametrize("depth", [30, *at_night(16)])
def test_a_display_of_another_depth_is_played(tmp_path: Path, depth: int) -> None:
    """With five or ten bits a colour games are finished without a misread."""
    need("Xvfb", "sgt-mines")

    def played(environment: Environment) -> subprocess.CompletedProcess[str] | None:
        done = sweepbot(environment, "play", "--games", "2", "--no-countdown", "--json")
        return None if done.returncode == 3 else done  # mss, which would tell when a window is painted, cannot see it

    with (
        virtual_display(800, 600, managed=False, depth=depth) as display,
        display.program([find_program("sgt-mines") or "", "9x9n10"]),
    ):
        done = wait_until(lambda: played(display.environment | {"XDG_STATE_HOME": str(tmp_path)}), "the client")
    assert done.returncode == 0, done.stderr
    expect_games(json.loads(done.stdout), 2)


def test_a_large_display_of_another_depth_is_seen_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """A picture of it takes seconds: after a minute a run would end, as if the display did not answer."""
    need("Xvfb")
    with virtual_display(3840, 2160, managed=False, depth=30) as display:
        monkeypatch.setenv("DISPLAY", display.environment["DISPLAY"])
        with closing(DesktopScreen()) as screen:
            spent_s = time.process_time()
            assert screen.grab().image.shape == (2160, 3840, 3)
            assert time.process_time() - spent_s < MAX_S


def test_a_display_of_too_few_colours_is_named(tmp_path: Path) -> None:
    """A display of 8 bits a pixel is refused with its depth, and what to do."""
    need("Xvfb")
    with virtual_display(depth=8, managed=False) as display:
        environment = display.environment | {"XDG_STATE_HOME": str(tmp_path)}
        with playing(environment) as bot:
            _, talk = result(bot, 1)
    assert "this display has 8 bits a pixel" in talk
    assert "24 bits" in talk


def test_a_picture_in_a_viewer_is_not_clicked(environment: Environment, display: Display) -> None:
    """A fresh board in a viewer of pictures is no client: nothing is clicked, and the hint says how to play it."""
    need("display")
    picture = FIXTURES / "sgt-mines" / "beginner_fresh.png"
    with display.program(["display", str(picture)]) as viewer:
        display.wait_for_window(f"ImageMagick: {picture.name}", viewer)
        with playing(environment) as bot:
            report, talk = result(bot, 3)
    assert report["games"] == []
    assert "a window that shows a picture" in talk
    assert "--region" in talk


@pytest.mark.usefixtures("on_display")
def test_moving_the_mouse_stops_the_bot(environment: Environment) -> None:
    """A real movement of the pointer in mid-game ends everything with exit 5."""
    need("xdotool")

    def pushed() -> bool | None:
        subprocess.run(["xdotool", "mousemove_relative", "--", "-5", "7"], check=True)
        return None if bot.poll() is None else True

    with demo_window(Level.parse("expert")), playing(environment, "--client", "demo", "--games", "500") as bot:
        until_game(bot)
        # A hand moves in many steps; a single one may fall between the bot's look at the pointer and its own move.
        wait_until(pushed, "the bot to stop")
        report, talk = result(bot, 5)
    assert "stopped: the mouse was moved by hand" in talk
    assert report["games"][-1]["result"] == "aborted"
