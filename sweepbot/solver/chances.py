"""The chance of a mine in each cell of a position, by counting its layouts."""

from itertools import pairwise
from math import comb
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sweepbot.solver.compiled import FORMS, helper, kernel, listed
from sweepbot.solver.counting import WEIGHT_BUDGET, Plan, Weights, plan_passes, weigh_layouts
from sweepbot.solver.flat_board import FlatBoard, shown_chances
from sweepbot.solver.frontier import Frontier, may_have_layouts, read_frontier
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
    frontier: Frontier
    trellis: Trellis
    plan: Plan
    """What was counted, and the graph for it as far as it was built."""


def count_position(position: FlatBoard) -> tuple[int, float, NDArray[np.float64]]:
    """Call `count_chances` in whichever form is faster here, compiled or plain."""
    FORMS.expect(_COUNT_S_PER_CELL * position.cells.size)
    return count_chances(position)


@kernel
def count_chances(position: FlatBoard) -> tuple[int, float, NDArray[np.float64]]:
    """Count the layouts of a position.

    Returns:
        `outcome`, `log_layouts` and `chances` of a `Count`.
    """
    frontier = read_frontier(position)
    if not may_have_layouts(frontier):
        return IMPOSSIBLE, -np.inf, np.zeros(0)
    count = count_layouts(frontier)
    return count.outcome, count.log_layouts, count.chances


@kernel
def count_layouts(frontier: Frontier) -> Count:
    """Count the layouts of a position that `may_have_layouts`."""
    return count_in_order(frontier, box_order(frontier))


@helper
def count_in_order(frontier: Frontier, order: NDArray[np.int32]) -> Count:
    """Do what `count_layouts` does, given the frontier's `box_order`, which does not depend on the numbers' values."""
    trellis = build_trellis(frontier, order)
    if not trellis.complete or trellis.dead_end >= 0:
        none = np.zeros(0, np.int32)
        plan = Plan(none, none, none, none, none, none, none, 0, 0)
        outcome, log_layouts = (IMPOSSIBLE, -np.inf) if trellis.complete else (TOO_LARGE, np.nan)
        return Count(outcome, log_layouts, np.zeros(0), frontier, trellis, plan)
    plan = plan_passes(frontier, trellis)
    if plan.size > WEIGHT_BUDGET:
        return Count(TOO_LARGE, np.nan, np.zeros(0), frontier, trellis, plan)
    weights = weigh_layouts(frontier, trellis, plan)
    if weights.log_layouts == -np.inf:
        return Count(IMPOSSIBLE, -np.inf, np.zeros(0), frontier, trellis, plan)
    return Count(COUNTED, weights.log_layouts, _cell_chances(frontier, weights), frontier, trellis, plan)


@helper
def _cell_chances(frontier: Frontier, weights: Weights) -> NDArray[np.float64]:
    """Return the `chances` of a `Count`."""
    chances = shown_chances(frontier.cells)
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


def exact_layouts(count: Count) -> int:
    """Return the exact number of layouts, given a count whose outcome is `COUNTED` or `IMPOSSIBLE`.

    This repeats the forward pass: the ways to a node, by the mines laid since its segment began, are the digits of one
    integer. Each digit has one bit more than the segment has cells, so that none overflows into the next.
    """
    frontier, trellis, plan = count.frontier, count.trellis, count.plan
    by_mines, ways = [1], [0] * int(trellis.node_starts[-1])
    node_starts, edge_starts, edges = trellis.node_starts.tolist(), trellis.edge_starts.tolist(), trellis.edges.tolist()
    for (first, after), most in zip(pairwise(plan.cuts.tolist()), plan.most[1:].tolist(), strict=True):
        digit = sum(plan.sizes[first:after].tolist()) + 1
        ways[node_starts[first]] = 1
        for layer in range(first, after):
            for edge in range(edge_starts[layer], edge_starts[layer + 1], 3):
                tail, head, mines = edges[edge : edge + 3]
                ways[head] += ways[tail] * comb(int(plan.sizes[layer]), mines) << mines * digit
        segment_ways = [ways[node_starts[after]] >> digit * mines & (1 << digit) - 1 for mines in range(most + 1)]
        by_mines = _product(by_mines, segment_ways)
    mines_left, inside = frontier.mines_left, frontier.interior.size
    return sum(ways * comb(inside, mines_left - mines) for mines, ways in enumerate(by_mines[: mines_left + 1]) if ways)


def _product(left: list[int], right: list[int]) -> list[int]:
    """Multiply two polynomials, given as coefficients from the lowest up."""
    product = [0] * (len(left) + len(right) - 1)
    for i, a in enumerate(left):
        for j, b in enumerate(right):
            product[i + j] += a * b
    return product
