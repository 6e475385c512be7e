"""The best guess: the game is played out to its end if few layouts are left, else a look ahead decides.

Until a 0 is open, the next corner comes before the look ahead. Tried and dropped, as none showed a gain on 8,000 or
more expert boards, compared in pairs: a value of positions learned from self-play, in place of the look ahead's or
times it; a penalty for the risk that two cells become a coin toss (+0.08 +-0.18 of 26,000); and settling first what
cannot be won more often later: a toss that nothing else can decide, or a closed pocket that is played out.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from sweepbot.board import Board
from sweepbot.solver.compiled import FORMS
from sweepbot.solver.decision import Choice
from sweepbot.solver.endgame import play_out
from sweepbot.solver.flat_board import HIDDEN, FlatBoard, cell_at, reduce_position
from sweepbot.solver.lookahead import ROUNDING, best_ahead

_SEARCH_S = 1.0
"""About how long the search for a guess takes in plain Python."""

_CORNER_NEIGHBOURS = 3
"""The neighbours of a corner, on boards of at least two rows and columns."""


def best_guess(
    board: Board, log_layouts: float, chances: NDArray[np.float64], *, time_is_up: Callable[[], bool]
) -> tuple[Choice | None, bool]:
    """Choose a guess in a position without safe cells, given what `count_chances` returns for it.

    The choice depends on the position alone, as the search is bounded in cells, not in seconds; but once `time_is_up`,
    which is asked before each step of the look ahead, the rest is left out. Plain Python is slower at playing out, and
    gives it up sooner.

    Returns:
        The move, None if no cell can be opened; and whether a search that might have found a better one was given up.
    """
    FORMS.expect(_SEARCH_S)
    position = FlatBoard.of(board)
    puzzle = reduce_position(position, log_layouts, chances)
    ending = play_out(puzzle)
    cut_short, win_probability = ending.wins < 0 < ending.layouts, None
    if ending.wins >= 0:
        cell, win_probability = ending.cell, ending.wins / ending.layouts
        reason = f"played out: best play wins {ending.wins:,} of {ending.layouts:,} layouts"
    elif (corner := next_corner(position, chances)) >= 0:
        return Choice(cell_at(board, corner), "no opening yet: the next corner", float(chances[corner])), cut_short
    else:
        cell, time_was_up = best_ahead(puzzle, time_is_up)
        reason = "best guess as far as time allowed" if time_was_up else "best guess, by what it may show"
        cut_short = cut_short or time_was_up
    if cell < 0:
        return None, cut_short
    flat = int(puzzle.place[cell])
    return Choice(cell_at(board, flat), reason, float(chances[flat]), win_probability), cut_short


def next_corner(position: FlatBoard, chances: NDArray[np.float64]) -> int:
    """Return the first hidden corner, in reading order, that has no number beside it and that no cell is safer than.

    Until a 0 is open there is little to reason from, and a cell is worth most if it opens the board. A corner has only
    three neighbours, so of equally safe cells it is the likeliest to be a 0. A look two openings ahead misses this: it
    takes an opening for a position with some certain cells, and likes a border cell two steps from a number as well.

    Args:
        position: A position without safe cells.
        chances: The chance of a mine in each flat cell, NaN where open.

    Returns:
        A flat cell, -1 if there is none; always -1 once a 0 is open.
    """
    cells, around = position.cells, position.around
    if (cells == 0).any():
        return -1
    lowest = np.nanmin(chances)
    for corner in np.flatnonzero(around[:, 8] == _CORNER_NEIGHBOURS).tolist():
        beside = around[corner, :_CORNER_NEIGHBOURS]
        if cells[corner] == HIDDEN and (cells[beside] >= HIDDEN).all() and chances[corner] <= lowest + ROUNDING:
            return int(corner)
    return -1
