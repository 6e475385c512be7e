"""The best guess: the game is played out to its end if few layouts are left, else a look ahead decides.

Until a 0 is open, the next corner comes before the look ahead. Tried and dropped, as none showed a gain on 8,000 or
more expert boards, compared in pairs: a value of positions learned from self-play, in place of the look ahead's or
times it; a penalty for the risk that two cells become a coin toss (+0.08 +-0.18 of 26,000); and settling first what
cannot be won more often later: a toss that nothing else can decide, or a closed pocket that is played out.
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
"""The neighbours of a corner, on boards of at least two rows and columns."""


class Guess(NamedTuple):
    """The best cell to open if none is safe."""

    cell: int
    """A flat cell of the board; -1 if no cell can be opened."""
    reason: str
    """Why, in words."""
    win_probability: float | None = None
    """The chance to win the game with best play, if it was played out."""
    cut_short: bool = False
    """Whether a search that might have found a better one was given up."""


def best_guess(
    cells: NDArray[np.uint8],
    around: NDArray[np.int32],
    mines: int,
    log_layouts: float,
    chances: NDArray[np.float64],
    *,
    time_is_up: Callable[[], bool],
) -> Guess:
    """Choose a guess in a position without safe cells, given the chances that `count_chances` returns.

    The choice depends on the position alone, as the search is bounded in cells, not in seconds; but once `time_is_up`,
    which is asked before each step of the look ahead, the rest is left out. Plain Python is slower at playing out, and
    gives it up sooner.
    """
    puzzle = reduce_position(cells, around, mines, chances)
    undecided = chances[puzzle.place]
    ending, is_too_long = play_out(puzzle, undecided, log_layouts)
    if ending is not None:
        return Guess(_on_board(puzzle, ending.cell), f"played out: {ending}", ending.wins / ending.layouts)
    corner = next_corner(cells, around, chances)
    if corner >= 0:
        return Guess(corner, "no opening yet: the next corner", cut_short=is_too_long)
    cell, time_was_up = best_ahead(puzzle, log_layouts, undecided, time_is_up)
    reason = "best guess as far as time allowed" if time_was_up else "best guess, by what it may show"
    return Guess(_on_board(puzzle, cell), reason, cut_short=time_was_up or is_too_long)


def _on_board(puzzle: Puzzle, cell: int) -> int:
    """Return the flat cell of the board for one of the puzzle; -1 for -1."""
    return int(puzzle.place[cell]) if cell >= 0 else -1


class Ending(NamedTuple):
    """The result of playing out a position."""

    cell: int
    """The place in the puzzle of the cell that wins most; -1 if no cell can be opened."""
    wins: int
    layouts: int
    """How many layouts best play wins, and how many there are."""

    def __str__(self) -> str:
        return f"best play wins {self.wins:,} of {self.layouts:,} layouts"


def play_out(puzzle: Puzzle, chances: NDArray[np.float64], log_layouts: float) -> tuple[Ending | None, bool]:
    """Play out the rest of the game; return None if it takes too long, and whether it was begun and given up."""
    cell, wins, layouts = play_out_puzzle(puzzle, log_layouts)
    if wins < 0:
        return None, layouts > 0
    # If no opening teaches anything, each cell wins as often as it is safe.
    return Ending(cell if cell >= 0 else safest(chances, puzzle.cells != HIDDEN), wins, layouts), False


def next_corner(cells: NDArray[np.uint8], around: NDArray[np.int32], chances: NDArray[np.float64]) -> int:
    """Return the first hidden corner, in reading order, that has no number beside it and that no cell is safer than.

    Until a 0 is open there is little to reason from, and a cell is worth most if it opens the board. A corner has only
    three neighbours, so of equally safe cells it is the likeliest to be a 0. A look two openings ahead misses this: it
    takes an opening for a position with some certain cells, and likes a border cell two steps from a number as well.

    Args:
        cells: The flat cells of a position without safe cells.
        around: The `neighbour_table` of its size.
        chances: The chance of a mine in each flat cell, NaN where open.

    Returns:
        A flat cell, -1 if there is none; always -1 once a 0 is open.
    """
    if (cells == 0).any():
        return -1
    lowest = np.nanmin(chances)
    for corner in np.flatnonzero(around[:, 8] == _NEIGHBOURS).tolist():
        beside = around[corner, :_NEIGHBOURS]
        if cells[corner] == HIDDEN and (cells[beside] >= HIDDEN).all() and chances[corner] <= lowest + ROUNDING:
            return int(corner)
    return -1
