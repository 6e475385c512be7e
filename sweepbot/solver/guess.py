"""The best of the uncertain cells: what each may show, and how well the game goes on from there.

The value of opening a cell is the sum, over the numbers that it may show, of the chance of the number times the value
of the position that it makes. With few layouts left that is played out to the end of the game; before, it is the chance
to open one cell more, the safest there is then. So of two cells equally safe the one counts for more that makes others
certain, an opening most of all, and a cell that teaches nothing is left for later.

Looked at and left out, because on 6,000 expert boards or more it showed no gain, pair by pair: a third cell ahead, for
all candidates or for the near best; coin tosses that nothing can decide taken at once; a value of positions learned
from self-play, alone and times this one.
"""

from math import exp, log
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sweepbot.solver.chances import COUNTED, count_chances
from sweepbot.solver.compiled import compiled
from sweepbot.solver.endgame import best_opening, list_layouts, new_endgame, what_cells_show
from sweepbot.solver.frontier import HIDDEN, UNKNOWN, may_be_mine, read_frontier
from sweepbot.solver.trellis import box_order, build_trellis

ENDGAME_SIZE = 40_000
"""The game is played out from so many layouts times undecided cells on, on expert boards from about 1000 layouts on.

Measured there: 400 layouts win as often, 100 win less; small dense boards come out best with several thousand.
"""

ENDGAME_WORK = 20_000_000
"""Cells of layouts looked at before playing out is given up, some tens of milliseconds."""

CANDIDATES = 20
"""How many cells, from the safest on, are looked at; 80 win no more."""

PROGRESS = 0.03
"""What certain cells are worth beyond being safe, times the logarithm of one more than their number, early in a game.

Measured against 0.004: intermediate boards +0.9 +-0.5 points, expert +0.0 +-0.2, beginner -0.1 +-0.1. With 0.07 as many
of 10,000 intermediate boards are won (-0.0 +-0.2).
"""

EARLY = 200
"""With fewer undecided cells, so on beginner boards from the start, `PROGRESS` counts less, by the square."""

ROUNDING = 1e-9
"""Values that differ by less are equal, so that the choice does not hang on how a processor rounds."""


class Puzzle(NamedTuple):
    """What is undecided of a position, as a position of its own; certain mines are gone, numbers count without them.

    Its cells are the undecided ones and the numbers beside them, in reading order. `around` has the form of a
    `neighbour_table`, but lists undecided cells only.
    """

    cells: NDArray[np.uint8]
    around: NDArray[np.int32]
    mines: int
    place: NDArray[np.int32]
    """For each cell of the puzzle its place on the board."""


@compiled
def reduce_position(
    cells: NDArray[np.uint8], around: NDArray[np.int32], mines: int, chances: NDArray[np.float64]
) -> Puzzle:
    """The puzzle that is left of a position without safe cells, by its chances."""
    name = np.full(cells.size, -1, np.int32)
    place = np.empty(cells.size, np.int32)
    count = 0
    for cell in range(cells.size):
        undecided = may_be_mine(cells[cell]) and chances[cell] < 1.0
        if cells[cell] < HIDDEN:
            for i in range(around[cell, 8]):
                other = around[cell, i]
                undecided = undecided or (may_be_mine(cells[other]) and chances[other] < 1.0)
        if undecided:
            name[cell] = count
            place[count] = cell
            count += 1
    states, beside = np.empty(count, np.uint8), np.zeros((count, 9), np.int32)
    for i in range(count):
        state = cells[place[i]]
        states[i] = HIDDEN if may_be_mine(state) and state != UNKNOWN else state
        for j in range(around[place[i], 8]):
            other = around[place[i], j]
            if chances[other] == 1.0:
                states[i] -= state < HIDDEN
            elif may_be_mine(cells[other]):
                beside[i, beside[i, 8]] = name[other]
                beside[i, 8] += 1
    certain = 0
    for cell in range(cells.size):
        certain += chances[cell] == 1.0
    return Puzzle(states, beside, mines - certain, place[:count])


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
        cell, wins = _play_out(puzzle, round(exp(log_layouts)))
    if cell < 0:
        cell = _look_ahead(puzzle, log_layouts, chances[puzzle.place])
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


