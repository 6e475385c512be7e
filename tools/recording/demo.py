"""Traces of the demo in memory, recorded as the commands do."""

import json
import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sweepbot.assist import Onlooker
from sweepbot.clock import Clock, VirtualClock
from sweepbot.demo.client import Client
from sweepbot.demo.memory import MemoryDesktop
from sweepbot.desktop.desk import Desk
from sweepbot.desktop.mouse import NoMouse
from sweepbot.desktop.screen import Screen
from sweepbot.game import Game
from sweepbot.level import FirstClick, Level
from sweepbot.sessions.play import playing
from sweepbot.sessions.recording import TraceRecording
from sweepbot.sessions.settings import PlaySettings
from sweepbot.sessions.target import named
from sweepbot.solver import Solver
from sweepbot.trace.run import Command
from sweepbot.trace.trace import Trace, open_trace
from sweepbot.vision.calibration import find_calibration
from sweepbot.vision.reader import unknown_client

Lines = list[dict[str, Any]]
"""What is in a trace's events, by their keys."""


ONE_GAME = PlaySettings(games=1)


def demo_desktop(
    level: str = "beginner", seed: int = 1, kind: Callable[[Level, FirstClick, random.Random], Game] = Game
) -> MemoryDesktop:
    """The demo's client with these games, whose first click hits no mine."""
    rng, size = random.Random(seed), Level.parse(level)
    return MemoryDesktop(Client(lambda: kind(size, FirstClick.SAFE, rng)))


def trace_of(
    desk: Desk,
    folder: Path | None,
    settings: PlaySettings = ONE_GAME,
    *,
    command: Command = "play",
    whole_screen: bool = False,
    tell: Callable[[str], None] = lambda _: None,
) -> TraceRecording:
    """Begin the trace of a run on a desk."""
    return TraceRecording(command, settings, desk, folder=folder, whole_screen=whole_screen, tell=tell)


def record_demo(
    folder: Path | None,
    *,
    games: int = 1,
    level: str = "beginner",
    seed: int = 1,
    whole_screen: bool = False,
    watch_screen: Callable[[Screen], Screen] = lambda screen: screen,
    told: list[str] | None = None,
    solver: Solver | None = None,
    clock: Clock | None = None,
    no_guess: bool = False,
) -> Path | None:
    """Play the demo in memory and record it; return the trace, or None if none is kept.

    Raises:
        SweepbotError: The run failed.
    """
    desktop = demo_desktop(level, seed)
    settings = PlaySettings(games=games, learns=False, no_guess=no_guess)
    desk = Desk(watch_screen(desktop), desktop, clock=clock or VirtualClock())
    tell = (told if told is not None else []).append
    recording = trace_of(desk, folder, settings, command="demo", whole_screen=whole_screen, tell=tell)
    calibration = find_calibration("demo")
    with recording:
        recording.played_with(calibration, settings)
        evidence = Path(folder or "/nonexistent", "evidence").parent.parent
        target = named(calibration, settings)
        with playing(recording, target, evidence=evidence, solver=solver) as player:
            player.play(games)
    return recording.finish(None)


def record_person(folder: Path, play: Callable[[Client], bool], *, level: str = "beginner", seed: int = 1) -> Trace:
    """Record a person's game of the demo in memory.

    `play` is the person: called at each new position, it plays on the client and returns False at the end.
    """
    desktop = demo_desktop(level, seed)
    settings = PlaySettings(games=None, resizes=False, learns=False)
    desk = Desk(desktop, NoMouse(desktop))
    recording = trace_of(desk, folder, settings, command="assist")
    calibration = find_calibration("demo")
    with recording:
        recording.played_with(calibration)
        onlooker = Onlooker(recording, named(calibration, settings), lambda _: None)
        for _ in onlooker.advise():
            if not play(desktop.client):
                break
    return open_trace(folder)


def record_learning(folder: Path, *, seed: int = 1, max_games: int = 2) -> Trace:
    """Learn the demo in memory and record it."""
    desktop = demo_desktop("beginner", seed)
    client = unknown_client("demo")
    settings = PlaySettings(games=max_games, until_known=True)
    desk = Desk(desktop, desktop, clock=VirtualClock())
    recording = trace_of(desk, folder, settings, command="calibrate", whole_screen=True)
    with recording:
        recording.played_with(client, settings)
        with playing(recording, named(client, settings), evidence=folder.parent) as player:
            player.play(max_games)
    return open_trace(folder)


def changed(trace: Path, folder: Path, change: Callable[[Lines], object]) -> Path:
    """A copy of a trace with some lines changed."""
    shutil.copytree(trace, folder)
    events = folder / "events.jsonl"
    lines = [json.loads(line) for line in events.read_text().splitlines()]
    change(lines)
    events.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return folder
