"""The options for recording a run."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from sweepbot.cli.output import talk
from sweepbot.desktop.desk import Desk
from sweepbot.errors import TraceError, UsageError
from sweepbot.sessions.recording import Recording, TraceRecording
from sweepbot.sessions.settings import PlaySettings
from sweepbot.trace.run import Command

OFF = "off"
"""What `--trace` takes to record nothing."""

_Command = TypeVar("_Command", bound=Callable[..., Any])


def trace_options(command: _Command) -> _Command:
    """Add the options `--trace` and `--trace-screen`, the same for every command that plays."""
    where = click.option(
        "--trace",
        metavar="DIR|off",
        callback=_checked,
        help="Record everything that is seen and done in a new folder DIR; `off` records nothing. By default the last "
        "minute is kept if something goes wrong.",
    )
    what = click.option("--trace-screen", is_flag=True, help="Record the whole screen, not just the client.")
    return where(what(command))


def _checked(_: click.Context, __: click.Parameter, trace: str | None) -> str | None:
    """Refuse a folder that is not empty."""
    if trace not in (None, OFF) and Path(str(trace)).is_dir() and any(Path(str(trace)).iterdir()):
        raise UsageError(f"--trace {trace}: this folder is not empty", hint="give a new one")
    return trace


def recording(
    command: Command, settings: PlaySettings, desk: Desk, *, trace: str | None, trace_screen: bool
) -> Recording:
    """Make the recording that the options ask for, or one that keeps nothing if it cannot be written."""
    if trace == OFF:
        return Recording(desk)
    folder = None if trace is None else Path(trace)
    try:
        return TraceRecording(command, settings, desk, folder=folder, whole_screen=trace_screen, tell=talk.print)
    except TraceError as error:
        talk.print(f"no trace: {error}")
        return Recording(desk)
