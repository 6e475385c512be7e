"""The best of the uncertain cells: played out to the end of the game where few layouts are left, else looked ahead.

Where many are left a closed pocket is played out first: it cannot be won more often later, and a game that it loses is
over sooner. Looked at and left out, because on 10,000 expert boards or more it showed no gain, pair by pair: a value of
positions learned from self-play in place of the look ahead's, or times it; and a value that is less by the risk of two
cells becoming a pocket.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sweepbot.solver.chances import COUNTED, count_chances
from sweepbot.solver.compiled import compiled
from sweepbot.solver.endgame import best_opening, list_layouts, new_endgame, what_cells_show
from sweepbot.solver.frontier import HIDDEN, read_frontier
from sweepbot.solver.lookahead import best_ahead
from sweepbot.solver.pocket import closed_pocket
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
    layouts: int
    """How many there are, of the pocket where one was played out; -1 where nothing was played out."""
    in_pocket: bool
    """Whether it was a closed pocket that was played out, and not the whole game."""
    cut_short: bool
    """Whether time was up before the look ahead was done."""


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
    `time_is_up`, which is asked before each step of the look ahead, the rest of it is given up.
    """
    puzzle = reduce_position(cells, around, mines, chances)
    cell, wins, layouts = _play_out(puzzle, log_layouts)
    if wins < 0:
        in_pocket, wins, layouts = _play_out_pocket(puzzle)
        if in_pocket >= 0:
            return Guess(in_pocket, wins, layouts, in_pocket=True, cut_short=False)
    cut_short = False
    if cell < 0:
        cell, cut_short = best_ahead(puzzle, log_layouts, chances[puzzle.place], time_is_up)
    return Guess(int(puzzle.place[cell]) if cell >= 0 else -1, wins, layouts, in_pocket=False, cut_short=cut_short)


@compiled
def _play_out_pocket(puzzle: Puzzle) -> tuple[int, int, int]:
    """The flat cell of the board that wins most of the layouts of a closed pocket, how many, and of how many.

    The cell is -1 where there is no pocket, or none that can be played out.
    """
    pocket = closed_pocket(puzzle)
    if pocket.cells.size == 0:
        return -1, -1, -1
    outcome, log_layouts, chances = count_chances(pocket.cells, pocket.around, pocket.mines)
    if outcome != COUNTED:
        return -1, -1, -1
    cell, wins, layouts = _play_out(pocket, log_layouts)
    if wins < 0:
        return -1, -1, -1
    if cell < 0:  # nothing that it shows teaches anything
        cell = int(np.nanargmin(chances))
    return pocket.place[cell], wins, layouts


@compiled
def _play_out(puzzle: Puzzle, log_layouts: float) -> tuple[int, int, int]:
    """The cell that wins most of the layouts left, how many, and of how many; by its place in the puzzle.

    The cell is -1 where none teaches anything; all are where the game is too long to be played out.
    """
    undecided = int((puzzle.cells >= HIDDEN).sum())
    if log_layouts >= np.log(ENDGAME_SIZE / max(1, undecided)):
        return -1, -1, -1
    layouts = round(np.exp(log_layouts))
    frontier = read_frontier(puzzle.cells, puzzle.around, puzzle.mines)
    trellis = build_trellis(frontier, box_order(frontier))
    listed = list_layouts(frontier, trellis, layouts)
    game = new_endgame(what_cells_show(puzzle.cells, puzzle.around, frontier, listed), ENDGAME_WORK)
    cell, wins = best_opening(game)
    if wins < 0:
        return -1, -1, -1
    return (frontier.unopened[cell] if cell >= 0 else -1), wins, layouts
