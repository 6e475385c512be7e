"""All errors of sweepbot: each class has an exit code for the command line, each error a hint at what to do next."""

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from typing import ClassVar


class SweepbotError(Exception):
    """Something went wrong that a person can act on.

    Args:
        message: What is wrong and where, quoting the bad value.
        hint: What to do next; empty if the message already says it.
    """

    exit_code: ClassVar[int] = 1

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


class UsageError(SweepbotError):
    """The arguments of a command or a function do not make sense."""

    exit_code = 2


class BoardTextError(SweepbotError, ValueError):
    """Board text that cannot be parsed; `row` and `column` count from 0, None if no single cell is at fault."""

    def __init__(self, message: str, *, row: int | None = None, column: int | None = None, character: str = "") -> None:
        super().__init__(message, hint="board text is one line per row, of the characters #0-8F?*XW. (also - and +)")
        self.row = row
        self.column = column
        self.character = character


class ImpossibleBoardError(SweepbotError, ValueError):
    """A position that no placement of mines can produce."""


class CalibrationError(SweepbotError):
    """A calibration that is missing, broken or contradicts itself."""


class UnknownClientError(CalibrationError):
    """A client's name that no calibration has."""

    exit_code = UsageError.exit_code


class ImageError(SweepbotError):
    """A file that cannot be read as a picture."""


class TraceError(SweepbotError):
    """A trace that cannot be read or written."""


class DesktopError(SweepbotError):
    """The screen cannot be grabbed or the mouse cannot be moved."""


class NoBoardFoundError(SweepbotError):
    """There is no Minesweeper board where one was searched for."""

    exit_code = 3


class UntrustedReadingError(SweepbotError):
    """The reading of a board cannot be trusted."""

    exit_code = 4


class StoppedByUserError(SweepbotError):
    """A person took over: the mouse was moved, a corner was touched, or Ctrl-C was pressed."""

    exit_code = 5


class AnotherLevelError(StoppedByUserError):
    """The person has started another level: the board has another size."""


class StuckError(SweepbotError):
    """The client no longer reacts."""

    exit_code = 6


class ClientGoneError(StuckError):
    """The client is no longer in sight, so that a key would go to whatever is there instead."""


class ClientCoveredError(StuckError):
    """Another program's window is where the client should be."""


class ClientMovedError(StuckError):
    """The client's window is not where it was."""


_CAUSES = {
    errno.ENOSPC: "free some space",
    errno.EDQUOT: "your quota is used up: free some space",
    errno.EROFS: "its disk is read-only: make it writable",
    errno.EACCES: "check your rights to it",
    errno.EPERM: "check your rights to it",
}


def ways_out(*errors: OSError, hint: str = "") -> str:
    """Return what a person can do about files that are refused: first what the system says of each, then `hint`."""
    causes = dict.fromkeys(_CAUSES.get(error.errno or 0, "") for error in errors)
    return ", or ".join(filter(None, (*causes, hint)))


@contextmanager
def refused_as(kind: type[SweepbotError], what: str, hint: str = "") -> Iterator[None]:
    """Turn an OSError in the block into an error of sweepbot.

    Args:
        kind: The class of the error.
        what: What cannot be done, and with which file.
        hint: What else a person can do about it than what the system's reason tells.
    """
    try:
        yield
    except OSError as error:
        raise kind(f"{what}: {error.strerror or error}", hint=ways_out(error, hint=hint)) from error
