"""What was observed while a client was played: entries that are only ever added; what they mean is inferred."""

from dataclasses import dataclass, field

from sweepbot.calibrate.labels.covered_endings import CoveredEnd
from sweepbot.calibrate.labels.endings import Ending
from sweepbot.calibrate.labels.observations import Observations, Sheet
from sweepbot.calibrate.labels.patches import PatchStore
from sweepbot.geometry import Cell


@dataclass(frozen=True, slots=True)
class Marked:
    """A click of the right button has changed a hidden cell.

    Attributes:
        state: `flag` after the first such click, `question` after the second one.
        picture: What the cell then showed.
    """

    state: str
    picture: int


@dataclass(frozen=True, slots=True)
class FirstOpening:
    """The first click of a game on an untouched board.

    Attributes:
        opened: How many cells it opened.
        picture: What the clicked cell then showed; None where that was not seen.
    """

    opened: int
    picture: int | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Ended:
    """The end of a game.

    Attributes:
        ending: How it ended as the numbers bear it out, and what its last picture shows.
        clicked: The cell that was clicked last; None where no click had an effect.
        pieces: Pictures that show pieces of what stood in front of the board.
        rested: Whether the last picture was at rest, and not taken in the middle of a change.
        total_if_won: How many mines the board has if the last click has won a game whose end shows nothing.
    """

    ending: Ending
    clicked: Cell | None
    pieces: frozenset[int]
    rested: bool
    total_if_won: int | None = None

    @classmethod
    def of_nothing(cls, sheet: Sheet) -> "Ended":
        """The end of a game of which nothing is known but what was opened before."""
        return cls(Ending(None, sheet), None, frozenset(), rested=False)


@dataclass(slots=True, eq=False)
class Log:
    """All that was observed of one client.

    Attributes:
        patches: The pictures of cells.
        observations: The open cells of each game, and what numbers their looks may be.
        entries: What else has happened, in order.
    """

    patches: PatchStore
    observations: Observations
    entries: list[Marked | FirstOpening | CoveredEnd | Ended] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.entries)

    @property
    def covered_ends(self) -> list[CoveredEnd]:
        """The ends of games behind something that stayed."""
        return [entry for entry in self.entries if isinstance(entry, CoveredEnd)]

    @property
    def ends(self) -> list[Ended]:
        """The ends of games."""
        return [entry for entry in self.entries if isinstance(entry, Ended)]
