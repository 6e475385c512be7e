"""What was learned, in the form in which it is written: a picture or more of each state, and why it is believed."""

from dataclasses import dataclass, field

import numpy as np

from sweepbot.behaviour import Behaviour
from sweepbot.board import Board
from sweepbot.calibrate.thresholds import LIKENESS
from sweepbot.errors import StuckError
from sweepbot.geometry import Image
from sweepbot.vision.calibration import STATE_NAMES
from sweepbot.vision.grid import Grid
from sweepbot.vision.lattices.untouched_boards import cell_size

DEAL_INTERVAL_MS = 1100.0
"""Between two new games: clients that deal by the clock's second would deal the same mines again before that."""

NEEDED = ("hidden", "0", "1")
"""States without which no board can be read."""


@dataclass(slots=True, eq=False)
class Label:
    """One state: its pictures, uint8 arrays of shape (height, width, 3), the commonest first, and the evidence.

    Attributes:
        state: Its name.
        pictures: What stands for it.
        why: The evidence, in words.
        spread: By how many grey levels its cells differed from those pictures at most, as `familiar` measures it.
    """

    state: str
    pictures: list[Image]
    why: str
    spread: float = 0.0


@dataclass(slots=True, eq=False)
class Fixture:
    """A picture of a board and what it shows; `.` where that was never settled."""

    name: str
    image: Image
    board: Board


@dataclass(slots=True, eq=False)
class Learned:
    """Everything there is to write.

    Attributes:
        place: The board.
        labels: The states, in the order of `STATE_NAMES`.
        open_questions: In words, what was seen and not understood.
        behaviour: What the client does.
        levels: Its levels, as a calibration writes them.
        titles: What the titles of its windows contain.
        totals: How many mines its boards had; several where that differs from game to game.
        fixtures: Pictures and their boards.
        games: How many games were played.
        stuck: What has ended the learning early, None where nothing has: no further game could be begun.
        not_missed: States that need not be met: the client has no look of their own for them, or it is known already.
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
    stuck: StuckError | None = None
    not_missed: frozenset[str] = frozenset()

    @property
    def source(self) -> str:
        """What it was learned from, in words."""
        return f"{self.games} games" if self.games else f"{len(self.fixtures)} pictures"

    @property
    def unmet(self) -> list[str]:
        """The states that the client may show and that were not seen."""
        met = {label.state for label in self.labels}
        return [name for name in STATE_NAMES if name not in met | self.not_missed]

    @property
    def gap(self) -> int:
        """Pixels between the tiles of neighbouring closed cells, whose faces differ from what is around them.

        Only the middles of lines are looked at: tiles may have round corners.
        """
        everything = np.concatenate([label.pictures for label in self.labels if label.state in _CLOSED])
        height, width = (side // 4 for side in everything.shape[1:3])
        drawn = np.abs(everything.astype(np.int16) - everything[0, 0, 2 * width]).max(axis=3) > LIKENESS.same_levels
        middles = drawn[:, height:-height].any(axis=1), drawn[:, :, width:-width].any(axis=2)
        # Lines before the first and after the last drawn one of each picture, together.
        gap, other = (int((line.argmax(axis=1) + line[:, ::-1].argmax(axis=1)).max()) for line in middles)
        return gap if gap == other and _FEWEST_BETWEEN <= gap <= _MOST_BETWEEN else 0

    @property
    def ground_varies(self) -> bool:
        """Whether open cells were lighter in one part of the board than in another, by what empty ones look like."""
        empty = next(np.stack(label.pictures) for label in self.labels if label.state == "0")
        grounds = np.median(empty.reshape(len(empty), -1, 3), axis=1)
        return bool(np.abs(grounds[:, None] - grounds).max() > LIKENESS.same_levels)

    @property
    def cell(self) -> tuple[int, int]:
        """Width and height of a cell in pixels."""
        return cell_size(self.place)


_CLOSED = ("hidden", "flag", "question")
_FEWEST_BETWEEN, _MOST_BETWEEN = 3, 16  # pixels: what is narrower is a line of the cells' own; the most there may be
