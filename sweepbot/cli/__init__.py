"""The command line. Each command is a file in this folder, imported only when it is run."""

import difflib
import errno
import gc
import importlib
import io
import logging
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any, TextIO, cast

import click

from sweepbot.errors import StoppedByUserError, SweepbotError, UsageError
from sweepbot.interrupts import heed_no_more, heed_signals, signal_name

_COMMANDS = {
    "demo": "Play the bundled Minesweeper: in a window, or in memory if there is no display.",
    "play": "Play the Minesweeper that is on the screen.",
    "assist": "Watch you play and show what is safe, why, and how risky the rest is. Clicks nothing.",
    "review": "Grade the games that you have played: what you missed, and which guesses were bad.",
    "read": "Turn screenshots into board text.",
    "solve": "Show what is certain in a position, all chances, and the best move.",
    "simulate": "Play many games without a screen and report the win rate.",
    "calibrate": "Learn the look and the behaviour of a new client.",
    "replay": "Run recorded games again without a screen, or read screenshots again, and list what differs.",
    "stats": "Sum up the games played so far: wins, luck, skill, speed.",
    "clients": "List the clients that sweepbot knows.",
    "warmup": "Compile the solver for this machine, ahead of the first game.",
    "doctor": "Check whether this machine can be played on, and if not, why.",
    "help": "Read the longer documents.",
}


_NO_ROOM = (errno.ENOSPC, errno.EFBIG)
"""Errors of a file for which there is no room: a full disk, a limit on files."""


_KEYS_OF_SIGNALS = {"SIGINT": "Ctrl-C", "SIGBREAK": "Ctrl-Break"}


