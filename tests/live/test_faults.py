"""Trouble on a real desk in mid-game: no click beside the client, no false result, a clear end."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass
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
from sweepbot.geometry import Image, Point, Region
from sweepbot.level import Level
from sweepbot.trace.events import Decided, Ended, Event, Read, Waiting
from sweepbot.vision.grid import Grid
from tests.commands import until_game
from tests.live.clients import xdemineur
from tests.live.conftest import need
from tests.live.display import Display, Program, Window, find_program, virtual_display
from tests.live.runs import playing, result
from tests.nightly import at_night
from tests.playing import Bot, play_past
from tests.waiting import wait_until

pytestmark = pytest.mark.live

HEADER_PX = 75
"""The height of the client's window above its board, in pixels."""


@dataclass(slots=True)
class Stage:
    """xdemineur on a display, with a witness behind it."""

    display: Display
    client: Program
    window: Window
    witnessed: Path
    running: ExitStack

    @property
    def region(self) -> Region:
        """Where the client's inside is now."""
        return next(it.region for it in self.display.windows() if it.number == self.window.number)

    def xdotool(self, *words: str) -> None:
        """Act as a person with a window manager would."""
        subprocess.run(["xdotool", *words], env=self.display.environment, check=True, capture_output=True)

    def start(self, *command: str) -> Program:
        """Start another program, which ends with the test."""
        return self.running.enter_context(self.display.program(command))

    def clicked_by_hand(self, desk: Desk, at: tuple[int, int], *buttons: str) -> None:
        """Click as a person between two looks of the bot, and put the pointer back."""
        before = desk.mouse.position()
        clicks = [word for button in buttons for word in ("click", button)]
        self.xdotool("mousemove", str(at[0]), str(at[1]), *clicks, "mousemove", str(before.x), str(before.y))

    def clicks_beside(self) -> list[str]:
        """The clicks that missed the client."""
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


def play(
    desk: Desk,
    folder: Path,
    *acts: Callable[[Decided, Read], object],
    on_waiting: Callable[[Waiting], None] = lambda _: None,
) -> Bot:
    """Play past several things that happen, and others when the bot waits. See `play_past`."""

    def watch(event: Event) -> None:
        if isinstance(event, Waiting):
            on_waiting(event)

    return play_past(desk, "xdemineur", 40, folder, *acts, watch=watch)


@pytest.mark.parametrize(("frozen_s", "marks"), [(0, 2), *at_night((20, 1))])
def test_what_happens_on_a_desk_only_costs_time(
    stage: Stage, desktop: Desk, tmp_path: Path, frozen_s: int, marks: int
) -> None:
    """A window that is moved, at once or late, or hidden, a frozen client, a mark by hand, a notification: games go on.

    None is misread, and no click misses the client.
    """
    manager, waits = stage.display.manager, list[str]()
    assert manager is not None

    def move_late(*_: object) -> None:
        os.kill(manager.pid, signal.SIGSTOP)
        stage.xdotool("windowmove", stage.window.number, "1100", "700")
        stage.start("sh", "-c", f"sleep 0.5; kill -CONT {manager.pid}")

    def hide_for_a_while(*_: object) -> None:
        stage.display.minimise(stage.window.number)
        stage.start("sh", "-c", f"sleep 2; xdotool windowactivate {stage.window.number}")

    def mark(decided: Decided, read: Read) -> None:
        at = Grid(tuple(read.xs), tuple(read.ys)).centre(decided.safe[-1])
        stage.clicked_by_hand(desktop, (at.x, at.y), *["3"] * marks)

    def thaw(waiting: Waiting) -> None:
        waits.append(waiting.why)
        if waiting.why == "for the client to react":
            stage.start("sh", "-c", f"sleep {frozen_s}; kill -CONT {stage.client.pid}")

    bot = play(
        desktop,
        tmp_path,
        lambda *_: stage.xdotool("windowmove", stage.window.number, "421", "342"),  # by whole cells
        move_late,
        mark,
        lambda *_: os.kill(stage.client.pid, signal.SIGSTOP),
        hide_for_a_while,
        lambda *_: cover(stage, seconds=2),
        on_waiting=thaw,
    )
    ends = [event for event in bot.events if isinstance(event, Ended)]
    assert [(end.result in ("won", "lost"), end.misreads) for end in ends] == [(True, 0)] * len(ends)
    assert "for the client to react" in waits
    assert stage.clicks_beside() == []


def test_a_client_out_of_sight_gets_no_click_and_no_result(
    stage: Stage, desktop: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A client that is covered, partly off the screen, minimised or killed is given up with the reason."""
    monkeypatch.setattr("sweepbot.player.watcher.COVERED_S", 1.5)
    number, at = stage.window.number, stage.window.region
    beyond = str(stage.display.region.width - at.width // 2)
    covers: list[Program] = []
    acts: list[tuple[Callable[[], object], Callable[[], object], type[SweepbotError]]] = [
        (lambda: covers.append(cover(stage)), lambda: covers.pop().end(), ClientCoveredError),
        (
            lambda: stage.xdotool("windowmove", number, beyond, "342"),
            lambda: stage.xdotool("windowmove", "--sync", number, "300", "200"),
            ClientCoveredError,
        ),
        (
            lambda: stage.display.minimise(number),
            lambda: stage.xdotool("windowactivate", "--sync", number),
            ClientCoveredError,
        ),
        (stage.client.end, lambda: None, ClientGoneError),
    ]
    for act, undo, expected in acts:
        with pytest.raises(expected):
            play(desktop, tmp_path, lambda *_: act())  # noqa: B023  (at once)
        undo()
    assert stage.clicks_beside() == []


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


ON_TOP = """
import sys, tkinter
root = tkinter.Tk()
root.title("on top")
root.geometry(sys.argv[1])
root.attributes("-topmost", True)
root.mainloop()
"""


def test_the_cells_beside_a_window_that_stays_on_top_are_played(
    stage: Stage, desktop: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A window that cannot be pushed behind costs the cells under it: all others are played."""
    monkeypatch.setattr("sweepbot.player.watcher.COVERED_S", 1.5)
    monkeypatch.setattr("sweepbot.player.watcher.PATIENCE_S", 1.0)
    end = stage.window.region.end

    def put_on_top(*_: object) -> None:
        stage.start(sys.executable, "-c", ON_TOP, f"200x150+{end.x - 80}+{end.y - 90}")
        wait_until(lambda: stage.display.windows("on top") or None, "a window")

    waited: list[str] = []
    with suppress(ClientCoveredError):  # a guess may end the game before nothing else is left to do
        play(desktop, tmp_path, put_on_top, on_waiting=lambda waiting: waited.append(waiting.why))
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
    assert "Traceback" not in talk
    assert "display" in talk
    assert len(report["games"]) >= 1


def cover(stage: Stage, seconds: int = 60) -> Program:
    """Put another program's window over the board for a while, and wait until it is there."""
    at = stage.region
    shown = stage.start("xterm", "-geometry", f"40x14+{at.x + 30}+{at.y + 110}", "-e", "sleep", str(seconds))
    wait_until(lambda: stage.display.windows("sleep.*") or None, "a window in front")
    return shown
