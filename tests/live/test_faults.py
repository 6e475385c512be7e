"""Trouble on a real desk in mid-game: no click beside the client, no false result, a clear end."""

import os
import re
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

from sweepbot.desktop.desk import Desk
from sweepbot.errors import (
    ClientCoveredError,
    ClientGoneError,
    StoppedByUserError,
    StuckError,
    SweepbotError,
    UntrustedReadingError,
)
from sweepbot.geometry import Image, Point
from sweepbot.level import Level
from sweepbot.trace.events import Decided, Event, Read, Waiting
from sweepbot.vision.grid import Grid
from tests.commands import result, until_game
from tests.live.conftest import need
from tests.live.runs import playing
from tests.nightly import at_night
from tests.playing import Bot, play_past
from tools.live.clients import xdemineur
from tools.live.display import Display, Window, find_program, virtual_display
from tools.live.stage import Stage, staged
from tools.waiting import wait_until

pytestmark = pytest.mark.live

HEADER_PX = 75
"""The height of the client's window above its board, in pixels."""


@pytest.fixture
def stage(display: Display, tmp_path: Path) -> Iterator[Stage]:
    """A client under a window manager, with a witness."""
    need("xdemineur", "xdotool", "xterm")
    with staged(display, tmp_path / "witnessed") as stage:
        yield stage


def play(
    desk: Desk,
    folder: Path,
    act: Callable[[Decided, Read], object],
    on_waiting: Callable[[Waiting], None] = lambda _: None,
) -> Bot:
    """Play a game in which something happens once, and when the bot waits. See `play_past`."""

    def watch(event: Event) -> None:
        if isinstance(event, Waiting):
            on_waiting(event)

    return play_past(desk, "xdemineur", 40, folder, act, watch=watch)


def expect_finished(bot: Bot, stage: Stage) -> None:
    """Assert that the first game was finished without a misread, and that no click missed the client."""
    assert bot.results[0].result in ("won", "lost")
    assert bot.results[0].misreads == 0
    assert stage.clicks_beside() == []


def test_a_window_moved_by_whole_cells_is_followed(stage: Stage, desktop: Desk, tmp_path: Path) -> None:
    """The game goes on in the window's new place, and no certain cell explodes."""
    expect_finished(
        play(desktop, tmp_path, lambda _, __: stage.xdotool("windowmove", stage.window.number, "421", "342")), stage
    )


