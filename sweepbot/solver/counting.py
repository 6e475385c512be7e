"""Exact counting of mine layouts: how likely each cell is a mine, and how many layouts there are.

For each node of the trellis and each number of mines so far, a forward pass counts the ways to reach it and a backward
pass the ways to complete it; the products along the edges of a layer give the chances of its box. The trellis is cut
into segments where it narrows to one node; these are joined with each other and with the interior so that the mines
come to the total.

Weights are passed on instead of counts: a layout with `m` mines on the frontier weighs `odds ** m`, and the weight of
the interior makes up for it; `odds` is a power of two near the odds of a mine. So the weights that matter stay close
to each other, no board is too large for floating point, and nothing is rounded.
"""

from math import ceil, comb, inf, lgamma, log, log2
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sweepbot.solver.compiled import helper, listed
from sweepbot.solver.frontier import Frontier
from sweepbot.solver.trellis import Trellis

SEGMENT_CELLS = 24
"""Cells after which the trellis is cut at the next one-node layer; shorter segments cost more than they save."""

WEIGHT_BUDGET = 20_000_000
"""Weights in one pass beyond which a position is not counted; at the limit both passes take 320 MB."""

CELLS_BETWEEN_SCALINGS = 32
"""Cells, not counting the last box, after which weights are scaled: they stay between 2**-120 and 2**40."""

MIN_WEIGHT = 1e-100
"""Positive weights are raised to this when scaled. It is far below rounding, yet the product of two is not 0, so that
a 0 at the end means that there is no layout."""

UNREACHED = 2**31 - 1
"""The fewest mines on the way to a node, from either end, while no way is known."""

_MIN_EXPONENT = -3
"""The lower limit of a `Plan`'s `odds_exponent`."""

EDGE_WEIGHTS = np.array(
    [comb(n, k) * 2.0 ** (e * k) for e in range(_MIN_EXPONENT, 1) for n in range(9) for k in range(9)]
)
"""The weight of all ways to lay `k` mines in a box of `n` cells, at place `weights_at(odds_exponent) + 9 * n + k`."""


class Plan(NamedTuple):
    """Where the weights of each node are stored, one for each number of mines laid since its segment began.

    Both passes share it. Layers, and the nodes within them, follow each other. A node at a cut has its weights as the
    end of a segment, followed by one as the start of the next.
    """

    sizes: NDArray[np.int32]
    """The number of cells in each layer's box."""
    steps: NDArray[np.int32]
    """Three for each edge: the places of the first weight that it leads from and of the one it leads that to, and how
    many consecutive weights it leads on."""
    ends_at: NDArray[np.int32]
    starts_at: NDArray[np.int32]
    """For each layer, the place of its first weight as the end of edges, and as the start of edges."""
    cuts: NDArray[np.int32]
    """The layers at which segments begin and end, the first and the last layer included."""
    least: NDArray[np.int32]
    most: NDArray[np.int32]
    """For each cut, the fewest and the most mines in the segment that it ends."""
    size: int
    """The number of weights in one pass."""
    odds_exponent: int
    """The weight of a mine on the frontier is two to this power."""


class Weights(NamedTuple):
    """The total weights of the layouts with and without a mine in a cell, each pair on a scale of its own."""

    box_mine: NDArray[np.float64]
    box_safe: NDArray[np.float64]
    """For each box: with a mine in a given cell of it, and without."""
    interior_mine: float
    interior_safe: float
    """For a given interior cell; both 0 if there is none."""
    log_layouts: float
    """The natural logarithm of the number of layouts, -inf if there is none; accurate to about 1e-10."""


