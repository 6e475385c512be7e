"""The look ahead: what each uncertain cell may show, and how well the game goes on from there.

The value of opening a cell is the sum, over the numbers that it may show, of the chance of the number times the value
of the position that follows. If that position has several certain cells, the look ends there; if it has at most one,
its best cell is opened in turn, up to the number of openings looked ahead. A position where the look ends is worth
about the chance that its two safest cells are safe. So of two equally safe cells the one that makes others certain is
worth more, an opening most of all, and a cell that teaches nothing is left for later. This is the expectimax search of
games with chance (Michie 1966), pruned by bounds as in Ballard's *-minimax (1983).
"""

from collections.abc import Callable
from math import exp, log1p
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sweepbot.solver.chances import COUNTED, count_in_order
from sweepbot.solver.compiled import helper, kernel, listed
from sweepbot.solver.flat_board import HIDDEN, FlatBoard, Puzzle
from sweepbot.solver.frontier import read_frontier
from sweepbot.solver.trellis import box_order

CELLS_TRIED = (60, 5)
"""How many cells, from the safest down, are tried as the first opening, and as the second.

On the same 20,000 expert boards two openings win 0.43 +-0.29 points more than one.
"""

PROGRESS_WEIGHT = 0.03
"""What n certain cells add to the value of a position early in a game, divided by log(1 + n).

Measured with one opening against 0.004: intermediate boards +0.9 +-0.5 points, expert +0.0 +-0.2, beginner -0.1 +-0.1.
With 0.07 as many of 10,000 intermediate boards are won (-0.0 +-0.2).
"""

SECOND_SHARE = 0.2
"""The share of the second safest cell in the value of a position; the rest is the safest cell's.

It is still there when the safest has been opened. Hill's JSMinesweeper weighs them the same way, one opening ahead.
"""

EARLY_CELLS = 200
"""With fewer undecided cells, as on beginner boards from the start, progress weighs less by the square of the ratio."""

SLACK_FACTOR = 1.03
"""A cell's value two openings ahead is taken to be at most this many times its value one opening ahead."""

MAX_CELLS_COUNTED = 10_000_000
"""Cells of positions counted before the look is broken off: half a second, which expert games do not come near."""

ROUNDING = 1e-9
"""Values that differ by less are equal, so that the choice does not depend on how a processor rounds."""


class Outlook(NamedTuple):
    """A position from which to look ahead."""

    puzzle: Puzzle
    progress: float
    """`PROGRESS_WEIGHT`, reduced as `EARLY_CELLS` says."""
    work: NDArray[np.int64]
    """One entry: how many more cells of positions may be counted."""


def best_ahead(puzzle: Puzzle, time_is_up: Callable[[], bool]) -> tuple[int, bool]:
    """Return the place in the puzzle of the cell with the highest value, -1 if there is none, and whether time was up.

    Cells are looked at in the order of their values one opening ahead, until even `SLACK_FACTOR` times that could not
    make the next one the best. If the work or the time runs out, one opening decides.
    """
    outlook = new_outlook(puzzle)
    cells, values = best_openings(outlook, 1, -1, CELLS_TRIED[0], -1.0)
    if cells.size == 0:
        return -1, False
    best_cell, best_value = int(cells[0]), -1.0
    for cell, value_by_one in zip(cells.tolist(), values.tolist(), strict=True):
        if SLACK_FACTOR * value_by_one <= best_value:
            break
        if time_is_up():
            return int(cells[0]), True
        _, [value] = best_openings(outlook, 2, cell, 1, best_value)
        if value > best_value + ROUNDING:
            best_cell, best_value = cell, value
        if outlook.work[0] <= 0:
            return int(cells[0]), False
    return best_cell, False


@kernel
def new_outlook(puzzle: Puzzle) -> Outlook:
    """Return the outlook from a position, with all of the work budget."""
    undecided = int(np.count_nonzero(puzzle.position.cells >= HIDDEN))
    progress = PROGRESS_WEIGHT * min(1.0, undecided / EARLY_CELLS) ** 2
    work = np.zeros(1, np.int64)
    work[0] = MAX_CELLS_COUNTED
    return Outlook(puzzle, progress, work)


