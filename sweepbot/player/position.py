"""The results of looking at a board: a position that can be relied on, cells at rest, or a lasting doubt."""

from dataclasses import dataclass

from sweepbot.desktop.screen import Frame
from sweepbot.errors import UntrustedReadingError
from sweepbot.solver import Decision
from sweepbot.vision.reader import Reading

PATIENCE_S = 5.0
"""Seconds for which an untrusted reading is looked at again: some clients stall for three seconds."""

RESTLESS_S = 8.0
"""Seconds beyond what is waited for, after which a picture that still changes is taken as it is."""

TELL_AFTER_S = 1.0
"""Seconds of waiting after which a person is told what for."""


def played_as(mines: int) -> str:
    """The hint for a board that contradicts its number of mines."""
    return f"the board was played as one of {mines} mines; if it has others, say so: --mines N"


@dataclass(frozen=True, slots=True)
class Position:
    """A reading that is trusted, and what to do about it; `decision` is None where the game is over."""

    frame: Frame
    reading: Reading
    decision: Decision | None


@dataclass(frozen=True, slots=True)
class CellsAtRest:
    """Cells of a burst have come to rest while others have not: those are unreadable in the reading."""

    reading: Reading


@dataclass(frozen=True, slots=True)
class Obstructed:
    """The client's board cannot be seen, or is not where it was."""

    place: Reading


_IN_FRONT = "is something in front of the board?"


class DoubtError(UntrustedReadingError):
    """A reading that is still not trusted when patience has run out.

    Attributes:
        frame: The picture.
        reading: What was made of it.
        reason: What speaks against it.
    """

    def __init__(self, frame: Frame, reading: Reading, doubt: str, hint: str = "") -> None:
        super().__init__(f"the reading is not trusted: {doubt}", hint=hint or reading.hint or _IN_FRONT)
        self.frame = frame
        self.reading = reading
        self.reason = doubt
