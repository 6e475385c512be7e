"""Looking ahead: what each uncertain cell may show, and how well the game goes on from there.

The value of opening a cell is the sum, over the numbers that it may show, of the chance of the number times the value
of the position that it makes. Where that position has several certain cells the look ends; where it has none, or just
one, the best of its cells is opened in turn, as far as the look goes, and after the last it is worth what the chances
of its two safest cells are. So of two cells equally safe the one counts for more that makes others certain, an opening
most of all, and a cell that teaches nothing is left for later. It is the expectimax search of games with chance
(Michie 1966), cut short by bounds as in Ballard's *-minimax (1983).
"""

from collections.abc import Callable
from math import exp, log1p
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sweepbot.solver.chances import COUNTED, count_in_order
from sweepbot.solver.compiled import helper, kernel, listed
from sweepbot.solver.frontier import HIDDEN, read_frontier
from sweepbot.solver.puzzle import Puzzle
from sweepbot.solver.trellis import box_order

TRIED = (60, 5)
"""How many cells, from the safest on, are tried as the first opening, and as the second.

On the same 20,000 expert boards two openings win 0.43 +-0.29 points more than one.
"""

PROGRESS = 0.03
"""What certain cells are worth beyond being safe, times the logarithm of one more than their number, early in a game.

Measured with one opening against 0.004: intermediate boards +0.9 +-0.5 points, expert +0.0 +-0.2, beginner -0.1 +-0.1.
With 0.07 as many of 10,000 intermediate boards are won (-0.0 +-0.2).
"""

SECOND = 0.2
"""How much the second safest cell counts in the value of a position; the safest counts for the rest.

It is still there when the safest has been opened. Hill's JSMinesweeper weighs the two so, one opening ahead.
"""

EARLY = 200
"""With fewer undecided cells, so on beginner boards from the start, `PROGRESS` counts less, by the square."""

SLACK = 1.03
"""How many times its value by one opening a cell is taken to be worth at most, when more are looked at."""

WORK = 10_000_000
"""Cells of positions counted before the look is broken off, half a second; expert games do not come near it."""

ROUNDING = 1e-9
"""Values that differ by less are equal, so that the choice does not hang on how a processor rounds."""


class Outlook(NamedTuple):
    """A position from which to look ahead."""

    puzzle: Puzzle
    log_layouts: float
    chances: NDArray[np.float64]
    """The chance of a mine in each cell of the puzzle."""
    progress: float
    """`PROGRESS`, as far as it counts here."""
    work: NDArray[np.int64]
    """One entry: how many cells of positions may still be counted."""


def best_ahead(
    puzzle: Puzzle, log_layouts: float, chances: NDArray[np.float64], time_is_up: Callable[[], bool]
) -> tuple[int, bool]:
    """The cell of the highest value, by its place in the puzzle, -1 where there is none; and whether time was up.

    Cells are looked at from the highest value by one opening on, until even `SLACK` times that could not make the next
    the best. Where the work runs out, or the time, one opening decides, or the chances alone.
    """
    outlook = new_outlook(puzzle, log_layouts, chances)
    cells, values = best_openings(outlook, 1, -1, TRIED[0], -1.0)
    if cells.size == 0:
        return -1, False
    best_cell, best_value = int(cells[0]), -1.0
    for cell, value_by_one in zip(cells.tolist(), values.tolist(), strict=True):
        if SLACK * value_by_one <= best_value:
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
def new_outlook(puzzle: Puzzle, log_layouts: float, chances: NDArray[np.float64]) -> Outlook:
    """The position as it is, all work still to be done."""
    undecided = int(np.count_nonzero(puzzle.cells >= HIDDEN))
    progress = PROGRESS * min(1.0, undecided / EARLY) ** 2
    work = np.zeros(1, np.int64)
    work[0] = WORK
    return Outlook(puzzle, log_layouts, chances, progress, work)


