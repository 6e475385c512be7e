"""Whole games on the Win32 API, of the demo's window and of WineMine, and what goes wrong in the middle of them."""

import json
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from sweepbot.desktop.desk import Desk
from sweepbot.desktop.windows import WindowId, Windows
from sweepbot.errors import ClientCoveredError, ClientGoneError
from sweepbot.geometry import Region
from sweepbot.level import LEVELS, Level
from tests.playing import Bot, play_past
from tools.live.win32 import ToldWindow, minimise, window, winemine
from tools.waiting import wait_until

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
    assert [game["result"] in ("won", "lost") for game in report["games"]] == [True] * 3
    assert sum(game["misreads"] for game in report["games"]) == 0


@pytest.mark.usefixtures("_needs_winemine")
@pytest.mark.parametrize(("level", "games"), [("beginner", "4"), ("intermediate", "3"), ("expert", "2")])
def test_winemine_is_played_and_its_dialogs_closed(windows: Windows, level: str, games: str) -> None:
    """Games go on, and none is misread, though each that is won asks for the winner's name."""
    with winemine(windows, LEVELS[level], best_times=True):
        report = sweepbot("play", "--client", "winemine", "--level", level, "--no-countdown", "--games", games)
        assert [game["result"] in ("won", "lost") for game in report["games"]] == [True] * int(games)
        assert sum(game["misreads"] for game in report["games"]) == 0


class Stage:
    """WineMine, a witness behind it, and what there is to do to it."""

    def __init__(self, desktop: Desk, client: WindowId, witness: ToldWindow, running: ExitStack) -> None:
        self.desktop = desktop
        self.client = client
        self.witness = witness
        self._running = running

    @property
    def region(self) -> Region:
        """Where the client's inside is."""
        assert self.desktop.windows is not None
        return next(it.region for it in self.desktop.windows.shown() if it.id == self.client)

    def cover(self) -> ToldWindow:
        """Put another program's window over the middle of the board."""
        assert self.desktop.windows is not None
        middle = self.region.centre
        place = Region(middle.x - 40, middle.y - 40, 200, 150)
        shown = self._running.enter_context(window("in front", place))
        wait_until(lambda: "in front" in self._titles_at_middle() or None, "a window in front")
        return shown

    def move(self) -> None:
        """Move the client by whole cells, and a bit."""
        at = self.region
        assert self.desktop.windows is not None
        self.desktop.windows.place(self.client, Region(at.x + 163, at.y + 97, at.width, at.height))
        wait_until(lambda: self.region.x == at.x + 163 or None, "the client to be moved")

    def minimise(self) -> None:
        """Minimise the client."""
        minimise(self.client)

    def restore(self) -> None:
        """Show the client again."""
        minimise(self.client, back=True)

    def close(self) -> None:
        """Close the client as a click on its cross does, and wait until it is gone."""
        windows = self.desktop.windows
        assert windows is not None
        windows.dismiss(self.client)
        wait_until(lambda: not windows.exists(self.client) or None, "the client to be gone")

    def later(self, act: Callable[[], None], after_s: float) -> None:
        """Do something in a while."""
        timer = threading.Timer(after_s, act)
        timer.start()
        self._running.callback(timer.join)

    def _titles_at_middle(self) -> str:
        assert self.desktop.windows is not None
        under = self.desktop.windows.under(self.region.centre)
        return "" if under is None else self.desktop.windows.title(under.id)


@pytest.fixture
def stage(_needs_winemine: None, desktop: Desk, windows: Windows) -> Iterator[Stage]:
    """WineMine on a board that takes several rounds, with a witness behind it."""
    with (
        window("witness", desktop.screen.region, "behind") as witness,
        winemine(windows, Level.parse(f"16x16/{MINES}"), best_times=False) as client,
        ExitStack() as running,
    ):
        windows.focus(client)
        yield Stage(desktop, client, witness, running)


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
