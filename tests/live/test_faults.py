"""What goes wrong on a real desk in the middle of a game: no click beside the client, no false result, a clear end."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest

from sweepbot.clock import SystemClock
from sweepbot.desktop.desk import Desk
from sweepbot.errors import (
    ClientCoveredError,
    ClientGoneError,
    StoppedByUserError,
    StuckError,
    SweepbotError,
    UntrustedReadingError,
)
from sweepbot.player import Decided, Event
from sweepbot.sessions.settings import PlaySettings
from sweepbot.vision.calibration import find_calibration
from tests.live.conftest import need
from tests.live.display import Display, Program, Window, find_program, wait_until
from tests.playing import Bot

pytestmark = pytest.mark.live

MOVES = 1
"""Decisions after which the fault happens: this client's boards are half open at once, and a few rounds end them."""


@dataclass(slots=True)
class Stage:
    """xdemineur on a display, a witness behind it, and what there is to do to them."""

    display: Display
    client: Program
    window: Window
    witnessed: Path
    running: ExitStack

    def xdotool(self, *words: str) -> None:
        """Act as a person with a window manager would."""
        subprocess.run(["xdotool", *words], env=self.display.environment, check=True, capture_output=True)

    def start(self, *command: str) -> None:
        """Start another program, which ends with the test."""
        self.running.enter_context(self.display.program(command))

    def clicks_beside(self) -> list[str]:
        """What has landed beside the client."""
        return self.witnessed.read_text(encoding="ascii").splitlines()[1:]


@pytest.fixture
def stage(display: Display, tmp_path: Path) -> Iterator[Stage]:
    """A client under a window manager, with a witness."""
    need("xdemineur", "xdotool", "xterm")
    seen = tmp_path / "witnessed"
    command = [find_program("xdemineur") or "", "-geometry", "16x16", "-m", "40"]
    with (
        display.program([sys.executable, "-m", "tests.live.witness", str(seen)]),
        display.program(command) as client,
        ExitStack() as running,
    ):
        wait_until(lambda: (seen.exists() and seen.read_text(encoding="ascii")) or None, "the witness")
        window = display.wait_for_window(".*mineur", client, (21 * 16 + 31, 21 * 16 + 96))
        yield Stage(display, client, window, seen, running)


def play(desk: Desk, folder: Path, act: Callable[[], None]) -> Bot:
    """Play a game in which something happens under way."""
    decided: list[Event] = []

    def watch(event: Event) -> None:
        if isinstance(event, Decided):
            decided.append(event)
            if len(decided) == MOVES:
                act()

    settings = PlaySettings(games=1, mines=40, learns=False)
    calibration = find_calibration("xdemineur")
    bot = Bot(
        desk.screen,
        desk.mouse,
        calibration,
        folder,
        windows=desk.windows,
        clock=SystemClock(),
        settings=settings,
        watch=watch,
    )
    bot.play(1)
    return bot


def test_a_window_moved_by_whole_cells_is_followed(stage: Stage, desktop: Desk, tmp_path: Path) -> None:
    """The game goes on where the window is now, and no cell called certain explodes."""
    bot = play(desktop, tmp_path, lambda: stage.xdotool("windowmove", stage.window.number, "421", "342"))
    assert bot.results[0].result in ("won", "lost")
    assert bot.results[0].misreads == 0
    assert stage.clicks_beside() == []


@pytest.mark.parametrize("how", ["killed", "minimised", "covered"])
def test_a_client_out_of_sight_gets_no_click_and_no_result(
    stage: Stage, desktop: Desk, tmp_path: Path, how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A client that was killed, minimised or covered is given up with the reason; nothing else is clicked."""
    monkeypatch.setattr("sweepbot.player.observe.COVERED_S", 1.5)
    acts: dict[str, Callable[[], None]] = {
        "killed": stage.client.end,
        "minimised": lambda: stage.xdotool("windowminimize", "--sync", stage.window.number),
        "covered": lambda: cover(stage),
    }
    expected: type[SweepbotError] = ClientGoneError if how == "killed" else ClientCoveredError
    with pytest.raises(expected):
        play(desktop, tmp_path, acts[how])
    assert stage.clicks_beside() == []


def test_a_board_that_is_uncovered_again_is_played_on(stage: Stage, desktop: Desk, tmp_path: Path) -> None:
    """A window that is minimised for two seconds and comes back costs nothing but the time."""

    def hide_for_a_while() -> None:
        stage.xdotool("windowminimize", "--sync", stage.window.number)
        stage.start("sh", "-c", f"sleep 2; xdotool windowactivate {stage.window.number}")

    bot = play(desktop, tmp_path, hide_for_a_while)
    assert bot.results[0].result in ("won", "lost")
    assert bot.results[0].misreads == 0
    assert stage.clicks_beside() == []


def test_a_client_that_stands_still_for_a_while_is_waited_for(stage: Stage, desktop: Desk, tmp_path: Path) -> None:
    """A client that takes no events for three seconds is played on afterwards, with no cell misread."""

    def freeze() -> None:
        os.kill(stage.client.pid, signal.SIGSTOP)
        stage.start("sh", "-c", f"sleep 3; kill -CONT {stage.client.pid}")

    bot = play(desktop, tmp_path, freeze)
    assert bot.results[0].result in ("won", "lost")
    assert bot.results[0].misreads == 0
    assert stage.clicks_beside() == []


def test_a_client_that_stands_still_for_good_is_given_up(stage: Stage, desktop: Desk, tmp_path: Path) -> None:
    """A client that never reacts again ends the run without a result, whatever its last picture shows."""
    try:
        with pytest.raises((StuckError, UntrustedReadingError)):
            play(desktop, tmp_path, lambda: os.kill(stage.client.pid, signal.SIGSTOP))
    finally:
        os.kill(stage.client.pid, signal.SIGCONT)
    assert stage.clicks_beside() == []


def test_a_game_begun_by_hand_stops_the_bot(stage: Stage, desktop: Desk, tmp_path: Path) -> None:
    """A click of the user's own on the face, between two looks, ends the run as a person's doing, with no misread."""
    face = stage.window.region.x + stage.window.region.width // 2, stage.window.region.y + 40

    def begin_anew() -> None:
        at = desktop.mouse.position()
        stage.xdotool("mousemove", str(face[0]), str(face[1]), "click", "1", "mousemove", str(at.x), str(at.y))

    with pytest.raises(StoppedByUserError, match="another game was begun by hand"):
        play(desktop, tmp_path, begin_anew)
    assert stage.clicks_beside() == []


def cover(stage: Stage) -> None:
    """Put another program's window in front of the board, and wait until it is there."""
    at = stage.window.region
    stage.start("xterm", "-geometry", f"40x14+{at.x + 30}+{at.y + 110}", "-e", "sleep", "60")
    wait_until(
        lambda: next((True for window in stage.display.windows() if window.title.startswith("sleep")), None),
        "a window in front",
    )
