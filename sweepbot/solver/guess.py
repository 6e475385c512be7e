"""The best of the uncertain cells: played out to the end of the game where few layouts are left, else looked ahead.

Looked at and left out, because on 6,000 expert boards or more it showed no gain, pair by pair: coin tosses that nothing
can decide taken at once, and a value of positions learned from self-play in place of the look ahead's, or times it.
"""

from math import log
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sweepbot.solver.compiled import compiled
from sweepbot.solver.endgame import best_opening, list_layouts, new_endgame, what_cells_show
from sweepbot.solver.frontier import HIDDEN, read_frontier
from sweepbot.solver.lookahead import best_ahead
from sweepbot.solver.puzzle import Puzzle, reduce_position
from sweepbot.solver.trellis import box_order, build_trellis

ENDGAME_SIZE = 40_000
"""The game is played out from so many layouts times undecided cells on, on expert boards from about 1000 layouts on.

Measured there: 400 layouts win as often, 100 win less; small dense boards come out best with several thousand.
"""

ENDGAME_WORK = 20_000_000
"""Cells of layouts looked at before playing out is given up, some tens of milliseconds."""


class Guess(NamedTuple):
    """The best cell to open where none is certain."""

    cell: int
    """A flat cell of the board; -1 where no cell can be opened."""
    wins: int
    """In how many layouts best play wins; -1 where the game was not played out."""


def best_guess(
    cells: NDArray[np.uint8],
    around: NDArray[np.int32],
    mines: int,
    log_layouts: float,
    chances: NDArray[np.float64],
) -> Guess:
    """Choose among the uncertain cells of a position without safe ones, by its chances as `count_chances` gives them.

    The choice depends on the position alone: what is looked at is bounded in cells, not in seconds.
    """
    puzzle = reduce_position(cells, around, mines, chances)
    cell, wins = -1, -1
    undecided = int((puzzle.cells >= HIDDEN).sum())
    if log_layouts < log(ENDGAME_SIZE / max(1, undecided)):
        cell, wins = _play_out(puzzle, round(np.exp(log_layouts)))
    if cell < 0:
        cell = best_ahead(puzzle, log_layouts, chances[puzzle.place])
    return Guess(int(puzzle.place[cell]) if cell >= 0 else -1, wins)


@compiled
def _play_out(puzzle: Puzzle, layouts: int) -> tuple[int, int]:
    """The cell that wins most of the layouts left, and how many.

    The cell is -1 where none teaches anything; both are where the game is too long to be played out.
    """
    frontier = read_frontier(puzzle.cells, puzzle.around, puzzle.mines)
    trellis = build_trellis(frontier, box_order(frontier))
    listed = list_layouts(frontier, trellis, layouts)
    game = new_endgame(what_cells_show(puzzle.cells, puzzle.around, frontier, listed), ENDGAME_WORK)
    cell, wins = best_opening(game)
    return (frontier.unopened[cell] if cell >= 0 else -1), wins
