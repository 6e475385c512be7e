"""What a player tells of its game while it plays, and what is left to say when it is over."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, Protocol

import msgspec
from numpy import uint8
from numpy.typing import NDArray

from sweepbot.behaviour import Restart
from sweepbot.desktop.windows import WindowId
from sweepbot.geometry import Cell, Region
from sweepbot.level import Level
from sweepbot.solver import Decision, Move
from sweepbot.vision.reader import Reading

Result = Literal["won", "lost", "aborted"]


class GameResult(msgspec.Struct):
    """One game in figures, as `play --json` prints it.

    Attributes:
        result: How it ended.
        seconds: From the first decision to the last click; dialogs and restarts are not playing.
        clicks: Of the mouse, restarts not counted.
        three_bv: The fewest clicks that open such a board, of a won game whose end was seen; see `three_bv`.
        reads: How many times the whole board was read.
        guesses: Clicks on cells that were not certain, the first click of a game not counted.
        misreads: Cells whose reading turned out wrong later: a number that changed, or a cell called certain that
            exploded.
        retries: Clicks repeated because the client had not noticed them.
        cut_short: Guesses that might have been better, had their search not taken too long.
        survival: The chance, as it was seen before each, that none of the cells opened so far was a mine.
        risk: The chances of a mine, as seen before each cell was opened, added up: over many games, the losses.
        client_seconds: What the client's own clock showed at the end, where it was read.
    """

    result: Result = "aborted"
    seconds: float = 0.0
    clicks: int = 0
    reads: int = 0
    guesses: int = 0
    misreads: int = 0
    retries: int = 0
    cut_short: int = 0
    survival: float = 1.0
    risk: float = 0.0
    client_seconds: int | None = None
    three_bv: int | None = None


@dataclass(frozen=True, slots=True)
class Located:
    """A board was found, and read by this part of the screen alone: its window's, where one is known."""

    region: Region
    window: WindowId | None = None


@dataclass(frozen=True, slots=True)
class Found:
    """A board was found on the screen."""

    reading: Reading


@dataclass(frozen=True, slots=True)
class Chosen:
    """Of several windows that look like clients' by their titles the one in front was taken; how many others are."""

    others: int


@dataclass(frozen=True, slots=True)
class Resized:
    """The client's window was made larger, so that its board can be read: where it was, and where it is now."""

    before: Region
    now: Region


@dataclass(frozen=True, slots=True)
class Moved:
    """The client's window was moved or resized, and was followed: where the board is now."""

    reading: Reading


@dataclass(frozen=True, slots=True)
class Waiting:
    """A second has passed without anything to act on; `why` says in words what is waited for."""

    why: str


@dataclass(frozen=True, slots=True)
class Rested:
    """The last picture has come to rest, and will be read."""


@dataclass(frozen=True, slots=True)
class Read:
    """A picture at rest was read.

    Attributes:
        reading: What it shows.
        doubt: Why that is not trusted; empty where it is.
    """

    reading: Reading
    doubt: str


@dataclass(frozen=True, slots=True)
class Hurried:
    """What to do was just decided with no time, or no compiled code, for all that might be done."""


@dataclass(frozen=True, slots=True)
class Decided:
    """The next clicks are settled."""

    reading: Reading
    decision: Decision


@dataclass(frozen=True, slots=True)
class WentOn:
    """More cells became certain while clicks were on their way, and are clicked too.

    Attributes:
        reading: What the cells show that have come to rest; the others are unreadable.
        safe: The cells that become certain by that.
    """

    reading: Reading
    safe: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class Clicked:
    """Clicks have come to something: the board before and after, and the cells whose clicks were not noticed."""

    before: Reading
    after: Reading
    missed: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class Restarting:
    """A new game is asked for."""

    restart: Restart


@dataclass(frozen=True, slots=True)
class ClosingDialogs:
    """The dialogs are closed that may come after such an end of a game: `won` or `lost`."""

    after: str


@dataclass(frozen=True, slots=True)
class Doubted:
    """A reading was still not trusted when patience had run out."""

    doubt: str


@dataclass(frozen=True, slots=True)
class HandedOver:
    """The game is left to the person, before a guess; the pointer is over the cell that would have been opened."""

    reading: Reading
    guess: Move


@dataclass(frozen=True, slots=True)
class Ended:
    """A game is over, and this was the last that was seen of it; `number` counts from 1."""

    number: int
    result: GameResult
    reading: Reading


Event = (
    Found
    | Chosen
    | Resized
    | Moved
    | Waiting
    | Rested
    | Read
    | Hurried
    | Located
    | Decided
    | WentOn
    | Clicked
    | Restarting
    | ClosingDialogs
    | Doubted
    | HandedOver
    | Ended
)
Observer = Callable[[Event], None]


class Learner(Protocol):
    """Learns in play what a calibration lacks."""

    def study(self, image: NDArray[uint8], reading: Reading) -> tuple[Reading, frozenset[Cell]]:
        """What a picture shows, given what was learned meanwhile.

        Returns:
            The reading with what was learned filled in, and the cells that are open though they cannot be read.
        """

    def count(self, level: Level) -> None:
        """Take down how many mines boards of a size have: the end of a game has told."""
