"""The log of a client's games: what cells looked like and were read as, and how each game ended."""

from dataclasses import dataclass

from sweepbot.board import Board
from sweepbot.geometry import Cell


@dataclass(frozen=True, slots=True)
class Shown:
    """What a cell was read as.

    Attributes:
        cell: The cell.
        state: Its state, as it was read.
        picture: The number of its picture, in the run's `PatchStore`.
        at_end: Whether the game was over then.
    """

    cell: Cell
    state: int
    picture: int
    at_end: bool


@dataclass(frozen=True, slots=True, eq=False)
class PlayedGame:
    """A game that has ended.

    Attributes:
        shown: What its cells showed, without those of which nobody was sure.
        board: Its last board.
        result: `won`, `lost` or `aborted`.
        opened_first: How many cells its first click has opened; None if that was not seen.
        misreads: How many cells were found to be misread.
    """

    shown: frozenset[Shown]
    board: Board
    result: str
    opened_first: int | None
    misreads: int
