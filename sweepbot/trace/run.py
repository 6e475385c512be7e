"""What a trace says of the run as a whole: the file `run.json`."""

from typing import Literal

import msgspec

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
