"""Random layouts of a position, each as likely as any other.

What may follow each node of the trellis is weighed from the end backwards; then the trellis is walked from its start,
each edge being taken with the share of layouts that lead through it. Hidden Markov models are sampled in the same way
(forward filtering, backward sampling; Scott 2002), with the directions exchanged.
"""

import numpy as np
from numpy.typing import NDArray

from sweepbot.solver.chances import COUNTED, Count, count_layouts
from sweepbot.solver.compiled import helper, kernel
from sweepbot.solver.counting import EDGE_WEIGHTS, Plan, Rest, go_forward, scale, weigh_rest, weights_at
from sweepbot.solver.flat_board import HIDDEN, WRONG_FLAG, FlatBoard, is_mine
from sweepbot.solver.frontier import may_have_layouts, read_frontier
from sweepbot.solver.trellis import Trellis

NOWHERE = np.int64(-1)
"""No cell is kept free. To numba a literal -1 in a kernel is of another type, for which it would compile this again."""


@kernel
def draw_layout(position: FlatBoard, free: int | np.int64, rng: np.random.Generator) -> NDArray[np.bool_]:
    """Draw one layout of a position, uniformly from all that have no mine in the hidden cell `free`.

    Args:
        position: The position; unchanged when this returns.
        free: A flat cell, or `NOWHERE`.
        rng: The source of randomness.

    Returns:
        Whether each flat cell holds a mine, shown mines included; an empty array if the position is impossible or too
        large to be counted.
    """
    cells, mine = position.cells, np.zeros(0, np.bool_)
    if free >= 0:
        cells[free] = WRONG_FLAG  # known to be safe, and otherwise like a hidden cell
    frontier = read_frontier(position)
    if may_have_layouts(frontier):
        count = count_layouts(frontier)
        if count.outcome == COUNTED:
            mine = _walk(count, rng)
            for cell in range(cells.size):
                mine[cell] = mine[cell] or is_mine(cells[cell])
    if free >= 0:
        cells[free] = HIDDEN
    return mine


@helper
def _walk(count: Count, rng: np.random.Generator) -> NDArray[np.bool_]:
    """Walk a counted trellis and choose the mines of each box, then those of the interior."""
    frontier, trellis, plan = count.frontier, count.trellis, count.plan
    forward, _ = go_forward(trellis, plan)
    rest = weigh_rest(frontier, plan, forward)
    mine, backward = np.zeros(frontier.cells.size, np.bool_), np.zeros(plan.size)
    laid = 0
    for segment in range(plan.cuts.size - 1):
        _go_backward(trellis, plan, rest, segment, laid, backward)
        node, place = trellis.node_starts[plan.cuts[segment]], plan.starts_at[plan.cuts[segment]]
        for layer in range(plan.cuts[segment], plan.cuts[segment + 1]):
            edge = _choose_edge(trellis, plan, backward, layer, node, place, rng)
            mines = trellis.edges[edge + 2]
            _choose_cells(frontier.boxes[trellis.order[layer]], plan.sizes[layer], mines, mine, rng)
            node, place = trellis.edges[edge + 1], place + plan.steps[edge + 1] - plan.steps[edge]
            laid += mines
    _choose_cells(frontier.interior, frontier.interior.size, frontier.mines_left - laid, mine, rng)
    return mine


@helper
def _go_backward(  # noqa: PLR0917  (compiled functions are called by position)
    trellis: Trellis, plan: Plan, rest: Rest, segment: int, laid: int, backward: NDArray[np.float64]
) -> None:
    """Weigh what may follow each node of a segment, given the mines `laid` before it."""
    first, after, base = plan.cuts[segment], plan.cuts[segment + 1], weights_at(plan.odds_exponent)
    at, least = plan.ends_at[after], plan.least[segment + 1]
    before = rest.starts[segment + 1] + laid + least - rest.least[segment + 1]
    for m in range(plan.most[segment + 1] - least + 1):
        backward[at + m] = rest.weights[before + m]
    for layer in range(after - 1, first - 1, -1):
        for edge in range(trellis.edge_starts[layer], trellis.edge_starts[layer + 1], 3):
            weight = EDGE_WEIGHTS[base + 9 * plan.sizes[layer] + trellis.edges[edge + 2]]
            start, to = plan.steps[edge], plan.steps[edge + 1]
            for i in range(plan.steps[edge + 2]):
                backward[start + i] += weight * backward[to + i]
        if layer > first:
            scale(backward, plan.starts_at[layer], plan.ends_at[layer + 1])


@helper
def _choose_edge(  # noqa: PLR0917  (compiled functions are called by position)
    trellis: Trellis,
    plan: Plan,
    backward: NDArray[np.float64],
    layer: int,
    node: int,
    place: int,
    rng: np.random.Generator,
) -> int:
    """Choose an edge from a node by the weight of the layouts through it; `place` is of the mines laid so far."""
    chosen, total, base = -1, 0.0, weights_at(plan.odds_exponent)
    for edge in range(trellis.edge_starts[layer], trellis.edge_starts[layer + 1], 3):
        if trellis.edges[edge] == node:
            to = place + plan.steps[edge + 1] - plan.steps[edge]
            weight = EDGE_WEIGHTS[base + 9 * plan.sizes[layer] + trellis.edges[edge + 2]] * backward[to]
            total += weight
            if weight > 0.0 and rng.random() * total < weight:
                chosen = edge
    return chosen


@helper
def _choose_cells(
    cells: NDArray[np.int32], size: int, count: int, mine: NDArray[np.bool_], rng: np.random.Generator
) -> None:
    """Lay `count` mines in the first `size` of `cells` (selection sampling, Knuth, TAOCP 3.4.2)."""
    for i in range(size):
        if rng.random() * (size - i) < count:
            mine[cells[i]] = True
            count -= 1