@helper
def plan_passes(frontier: Frontier, trellis: Trellis) -> Plan:
    """Assign places to the weights of a complete trellis and decide where to cut it."""
    layers = trellis.order.size
    sizes, steps = np.empty(layers, np.int32), np.empty(trellis.edges.size, np.int32)
    ends_at, starts_at = np.zeros(layers + 2, np.int32), np.zeros(layers + 2, np.int32)
    cuts, cut_least = np.zeros(layers + 1, np.int32), np.zeros(layers + 1, np.int32)
    cut_most = np.zeros(layers + 1, np.int32)
    node_starts, edge_starts, edges = listed(trellis.node_starts), listed(trellis.edge_starts), listed(trellis.edges)
    nodes = node_starts[layers + 1]
    at, most = listed(np.zeros(nodes, np.int32)), listed(np.zeros(nodes, np.int32))
    least = listed(np.full(nodes, UNREACHED, np.int32))
    least[0], cut, cells, size = 0, 0, 0, 1
    for layer in range(layers):
        first, after = node_starts[layer + 1], node_starts[layer + 2]
        for edge in range(edge_starts[layer], edge_starts[layer + 1], 3):
            tail, head, mines = edges[edge], edges[edge + 1], edges[edge + 2]
            least[head] = min(least[head], least[tail] + mines)
            most[head] = max(most[head], most[tail] + mines)
        ends_at[layer + 1] = starts_at[layer + 1] = size
        for node in range(first, after):
            at[node] = size
            size += most[node] - least[node] + 1
        for edge in range(edge_starts[layer], edge_starts[layer + 1], 3):
            tail, head, mines = edges[edge], edges[edge + 1], edges[edge + 2]
            steps[edge], steps[edge + 1] = at[tail], at[head] + least[tail] + mines - least[head]
            steps[edge + 2] = most[tail] - least[tail] + 1
        sizes[layer] = frontier.boxes[trellis.order[layer], 8]
        cells += sizes[layer]
        if layer == layers - 1 or (after - first == 1 and cells >= SEGMENT_CELLS):
            cut += 1
            cuts[cut], cut_least[cut], cut_most[cut] = layer + 1, least[first], most[first]
            starts_at[layer + 1], at[first], least[first], most[first] = size, size, 0, 0
            size += 1
            cells = 0
    ends_at[layers + 1] = size
    odds_exponent = _odds_exponent(frontier.mines_left, frontier.unopened.size)
    cut += 1
    return Plan(sizes, steps, ends_at, starts_at, cuts[:cut], cut_least[:cut], cut_most[:cut], size, odds_exponent)


@helper
def weigh_layouts(frontier: Frontier, trellis: Trellis, plan: Plan) -> Weights:
    """Weigh all layouts of a position, given its trellis, which must be complete and have no dead end."""
    forward, exponent = go_forward(trellis, plan)
    backward = listed(np.zeros(plan.size))
    interior_mine, interior_safe, log_layouts = _join_segments(frontier, plan, forward, backward)
    box_mine, box_safe = _go_backward(trellis, plan, forward, backward)
    return Weights(box_mine, box_safe, interior_mine, interior_safe, log_layouts + exponent * log(2.0))


@helper
def _odds_exponent(mines: int, cells: int) -> int:
    """Return the exponent, from -3 to 0, of the power of two nearest to the odds of a mine in an unopened cell."""
    for exponent in range(_MIN_EXPONENT, 0):
        if mines < 2.0 ** (exponent + 0.5) * (cells - mines):
            return exponent
    return 0


@helper
def weights_at(odds_exponent: int) -> int:
    """Return where the weights for these odds begin in `EDGE_WEIGHTS`."""
    return 81 * (odds_exponent - _MIN_EXPONENT)


@helper
def scale(weights: NDArray[np.float64], first: int, after: int) -> int:
    """Scale `weights[first:after]` in place so that the largest is from 1/2 to 1; return the exponent taken out."""
    largest = 0.0
    for i in range(first, after):
        largest = max(largest, weights[i])
    if largest == 0.0:
        return 0
    exponent = ceil(log2(largest))
    factor = 2.0**-exponent
    for i in range(first, after):
        if weights[i] > 0.0:
            weights[i] = max(weights[i] * factor, MIN_WEIGHT)
    return exponent


