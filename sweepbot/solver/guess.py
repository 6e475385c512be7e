"""The best of the uncertain cells: played out to the end of the game where few layouts are left, else looked ahead.

Until a 0 is open the next corner comes before what the look ahead would choose. Looked at and left out, because on
8,000 expert boards or more it showed no gain, pair by pair: a value of positions learned from self-play in place of the
look ahead's, or times it; a value that is less by the risk that two cells become a toss (+0.08 +-0.18 of 26,000); and
to settle first what cannot be won more often later, be it a toss that nothing else can decide or a closed pocket that
is played out.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sweepbot.solver.endgame import play_out_puzzle
from sweepbot.solver.frontier import HIDDEN
from sweepbot.solver.lookahead import ROUNDING, best_ahead, safest
from sweepbot.solver.puzzle import Puzzle, reduce_position

_NEIGHBOURS = 3
"""Of a corner, on boards of two rows and columns or more."""


class Guess(NamedTuple):
    """The best cell to open where none is certain."""

    cell: int
    """A flat cell of the board; -1 where no cell can be opened."""
    reason: str
    """Why, in words."""
    win_probability: float | None = None
    """The chance to win the game with best play, where it was played out."""
    cut_short: bool = False
    """Whether a search was given up that might have found a better one: time was up, or it took too long."""


def best_guess(
    cells: NDArray[np.uint8],
    around: NDArray[np.int32],
    mines: int,
    log_layouts: float,
    chances: NDArray[np.float64],
    *,
    time_is_up: Callable[[], bool],
) -> Guess:
    """Choose among the uncertain cells of a position without safe ones, by its chances as `count_chances` gives them.

    The choice depends on the position alone: what is looked at is bounded in cells, not in seconds. Only where
    `time_is_up`, which is asked before each step of the look ahead, the rest of it is given up. Playing out is given up
    sooner in plain Python, which takes longer for it.
    """
    puzzle = reduce_position(cells, around, mines, chances)
    undecided = chances[puzzle.place]
    ending, is_too_long = played_out(puzzle, undecided, log_layouts)
    if ending is not None:
        return Guess(_on_board(puzzle, ending.cell), f"played out: {ending}", ending.wins / ending.layouts)
    corner = next_corner(cells, around, chances)
    if corner >= 0:
        return Guess(corner, "no opening yet: the next corner", cut_short=is_too_long)
    cell, time_was_up = best_ahead(puzzle, log_layouts, undecided, time_is_up)
    reason = "best guess as far as time allowed" if time_was_up else "best guess, by what it may show"
    return Guess(_on_board(puzzle, cell), reason, cut_short=time_was_up or is_too_long)


def _on_board(puzzle: Puzzle, cell: int) -> int:
    """The flat cell of the board, -1 for -1."""
    return int(puzzle.place[cell]) if cell >= 0 else -1


class Ending(NamedTuple):
    """What came of playing out a position."""

    cell: int
    """The place in the puzzle of the cell that wins most; -1 where no cell can be opened."""
    wins: int
    layouts: int
    """In how many layouts best play wins, and of how many."""

    def __str__(self) -> str:
        return f"best play wins {self.wins:,} of {self.layouts:,} layouts"


def played_out(puzzle: Puzzle, chances: NDArray[np.float64], log_layouts: float) -> tuple[Ending | None, bool]:
    """The rest of the game with best play, None where that is not known; and whether it was begun and given up."""
    cell, wins, layouts = play_out_puzzle(puzzle, log_layouts)
    if wins < 0:
        return None, layouts > 0
    # Where nothing that any cell shows teaches anything, each wins as often.
    return Ending(cell if cell >= 0 else safest(chances, puzzle.cells != HIDDEN), wins, layouts), False


def next_corner(cells: NDArray[np.uint8], around: NDArray[np.int32], chances: NDArray[np.float64]) -> int:
    """The first hidden corner in reading order that no number is beside and no other cell is safer than; -1 for none.

    As long as no 0 is open, little can be reasoned from, and what a cell is worth hangs on whether it opens the board.
    A corner has three neighbours only, so it shows a 0 most often of all cells that are equally safe. Two openings do
    not see as much: they take an opening for a position with some certain cells, and like as well a cell at the border
    two steps from a number.

    Args:
        cells: The flat cells of a position without safe cells.
        around: The `neighbour_table` of its size.
        chances: The chance of a mine in each flat cell, NaN where open.

    Returns:
        A flat cell; always -1 once a 0 is open.
    """
    if (cells == 0).any():
        return -1
    lowest = np.nanmin(chances)
    for corner in np.flatnonzero(around[:, 8] == _NEIGHBOURS).tolist():
        beside = around[corner, :_NEIGHBOURS]
        if cells[corner] == HIDDEN and (cells[beside] >= HIDDEN).all() and chances[corner] <= lowest + ROUNDING:
            return int(corner)
    return -1
