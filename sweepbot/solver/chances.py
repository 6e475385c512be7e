"""The chance of a mine in each cell of a position, by counting its layouts."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sweepbot.solver.compiled import FORMS, helper, kernel, listed
from sweepbot.solver.counting import WEIGHT_BUDGET, Plan, Weights, plan_passes, weigh_layouts
from sweepbot.solver.frontier import EXPLODED, MINE, WRONG_FLAG, Frontier, read_frontier
from sweepbot.solver.trellis import Trellis, box_order, build_trellis

COUNTED, IMPOSSIBLE, TOO_LARGE = 0, 1, 2
"""Outcomes of counting."""

_COUNT_S_PER_CELL = 1e-4
"""Upper bound on the time that counting takes in plain Python on usual boards, in seconds per cell of the board."""


class Count(NamedTuple):
    """The result of counting the layouts of a position."""

    outcome: int
    """`COUNTED`, `IMPOSSIBLE` or `TOO_LARGE`."""
    log_layouts: float
    """The natural logarithm of the number of layouts; -inf if there is none, NaN if they were not counted."""
    chances: NDArray[np.float64]
    """The chance of a mine in each flat cell: NaN where open; 0.0 and 1.0 only where certain, shown mines included.
    Empty unless the outcome is `COUNTED`."""
    trellis: Trellis
    plan: Plan
    """The graph that was counted over, as far as it was built."""


def count_position(
    cells: NDArray[np.uint8], around: NDArray[np.int32], mines: int
) -> tuple[int, float, NDArray[np.float64]]:
    """Call `count_chances` in whichever form is faster here, compiled or plain."""
    FORMS.expect(_COUNT_S_PER_CELL * cells.size)
    return count_chances(cells, around, mines)


@kernel
def count_chances(
    cells: NDArray[np.uint8], around: NDArray[np.int32], mines: int
) -> tuple[int, float, NDArray[np.float64]]:
    """Count the layouts of a position; `around` is the `neighbour_table` of its size.

    Returns:
        `outcome`, `log_layouts` and `chances` of a `Count`.
    """
    frontier = read_frontier(cells, around, mines)
    if frontier.broken >= 0 or not 0 <= frontier.mines_left <= frontier.unopened.size:
        return IMPOSSIBLE, -np.inf, np.zeros(0)
    count = count_layouts(cells, frontier)
    return count.outcome, count.log_layouts, count.chances


@kernel
def count_layouts(cells: NDArray[np.uint8], frontier: Frontier) -> Count:
    """Count the layouts of a position with no broken number, whose mines fit into its unopened cells."""
    return count_in_order(cells, frontier, box_order(frontier))


@helper
def count_in_order(cells: NDArray[np.uint8], frontier: Frontier, order: NDArray[np.int32]) -> Count:
    """Do what `count_layouts` does, given the frontier's `box_order`, which does not depend on the numbers' values."""
    trellis = build_trellis(frontier, order)
    if not trellis.complete or trellis.dead_end >= 0:
        none = np.zeros(0, np.int32)
        plan = Plan(none, none, none, none, none, none, none, 0, 0)
        if trellis.complete:
            return Count(IMPOSSIBLE, -np.inf, np.zeros(0), trellis, plan)
        return Count(TOO_LARGE, np.nan, np.zeros(0), trellis, plan)
    plan = plan_passes(frontier, trellis)
    if plan.size > WEIGHT_BUDGET:
        return Count(TOO_LARGE, np.nan, np.zeros(0), trellis, plan)
    weights = weigh_layouts(frontier, trellis, plan)
    if weights.log_layouts == -np.inf:
        return Count(IMPOSSIBLE, -np.inf, np.zeros(0), trellis, plan)
    return Count(COUNTED, weights.log_layouts, _cell_chances(cells, frontier, weights), trellis, plan)


@helper
def _cell_chances(cells: NDArray[np.uint8], frontier: Frontier, weights: Weights) -> NDArray[np.float64]:
    """Return the `chances` of a `Count`."""
    states, chances = listed(cells), np.zeros(cells.size)
    for cell in range(cells.size):
        if states[cell] in (MINE, EXPLODED):
            chances[cell] = 1.0
        elif states[cell] != WRONG_FLAG:
            chances[cell] = np.nan
    for box in range(weights.box_mine.size):
        chance = _chance(weights.box_mine[box], weights.box_safe[box])
        for i in range(frontier.boxes[box, 8]):
            chances[frontier.boxes[box, i]] = chance
    if frontier.interior.size > 0:
        chance = _chance(weights.interior_mine, weights.interior_safe)
        for cell in listed(frontier.interior):
            chances[cell] = chance
    return chances


@helper
def _chance(mine: float, safe: float) -> float:
    """Return the share of `mine`, never exactly 0 or 1 if both weights are positive."""
    chance = mine / (mine + safe)
    if mine > 0.0 and safe > 0.0:
        chance = min(max(chance, 5e-324), 1.0 - 2.0**-53)
    return chance
