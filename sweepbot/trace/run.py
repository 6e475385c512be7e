"""What a trace says of the run as a whole: the file `run.json`."""

import platform
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Literal

import msgspec

from sweepbot.geometry import Region
from sweepbot.trace.events import Box

FORMAT = 1
"""The version of the format: it changes when a reader of the version before could misunderstand a trace."""

RUN, EVENTS, PICTURES, CALIBRATION = "run.json", "events.jsonl", "pictures.bin", "calibration"
"""The names in a trace's folder."""

Command = Literal["play", "demo", "assist", "calibrate"]
"""What leaves traces; of `assist` a person plays what is seen."""

Settings = dict[str, str | int | float | bool | None]


class Run(msgspec.Struct, kw_only=True):
    """A run.

    Attributes:
        format: The version of the format.
        sweepbot: The version of sweepbot.
        python: The version of Python.
        platform: The system.
        started: When, in UTC.
        command: `play`, `demo`, `assist` or `calibrate`.
        settings: What the command was told, as far as it matters to the run.
        client: The calibration played with; null while a client is learned.
        calibration: A checksum of its files; there is a copy of them beside this file.
        screen: Everything that could be seen, `[x, y, width, height]`.
        shows: Whether the pictures show the `screen`, or the `client` only.
        windows: Whether the system told of windows.
        latency_s: Seconds until what had changed on the screen was surely in its pictures.
        complete: Whether the trace begins where the run began; else it shows the end of it only.
    """

    format: int = FORMAT
    sweepbot: str
    python: str
    platform: str
    started: str
    command: Command
    settings: Settings
    client: str | None = None
    calibration: str | None = None
    screen: Box
    shows: Literal["screen", "client"]
    windows: bool = False
    latency_s: float = 0.0
    complete: bool = True


def describe_run(
    command: Command,
    settings: Settings,
    screen: Region,
    *,
    whole_screen: bool,
    windows: bool,
    latency_s: float,
) -> Run:
    """A run that begins now on this machine."""
    return Run(
        sweepbot=version("sweepbot"),
        python=platform.python_version(),
        platform=platform.platform(),
        started=datetime.now(UTC).isoformat(timespec="milliseconds"),
        command=command,
        settings=settings,
        screen=(screen.x, screen.y, screen.width, screen.height),
        shows="screen" if whole_screen else "client",
        windows=windows,
        latency_s=latency_s,
    )
