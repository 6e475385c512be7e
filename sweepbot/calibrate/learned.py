"""What was learned, as it is written to a calibration: pictures of each state, and the evidence for them."""

from dataclasses import dataclass, field

from sweepbot.behaviour import Behaviour
from sweepbot.board import Board
from sweepbot.calibrate.seeing.untouched_boards import cell_size
from sweepbot.errors import SweepbotError
from sweepbot.geometry import Image
from sweepbot.vision.calibration import STATE_NAMES
from sweepbot.vision.grid import Grid

DEAL_INTERVAL_MS = 1100.0
"""The least time between two new games, as clients that seed by the second would deal the same board again."""

NEEDED = ("hidden", "0", "1")
"""The states without which no board can be read."""


@dataclass(slots=True, eq=False)
class Label:
    """A state with its pictures and the evidence.

    Attributes:
        state: Its name.
        pictures: Its pictures, uint8 arrays of shape (height, width, 3), the commonest first.
        why: The evidence, in words.
    """

    state: str
    pictures: list[Image]
    why: str


@dataclass(slots=True, eq=False)
class Fixture:
    """A picture of a board and what it shows, with `.` for cells that are unknown."""

    name: str
    image: Image
    board: Board


@dataclass(slots=True, eq=False)
class Learned:
    """All that was learned.

    Attributes:
        place: The board's grid.
        labels: The states, in the order of `STATE_NAMES`.
        open_questions: What was seen and not understood, in words.
        behaviour: How the client behaves.
        levels: Its levels, as a calibration writes them.
        titles: Words in the titles of its windows.
        totals: How many mines its boards had; several if that differs from game to game.
        fixtures: Pictures and their boards.
        games: How many games were played.
        stuck: Why learning ended early; None if it did not.
        not_missed: States that are not needed, as the client has no separate look for them, or it is known already.
    """

    place: Grid
    labels: list[Label]
    open_questions: list[str]
    behaviour: Behaviour
    levels: dict[str, str]
    fixtures: list[Fixture] = field(default_factory=list)
    games: int = 0
    titles: tuple[str, ...] = ()
    totals: tuple[int, ...] = ()
    stuck: SweepbotError | None = None
    not_missed: frozenset[str] = frozenset()

    @property
    def source(self) -> str:
        """What it was learned from, in words."""
        return f"{self.games} games" if self.games else f"{len(self.fixtures)} pictures"

    @property
    def unmet(self) -> list[str]:
        """The states that the client may have but that were not seen."""
        met = {label.state for label in self.labels}
        return [name for name in STATE_NAMES if name not in met | self.not_missed]

    @property
    def cell(self) -> tuple[int, int]:
        """Width and height of a cell in pixels."""
        return cell_size(self.place)
