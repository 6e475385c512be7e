"""Tosses that are still to come: 50/50s and pseudo-50/50s of two cells, and boxes of four.

Two sets of cells *mirror* each other where every cell around them that is no certain mine is a neighbour of as many of
the one as of the other. A layout with mines in all of the one and none in the other then has a twin with these mines
the other way round, and whatever is opened elsewhere shows the same number in both. Two cells side by side behind mines
mirror each other, and so do the diagonals of a box of four cells whose outer corners are mines.

Where a cell can be a mine only so, as a part of one of two such sets, it is opened at once. If it is a mine the game
comes down to a toss: of each layout and its twin any play loses one, as soon as it opens the first of these cells. To
open the cell now loses just one of each two as well, and no other layout; in all others it is safe and shows a number.
Without those others it is called an unavoidable 50/50, with them a pseudo-50/50. For two cells this proves that no play
wins more; for a box of four the other diagonal's cells may show more, which seldom matters.
"""

import numpy as np
from numpy.typing import NDArray

from sweepbot.solver.chances import COUNTED, count_chances
from sweepbot.solver.compiled import compiled
from sweepbot.solver.frontier import HIDDEN, MINE
from sweepbot.solver.lookahead import ROUNDING
from sweepbot.solver.puzzle import Puzzle

PAIR, BOX = 2, 4
"""How many cells a toss is about."""


@compiled
def find_toss(puzzle: Puzzle, chances: NDArray[np.float64]) -> tuple[int, int]:
    """The safest cell that can be a mine only as a part of a toss, and `PAIR` or `BOX`; -1 and 0 where there is none.

    Chances are those of the cells of the puzzle; of cells equally safe it is the first in reading order.
    """
    watchers = _watchers(puzzle)
    toss, size, lowest = -1, 0, 1.0
    for cell in range(puzzle.cells.size):
        if puzzle.cells[cell] == HIDDEN and chances[cell] < lowest - ROUNDING:
            cells = _toss_about(puzzle, watchers, cell)
            if cells > 0:
                toss, size, lowest = cell, cells, chances[cell]
    return toss, size


@compiled
def _watchers(puzzle: Puzzle) -> NDArray[np.int32]:
    """For each cell the cells that can tell of it, numbers and undecided ones, in the form of `puzzle.around`."""
    watchers = np.zeros_like(puzzle.around)
    for cell in range(puzzle.cells.size):
        for seen in _listed(puzzle.around, cell):
            watchers[seen, watchers[seen, 8]] = cell
            watchers[seen, 8] += 1
    return watchers


@compiled
def _listed(table: NDArray[np.int32], cell: int) -> NDArray[np.int32]:
    return table[cell, : table[cell, 8]]


@compiled
def _toss_about(puzzle: Puzzle, watchers: NDArray[np.int32], cell: int) -> int:
    """`PAIR` or `BOX` where `cell` can be a mine only as a part of one, else 0.

    Four cells are a box where each is a neighbour of all others. Its halves are mostly its diagonals, but need not be.
    """
    if not _has_number(puzzle, watchers, cell):  # then it says nothing of its neighbours
        return 0
    around = _listed(puzzle.around, cell)
    for i in range(around.size):
        if _is_toss(puzzle, watchers, np.array([cell]), np.array([int(around[i])])):
            return PAIR
    for fellow in around:
        for third in _listed(puzzle.around, fellow):
            if third == cell or third not in around:
                continue
            for fourth in _listed(puzzle.around, third):
                in_box = fourth < third and fourth in around and fourth in _listed(puzzle.around, fellow)
                one, other = np.array([cell, int(fellow)]), np.array([int(third), int(fourth)])
                if in_box and _is_toss(puzzle, watchers, one, other):
                    return BOX
    return 0


@compiled
def _has_number(puzzle: Puzzle, watchers: NDArray[np.int32], cell: int) -> bool:
    return bool((puzzle.cells[_listed(watchers, cell)] < HIDDEN).any())


@compiled
def _is_toss(puzzle: Puzzle, watchers: NDArray[np.int32], one: NDArray[np.int64], other: NDArray[np.int64]) -> bool:
    """Whether two sets mirror each other, and are a mine and safe, cell for cell, whenever the first one is a mine."""
    for cell in np.concatenate((one, other)):
        for watcher in _listed(watchers, cell):
            if watcher in one or watcher in other:
                continue
            if _count(puzzle, watcher, one) != _count(puzzle, watcher, other):
                return False
    puzzle.cells[one[0]] = MINE
    outcome, _, chances = count_chances(puzzle.cells, puzzle.around, puzzle.mines)
    puzzle.cells[one[0]] = HIDDEN
    return bool(outcome == COUNTED and (chances[one] == 1.0).all() and (chances[other] == 0.0).all())


@compiled
def _count(puzzle: Puzzle, cell: int, members: NDArray[np.int64]) -> int:
    """How many neighbours of a cell are among `members`."""
    count = 0
    for other in _listed(puzzle.around, cell):
        count += other in members
    return count
