"""What recording costs: time of games with a trace and without one, and the bytes of an expert game."""

import statistics
import time
from pathlib import Path

import pytest

from sweepbot.sessions.play import make_player
from sweepbot.sessions.recording import NoRecording, Recording, TraceRecording, recorded
from sweepbot.sessions.settings import PlaySettings
from sweepbot.solver import Solver
from sweepbot.vision.calibration import find_calibration
from tests.traces import demo_desktop

pytestmark = pytest.mark.bench

GAMES = 12
MOST_SHARE = 1.03
"""Of the time of the same games without a trace."""

MOST_BYTES = 2_000_000


def play(seed: int, folder: Path, *, trace: bool) -> float:
    """Play an expert game of the demo in memory; its seconds."""
    desktop = demo_desktop("expert", seed)
    settings = PlaySettings(games=1, learns=False)
    recording: Recording = NoRecording(desktop.screen, desktop.mouse)
    if trace:
        recording = TraceRecording(
            "demo",
            settings,
            desktop.screen,
            desktop.mouse,
            folder=folder / str(seed),
            whole_screen=False,
            tell=lambda _: None,
        )
    calibration = find_calibration("demo")
    with recorded(recording):
        recording.played_with(calibration)
        player = make_player(
            recording.desk, calibration, settings, Solver(), recording.observe, tell=lambda _: None, evidence=folder
        )
        began = time.perf_counter()
        player.play(1)
        return time.perf_counter() - began


def test_recording_costs_next_to_nothing(tmp_path: Path) -> None:
    """The same games take at most 3% longer with a trace, by the median of pairs, and their traces are small."""
    play(0, tmp_path, trace=True)
    shares = []
    for seed in range(1, GAMES + 1):
        without = play(seed, tmp_path, trace=False)
        shares.append(play(seed, tmp_path, trace=True) / without)
    sizes = [
        sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
        for folder in tmp_path.iterdir()
        if folder.is_dir()
    ]
    print(f"time with a trace over time without: {sorted(round(share, 3) for share in shares)}; bytes: {max(sizes):,}")  # noqa: T201
    assert statistics.median(shares) <= MOST_SHARE
    assert max(sizes) <= MOST_BYTES
