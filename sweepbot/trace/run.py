"""The file `run.json` of a trace, which describes the run as a whole."""

from typing import Literal

import msgspec

from sweepbot.trace.events import Box

FORMAT = 2
"""The version of the format; it changes when a reader of the last version could misunderstand a trace."""

RUN, EVENTS, PICTURES, CALIBRATION = "run.json", "events.jsonl", "pictures.bin", "calibration"
"""The names in a trace's folder."""

Command = Literal["play", "demo", "assist", "calibrate"]
"""The commands that write traces; with `assist` a person plays."""

Settings = dict[str, str | int | float | bool | None]


class Run(msgspec.Struct, kw_only=True):
    """A run.

    Attributes:
        settings: The command's settings that matter to the run.
        client: The calibration played with; null while a client is learned.
        calibration: A checksum of its files, of which there is a copy beside this file.
        screen: The whole screen, `[x, y, width, height]`.
        shows: Whether the pictures show the whole `screen`, or only the `client`.
        windows: Whether the system gave information on windows.
        latency_s: The most seconds until a change on the screen shows in its pictures.
        complete: Whether the trace has the whole run, not only the end of it.
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
