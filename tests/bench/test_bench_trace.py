"""What recording costs: time of games with a trace and without one, and the bytes of an expert game.

Pictures are compared and encoded by a thread of their own. Where a core is free for it a game takes as long as without
a trace; so what is held against the limit is the time that the game's own thread computes. What both threads compute,
and the time from start to end, are printed beside it. A game in memory never waits for its client: a real one takes
several times as long, for the same recording.
"""

import statistics
import time
from pathlib import Path

import pytest

from sweepbot.desktop.desk import Desk
from sweepbot.sessions.play import named, playing
from sweepbot.sessions.recording import NoRecording, Recording, TraceRecording, recorded
from sweepbot.sessions.settings import PlaySettings
from sweepbot.solver import Solver
from sweepbot.vision.calibration import find_calibration
from tests.traces import demo_desktop

pytestmark = pytest.mark.bench

GAMES = 12
CLOCKS = {
    "computed by the game": time.thread_time,
    "computed in all": time.process_time,
    "from start to end": time.perf_counter,
}
MOST_SHARE = 1.03
"""Of the time of the same games without a trace."""

MOST_BYTES = 2_000_000


def play(seed: int, folder: Path, *, trace: bool) -> tuple[float, ...]:
    """Play an expert game of the demo in memory; the seconds of each of `CLOCKS` that it took."""
    desktop = demo_desktop("expert", seed)
    desk = Desk(desktop.screen, desktop.mouse)
    settings = PlaySettings(games=1, learns=False)
    recording: Recording = NoRecording(desk)
    if trace:
        recording = TraceRecording(
            "demo",
            settings,
            desk,
            folder=folder / str(seed),
            whole_screen=False,
            tell=lambda _: None,
        )
    calibration = find_calibration("demo")
    with recorded(recording):
        recording.played_with(calibration)
        sought = named(calibration, settings)
        with playing(
            recording.desk, sought, settings, Solver(), recording.observe, tell=lambda _: None, evidence=folder
        ) as player:
            began = [clock() for clock in CLOCKS.values()]
            player.play(1)
            return tuple(clock() - start for clock, start in zip(CLOCKS.values(), began, strict=True))


def test_recording_costs_next_to_nothing(tmp_path: Path) -> None:
    """The same games take at most 3% longer with a trace, by the median of pairs, and their traces are small."""
    play(0, tmp_path, trace=True)
    pairs = [(play(seed, tmp_path, trace=False), play(seed, tmp_path, trace=True)) for seed in range(1, GAMES + 1)]
    shares = [[with_it[clock] / without[clock] for without, with_it in pairs] for clock in range(len(CLOCKS))]
    sizes = [
        sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
        for folder in tmp_path.iterdir()
        if folder.is_dir()
    ]
    for name, of in zip(CLOCKS, shares, strict=True):
        print(f"time with a trace over time without, {name}: {sorted(round(share, 3) for share in of)}")  # noqa: T201
    print(f"most bytes of a trace: {max(sizes):,}")  # noqa: T201
    assert statistics.median(shares[0]) <= MOST_SHARE
    assert max(sizes) <= MOST_BYTES
