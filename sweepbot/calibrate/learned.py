"""What was learned, in the form in which it is written: a picture or more of each state, and why it is believed."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from sweepbot.behaviour import Behaviour
from sweepbot.board import Board
from sweepbot.calibrate.labels.looks import PatchStore
from sweepbot.calibrate.thresholds import LIKENESS
from sweepbot.errors import StuckError
from sweepbot.geometry import Image
from sweepbot.vision.calibration import STATE_NAMES
from sweepbot.vision.cells.familiar import largest_differences
from sweepbot.vision.grid import Grid
from sweepbot.vision.lattices.untouched_boards import cell_size

_MOST_PICTURES = 12
"""Templates of one state: a gradient has no more faces than that to tell, a pattern with lines has some more."""

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

    @classmethod
    def of(
        cls, state: str, patches: PatchStore, pictures: Counter[int], why: str, known: Sequence[int] = ()
    ) -> "Label":
        """Choose the pictures that stand for a state from all those that show it, besides those that do already."""
        kept = representatives(patches, pictures, known)
        everything = np.stack([patches[picture] for picture in pictures])
        differences = largest_differences(everything, np.stack(kept))
        return cls(state, kept, why, float(differences.min(axis=1).max()))


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
        never_shown: States that the client has no look of their own for.
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
    never_shown: frozenset[str] = frozenset()

    @property
    def unmet(self) -> list[str]:
        """The states that the client may show and that were not seen."""
        met = {label.state for label in self.labels}
        return [name for name in STATE_NAMES if name not in met | self.never_shown]

    @property
    def gap(self) -> int:
        """Pixels between the tiles of neighbouring closed cells, whose faces differ from what is around them.

        Only the middles of lines are looked at: tiles may have round corners.
        """
        closed = [label.pictures for label in self.labels if label.state in _CLOSED]
        everything = np.concatenate(closed).astype(np.int16)
        height, width = (side // 4 for side in everything.shape[1:3])
        ground = everything[0, 0, 2 * width]
        drawn = np.abs(everything - ground).max(axis=3) > LIKENESS.same_levels
        rims = _rims(drawn[:, height:-height].any(axis=1)), _rims(drawn[:, :, width:-width].any(axis=2))
        gap, other = (int(rim.max()) for rim in rims)
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


def cells(count: int) -> str:
    """A number of cells, in words."""
    return f"{count} cell{'s' * (count != 1)}"


def representatives(patches: PatchStore, pictures: Counter[int], known: Sequence[int] = ()) -> list[Image]:
    """The commonest picture, then again and again the one that is least like those chosen, then those drawn otherwise.

    Those that are `known` to stand for the same come first, in the place of the commonest.
    """
    numbers = [number for number, _ in pictures.most_common()]
    chosen = [*known] or numbers[:1]
    while len(chosen) < _MOST_PICTURES:
        distance = np.min([patches.distances(number, numbers) for number in chosen], axis=0)
        if distance.max() <= _WORTH_KEEPING:
            break
        chosen.append(numbers[int(distance.argmax())])
    others = [picture for number in chosen for picture in patches.variants(number)]
    return [*(patches[number] for number in chosen), *others][:_MOST_PICTURES]


_CLOSED = ("hidden", "flag", "question")
_FEWEST_BETWEEN, _MOST_BETWEEN = 3, 16  # pixels: what is narrower is a line of the cells' own; the most there may be
_WORTH_KEEPING = 6  # grey levels by which a further picture of a state differs from those that are kept


def _rims(drawn: NDArray[np.bool_]) -> NDArray[np.intp]:
    """How many lines there are before the first and after the last drawn one of each picture, together."""
    rims: NDArray[np.intp] = drawn.argmax(axis=1) + drawn[:, ::-1].argmax(axis=1)
    return rims
