"""Real games on a headless mutter: the portal, and its dialog answered as a person would."""

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.commands import result, until_game
from tests.live.conftest import need, need_module
from tests.live.runs import expect_games, expect_replay, playing, sweepbot
from tests.nightly import at_night, by_turns
from tools.live.session import mines

need_module("jeepney", "wayland")
need_module("pipewire_capture", "wayland")

from tools.live import wayland  # noqa: E402  (where its modules are missing these tests are skipped)

pytestmark = pytest.mark.live

NAMED = ("--client", "gnome-mines")  # where identifying the client is not tested
ENDING = 1.0 + 2.0  # a second until a run notices, plus its end on a busy machine


@contextmanager
def first_started() -> Iterator[wayland.WaylandDesktop]:
    """A Wayland desktop with GNOME Mines as its first start shows it."""
    need(*wayland.NEEDS)
    with wayland.wayland_desktop(large=False) as desktop, mines(desktop, "small"):
        yield desktop


@pytest.fixture
def desktop() -> Iterator[wayland.WaylandDesktop]:
    """One whose session has not been consented to yet, and that may be harmed."""
    with first_started() as desktop:
        yield desktop


@pytest.fixture(scope="module")
def asking_desktop() -> Iterator[wayland.WaylandDesktop]:
    """One for tests that harm nothing, and after which it asks again for consent."""
    with first_started() as desktop:
        yield desktop


@pytest.mark.parametrize(("level", "games"), by_turns(["small", "medium"], [2, 10], one_in=4))
def test_games_are_played_as_first_started(level: str, games: int, tmp_path: Path) -> None:
    """GNOME Mines in the window of its first start finishes its games on each board without a misread."""
    need(*wayland.NEEDS)
    trace = str(tmp_path / "trace")
    with (
        wayland.wayland_desktop(large=False) as desktop,
        mines(desktop, level),
        wayland.hand_on(desktop) as hand,
        playing(desktop.environment, "--games", str(games), "--trace", trace) as process,
    ):
        hand.allow()
        report, talk = result(process, 0)
    assert "Allow Remote Interaction" in talk
    expect_games(report, games)
    if level == "small":  # once is enough
        expect_replay(trace)


def test_the_doctor_asks_nobody(asking_desktop: wayland.WaylandDesktop) -> None:
    """Without consent `sweepbot doctor` says so, with the portal's versions, and waits for nobody."""
    done = sweepbot(asking_desktop.environment, "doctor", "--json")
    assert done.returncode == 0, done.stdout
    found = {check["name"]: check["found"] for check in json.loads(done.stdout)["checks"]}
    assert "RemoteDesktop" in found["portal"]
    assert "nothing yet" in found["granted"]


def test_refused_consent_stops(asking_desktop: wayland.WaylandDesktop) -> None:
    """If the person presses Cancel nothing is played, with the exit code of a stopped run."""
    with wayland.hand_on(asking_desktop) as hand, playing(asking_desktop.environment, *NAMED) as process:
        hand.refuse()
        assert "did not allow" in result(process, 5)[1]


def test_consent_to_look_only_is_asked_again(asking_desktop: wayland.WaylandDesktop) -> None:
    """If the switch was left off, the dialog comes once more; then sweepbot gives up."""
    with wayland.hand_on(asking_desktop) as hand, playing(asking_desktop.environment, *NAMED) as process:
        hand.share_until(lambda: process.poll() is not None)
        talk = result(process, 5)[1]
    assert "It will ask once more" in talk
    assert "look, but not to click" in talk


@pytest.mark.parametrize(
    "end", ["the session", *at_night("a lock", wayland.PORTAL, wayland.PORTAL_OF_GNOME, "pipewire")]
)
def test_the_end_of_a_session_stops_a_game(desktop: wayland.WaylandDesktop, end: str) -> None:
    """If the session is closed, the screen locked or a server of the desktop gone, the run ends with what it has."""
    with playing(desktop.environment, *NAMED, "--games", "500") as process:
        with wayland.hand_on(desktop) as hand:
            hand.allow()
            until_game(process)
            if end == "the session":
                hand.end_session()
            elif end == "a lock":
                hand.lock()
            ended_s = time.perf_counter()
        if end not in {"the session", "a lock"}:
            desktop.end_server(end)
        report, talk = result(process, 5)
        assert end != "a lock" or time.perf_counter() - ended_s < ENDING
    assert report["won"] + report["lost"] >= 1
    assert ("the screen was locked" if end == "a lock" else "stopped") in talk


@pytest.mark.nightly
def test_a_window_is_played_alone() -> None:
    """A shared window is played without seeing anything else; its end stops the run."""
    need(*wayland.NEEDS, "gnome-shell")
    with (
        wayland.wayland_desktop(1.25, large=False, gnome_shell=True) as desktop,
        wayland.hand_on(desktop) as hand,
        mines(desktop, "small") as client,
        playing(desktop.environment, *NAMED, "--games", "500") as process,
    ):
        hand.leave_overview()
        hand.allow_window()
        until_game(process)
        client.end()
        report, talk = result(process, 5)
    assert report["won"] + report["lost"] >= 1
    assert sum(game["misreads"] for game in report["games"]) == 0
    assert "stopped: the desktop" in talk


@pytest.mark.nightly
def test_dense_monitors_are_played_on() -> None:
    """On a monitor of 200% a board is played that reaches beyond the portal's units."""
    need(*wayland.NEEDS)
    with (
        wayland.wayland_desktop(2.0) as desktop,
        mines(desktop, "medium"),
        playing(desktop.environment, *NAMED) as process,
    ):
        with wayland.hand_on(desktop) as hand:
            hand.allow()
        expect_games(result(process, 0)[0], 1)


@pytest.mark.nightly
def test_a_second_monitor_is_told_apart() -> None:
    """With a monitor to the left, at 125%, every click lands where it should."""
    need(*wayland.NEEDS)
    with wayland.wayland_desktop(1.25, left=True) as desktop, wayland.hand_on(desktop) as hand:
        hand.click(wayland.WIDTH // 2, wayland.HEIGHT // 2)  # windows open at the pointer
        with mines(desktop, "medium"), playing(desktop.environment, *NAMED) as process:
            hand.allow()
            expect_games(result(process, 0)[0], 1)