class _Outlook(NamedTuple):
    """A position from which to look ahead."""

    puzzle: Puzzle
    log_layouts: float
    chances: NDArray[np.float64]
    progress: float
    """`PROGRESS`, as far as it counts here."""


@compiled
def _look_ahead(puzzle: Puzzle, log_layouts: float, chances: NDArray[np.float64]) -> int:
    """The cell of the highest value; -1 where there is no cell.

    Interior cells with as many neighbours, as many of them on the frontier, are tried once for all of them. Safer cells
    are tried first, and the rest is left out when even the best numbers could not make the next worth as much.
    """
    on_frontier = _on_frontier(puzzle)
    passed = puzzle.cells != HIDDEN
    progress = PROGRESS * min(1.0, (passed.size - passed.sum()) / EARLY) ** 2
    outlook = _Outlook(puzzle, log_layouts, chances, progress)
    tried = np.zeros((9, 9), np.bool_)
    best_cell, best_value, count = -1, -1.0, 0
    while count < CANDIDATES:
        cell = _safest(chances, passed)
        if cell < 0 or (1.0 - chances[cell]) * _highest_value(outlook) <= best_value:
            break
        passed[cell] = True
        if not on_frontier[cell]:
            beside = 0
            for i in range(puzzle.around[cell, 8]):
                beside += on_frontier[puzzle.around[cell, i]]
            if tried[puzzle.around[cell, 8], beside]:
                continue
            tried[puzzle.around[cell, 8], beside] = True
        count += 1
        value = _value_of_opening(outlook, cell, best_value)
        if value > best_value + ROUNDING:
            best_cell, best_value = cell, value
    return best_cell


@compiled
def _safest(chances: NDArray[np.float64], passed: NDArray[np.bool_]) -> int:
    """The first cell with the lowest chance of those not `passed`; -1 where there is none."""
    safest = -1
    for cell in range(passed.size):
        if not passed[cell] and (safest < 0 or chances[cell] < chances[safest] - ROUNDING):
            safest = cell
    return safest


@compiled
def _on_frontier(puzzle: Puzzle) -> NDArray[np.bool_]:
    """For each cell of the puzzle whether a number is beside it."""
    on_frontier = np.zeros(puzzle.cells.size, np.bool_)
    for cell in range(puzzle.cells.size):
        if puzzle.cells[cell] < HIDDEN:
            for i in range(puzzle.around[cell, 8]):
                on_frontier[puzzle.around[cell, i]] = True
    return on_frontier


@compiled
def _highest_value(outlook: _Outlook) -> float:
    """What no position is worth more than: one in which all cells are certain."""
    return float(1.0 + outlook.progress * np.log1p(outlook.puzzle.cells.size))


@compiled
def _value_of_opening(outlook: _Outlook, cell: int, enough: float) -> float:
    """The sum, over the numbers that `cell` may show, of chance times value; up to `enough` only a bound of it.

    A cell that can show one number only teaches nothing; it is kept for later by a value a hundredth lower.
    """
    puzzle = outlook.puzzle
    value, left, numbers = 0.0, 1.0 - outlook.chances[cell], 0
    for number in range(puzzle.around[cell, 8] + 1):
        puzzle.cells[cell] = number
        outcome, log_after, chances = count_chances(puzzle.cells, puzzle.around, puzzle.mines)
        if outcome == COUNTED:
            chance = np.exp(log_after - outlook.log_layouts)
            value += chance * _value_of(puzzle, chances, outlook.progress)
            left -= chance
            numbers += 1
        bound = value + left * _highest_value(outlook)
        if bound <= enough:
            value = bound
            break
    puzzle.cells[cell] = HIDDEN
    return value if numbers > 1 else 0.99 * value


@compiled
def _value_of(puzzle: Puzzle, chances: NDArray[np.float64], progress: float) -> float:
    """The chance that the safest cell is safe, and a little more where some are certain.

    1 where only mines are left, for then the game is won.
    """
    lowest, certain = 1.0, 0
    for cell in range(chances.size):
        if puzzle.cells[cell] == HIDDEN:
            lowest = min(lowest, chances[cell])
            certain += chances[cell] == 0.0
    if certain > 0:
        return float(1.0 + progress * np.log1p(certain))
    return 1.0 - lowest if lowest < 1.0 else 1.0
