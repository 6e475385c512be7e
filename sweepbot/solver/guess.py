"""The best of the uncertain cells: played out to the end of the game where few layouts are left, else looked ahead.

Where many are left, what cannot be won more often later comes first: a closed pocket is played out, and a toss that
nothing else can decide is made. What it shows helps, and a game that it loses is over sooner. Looked at and left out,
because on 10,000 expert boards or more it showed no gain, pair by pair: a value of positions learned from self-play in
place of the look ahead's, or times it; and a value that is less by the risk of two cells becoming a pocket.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sweepbot.solver.chances import COUNTED, count_chances
from sweepbot.solver.compiled import compiled
from sweepbot.solver.endgame import best_opening, list_layouts, new_endgame, what_cells_show
from sweepbot.solver.frontier import HIDDEN, read_frontier
from sweepbot.solver.lookahead import ROUNDING, best_ahead, safest
from sweepbot.solver.pocket import closed_pocket
from sweepbot.solver.puzzle import Puzzle, reduce_position
from sweepbot.solver.toss import BOX, find_toss
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
    reason: str
    """Why, in words."""
    win_probability: float | None = None
    """The chance to win the game with best play, where it was played out."""
    cut_short: bool = False
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
    undecided = chances[puzzle.place]
    cell, wins, layouts = _play_out(puzzle, undecided, log_layouts)
    if wins >= 0:
        reason = f"played out: best play wins {wins:,} of {layouts:,} layouts"
        return Guess(_on_board(puzzle, cell), reason, win_probability=wins / layouts)
    cell, wins, layouts = _play_out_pocket(puzzle)
    if cell >= 0:
        return Guess(cell, f"closed pocket played out: best play wins {wins:,} of {layouts:,} layouts of it")
    cell, size = find_toss(puzzle, undecided)
    if cell >= 0:
        return Guess(_on_board(puzzle, cell), _name_of_toss(size, undecided[cell]))
    cell, cut_short = best_ahead(puzzle, log_layouts, undecided, time_is_up)
    reason = "best guess as far as time allowed" if cut_short else "best guess, by what it may show"
    return Guess(_on_board(puzzle, cell), reason, cut_short=cut_short)


def _on_board(puzzle: Puzzle, cell: int) -> int:
    """The flat cell of the board, -1 for -1."""
    return int(puzzle.place[cell]) if cell >= 0 else -1


def _name_of_toss(size: int, chance: float) -> str:
    """In the words of the field: a 50/50 holds a mine for sure, a pseudo-50/50 may be safe altogether."""
    name = "50/50" if chance > 0.5 - ROUNDING else "pseudo-50/50"
    return f"{name} of a box of four cells" if size == BOX else f"{name} of two cells"


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
    cell, wins, layouts = _play_out(pocket, chances, log_layouts)
    return (pocket.place[cell] if cell >= 0 else -1), wins, layouts


@compiled
def _play_out(puzzle: Puzzle, chances: NDArray[np.float64], log_layouts: float) -> tuple[int, int, int]:
    """The cell that wins most of the layouts left, how many, and of how many; by its place in the puzzle.

    All are -1 where the game is too long to be played out, the cell alone where none can be opened.
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
    # Where nothing that any cell shows teaches anything, each wins as often.
    cell = frontier.unopened[cell] if cell >= 0 else safest(chances, puzzle.cells != HIDDEN)
    return cell, wins, layouts
