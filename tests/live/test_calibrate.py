"""Real clients learned by themselves, with their shipped calibrations left out of sight, and then played."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from sweepbot.board import Board, State
from sweepbot.level import Level
from sweepbot.vision.calibration import STATE_NAMES, load_calibration
from sweepbot.vision.image import load_image
from sweepbot.vision.reader import Reader
from tests.live.clients import CLIENTS, WinePrefix
from tests.live.conftest import need
from tests.live.display import Display

pytestmark = pytest.mark.live

FIXTURES = Path(__file__).parent.parent.parent / "fixtures"
PATIENCE = 600.0
"""Seconds; only a broken run takes as long."""


def run(display: Display, home: Path, *words: str) -> str:
    """Run a command of sweepbot on a display and return what it prints."""
    done = subprocess.run(
        [sys.executable, "-m", "sweepbot", *words],
        env=display.environment | {"XDG_STATE_HOME": str(home), "XDG_CONFIG_HOME": str(home)},
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def calibrate(display: Display, folder: Path, name: str) -> None:
    """Learn the client on the display; every picture recorded on the way must be read as the rules said."""
    run(
        display,
        folder,
        *("calibrate", name, "--live", "--yes", "--output", str(folder), "--fixtures", str(folder / "fixtures")),
    )
    run(display, folder, "calibrate", str(folder / name), "--check", "--fixtures", str(folder / "fixtures"))


def play(display: Display, folder: Path, name: str, mines: int) -> dict[str, Any]:
    """Play some games with what was learned."""
    options = ("--client", str(folder / name), "--mines", str(mines), "--games", "4")
    report: dict[str, Any] = json.loads(run(display, folder, "play", *options, "--no-countdown", "--json"))
    return report


def assert_not_misread(calibration: Path, fixtures: Path) -> None:
    """Every cell of a state that was learned is read right in the shipped fixtures, or refused."""
    loaded = load_calibration(calibration)
    learned = {template.state for template in loaded.templates}
    assert learned >= {STATE_NAMES[name] for name in ("hidden", "0", "1", "2", "3", "flag")}
    for text in sorted(fixtures.glob("beginner_*.txt")):
        truth = Board.parse(text.read_text(encoding="ascii"))
        seen = Reader(loaded).read(load_image(text.with_suffix(".png"))).board
        assert all(seen[cell] in (truth[cell], State.UNKNOWN) for cell in truth if truth[cell] in learned), text.name


def test_winemine_teaches_itself(display: Display, wine: WinePrefix, tmp_path: Path) -> None:
    """WineMine is learned with no label from anyone, reads its shipped fixtures, and is played without a misread."""
    with wine.winemine(Level.parse("beginner")):
        calibrate(display, tmp_path, "unseen")
        report = play(display, tmp_path, "unseen", 10)
    assert_not_misread(tmp_path / "unseen", FIXTURES / "winemine")
    assert sum(game["misreads"] for game in report["games"]) == 0


@pytest.mark.parametrize(("client", "level"), [("xdemineur", "12x10/15"), ("sgt-mines", "9x9/10")])
def test_others_teach_themselves(display: Display, tmp_path: Path, client: str, level: str) -> None:
    """A client that begins with an open region, and one that shows no mines, are learned and played."""
    need(client)
    size = Level.parse(level)
    with CLIENTS[client].start(display, size):
        calibrate(display, tmp_path, client)
        report = play(display, tmp_path, client, size.mines)
    assert sum(game["misreads"] for game in report["games"]) == 0
