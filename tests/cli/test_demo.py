"""The demo as a person watches it, on a clock of its own: its countdown, its pace, and what stays at its end."""

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from itertools import pairwise

import pytest

from sweepbot.assist.own_moves import ShownMouse
from sweepbot.clock import VirtualClock
from sweepbot.desktop.desk import Desk
from sweepbot.desktop.server import DisplayServer
from sweepbot.errors import DesktopError
from tests.commands import Command
from tools.recording.demo import demo_desktop

FRAME_S = 0.001  # what the clock adds while nobody waits


class Watched:
    """The demo in a window that is in memory: when it was opened, clicked and closed, in seconds."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.clock = VirtualClock()
        self.clicks: list[float] = []
        self.opened = self.closed = 0.0
        desktop = demo_desktop()
        mouse = ShownMouse(desktop, lambda _: self.clicks.append(self.clock.now()))
        desk = Desk(desktop, mouse, clock=self.clock)
        monkeypatch.setattr("time.sleep", self.clock.sleep)
        monkeypatch.setattr("sweepbot.cli.demo.display_server", lambda: DisplayServer.X11)
        monkeypatch.setattr("sweepbot.cli.demo.open_desktop", lambda: nullcontext(desk))
        monkeypatch.setattr("sweepbot.cli.demo.open_overlay", self._no_overlay)
        monkeypatch.setattr("sweepbot.cli.demo.demo_window", self._window)

    @contextmanager
    def _window(self, *_: object) -> Iterator[None]:
        self.opened = self.clock.now()
        yield
        self.closed = self.clock.now()

    def _no_overlay(self, *_: object) -> None:
        raise DesktopError("nothing can be drawn over windows here")

    @property
    def least_s(self) -> float:
        """The shortest time between two clicks."""
        return min(later - earlier for earlier, later in pairwise(self.clicks))


@pytest.fixture
def watched(monkeypatch: pytest.MonkeyPatch) -> Watched:
    return Watched(monkeypatch)


@pytest.mark.parametrize(
    ("options", "least_s"), [((), 1 / 12), (("--cps", "5"), 1 / 5), (("--fast", "--cps", "20"), 1 / 20)]
)
def test_an_eye_can_follow_the_clicks(
    options: tuple[str, ...], least_s: float, sweepbot: Command, watched: Watched
) -> None:
    """By default there are at most twelve clicks a second, and with `--cps` as many as that says."""
    assert sweepbot("demo", "--games", 1, "--level", "beginner", *options).exit_code == 0
    assert len(watched.clicks) > 5
    assert least_s - FRAME_S < watched.least_s < least_s + 0.02


def test_fast_waits_for_nobody(sweepbot: Command, watched: Watched) -> None:
    """With `--fast` nothing slows the clicks down, and the window is closed at the end of the game."""
    assert sweepbot("demo", "--games", 1, "--level", "beginner", "--fast").exit_code == 0
    assert watched.least_s < 1 / 60
    assert watched.closed - watched.clicks[-1] < 1


def test_the_last_picture_stays_for_a_moment(sweepbot: Command, watched: Watched) -> None:
    """The window of the last game is open for three more seconds."""
    assert sweepbot("demo", "--games", 1, "--level", "beginner").exit_code == 0
    assert 3 <= watched.closed - watched.clicks[-1] < 4


def test_the_countdown_is_one_line(sweepbot: Command, watched: Watched) -> None:
    """One line says that the first click comes in three seconds, and so it does; `--no-countdown` has no such line."""
    words = ("demo", "--games", 1, "--level", "beginner", "--fast")
    said = sweepbot(*words).err.splitlines()
    (counting,) = [line for line in said if "playing in" in line]
    assert counting.startswith("playing in 3 s ... (to stop: move the mouse")
    assert said.index(counting) == said.index(next(line for line in said if line.startswith("found demo"))) + 1
    assert 3 <= watched.clicks[0] - watched.opened < 4
    assert "playing in" not in sweepbot(*words, "--no-countdown").err
