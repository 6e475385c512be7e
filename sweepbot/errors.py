"""Every error of sweepbot's own: a class, the exit code of the command line, and a hint at what to do next."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import ClassVar


class SweepbotError(Exception):
    """Something went wrong that a person can act on.

    Args:
        message: What is wrong and where, quoting the bad value.
        hint: What to do next; empty where the message already says it.
    """

    exit_code: ClassVar[int] = 1

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


class UsageError(SweepbotError):
    """The words of a command do not fit together."""

    exit_code = 2


class BoardTextError(SweepbotError, ValueError):
    """Board text that cannot be read; `row` and `column` count from 0, None where no single cell is at fault."""

    def __init__(self, message: str, *, row: int | None = None, column: int | None = None, character: str = "") -> None:
        super().__init__(message, hint="board text: one line a row, of the characters #0-8F?*XW. (also - and +)")
        self.row = row
        self.column = column
        self.character = character


class ImpossibleBoardError(SweepbotError, ValueError):
    """A position that no placement of mines can produce."""


class CalibrationError(SweepbotError):
    """A calibration that is missing, broken or contradicts itself."""


class ImageError(SweepbotError):
    """A file that cannot be read as a picture."""


class TraceError(SweepbotError):
    """A trace that cannot be read or written."""


class DesktopError(SweepbotError):
    """The screen cannot be grabbed or the mouse cannot be moved."""


class NoBoardFoundError(SweepbotError):
    """No Minesweeper board is visible where one was looked for."""

    exit_code = 3


class UntrustedReadingError(SweepbotError):
    """The pixels did not turn into a board that can be relied on."""

    exit_code = 4


class StoppedByUserError(SweepbotError):
    """A person took over: the mouse was moved, a corner was touched, or Ctrl-C was pressed."""

    exit_code = 5


class AnotherLevelError(StoppedByUserError):
    """A person has begun another level: the board has another size."""


class StuckError(SweepbotError):
    """The client no longer reacts."""

    exit_code = 6


class ClientGoneError(StuckError):
    """The client is not in sight any more, so that a key would go to whatever is there in its place."""


class ClientCoveredError(StuckError):
    """Another program's window is where the client was looked for."""


class ClientMovedError(StuckError):
    """The client's window is not where it was."""


@contextmanager
def refused_as(kind: type[SweepbotError], what: str, hint: str = "") -> Iterator[None]:
    """Raise an error of ours where the system refuses something within the block.

    Args:
        kind: The error.
        what: What cannot be done, and with which file.
        hint: What a person can do about it.
    """
    try:
        yield
    except OSError as error:
        raise kind(f"{what}: {error.strerror or error}", hint=hint) from error
