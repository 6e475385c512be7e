"""What recording costs: of the time of a game, and the bytes of an expert game.

Games in memory, which never wait for a client, are played with and without a trace in turns. What they take longer with
one, the shortest of some tries each, is held against the time that games take in the demo's window, from the first
decision to the last click. Pictures are encoded by a thread of their own: it needs a core that is free.
"""

import json
import statistics
import subprocess
import sys
import time
from pathlib import Path
from unittest.mock import patch

import pytest

from sweepbot.demo.process import demo_window
from sweepbot.desktop.desk import Desk
from sweepbot.level import LEVELS
from sweepbot.sessions.play import playing
from sweepbot.sessions.recording import Recording, TraceRecording
from sweepbot.sessions.settings import PlaySettings
from sweepbot.sessions.target import named
from sweepbot.vision.calibration import find_calibration
from tests.live.display import virtual_display
from tests.traces import demo_desktop

pytestmark = pytest.mark.bench

GAMES = 12
TURNS = 3
MOST_SHARE = 0.03
"""Of the time of a game."""

MOST_BYTES = 2_000_000


def in_memory(seed: int, folder: Path, *, trace: bool) -> float:
    """Play an expert game of the demo in memory; the seconds that it took. A trace goes into the folder."""
    desktop = demo_desktop("expert", seed)
    desk = Desk(desktop, desktop)
    settings = PlaySettings(games=1, learns=False)
    recording = Recording(desk)
    if trace:
        recording = TraceRecording(
            "demo",
            settings,
            desk,
            folder=folder,
            whole_screen=False,
            tell=lambda _: None,
        )
    calibration = find_calibration("demo")
    with recording:
        recording.played_with(calibration)
        target = named(calibration, settings)
        with playing(recording, target, settings, evidence=folder) as player:
            began = time.perf_counter()
            player.play(1)
            return time.perf_counter() - began


def in_window(seed: int) -> float:
    """Play an expert game in the demo's window, without a trace; the seconds that it took."""
    command = [sys.executable, "-m", "sweepbot", "play", "--client", "demo", "--trace", "off", "--json"]
    with (
        virtual_display() as display,
        patch.dict("os.environ", display.environment, clear=True),
        demo_window(LEVELS["expert"], f"--seed={seed}"),
    ):
        answer = subprocess.run([*command, "--no-countdown"], check=True, stdout=subprocess.PIPE, text=True)
    return float(json.loads(answer.stdout)["games"][0]["seconds"])


def test_recording_costs_next_to_nothing(tmp_path: Path) -> None:
    """With a trace a game takes at most 3% longer, by the median of games, and traces are small."""
    longer = []
    for seed in range(1, GAMES + 1):
        turns = [
            [in_memory(seed, tmp_path / f"{seed}-{turn}", trace=trace) for trace in (False, True)]
            for turn in range(TURNS)
        ]
        without, with_it = map(min, zip(*turns, strict=True))
        longer.append(with_it - without)
    shares = sorted(more / in_window(seed) for seed, more in enumerate(longer, start=1))
    sizes = [sum(file.stat().st_size for file in folder.iterdir() if file.is_file()) for folder in tmp_path.iterdir()]
    print(f"longer by, in ms: {[round(1000 * more) for more in longer]}")  # noqa: T201
    print(f"of the seconds of a game: {[round(share, 3) for share in shares]}")  # noqa: T201
    print(f"most bytes of a trace: {max(sizes):,}")  # noqa: T201
    assert statistics.median(shares) <= MOST_SHARE
    assert max(sizes) <= MOST_BYTES