@kernel
def best_openings(  # noqa: C901  (one function: in two the counting would be compiled twice)
    outlook: Outlook, openings: int, only: int, count: int, enough: float
) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """Return up to `count` cells and their values that many openings ahead, the highest first.

    A value well below the highest is only an upper bound. Safer cells are tried first, and the rest is left out once
    even the best numbers could not make the next worth `enough`. Of interior cells with as many neighbours, and as many
    mines among them on average, one is tried for all. If `only` is a cell, it alone is tried, and its value is only a
    bound if it is not worth `enough`.
    """
    puzzle, position, chances = outlook.puzzle, outlook.puzzle.position, outlook.puzzle.chances
    highest = 1.0 + outlook.progress * log1p(position.cells.size)  # of a position in which all cells are certain
    # numba recognises recursion only if no argument is a constant.
    any_cell: Any = np.int64(-1)
    next_count: Any = np.int64(CELLS_TRIED[1])
    on_frontier, passed = _on_frontier(position), position.cells != HIDDEN
    cells, values = np.empty(count, np.int32), np.zeros(count)
    interior, mines_beside = np.empty(count, np.int32), np.zeros(count)
    found, kinds, best = 0, 0, -1.0
    while found < count and (found == 0 or outlook.work[0] > 0):
        cell, floor = only, enough
        if only < 0:
            cell, floor = safest(chances, passed), max(best, enough) / SLACK_FACTOR
            if cell < 0 or (1.0 - chances[cell]) * highest <= max(best / SLACK_FACTOR, enough):
                break
            passed[cell] = True
            if not on_frontier[cell]:
                interior[kinds], mines_beside[kinds] = cell, 0.0
                for i in range(position.around[cell, 8]):
                    mines_beside[kinds] += chances[position.around[cell, i]]
                if _is_like_another(position, interior, mines_beside, kinds):
                    continue
                kinds += 1
        value, left, numbers = 0.0, 1.0 - chances[cell], 0
        position.cells[cell] = 0  # the frontier is the same for all numbers, but for the value of this one
        frontier = read_frontier(position)
        order, place = box_order(frontier), _place_of(frontier.numbers, cell)
        for number in range(frontier.around[place, 8] + 1 if place >= 0 else 1):
            position.cells[cell] = number
            if place >= 0:
                frontier.missing[place] = number
            outlook.work[0] -= position.cells.size
            counted = count_in_order(frontier, order)
            chance = exp(counted.log_layouts - puzzle.log_layouts) if counted.outcome == COUNTED else 0.0
            if chance > 0.0:
                left -= chance
                numbers += 1
                after = Outlook(
                    Puzzle(position, puzzle.place, counted.log_layouts, counted.chances), outlook.progress, outlook.work
                )
                worth, is_open = _value_of(after)
                if is_open and openings > 1:
                    least = (floor - value - left * highest) / chance
                    _, worths = best_openings(after, openings - 1, any_cell, next_count, least)
                    worth = worths[0] if worths.size > 0 else 0.0
                value += chance * worth
            if value + left * highest <= floor:
                value += left * highest
                break
        position.cells[cell] = HIDDEN
        # A cell that can show only one number teaches nothing; a hundredth less keeps it for later.
        value = value if numbers > 1 else 0.99 * value
        best = max(best, value)
        _rank(cells, values, found, cell, value)
        found += 1
    return cells[:found], values[:found]


@helper
def _rank(cells: NDArray[np.int32], values: NDArray[np.float64], found: int, cell: int, value: float) -> None:
    """Insert a cell among the first `found`, which are sorted by value, the highest first."""
    while found > 0 and values[found - 1] < value:
        cells[found], values[found] = cells[found - 1], values[found - 1]
        found -= 1
    cells[found], values[found] = cell, value


@helper
def _place_of(numbers: NDArray[np.int32], cell: int) -> int:
    """Return a cell's place among the numbers of a frontier; -1 if it has no undecided neighbours."""
    for place in range(numbers.size):
        if numbers[place] == cell:
            return place
    return -1


@helper
def _is_like_another(
    position: FlatBoard, interior: NDArray[np.int32], mines_beside: NDArray[np.float64], last: int
) -> bool:
    """Whether an interior cell before `last` has as many neighbours, and as many mines beside it on average."""
    neighbours = position.around[interior[last], 8]
    for i in range(last):
        if position.around[interior[i], 8] == neighbours and abs(mines_beside[i] - mines_beside[last]) < ROUNDING:
            return True
    return False


@helper
def _value_of(outlook: Outlook) -> tuple[float, bool]:
    """Return the value of a position where the look ends, and whether to look on: it has at most one certain cell.

    The value is the weighted chance that its two safest cells are safe, and a little more if some are certain. Certain
    cells that teach nothing do not count. It is 1 if only mines are left: the game is won.
    """
    chances, states = listed(outlook.puzzle.chances), listed(outlook.puzzle.position.cells)
    lowest, second, certain = 1.0, 1.0, 0
    for cell in range(len(chances)):
        chance = chances[cell]
        if states[cell] != HIDDEN or (chance == 0.0 and _teaches_nothing(outlook.puzzle, cell)):
            continue
        certain += chance == 0.0
        if chance < lowest:
            lowest, second = chance, lowest
        elif chance < second:
            second = chance
    if lowest == 1.0:
        return 1.0, False
    second = second if second < 1.0 else lowest
    safety = 1.0 - (1.0 - SECOND_SHARE) * lowest - SECOND_SHARE * second
    return float(safety + outlook.progress * log1p(certain)), certain <= 1


@helper
def _teaches_nothing(puzzle: Puzzle, cell: int) -> bool:
    """Whether all neighbours of a cell are decided, so that its number is already known."""
    for i in range(puzzle.position.around[cell, 8]):
        if 0.0 < puzzle.chances[puzzle.position.around[cell, i]] < 1.0:
            return False
    return True


@kernel
def safest(chances: NDArray[np.float64], passed: NDArray[np.bool_]) -> int:
    """Return the first cell with the lowest chance among those not `passed`; -1 if there is none."""
    safest, chance, out = -1, listed(chances), listed(passed)
    for cell in range(len(out)):
        if not out[cell] and (safest < 0 or chance[cell] < chance[safest] - ROUNDING):
            safest = cell
    return safest


@helper
def _on_frontier(position: FlatBoard) -> NDArray[np.bool_]:
    """Whether each cell is beside a number."""
    on_frontier = np.zeros(position.cells.size, np.bool_)
    for cell in range(position.cells.size):
        if position.cells[cell] < HIDDEN:
            for i in range(position.around[cell, 8]):
                on_frontier[position.around[cell, i]] = True
    return on_frontier
