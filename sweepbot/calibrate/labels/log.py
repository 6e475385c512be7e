"""The observations of a client: a log to which entries are only added; their meaning is inferred elsewhere.

A picture is given by its number in a `PatchStore`.
"""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from sweepbot.calibrate.labels.looks import PatchStore
from sweepbot.geometry import Cell

Pictures = NDArray[np.intp]
"""The picture of each cell, shape (rows, columns)."""

Mask = NDArray[np.bool_]
"""Some cells of a board, shape (rows, columns)."""


@dataclass(frozen=True, slots=True)
class Untouched:
    """The pictures of untouched cells, once for each cell."""

    pictures: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Titled:
    """The title of the client's window."""

    title: str


@dataclass(frozen=True, slots=True)
class Began:
    """A new game, on a board of a shape (rows, columns)."""

    shape: tuple[int, int]


@dataclass(frozen=True, slots=True)
class FirstOpening:
    """How many cells the first click of a game opened, and the picture of the clicked cell, if it was seen."""

    opened: int
    picture: int | None = None


@dataclass(frozen=True, slots=True)
class Opened:
    """Open cells of a game in progress, each with its picture."""

    cells: tuple[tuple[Cell, int], ...]


@dataclass(frozen=True, slots=True)
class Read:
    """What was read by a calibration in a game: open cells with their numbers, mines, and safe closed cells."""

    numbers: tuple[tuple[Cell, int], ...]
    mines: tuple[Cell, ...]
    safe: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class Marked:
    """The picture of a cell after a first right click, state `flag`, or a second one, state `question`."""

    state: str
    picture: int


@dataclass(frozen=True, slots=True, eq=False)
class Ended:
    """The board after the click that has ended a game.

    Attributes:
        pictures: The pictures of its cells.
        hidden: Which of them look hidden.
        clicked: The cell of the last click that had an effect.
        flagged: Cells that were flagged and, by the rules, hold a mine.
        misflagged: Cells that were marked and hold none.
        behind: Cells of which something in front of the board may hide a part.
        is_rested: Whether the board was at rest, and not in the middle of a change.
        is_covered: Whether something that cannot be removed is in front of it, so that its numbers cannot be trusted.
        unanswered: Cells that were clicked later without an effect, one of which may have ended the game.
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
    """The last game is left out: it contradicts the rules, or no click in it had an effect."""

    contradicts: bool


Entry = Untouched | Titled | Began | FirstOpening | Opened | Read | Marked | Ended | Withdrawn


@dataclass(slots=True, eq=False)
class Log:
    """All observations of one client, in order."""

    patches: PatchStore
    entries: list[Entry] = field(default_factory=list)