@kernel
def best_openings(  # noqa: C901  (one function: in two the counting would be compiled twice)
    outlook: Outlook, openings: int, only: int, count: int, enough: float
) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """Up to `count` cells and their values by so many openings, the highest first; bounds where they are not near it.

    Interior cells are tried once for all whose neighbours are as many and hold as many mines on average. Safer cells
    are tried first, and the rest is left out when even the best numbers could not make the next worth `enough`. Where
    `only` is a cell it is tried alone, and its value is a bound only where it is not worth `enough`.
    """
    puzzle = outlook.puzzle
    highest = 1.0 + outlook.progress * log1p(puzzle.cells.size)  # of a position in which all cells are certain
    # numba takes a call of itself for recursion only where no argument is a constant.
    any_cell: Any = np.int64(-1)
    next_count: Any = np.int64(TRIED[1])
    on_frontier, passed = _on_frontier(puzzle), puzzle.cells != HIDDEN
    cells, values = np.empty(count, np.int32), np.zeros(count)
    interior, mines_beside = np.empty(count, np.int32), np.zeros(count)
    found, kinds, best = 0, 0, -1.0
    while found < count and (found == 0 or outlook.work[0] > 0):
        cell, floor = only, enough
        if only < 0:
            cell, floor = safest(outlook.chances, passed), max(best, enough) / SLACK
            if cell < 0 or (1.0 - outlook.chances[cell]) * highest <= max(best / SLACK, enough):
                break
            passed[cell] = True
            if not on_frontier[cell]:
                interior[kinds], mines_beside[kinds] = cell, 0.0
                for i in range(puzzle.around[cell, 8]):
                    mines_beside[kinds] += outlook.chances[puzzle.around[cell, i]]
                if _has_like(puzzle, interior, mines_beside, kinds):
                    continue
                kinds += 1
        value, left, numbers = 0.0, 1.0 - outlook.chances[cell], 0
        puzzle.cells[cell] = 0  # all that the numbers it may show differ in is what that number says
        frontier = read_frontier(puzzle.cells, puzzle.around, puzzle.mines)
        order, place = box_order(frontier), _place_of(frontier.numbers, cell)
        for number in range(frontier.around[place, 8] + 1 if place >= 0 else 1):
            puzzle.cells[cell] = number
            if place >= 0:
                frontier.missing[place] = number
            outlook.work[0] -= puzzle.cells.size
            counted = count_in_order(puzzle.cells, frontier, order)
            chance = exp(counted.log_layouts - outlook.log_layouts) if counted.outcome == COUNTED else 0.0
            if chance > 0.0:
                left -= chance
                numbers += 1
                after = Outlook(puzzle, counted.log_layouts, counted.chances, outlook.progress, outlook.work)
                worth, is_open = _value_of(after)
                if is_open and openings > 1:
                    least = (floor - value - left * highest) / chance
                    _, worths = best_openings(after, openings - 1, any_cell, next_count, least)
                    worth = worths[0] if worths.size > 0 else 0.0
                value += chance * worth
            if value + left * highest <= floor:
                value += left * highest
                break
        puzzle.cells[cell] = HIDDEN
        # A cell that can show one number only teaches nothing; a hundredth less keeps it for later.
        value = value if numbers > 1 else 0.99 * value
        best = max(best, value)
        _rank(cells, values, found, cell, value)
        found += 1
    return cells[:found], values[:found]


@helper
def _rank(cells: NDArray[np.int32], values: NDArray[np.float64], found: int, cell: int, value: float) -> None:
    """Insert a cell among the first `found`, which stand by their values, the highest first."""
    while found > 0 and values[found - 1] < value:
        cells[found], values[found] = cells[found - 1], values[found - 1]
        found -= 1
    cells[found], values[found] = cell, value


@helper
def _place_of(numbers: NDArray[np.int32], cell: int) -> int:
    """Where a cell stands among the numbers of a frontier; -1 where it has no undecided neighbours."""
    for place in range(numbers.size):
        if numbers[place] == cell:
            return place
    return -1


@helper
def _has_like(puzzle: Puzzle, interior: NDArray[np.int32], mines_beside: NDArray[np.float64], last: int) -> bool:
    """Whether an interior cell before the `last` has as many neighbours, and as many mines beside it on average."""
    neighbours = puzzle.around[interior[last], 8]
    for i in range(last):
        if puzzle.around[interior[i], 8] == neighbours and abs(mines_beside[i] - mines_beside[last]) < ROUNDING:
            return True
    return False


@helper
def _value_of(outlook: Outlook) -> tuple[float, bool]:
    """What a position is worth where the look ends, and whether it is worth looking on: with one certain cell at most.

    That is what the chances to be safe of its two safest cells come to, and a little more where some are certain.
    Certain cells that teach nothing do not count. It is 1 where no other cells but mines are left: the game is won.
    """
    chances, states = listed(outlook.chances), listed(outlook.puzzle.cells)
    lowest, second, certain = 1.0, 1.0, 0
    for cell in range(len(chances)):
        chance = chances[cell]
        if states[cell] != HIDDEN or (chance == 0.0 and _teaches_nothing(outlook, cell)):
            continue
        certain += chance == 0.0
        if chance < lowest:
            lowest, second = chance, lowest
        elif chance < second:
            second = chance
    if lowest == 1.0:
        return 1.0, False
    second = second if second < 1.0 else lowest
    safety = 1.0 - (1.0 - SECOND) * lowest - SECOND * second
    return float(safety + outlook.progress * log1p(certain)), certain <= 1


@helper
def _teaches_nothing(outlook: Outlook, cell: int) -> bool:
    """Whether all neighbours of a cell are decided, so that its number is known."""
    for i in range(outlook.puzzle.around[cell, 8]):
        if 0.0 < outlook.chances[outlook.puzzle.around[cell, i]] < 1.0:
            return False
    return True


@kernel
def safest(chances: NDArray[np.float64], passed: NDArray[np.bool_]) -> int:
    """The first cell with the lowest chance of those not `passed`; -1 where there is none."""
    safest, chance, out = -1, listed(chances), listed(passed)
    for cell in range(len(out)):
        if not out[cell] and (safest < 0 or chance[cell] < chance[safest] - ROUNDING):
            safest = cell
    return safest


@helper
def _on_frontier(puzzle: Puzzle) -> NDArray[np.bool_]:
    """For each cell of the puzzle whether a number is beside it."""
    on_frontier = np.zeros(puzzle.cells.size, np.bool_)
    for cell in range(puzzle.cells.size):
        if puzzle.cells[cell] < HIDDEN:
            for i in range(puzzle.around[cell, 8]):
                on_frontier[puzzle.around[cell, i]] = True
    return on_frontier
