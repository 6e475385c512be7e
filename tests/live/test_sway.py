"""Real games on headless sway, which lets programs look and click without asking."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.commands import result, until_game
from tests.live.conftest import need
from tests.live.runs import expect_games, expect_replay, playing, sweepbot
from tools.live.session import mines
from tools.live.sway import NEEDS, SwayDesktop, sway_desktop

pytestmark = pytest.mark.live

NAMED = ("--client", "gnome-mines")


@pytest.fixture
def desktop() -> Iterator[SwayDesktop]:
    """A desktop with GNOME Mines as its first start shows it."""
    need(*NEEDS)
    with sway_desktop(1.0) as desktop, mines(desktop, "small"):
        yield desktop


def test_games_are_played_until_the_compositor_ends(desktop: SwayDesktop, tmp_path: Path) -> None:
    """The doctor finds this backend, a trace of games replays, and the end of sway in mid-game stops the run."""
    doctor = sweepbot(desktop.environment, "doctor", "--json")
    found = {check["name"]: check["found"] for check in json.loads(doctor.stdout)["checks"]}
    assert "HEADLESS-1 1280x960+0+0 at 100%" in found["monitors"]
    trace = str(tmp_path / "trace")
    with playing(desktop.environment, "--games", "2", "--trace", trace) as process:
        expect_games(result(process, 0)[0], 2)
    expect_replay(trace)
    with playing(desktop.environment, *NAMED, "--games", "500") as process:
        until_game(process)
        desktop.compositor.end()
        report, talk = result(process, 5)
    assert report["won"] + report["lost"] >= 1
    assert "stopped: the desktop has ended" in talk


@pytest.mark.nightly
def test_a_scaled_monitor_beside_another_is_played_on() -> None:
    """On the second of two monitors, rotated and at 150%, each click lands where it should."""
    need(*NEEDS)
    with sway_desktop(1.0, 1.5, settings=["output HEADLESS-2 transform 90"]) as desktop:
        desktop.tell("focus output HEADLESS-2")
        with mines(desktop, "small"), playing(desktop.environment, *NAMED) as process:
            expect_games(result(process, 0)[0], 1)
