"""Measures what recording costs, in time and in the bytes of an expert game: `python -m tools.bench.trace`.

Games in memory, which never wait for a client, are played alternately with and without a trace. The additional time
with one, by the shortest of several tries each, is compared with the time of games in the demo's window, from the first
decision to the last click. A separate thread encodes pictures, which needs a free core.
"""

import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from unittest.mock import patch

from sweepbot.demo.process import demo_window
from sweepbot.desktop.desk import Desk
from sweepbot.level import LEVELS
from sweepbot.sessions.play import playing
from sweepbot.sessions.recording import Recording
from sweepbot.sessions.settings import PlaySettings
from sweepbot.sessions.target import named
from sweepbot.vision.calibration import find_calibration
from tools.live.display import virtual_display
from tools.recording.demo import demo_desktop, trace_of

GAMES = 12
TURNS = 3
MAX_SHARE = 0.03
"""The largest share of a game's time that recording may take."""

MAX_BYTES = 2_000_000


def in_memory(seed: int, folder: Path, *, trace: bool) -> float:
    """Play an expert game of the demo in memory and return its seconds; a trace is written to the folder, if any."""
    desktop = demo_desktop("expert", seed)
    desk = Desk(desktop, desktop)
    settings = PlaySettings(games=1, learns=False)
    recording = trace_of(desk, folder, settings) if trace else Recording(desk)
    calibration = find_calibration("demo")
    with recording:
        recording.played_with(calibration)
        target = named(calibration, settings)
        with playing(recording, target, evidence=folder) as player:
            began = time.perf_counter()
            player.play(1)
            return time.perf_counter() - began


def in_window(seed: int) -> float:
    """Play an expert game in the demo's window, without a trace, and return its seconds."""
    command = [sys.executable, "-m", "sweepbot", "play", "--client", "demo", "--trace", "off", "--json"]
    with (
        virtual_display() as display,
        patch.dict("os.environ", display.environment, clear=True),
        demo_window(LEVELS["expert"], f"--seed={seed}"),
    ):
        answer = subprocess.run([*command, "--no-countdown"], check=True, stdout=subprocess.PIPE, text=True)
    return float(json.loads(answer.stdout)["games"][0]["seconds"])


def main() -> None:
    """With a trace the median game must take at most 3% longer, and traces are small."""
    with tempfile.TemporaryDirectory() as folder:
        measure(Path(folder))


def measure(folder: Path) -> None:
    """Play all games, with their traces in a folder, and print what these cost."""
    longer = []
    for seed in range(1, GAMES + 1):
        turns = [
            [in_memory(seed, folder / f"{seed}-{turn}", trace=trace) for trace in (False, True)]
            for turn in range(TURNS)
        ]
        without, with_it = map(min, zip(*turns, strict=True))
        longer.append(with_it - without)
    shares = sorted(more / in_window(seed) for seed, more in enumerate(longer, start=1))
    sizes = [sum(file.stat().st_size for file in trace.iterdir() if file.is_file()) for trace in folder.iterdir()]
    print(f"longer by, in ms: {[round(1000 * more) for more in longer]}")
    print(f"of the seconds of a game: {[round(share, 3) for share in shares]}")
    print(f"most bytes of a trace: {max(sizes):,}")
    assert statistics.median(shares) <= MAX_SHARE
    assert max(sizes) <= MAX_BYTES


if __name__ == "__main__":
    main()
