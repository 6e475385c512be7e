"""From the weights of layouts to the chance of a mine in each cell."""

import numpy as np
from numpy.typing import NDArray

from sweepbot.solver.compiled import compiled
from sweepbot.solver.counting import WEIGHT_BUDGET, Weights, plan_passes, weigh_layouts
from sweepbot.solver.frontier import EXPLODED, MINE, WRONG_FLAG, Frontier, read_frontier
from sweepbot.solver.trellis import box_order, build_trellis

COUNTED, IMPOSSIBLE, TOO_LARGE = 0, 1, 2
"""What came of counting."""


@compiled
def count_chances(
    cells: NDArray[np.uint8], around: NDArray[np.int32], mines: int
) -> tuple[int, float, NDArray[np.float64]]:
    """Count the layouts of a position; `around` is the `neighbour_table` of its size.

    Returns:
        What came of it; where that is `COUNTED`, the natural logarithm of the number of layouts, and the chance of a
        mine in each flat cell as `cell_chances` gives it.
    """
    frontier = read_frontier(cells, around, mines)
    unknown = np.empty(0)
    if frontier.broken >= 0 or not 0 <= frontier.mines_left <= frontier.unopened.size:
        return IMPOSSIBLE, -np.inf, unknown
    trellis = build_trellis(frontier, box_order(frontier))
    if not trellis.complete:
        return TOO_LARGE, np.nan, unknown
    if trellis.dead_end >= 0:
        return IMPOSSIBLE, -np.inf, unknown
    plan = plan_passes(frontier, trellis)
    if plan.size > WEIGHT_BUDGET:
        return TOO_LARGE, np.nan, unknown
    weights = weigh_layouts(frontier, trellis, plan)
    if weights.log_layouts == -np.inf:
        return IMPOSSIBLE, -np.inf, unknown
    return COUNTED, weights.log_layouts, cell_chances(cells, frontier, weights)


@compiled
def cell_chances(cells: NDArray[np.uint8], frontier: Frontier, weights: Weights) -> NDArray[np.float64]:
    """The chance of a mine in each flat cell: NaN where open; 0.0 and 1.0 only where certain, shown mines included."""
    chances = np.full(cells.size, np.nan)
    for cell in range(cells.size):
        if cells[cell] in (MINE, EXPLODED):
            chances[cell] = 1.0
        elif cells[cell] == WRONG_FLAG:
            chances[cell] = 0.0
    for box in range(weights.box_mine.size):
        chance = _chance(weights.box_mine[box], weights.box_safe[box])
        for i in range(frontier.box_starts[box], frontier.box_starts[box + 1]):
            chances[frontier.box_cells[i]] = chance
    for cell in frontier.interior:
        chances[cell] = _chance(weights.interior_mine, weights.interior_safe)
    return chances


@compiled
def _chance(mine: float, safe: float) -> float:
    """The share of `mine`, kept off 0 and 1 where both weigh something."""
    chance = mine / (mine + safe)
    if mine > 0.0 and safe > 0.0:
        chance = min(max(chance, 5e-324), 1.0 - 2.0**-53)
    return chance
