"""Learns real clients without their calibrations, and counts how well each is then read and played.

    python -m tests.bench.learn_clients --client winemine --client demo --runs 3 --games 10

Each run starts the client, learns it, reads its recorded screenshots with the new calibration, and plays it. Refused
cells are counted separately for states that were met while learning and for states that were not.
"""

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, fields
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

from sweepbot.board import Board, State
from sweepbot.errors import NoBoardFoundError
from sweepbot.level import Level
from sweepbot.vision.calibration import Calibration, load_calibration
from sweepbot.vision.pictures.image import load_image
from sweepbot.vision.reader import Reader
from tests.live.clients import CLIENTS, other
from tests.live.display import Display, Window, virtual_display
from tests.live.runs import sweepbot
from tests.places import FIXTURES
from tests.user_folders import user_folders

LEVELS = {"gnome-mines": "8x8/10", "xdemineur": "12x10/15"}
"""The boards of clients that have none of 9x9 cells."""


@dataclass(frozen=True, slots=True)
class Run:
    """The result of one run; cells are counted in the recorded screenshots in which the board was found."""

    client: str
    learned: str
    seconds: float
    right: int = 0
    wrong: int = 0
    refused_met: int = 0
    refused_unmet: int = 0
    not_found: int = 0
    won: int = 0
    lost: int = 0
    aborted: int = 0
    misreads: int = 0


def run(client: str, level: Level, games: int) -> Run:
    """Learn a client on a display of its own, read its recorded screenshots, and play some games."""
    with tempfile.TemporaryDirectory(prefix="sweepbot-learned-") as home, virtual_display() as display:
        with _started(display, client, level):
            begun = time.perf_counter()
            environment = display.environment | user_folders(Path(home))
            done = sweepbot(environment, "calibrate", client, "--live", "--yes", "--output", home)
            seconds = time.perf_counter() - begun
            if done.returncode not in (0, 6) or not (Path(home) / client).exists():
                return Run(client, f"exit {done.returncode}: {done.stderr}", seconds)
            calibration = load_calibration(Path(home) / client)
            words = ["--client", str(calibration.path.parent), "--games", str(games), "--no-countdown", "--json"]
            played = sweepbot(environment, "play", *words).stdout
        learned = "in part" if done.returncode else "yes"
        return Run(client, learned, seconds, *_read(client, calibration), *_results(played))


def _started(display: Display, client: str, level: Level) -> AbstractContextManager[Window]:
    if client == "demo":
        command = [sys.executable, "-m", "sweepbot.demo", "--level", str(level)]
        return other(display, command, ".*[mM]inesweeper.*|.*sweepbot.*")
    return CLIENTS[client].start(display, level)


def _read(client: str, calibration: Calibration) -> Iterator[int]:
    """Count cells of the screenshots: right, wrong, refused of states met, of states not met; and boards not found."""
    right = wrong = refused_met = refused_unmet = not_found = 0
    met = [template.state for template in calibration.templates]
    reader = Reader(calibration)
    for path in sorted((FIXTURES / client).glob("*.png")):
        truth = Board.parse(path.with_suffix(".txt").read_text(encoding="utf-8")).cells
        try:
            seen = reader.read(load_image(path)).board.cells
        except NoBoardFoundError:
            not_found += 1
            continue
        if seen.shape != truth.shape:
            not_found += 1
            continue
        known, refused = np.isin(truth, met), (seen == State.UNKNOWN) & (truth != State.UNKNOWN)
        right += int((seen == truth).sum())
        wrong += int(((seen != truth) & ~refused).sum())
        refused_met += int((refused & known).sum())
        refused_unmet += int((refused & ~known).sum())
    yield from (right, wrong, refused_met, refused_unmet, not_found)


def _results(played: str) -> Iterator[int]:
    """The number of games won, lost and aborted, and of the cells misread in them."""
    games = json.loads(played)["games"] if played else []
    results = [game["result"] for game in games]
    yield from (results.count(result) for result in ("won", "lost", "aborted"))
    yield sum(game["misreads"] for game in games)


def main() -> int:
    """Learn each client several times; return 1 if a cell was read wrong."""
    names = ("demo", *CLIENTS)
    parser = argparse.ArgumentParser(prog="python -m tests.bench.learn_clients", description=main.__doc__)
    parser.add_argument(
        "--client", action="append", choices=names, help="a client to learn, may be repeated; all by default"
    )
    parser.add_argument("--level", type=Level.parse, help="a name or COLSxROWS/MINES; the smallest of each by default")
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--games", type=int, default=10)
    options = parser.parse_args()
    console = Console(width=150)
    table = Table()
    for field in fields(Run):
        table.add_column(field.name.replace("_", " "))
    wrong = 0
    for client in (options.client or names) * options.runs:
        level = options.level or Level.parse(LEVELS.get(client, "beginner"))
        done = run(client, level, options.games)
        console.print(done)
        wrong += done.wrong + done.misreads
        values = (getattr(done, field.name) for field in fields(Run))
        table.add_row(*(f"{value:.0f}" if isinstance(value, float) else str(value) for value in values))
    console.print(table)
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