@helper
def go_forward(trellis: Trellis, plan: Plan) -> tuple[NDArray[np.float64], int]:
    """Return the weights of the ways from each segment's first node, and the exponent taken out."""
    forward, sizes, steps = listed(np.zeros(plan.size)), listed(plan.sizes), listed(plan.steps)
    edge_starts, edges = listed(trellis.edge_starts), listed(trellis.edges)
    edge_weights, base = listed(EDGE_WEIGHTS), weights_at(plan.odds_exponent)
    exponent, cells, segment = 0, 0, 1
    forward[0] = 1.0
    for layer in range(trellis.order.size):
        for edge in range(edge_starts[layer], edge_starts[layer + 1], 3):
            weight = edge_weights[base + 9 * sizes[layer] + edges[edge + 2]]
            start, to = steps[edge], steps[edge + 1]
            for i in range(steps[edge + 2]):
                forward[to + i] += weight * forward[start + i]
        cells += sizes[layer]
        at_cut = plan.cuts[segment] == layer + 1
        if at_cut or cells > CELLS_BETWEEN_SCALINGS:
            after = plan.starts_at[layer + 1] if at_cut else plan.ends_at[layer + 2]
            exponent += scale(forward, plan.ends_at[layer + 1], after)
            cells = 0
            if at_cut:
                forward[after] = 1.0
                segment += 1
    return forward, exponent


@helper
def _join_segments(
    frontier: Frontier, plan: Plan, forward: NDArray[np.float64], backward: NDArray[np.float64]
) -> tuple[float, float, float]:
    """Weigh, for each segment, the rest of the board by the number of mines that the segment leaves to it.

    The weights go to the ends of the segments in `backward`.

    Returns:
        The weights of a mine and of no mine in a given interior cell, and the natural logarithm of the number of
        layouts, not counting the power of two taken out of `forward`.
    """
    rest = weigh_rest(frontier, plan, forward)
    segments, starts, after = plan.cuts.size - 1, rest.starts, rest.weights
    before = listed(np.zeros(starts[segments + 1]))  # by the mines before each cut: the weight of everything before it
    before[0] = 1.0
    exponent = 0
    for i in range(segments):
        at, room = plan.ends_at[plan.cuts[i + 1]], plan.most[i + 1] - plan.least[i + 1] + 1
        for t in range(starts[i + 1] - starts[i]):
            for m in range(room):
                before[starts[i + 1] + t + m] += before[starts[i] + t] * forward[at + m]
                backward[at + m] += before[starts[i] + t] * after[starts[i + 1] + t + m]
        scale(backward, at, at + room)
        exponent += scale(before, starts[i + 1], starts[i + 2])
    mine, safe, total = 0.0, 0.0, 0.0
    inside = frontier.interior.size
    for i in range(starts[segments + 1] - starts[segments]):
        weight = before[starts[segments] + i] * after[starts[segments] + i]
        total += weight
        if inside > 0 and weight > 0.0:
            mines_inside = frontier.mines_left - rest.least[segments] - i
            mine += weight * mines_inside / inside
            safe += weight * (inside - mines_inside) / inside
    return mine, safe, log(total) + rest.log_scale + exponent * log(2.0) if total > 0.0 else -inf


class Rest(NamedTuple):
    """The weights of what follows each cut, by the mines laid before it; each cut has its own scale."""

    weights: NDArray[np.float64]
    starts: NDArray[np.int64]
    """For each cut, where its weights begin; and where the last cut's end."""
    least: NDArray[np.int64]
    """For each cut, the fewest mines before it, which its first weight is for."""
    log_scale: float
    """The natural logarithm of the factor taken out of the weights of the interior, which follows the last cut."""


