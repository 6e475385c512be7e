"""What was observed of a client: entries that are only ever added; what they mean is inferred.

A picture is named by its number in a `PatchStore`.
"""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from sweepbot.calibrate.labels.looks import PatchStore
from sweepbot.geometry import Cell

Pictures = NDArray[np.intp]
"""The picture of each cell, shape (rows, columns)."""

Mask = NDArray[np.bool_]
"""Some of a board's cells, shape (rows, columns)."""


@dataclass(frozen=True, slots=True)
class Untouched:
    """How cells look before they are touched: the pictures that were seen so, once for each cell."""

    pictures: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Titled:
    """The title that the client's window had."""

    title: str


@dataclass(frozen=True, slots=True)
class Began:
    """A new game, on a board of so many rows and columns."""

    shape: tuple[int, int]


@dataclass(frozen=True, slots=True)
class FirstOpening:
    """How many cells the first click of a game opened, and what the clicked cell then showed, where that was seen."""

    opened: int
    picture: int | None = None


@dataclass(frozen=True, slots=True)
class Opened:
    """Open cells of a game that goes on, each with its picture."""

    cells: tuple[tuple[Cell, int], ...]


@dataclass(frozen=True, slots=True)
class Read:
    """What a calibration has read of a game: open cells with their numbers, mines, and closed cells that are none."""

    numbers: tuple[tuple[Cell, int], ...]
    mines: tuple[Cell, ...]
    safe: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class Marked:
    """A right click has changed a hidden cell to a picture: of a `flag` the first one, of a `question` the second."""

    state: str
    picture: int


@dataclass(frozen=True, slots=True, eq=False)
class Ended:
    """The board after the click that has ended a game.

    Attributes:
        pictures: What its cells show.
        hidden: Which of them look hidden.
        clicked: The cell on which the last click with an effect was.
        flagged: Cells that were flagged and hold a mine, as far as the rules tell.
        misflagged: Cells that were marked and hold none.
        behind: Cells of which what has come up in front of the board may hide a part.
        is_rested: Whether the board was at rest, and not in the middle of a change.
        is_covered: Whether something that nothing takes away stands in front of it: its numbers tell nothing then.
        unanswered: The cells that were clicked after that and did not react: one of these may have ended the game.
    """

    pictures: Pictures
    hidden: Mask
    clicked: Cell
    flagged: frozenset[Cell] = frozenset()
    misflagged: frozenset[Cell] = frozenset()
    behind: frozenset[Cell] = frozenset()
    is_rested: bool = True
    is_covered: bool = False
    unanswered: frozenset[Cell] = frozenset()


@dataclass(frozen=True, slots=True)
class Withdrawn:
    """The last game is none: it contradicts the rules, or no click in it had an effect."""

    contradicts: bool


Entry = Untouched | Titled | Began | FirstOpening | Opened | Read | Marked | Ended | Withdrawn


@dataclass(slots=True, eq=False)
class Log:
    """All that was observed of one client, in order."""

    patches: PatchStore
    entries: list[Entry] = field(default_factory=list)
