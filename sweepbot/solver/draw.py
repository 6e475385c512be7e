"""Random layouts of a position, each as likely as any other.

What may follow each node of the trellis is weighed from the end backwards; then the trellis is walked from its start,
each edge being taken with the share of layouts that lead through it. Hidden Markov models are sampled in the same way
(forward filtering, backward sampling; Scott 2002), with the directions exchanged.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sweepbot.solver.chances import COUNTED, count_layouts
from sweepbot.solver.compiled import helper, kernel
from sweepbot.solver.counting import (
    EDGE_WEIGHTS,
    Plan,
    go_forward,
    mines_before_cuts,
    scale,
    weigh_interior,
    weights_at,
)
from sweepbot.solver.frontier import HIDDEN, WRONG_FLAG, Frontier, is_mine, read_frontier
from sweepbot.solver.trellis import Trellis


@kernel
def draw_layout(
    cells: NDArray[np.uint8], around: NDArray[np.int32], mines: int, free: int, rng: np.random.Generator
) -> NDArray[np.bool_]:
    """Draw one layout of a position, uniformly from all that have no mine in the hidden cell `free`.

    Args:
        cells: The flat cells of the position; unchanged when this returns.
        around: The `neighbour_table` of its size.
        mines: Its total of mines.
        free: A flat cell, or -1 for none.
        rng: The source of randomness.

    Returns:
        Whether each flat cell holds a mine, shown mines included; an empty array if the position is impossible or too
        large to be counted.
    """
    if free >= 0:
        cells[free] = WRONG_FLAG  # known to be safe, and otherwise like a hidden cell
    frontier = read_frontier(cells, around, mines)
    possible = frontier.broken < 0 and 0 <= frontier.mines_left <= frontier.unopened.size
    mine = np.zeros(0, np.bool_)
    if possible:
        count = count_layouts(cells, frontier)
        if count.outcome == COUNTED:
            mine = _walk(frontier, count.trellis, count.plan, rng)
            for cell in range(cells.size):
                mine[cell] = mine[cell] or is_mine(cells[cell])
    if free >= 0:
        cells[free] = HIDDEN
    return mine


class _Rest(NamedTuple):
    """The weights of what follows each cut of the trellis, by the mines laid before it; each cut has its own scale."""

    weights: NDArray[np.float64]
    starts: NDArray[np.int64]
    """For each cut, where its weights begin."""
    least: NDArray[np.int64]
    """For each cut, the fewest mines before it, which its first weight is for."""


@helper
def _walk(frontier: Frontier, trellis: Trellis, plan: Plan, rng: np.random.Generator) -> NDArray[np.bool_]:
    """Walk a counted trellis and choose the mines of each box, then those of the interior."""
    rest = _weigh_rest(frontier, trellis, plan)
    mine, backward = np.zeros(frontier.box_of.size, np.bool_), np.zeros(plan.size)
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
def _weigh_rest(frontier: Frontier, trellis: Trellis, plan: Plan) -> _Rest:
    """Weigh the interior, then add one segment at a time, from the last to the first."""
    forward = np.zeros(plan.size)
    go_forward(trellis, plan, forward)
    segments = plan.cuts.size - 1
    least, _, starts = mines_before_cuts(plan)
    weights = np.zeros(starts[segments + 1])
    inside = frontier.mines_left, frontier.interior.size
    weigh_interior(inside, least[segments], plan.odds_exponent, weights, starts[segments])
    for i in range(segments - 1, -1, -1):
        at, room = plan.ends_at[plan.cuts[i + 1]], plan.most[i + 1] - plan.least[i + 1] + 1
        for before in range(starts[i + 1] - starts[i]):
            for m in range(room):
                weights[starts[i] + before] += forward[at + m] * weights[starts[i + 1] + before + m]
        scale(weights, starts[i], starts[i + 1])
    return _Rest(weights, starts, least)


@helper
def _go_backward(  # noqa: PLR0917  (compiled functions are called by position)
    trellis: Trellis, plan: Plan, rest: _Rest, segment: int, laid: int, backward: NDArray[np.float64]
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