@helper
def weigh_rest(frontier: Frontier, plan: Plan, forward: NDArray[np.float64]) -> Rest:
    """Weigh the interior, then add one segment at a time, from the last to the first, given the forward pass."""
    cuts = plan.cuts.size
    fewest, starts, most = np.zeros(cuts, np.int64), np.zeros(cuts + 1, np.int64), 0
    for i in range(cuts):
        if i > 0:
            fewest[i], most = fewest[i - 1] + plan.least[i], most + plan.most[i]
        starts[i + 1] = starts[i] + most - fewest[i] + 1
    least, at_cut = listed(fewest), listed(starts)
    weights = listed(np.zeros(at_cut[cuts]))
    log_scale = _weigh_interior(frontier, least[cuts - 1], plan.odds_exponent, weights, at_cut[cuts - 1])
    for i in range(cuts - 2, -1, -1):
        at, room = plan.ends_at[plan.cuts[i + 1]], plan.most[i + 1] - plan.least[i + 1] + 1
        for t in range(at_cut[i + 1] - at_cut[i]):
            for m in range(room):
                weights[at_cut[i] + t] += forward[at + m] * weights[at_cut[i + 1] + t + m]
        scale(weights, at_cut[i], at_cut[i + 1])
    return Rest(weights, at_cut, least, log_scale)


@helper
def _weigh_interior(
    frontier: Frontier, least: int, odds_exponent: int, weights: NDArray[np.float64], first: int
) -> float:
    """Fill `weights` from `first` on with the weight of the interior's layouts for `least` mines outside it, and up.

    Each is C(cells, mines) / odds ** (mines on the frontier), computed from its neighbour, from the largest outwards.

    Returns:
        The natural logarithm of the factor taken out.
    """
    mines_left, cells = frontier.mines_left, frontier.interior.size
    odds = 2.0**odds_exponent
    most_inside, fewest_inside = mines_left - least, mines_left - least - (len(weights) - first - 1)
    low, high = max(fewest_inside, 0), min(most_inside, cells)
    if low > high:
        return 0.0
    # C(n, k) * odds**k rises as long as (n - k + 1) * odds > k.
    peak = min(max(int((cells + 1) * odds / (1.0 + odds)), low), high)
    end = first + most_inside  # where the weight of no mine inside would be
    weights[end - peak] = 1.0
    for inside in range(peak + 1, high + 1):
        weight = weights[end - inside + 1] * ((cells - inside + 1) * odds / inside)
        weights[end - inside] = max(weight, MIN_WEIGHT)
    for inside in range(peak - 1, low - 1, -1):
        weight = weights[end - inside - 1] * ((inside + 1) / ((cells - inside) * odds))
        weights[end - inside] = max(weight, MIN_WEIGHT)
    return float(log_binomial(cells, peak) - (mines_left - peak) * log(odds))


@helper
def log_binomial(n: int, k: int) -> float:
    """Return the natural logarithm of the ways to choose `k` of `n` cells."""
    return lgamma(n + 1.0) - lgamma(k + 1.0) - lgamma(n - k + 1.0)


@helper
def _go_backward(
    trellis: Trellis, plan: Plan, forward: NDArray[np.float64], backward: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Complete `backward` from the segments' ends; return each box's weights with and without a mine in a cell."""
    layers = trellis.order.size
    order, sizes, steps = listed(trellis.order), listed(plan.sizes), listed(plan.steps)
    edge_starts, edges = listed(trellis.edge_starts), listed(trellis.edges)
    edge_weights, base = listed(EDGE_WEIGHTS), weights_at(plan.odds_exponent)
    box_mine, box_safe = np.zeros(layers), np.zeros(layers)
    cells = 0
    for layer in range(layers - 1, -1, -1):
        size = sizes[layer]
        mine, safe = 0.0, 0.0
        for edge in range(edge_starts[layer], edge_starts[layer + 1], 3):
            start, to, mines = steps[edge], steps[edge + 1], edges[edge + 2]
            weight = edge_weights[base + 9 * size + mines]
            ways = 0.0
            for i in range(steps[edge + 2]):
                rest = weight * backward[to + i]
                backward[start + i] += rest
                ways += rest * forward[start + i]
            mine += ways * mines / size
            safe += ways * (size - mines) / size
        box_mine[order[layer]], box_safe[order[layer]] = mine, safe
        cells += size
        if cells > CELLS_BETWEEN_SCALINGS and layer > 0:
            scale(backward, plan.starts_at[layer], plan.ends_at[layer + 1])
            cells = 0
    return box_mine, box_safe