class _LateGroup(click.Group):
    """A group that imports a command's file only when that command is run, so that help comes at once."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  (click's signature)
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002  (click's signature)
        if cmd_name not in _COMMANDS:
            return None
        gc.disable()  # imports make hardly any garbage, and collecting takes a tenth of the time
        command: click.Command = importlib.import_module(f"sweepbot.cli.{cmd_name}").command
        gc.freeze()
        gc.enable()
        _add_verbosity(command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find a command, or suggest those with similar names."""
        if args[0] not in _COMMANDS and not args[0].startswith("-"):
            near = ", ".join(difflib.get_close_matches(args[0], _COMMANDS, n=3, cutoff=0.5))
            others = f"did you mean {near}?" if near else f"there are: {', '.join(_COMMANDS)}"
            ctx.fail(f"there is no command {args[0]!r}; {others}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002  (click's signature)
        with formatter.section("Commands"):
            formatter.write_dl(list(_COMMANDS.items()))


@click.group(cls=_LateGroup, context_settings={"help_option_names": ["-h", "--help"], "show_default": True})
@click.version_option(package_name="sweepbot")
def sweepbot() -> None:
    """Plays real Minesweeper clients: reads the board from the pixels, decides, and clicks.

    Exit codes: 0 done, 1 error, 2 usage, 3 no board found, 4 reading not trusted, 5 stopped by the user, 6 stuck.
    """


def main() -> int:
    """Run the command line and return its exit code."""
    if isinstance(sys.stdout, io.TextIOWrapper):  # file names need not be UTF-8
        sys.stdout.reconfigure(errors="backslashreplace")
    is_closed = sys.stdout is None
    sys.stdout, sys.stderr = (stream or open(os.devnull, "w") for stream in (sys.stdout, sys.stderr))  # noqa: PTH123, SIM115
    written_to = sys.stdout
    sys.stdout = cast("TextIO", GuardedStream(lambda: written_to, _of_result))
    try:
        exit_code = _written(_run())
        if is_closed and not exit_code:
            exit_code = _report(SweepbotError("the result cannot be written: standard output is closed"))
        heed_no_more()
    except KeyboardInterrupt:  # a second one, while the first was reported
        heed_no_more()
        exit_code = StoppedByUserError.exit_code
    return exit_code


class _ResultError(OSError):
    """Standard output takes no more: a full disk, a limit on files, a closed pipe or terminal."""


class GuardedStream:
    """An output stream whose errors are treated by `guard`, a context around each use; `stream` returns it anew."""

    def __init__(self, stream: Callable[[], TextIO], guard: Callable[[], AbstractContextManager[None]]) -> None:
        self._stream = stream
        self._guard = guard

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401  (any attribute of a stream)
        return getattr(self._stream(), name)

    def write(self, text: str) -> int:
        """Write a text."""
        with self._guard():
            self._stream().write(text)
        return len(text)

    def flush(self) -> None:
        """Write out what is left."""
        with self._guard():
            self._stream().flush()


@contextmanager
def _of_result() -> Iterator[None]:
    """Tell errors of standard output apart from those of other files."""
    try:
        yield
    except OSError as error:
        raise _ResultError(error.errno, error.strerror) from error


def _written(exit_code: int) -> int:
    """Write out what is left of the result; return the exit code, which is another if that fails."""
    try:
        sys.stdout.flush()
    except _ResultError as error:
        return _unwritten(error, exit_code)
    return exit_code


def _unwritten(error: _ResultError, exit_code: int = 0) -> int:
    """Return the exit code of a command whose result cannot be written; how it has ended otherwise counts more."""
    drop(sys.stdout)
    if exit_code:
        return exit_code
    is_unread = error.errno == errno.EPIPE  # as when `head` has read enough, which needs no message
    return 1 if is_unread else _report(SweepbotError(f"the result cannot be written: {error.strerror}"))


def drop(stream: TextIO) -> None:
    """Drop what is written to a stream from now on, or flushing it when Python ends would fail again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _run() -> int:
    """Run the command line, and report errors on stderr."""
    heed_signals(StoppedByUserError.exit_code)
    try:
        result = sweepbot(standalone_mode=False)
    except click.exceptions.Exit as ended:
        return ended.exit_code
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except SweepbotError as error:
        return _report(error)
    except _ResultError as error:
        return _unwritten(error)
    except (KeyboardInterrupt, click.Abort, OSError, ImportError, MemoryError) as ended:
        return _report(_as_error(ended))
    return result if isinstance(result, int) else 0


def _as_error(ended: BaseException) -> SweepbotError:
    """Return the error for a command that a person stopped, or that lacked an answer, a library, memory or room."""
    if isinstance(ended, ImportError | MemoryError) or (isinstance(ended, OSError) and ended.errno is None):
        hint = "allow more memory, if it is limited (ulimit -v); else install sweepbot again"
        return SweepbotError(f"a library cannot be loaded, or has too little memory: {ended}", hint=hint)
    if isinstance(ended, OSError):
        if ended.errno not in _NO_ROOM:
            raise ended
        hint = "free some space, or raise the limit on the size of files"
        return SweepbotError(f"a file cannot be written: {ended}", hint=hint)
    if isinstance(ended.__context__, EOFError):
        click.echo(err=True)  # the question has no line of its own yet
        return UsageError("there is nobody to answer: standard input has ended", hint="run this in a terminal")
    if isinstance(ended, click.Abort) and ended.__context__ is None:
        return StoppedByUserError("stopped: the answer was no")
    name = signal_name() or "SIGINT"
    return StoppedByUserError(f"stopped by {_KEYS_OF_SIGNALS.get(name, f'the signal {name}')}")


def _report(error: SweepbotError) -> int:
    from sweepbot.cli.output import talk  # noqa: PLC0415  (late, so that help comes at once)

    talk.print(f"sweepbot: {error}" + (f"\n  {error.hint}" if error.hint else ""))
    return error.exit_code


_LEVELS = (logging.WARNING, logging.INFO, logging.DEBUG)


class _Handler(logging.Handler):
    """Prints to the console that live displays use, so that lines appear above them."""

    def emit(self, record: logging.LogRecord) -> None:
        """Print a line."""
        from sweepbot.cli.output import talk  # noqa: PLC0415  (late, so that help comes at once)

        where = f"{record.name}: " if record.levelno < logging.WARNING else ""
        talk.print(f"{where}{record.getMessage()}", style="dim")


_HANDLER = _Handler()


def _add_verbosity(command: click.Command) -> None:
    """Add `-v` and `-vv` to a command that lacks them."""
    if all(param.name != "verbose" for param in command.params):
        command.params.append(
            click.Option(
                ["-v", "--verbose"],
                count=True,
                expose_value=False,
                show_default=False,
                callback=_set_level,
                help="Log what is going on; -vv also logs what is read and decided.",
            )
        )


def _set_level(_: click.Context, __: click.Parameter, times: int) -> None:
    logger, level = logging.getLogger("sweepbot"), _LEVELS[min(times, len(_LEVELS) - 1)]
    logger.setLevel(level)
    _HANDLER.setLevel(level)
    logger.addHandler(_HANDLER)  # once: without it warnings would be lost while a run is recorded