@pytest.mark.parametrize("how", ["killed", "minimised", "rolled up", "covered", "pushed off the screen"])
def test_a_client_out_of_sight_gets_no_click_and_no_result(
    stage: Stage, desktop: Desk, tmp_path: Path, how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A client that is killed, minimised, rolled up, covered or partly off the screen is given up with the reason."""
    monkeypatch.setattr("sweepbot.player.watcher.COVERED_S", 1.5)
    beyond = str(stage.display.region.width - stage.window.region.width // 2)
    acts: dict[str, Callable[[], None]] = {
        "killed": stage.client.end,
        "minimised": lambda: stage.display.minimise(stage.window.number),
        "rolled up": lambda: stage.display.add_state(stage.window.number, "SHADED"),
        "covered": stage.cover,
        "pushed off the screen": lambda: stage.xdotool("windowmove", stage.window.number, beyond, "342"),
    }
    expected: type[SweepbotError] = ClientGoneError if how == "killed" else ClientCoveredError
    with pytest.raises(expected):
        play(desktop, tmp_path, lambda _, __: acts[how]())
    assert stage.clicks_beside() == []


def test_a_window_that_is_about_to_be_moved_gets_no_click(stage: Stage, desktop: Desk, tmp_path: Path) -> None:
    """While the window manager has yet to move the window, nothing is clicked in its old place."""
    manager = stage.display.manager
    assert manager is not None

    def push_away_late(*_: object) -> None:
        os.kill(manager.pid, signal.SIGSTOP)
        stage.xdotool("windowmove", stage.window.number, "1100", "700")
        stage.start("sh", "-c", f"sleep 0.5; kill -CONT {manager.pid}")

    expect_finished(play(desktop, tmp_path, push_away_late), stage)


def test_a_board_that_is_uncovered_again_is_played_on(stage: Stage, desktop: Desk, tmp_path: Path) -> None:
    """A window that is minimised for two seconds only costs that time."""

    def hide_for_a_while(*_: object) -> None:
        stage.display.minimise(stage.window.number)
        stage.start("sh", "-c", f"sleep 2; xdotool windowactivate {stage.window.number}")

    expect_finished(play(desktop, tmp_path, hide_for_a_while), stage)


@pytest.mark.parametrize("seconds", [0, *at_night(20)])
def test_a_client_that_freezes_for_a_while_is_waited_for(
    stage: Stage, desktop: Desk, tmp_path: Path, seconds: int
) -> None:
    """A client that freezes until the bot says so, and for some seconds more, is played on without a misread."""

    def freeze(*_: object) -> None:
        os.kill(stage.client.pid, signal.SIGSTOP)

    def thaw(waiting: Waiting) -> None:
        assert waiting.why == "for the client to react"
        stage.start("sh", "-c", f"sleep {seconds}; kill -CONT {stage.client.pid}")

    bot = play(desktop, tmp_path, freeze, thaw)
    assert any(isinstance(event, Waiting) for event in bot.events)
    expect_finished(bot, stage)


@pytest.mark.nightly
def test_a_client_that_freezes_for_good_is_given_up(stage: Stage, desktop: Desk, tmp_path: Path) -> None:
    """A client that freezes for good ends the run without a result, whatever its last picture shows."""
    try:
        with pytest.raises((StuckError, UntrustedReadingError)):
            play(desktop, tmp_path, lambda _, __: os.kill(stage.client.pid, signal.SIGSTOP))
    finally:
        os.kill(stage.client.pid, signal.SIGCONT)
    assert stage.clicks_beside() == []


def test_a_game_begun_by_hand_stops_the_bot(stage: Stage, desktop: Desk, tmp_path: Path) -> None:
    """A person's click on the face ends the run as theirs, without a misread."""
    face = stage.window.region.x + stage.window.region.width // 2, stage.window.region.y + 40

    with pytest.raises(StoppedByUserError, match="another game was started by hand"):
        play(desktop, tmp_path, lambda _, __: stage.clicked_by_hand(desktop, face, "1"))
    assert stage.clicks_beside() == []


@pytest.mark.parametrize("times", [2, *at_night(1)])
def test_a_mark_that_a_person_puts_on_a_safe_cell_is_taken_away(
    stage: Stage, desktop: Desk, tmp_path: Path, times: int
) -> None:
    """A flag or question mark on the cell that is to be opened stops no game."""

    def mark(decided: Decided, read: Read) -> None:
        at = Grid(tuple(read.xs), tuple(read.ys)).centre(decided.safe[-1])
        stage.clicked_by_hand(desktop, (at.x, at.y), *["3"] * times)

    expect_finished(play(desktop, tmp_path, mark), stage)


def test_a_notification_over_the_board_is_waited_for(stage: Stage, desktop: Desk, tmp_path: Path) -> None:
    """A window over the board for two seconds only costs that time."""
    expect_finished(play(desktop, tmp_path, lambda _, __: stage.cover(seconds=2)), stage)


def test_the_cells_beside_a_window_that_stays_on_top_are_played(
    stage: Stage, desktop: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A window that cannot be pushed behind costs the cells under it: all others are played."""
    monkeypatch.setattr("sweepbot.player.watcher.COVERED_S", 1.5)
    monkeypatch.setattr("sweepbot.player.watcher.PATIENCE_S", 1.0)
    end = stage.window.region.end

    def put_on_top(*_: object) -> None:
        place = f"200x150+{end.x - 80}+{end.y - 90}"
        stage.start(sys.executable, "-m", "tools.live.window", "on top", place, "on-top")
        wait_until(lambda: stage.display.windows("on top") or None, "a window")

    waited: list[str] = []
    with suppress(ClientCoveredError):  # a guess may end the game before nothing else is left to do
        play(desktop, tmp_path, put_on_top, lambda waiting: waited.append(waiting.why))
    assert any(
        re.fullmatch(r"for the \d+ cells behind another .*; the others are played meanwhile", it) for it in waited
    )
    assert stage.clicks_beside() == []


def test_another_client_in_the_place_of_the_first_is_not_touched(stage: Stage, desktop: Desk, tmp_path: Path) -> None:
    """If another client of its kind replaces the first, the run ends without a click on it."""
    shown: list[Image] = []

    def replace(*_: object) -> None:
        stage.client.end()
        at = stage.window.region
        other = stage.start(find_program("xdemineur") or "", "-geometry", f"16x16{at.x:+d}{at.y:+d}", "-m", "40")
        window = stage.display.wait_for_window(".*mineur", other, (at.width, at.height))
        stage.xdotool("windowmove", "--sync", window.number, str(at.x), str(at.y))
        shown.append(stage.display.picture(at))

    with pytest.raises(ClientGoneError):
        play(desktop, tmp_path, replace)
    assert np.array_equal(stage.display.picture(stage.window.region)[HEADER_PX:], shown[0][HEADER_PX:])
    assert stage.clicks_beside() == []


def test_of_two_clients_of_one_kind_one_is_played(stage: Stage, desktop: Desk, tmp_path: Path) -> None:
    """A second client of the same kind gets no click."""
    place = Point(1100, 500)
    second = stage.start(find_program("xdemineur") or "", "-geometry", "16x16", "-m", "40")

    def other() -> Window | None:
        second.running()
        both = stage.display.windows(".*mineur")
        return next((one for one in both if one.number != stage.window.number), None)

    stage.xdotool("windowmove", "--sync", wait_until(other, "the second client").number, str(place.x), str(place.y))
    both = stage.window.region, wait_until(other, "the second client").region

    def boards() -> list[Image]:
        return [stage.display.picture(region)[HEADER_PX:] for region in both]  # its clock runs

    before = boards()
    bot = play(desktop, tmp_path, lambda _, __: None)
    after = boards()
    assert bot.results[0].result in ("won", "lost")
    assert sorted(np.array_equal(*pair) for pair in zip(before, after, strict=True)) == [False, True]
    assert stage.clicks_beside() == []


def test_a_display_that_ends_ends_the_run_with_a_message(tmp_path: Path) -> None:
    """If the X server is killed in mid-game, the run ends with a message, and reports what it had."""
    need("xdemineur")
    with (
        virtual_display() as display,
        xdemineur(display, Level.parse("16x16/40")),
        playing(display.environment | {"XDG_STATE_HOME": str(tmp_path)}, "--games", "500") as bot,
    ):
        until_game(bot)
        os.kill(display.server.pid, signal.SIGKILL)
        report, talk = result(bot, 1)
    assert "display" in talk
    assert len(report["games"]) >= 1
