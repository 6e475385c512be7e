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
from sweepbot.solver.puzzle import Puzzle

PAIR, BOX = 2, 4
"""How many cells a toss is about."""


def find_toss(puzzle: Puzzle, chances: NDArray[np.float64]) -> tuple[int, int]:
    """The safest cell that can be a mine only as a part of a toss, and `PAIR` or `BOX`; -1 and 0 where there is none.

    Chances are those of the cells of the puzzle; of cells equally safe it is the first in reading order.
    """
    mirrored = mirrored_sets(puzzle)
    safest_first = np.argsort(chances[mirrored[:, 0]].round(9), kind="stable")
    for cell, fellow, *others in mirrored[safest_first].tolist():
        puzzle.cells[cell] = MINE
        outcome, _, if_mine = count_chances(puzzle.cells, puzzle.around, puzzle.mines)
        puzzle.cells[cell] = HIDDEN
        if outcome == COUNTED and if_mine[fellow] == 1.0 and (if_mine[others] == 0.0).all():
            return cell, PAIR if cell == fellow else BOX
    return -1, 0


@compiled
def mirrored_sets(puzzle: Puzzle) -> NDArray[np.int32]:
    """Sets of two cells that mirror each other in a box of four, and pairs of neighbours that do.

    Four cells are a box where each is a neighbour of all others. Its halves are mostly its diagonals, but need not be.

    Returns:
        Shape (found, 4): two cells and the two that mirror them; a pair has each of its cells twice. Boxes are listed
        once for each of their cells, which stands first.
    """
    watchers = _watchers(puzzle)
    found, count = np.empty((64, 4), np.int32), 0
    for cell in range(puzzle.cells.size):
        if puzzle.cells[cell] != HIDDEN or not _has_number(puzzle, watchers, cell):
            continue  # a cell without a number says nothing of its neighbours
        around = _listed(puzzle.around, cell).astype(np.int64)
        for second in around:
            pair = (cell, cell, second, second)
            if second > cell and _mirror(puzzle, watchers, pair):
                found, count = _noted(found, count, pair)
            for third in around:
                for fourth in around:
                    box = (cell, second, third, fourth)
                    if third < fourth and _is_box(puzzle, box) and _mirror(puzzle, watchers, box):
                        found, count = _noted(found, count, box)
    return found[:count]


@compiled
def _noted(found: NDArray[np.int32], count: int, sets: tuple[int, int, int, int]) -> tuple[NDArray[np.int32], int]:
    """`found` with one row more, copied into a larger array where it was full; and how many rows it has now."""
    if count == found.shape[0]:
        found = np.concatenate((found, found))
    found[count] = sets
    return found, count + 1


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
def _has_number(puzzle: Puzzle, watchers: NDArray[np.int32], cell: int) -> bool:
    numbers = 0
    for watcher in _listed(watchers, cell):
        numbers += puzzle.cells[watcher] < HIDDEN
    return numbers > 0


@compiled
def _is_box(puzzle: Puzzle, cells: tuple[int, int, int, int]) -> bool:
    """Whether neighbours of the first cell are neighbours of each other."""
    _, second, third, fourth = cells
    return third in _listed(puzzle.around, second) and (
        fourth in _listed(puzzle.around, second) and fourth in _listed(puzzle.around, third)
    )


@compiled
def _mirror(puzzle: Puzzle, watchers: NDArray[np.int32], cells: tuple[int, int, int, int]) -> bool:
    """Whether every other cell has as many neighbours among the first two as among the last two."""
    for cell in cells:
        for watcher in _listed(watchers, cell):
            balance = 0
            for seen in _listed(puzzle.around, watcher):
                balance += (seen == cells[0]) + (seen == cells[1]) - (seen == cells[2]) - (seen == cells[3])
            if balance != 0 and watcher not in cells:
                return False
    return True
