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
from sweepbot.solver.compiled import helper, kernel, with_room
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


@kernel
def mirrored_sets(puzzle: Puzzle) -> NDArray[np.int32]:
    """Sets of two cells that mirror each other in a box of four, and pairs of neighbours that do.

    Four cells are a box where each is a neighbour of all others. Its halves are mostly its diagonals, but need not be.

    Returns:
        Shape (found, 4): two cells and the two that mirror them; a pair has each of its cells twice. Boxes are listed
        once for each of their cells, which stands first.
    """
    watchers = _watchers(puzzle)
    found, count = np.empty(256, np.int32), 0
    four = np.empty(4, np.int32)
    for cell in range(puzzle.cells.size):
        if puzzle.cells[cell] != HIDDEN or not _has_number(puzzle, watchers, cell):
            continue  # a cell without a number says nothing of its neighbours
        beside = puzzle.around[cell, 8]
        for i in range(beside):
            second = puzzle.around[cell, i]
            four[0], four[1], four[2], four[3] = cell, cell, second, second
            if second > cell and _mirror(puzzle, watchers, four):
                found = _noted(found, count, four)
                count += 1
            for j in range(beside):
                for k in range(j + 1, beside):
                    four[0], four[1], four[2], four[3] = cell, second, puzzle.around[cell, j], puzzle.around[cell, k]
                    if _is_box(puzzle, four) and _mirror(puzzle, watchers, four):
                        found = _noted(found, count, four)
                        count += 1
    return found[: 4 * count].reshape(count, 4)


@helper
def _noted(found: NDArray[np.int32], count: int, four: NDArray[np.int32]) -> NDArray[np.int32]:
    """`found`, or a larger copy where it was full, with the four cells as the set numbered `count`."""
    found = with_room(found, 4 * count + 4)
    for i in range(4):
        found[4 * count + i] = four[i]
    return found


@helper
def _watchers(puzzle: Puzzle) -> NDArray[np.int32]:
    """A table: for each cell the cells that can tell of it, numbers and undecided ones."""
    watchers = np.empty((puzzle.cells.size, 9), np.int32)
    for cell in range(puzzle.cells.size):
        watchers[cell, 8] = 0
    for cell in range(puzzle.cells.size):
        for i in range(puzzle.around[cell, 8]):
            seen = puzzle.around[cell, i]
            watchers[seen, watchers[seen, 8]] = cell
            watchers[seen, 8] += 1
    return watchers


@helper
def _has_number(puzzle: Puzzle, watchers: NDArray[np.int32], cell: int) -> bool:
    for i in range(watchers[cell, 8]):  # noqa: SIM110  (numba knows no generators)
        if puzzle.cells[watchers[cell, i]] < HIDDEN:
            return True
    return False


@helper
def _is_box(puzzle: Puzzle, cells: NDArray[np.int32]) -> bool:
    """Whether neighbours of the first cell are neighbours of each other."""
    second, third, fourth = cells[1], cells[2], cells[3]
    return _are_neighbours(puzzle, second, third) and (
        _are_neighbours(puzzle, second, fourth) and _are_neighbours(puzzle, third, fourth)
    )


@helper
def _are_neighbours(puzzle: Puzzle, cell: int, other: int) -> bool:
    for i in range(puzzle.around[cell, 8]):  # noqa: SIM110  (numba knows no generators)
        if puzzle.around[cell, i] == other:
            return True
    return False


@helper
def _mirror(puzzle: Puzzle, watchers: NDArray[np.int32], cells: NDArray[np.int32]) -> bool:
    """Whether every other cell has as many neighbours among the first two as among the last two."""
    first, second, third, fourth = cells[0], cells[1], cells[2], cells[3]
    for cell in cells:
        for i in range(watchers[cell, 8]):
            watcher = watchers[cell, i]
            balance = 0
            for j in range(puzzle.around[watcher, 8]):
                seen = puzzle.around[watcher, j]
                if seen in (first, second):
                    balance += 1
                if seen in (third, fourth):
                    balance -= 1
            if balance != 0 and watcher not in (first, second, third, fourth):
                return False
    return True
