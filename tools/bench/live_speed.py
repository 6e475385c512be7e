"""Measures how long a won game takes in each client, and how long the client alone needs for as many clicks.

    python -m tools.bench.live_speed [--client NAME]... [--level expert] [--wins 10]

The lower bound of a client is measured in the same run: the time until flags, set one right after the other on a fresh
board, are all shown, plus one look at the board per reading of the game. Printed are the median and the range of the
seconds of won games, and the median of their ratios to the lower bound for as many clicks.
"""

import argparse
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Any
from unittest.mock import patch

import numpy as np

from sweepbot.demo.process import demo_window
from sweepbot.desktop.desk import Desk
from sweepbot.desktop.session import open_desktop
from sweepbot.level import Level
from sweepbot.vision.calibration import find_calibration
from sweepbot.vision.reader import Reader
from tools.live.clients import CLIENTS, gnome_mines, kmines
from tools.live.display import Display, virtual_display

FLAGS = 150  # clicks over which the lower bound is averaged
LOOKS = 30
RESTS_S = 0.5  # of a board without change, after which it shows all flags
BATCH = 10  # games per run of `play`
ROUNDS = 30  # runs after which a client that is never won is given up
AS_THEY_COME: dict[str, Callable[..., AbstractContextManager[object]]] = {"gnome-mines": gnome_mines, "kmines": kmines}
"""Clients that keep the window size of their first start."""


@dataclass(frozen=True, slots=True)
class Floor:
    """The least time, in seconds, of a click until it is shown, and of a look at the board."""

    click_s: float
    look_s: float

    def of(self, game: dict[str, Any]) -> float:
        """The lower bound, in seconds, for the clicks and looks of a game."""
        return float(game["clicks"] * self.click_s + game["reads"] * self.look_s)


@contextmanager
def running(client: str, display: Display, level: Level) -> Iterator[None]:
    """A client with a fresh board on a display."""
    if client == "demo":
        with patch.dict("os.environ", display.environment, clear=True), demo_window(level):
            yield
    elif client in AS_THEY_COME:
        with AS_THEY_COME[client](display, level, size=None):
            yield
    else:
        with CLIENTS[client].start(display, level):
            yield


def measure_floor(desk: Desk, client: str) -> Floor:
    """Measure the lower bound with flags on the fresh board on the screen."""
    calibration = find_calibration(client)
    reading = Reader(calibration).read(desk.screen.grab().image)
    grid = reading.grid
    cells = list(reading.board)[:FLAGS]
    started = shown = time.perf_counter()
    for cell in cells:
        desk.mouse.click(grid.centre(cell), calibration.behaviour.flag_button)
    before = desk.screen.grab(grid.region).image
    shown = time.perf_counter()
    while time.perf_counter() - shown < RESTS_S:
        now = desk.screen.grab(grid.region).image
        if not np.array_equal(now, before):
            before, shown = now, time.perf_counter()
    looking = time.perf_counter()
    for _ in range(LOOKS):
        desk.screen.grab(grid.region)
    return Floor((shown - started) / len(cells), (time.perf_counter() - looking) / LOOKS)


def floor_of(client: str, display: Display) -> Floor:
    """The same in a process of its own, as pyautogui keeps using the first display that it sees."""
    command = [sys.executable, "-m", "tools.bench.live_speed", "--floor-of", client]
    answer = subprocess.run(command, env=display.environment, check=True, stdout=subprocess.PIPE, text=True)
    return Floor(**json.loads(answer.stdout))


def won_games(client: str, display: Display, wins: int) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The number of games played until enough were won, and the won games."""
    games: list[dict[str, Any]] = []
    command = [sys.executable, "-m", "sweepbot", "play", "--client", client, "--json", "--no-countdown"]
    for _ in range(ROUNDS):
        answer = subprocess.run(
            [*command, "--games", str(BATCH)],
            env=display.environment,
            check=True,
            capture_output=True,
            text=True,
        )
        games += json.loads(answer.stdout)["games"]
        won = [game for game in games if game["result"] == "won"]
        if len(won) >= wins:
            return games, won[:wins]
    raise SystemExit(f"{client}: only {len(won)} of {len(games)} games were won")


def measured(client: str, level: Level, wins: int) -> str:
    """A line of the table."""
    with virtual_display(1920, 1080) as display:
        with running(client, display, level):
            floor = floor_of(client, display)
        with running(client, display, level):
            games, won = won_games(client, display, wins)
    seconds = sorted(game["seconds"] for game in won)
    ratio = statistics.median(game["seconds"] / floor.of(game) for game in won)
    return (
        f"{client:12} {statistics.median(seconds):6.2f} s ({seconds[0]:.2f} to {seconds[-1]:.2f})"
        f"  {ratio:5.2f} times the floor ({1000 * floor.click_s:.2f} ms a click, {1000 * floor.look_s:.2f} a look);"
        f" {len(games)} games, {sum(game['misreads'] for game in games)} misreads,"
        f" {sum(game['retries'] for game in games)} of {sum(game['clicks'] for game in games)} clicks repeated"
    )


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m tools.bench.live_speed", description=main.__doc__)
    parser.add_argument("--client", action="append", choices=[*CLIENTS, "demo"])
    parser.add_argument("--level", default="expert", help="a name or COLSxROWS/MINES")
    parser.add_argument("--wins", type=int, default=10)
    parser.add_argument("--floor-of", metavar="CLIENT", help="only measure the lower bound of this client, on DISPLAY")
    options = parser.parse_args(arguments)
    if options.floor_of:
        with open_desktop() as desk:
            floor = measure_floor(desk, options.floor_of)
        print(json.dumps({"click_s": floor.click_s, "look_s": floor.look_s}))
        return
    for client in options.client or [*CLIENTS, "demo"]:
        print(measured(client, Level.parse(options.level), options.wins), flush=True)


if __name__ == "__main__":
    main()
