"""Moves from solution to solution that leave every layout of the whole board as likely as any other."""

import numpy as np
from numpy.typing import NDArray

from sweepbot.solver.compiled import helper
from sweepbot.solver.sampling.network import Network
from sweepbot.solver.sampling.walk import TOTAL, Layout

REGION = 40
"""The most boxes that are redrawn at once."""
TRIES = 20_000
"""Values tried in a region at most; a region that needs more is left as it is."""


@helper
def lay_out_anew(
    network: Network, layout: Layout, region: NDArray[np.int32], left: NDArray[np.int32], rng: np.random.Generator
) -> int:
    """Replace a solution's mines in a region by one of all arrangements that fit around it, each by its weight.

    An arrangement weighs as much as there are ways to place its mines in the boxes, and the others off the frontier.
    This is a Gibbs step: it leaves all layouts equally likely wherever the region lies. Arrangements are tried one
    after the other, leaving out what breaks a number. Whether they are too many depends only on what lies around the
    region, so giving up then does no harm either. `left` is scratch space: for each number the cells of the region
    without a value yet, 0 before and after.

    Returns:
        How many values were tried.
    """
    before, chosen = np.empty(len(region), np.int32), np.empty(len(region), np.int32)
    trial = np.full(len(region), -1, np.int32)
    log_weight = _clear(network, layout, region, left, before)
    total, work, depth = 0.0, 0, 0
    while depth >= 0:
        box = region[depth]
        work += 1
        if trial[depth] == -1:
            _count_left(network, left, box, -network.sizes[box])
        else:
            log_weight -= network.log_ways[box, trial[depth]]
        if trial[depth] == network.sizes[box] or work > TRIES:
            trial[depth] = -1
            _set_mines(network, layout, box, 0)
            _count_left(network, left, box, network.sizes[box])
            depth -= 1
            continue
        trial[depth] += 1
        log_weight += network.log_ways[box, trial[depth]]
        _set_mines(network, layout, box, trial[depth])
        if not _may_hold(network, layout, left, box):
            continue
        if depth < len(region) - 1:
            depth += 1
        elif network.least <= layout.tally[TOTAL] <= network.most:
            weight = np.exp(log_weight + network.log_weight[layout.tally[TOTAL]])
            total += weight
            if rng.random() * total < weight:
                _copy(trial, chosen)
    for i in range(len(region)):
        _set_mines(network, layout, region[i], chosen[i] if work <= TRIES else before[i])
        _count_left(network, left, region[i], -network.sizes[region[i]])
    return work


@helper
def _copy(values: NDArray[np.int32], into: NDArray[np.int32]) -> None:
    for i in range(len(values)):  # compiled in no time, other than `into[:] = values`
        into[i] = values[i]


@helper
def _clear(
    network: Network, layout: Layout, region: NDArray[np.int32], left: NDArray[np.int32], before: NDArray[np.int32]
) -> float:
    """Take all mines out of a region, noting them in `before`.

    Returns:
        The logarithm of 1 over what their arrangement weighed: multiplied by it, other weights stay near 1.
    """
    log_weight = -network.log_weight[layout.tally[TOTAL]]
    for i in range(len(region)):
        box = region[i]
        before[i] = layout.mines[box]
        log_weight -= network.log_ways[box, before[i]]
        _set_mines(network, layout, box, 0)
        _count_left(network, left, box, network.sizes[box])
    return float(log_weight)


@helper
def _set_mines(network: Network, layout: Layout, box: int, mines: int) -> None:
    """As `add_mines` does, but without the list of broken numbers: between solutions it is empty."""
    step = mines - layout.mines[box]
    layout.mines[box] = mines
    layout.tally[TOTAL] += step
    for i in range(network.number_starts[box], network.number_starts[box + 1]):
        layout.excess[network.numbers[i]] += step


@helper
def _count_left(network: Network, left: NDArray[np.int32], box: int, cells: int) -> None:
    for i in range(network.number_starts[box], network.number_starts[box + 1]):
        left[network.numbers[i]] += cells


@helper
def _may_hold(network: Network, layout: Layout, left: NDArray[np.int32], box: int) -> bool:
    """Whether the numbers over a box have no mine too many, and room for those that they miss."""
    for i in range(network.number_starts[box], network.number_starts[box + 1]):
        number = network.numbers[i]
        if not 0 <= -layout.excess[number] <= left[number]:
            return False
    return True


@helper
def gather_region(network: Network, centre: int, region: NDArray[np.int32], seen: NDArray[np.int32], visit: int) -> int:
    """Fill `region` with the boxes nearest to `centre`, from number to number; returns how many.

    `seen` is scratch space: for each box the `visit` in which it was last met; every call has its own.
    """
    region[0], size, done = centre, 1, 0
    seen[centre] = visit
    while done < size:
        box = region[done]
        done += 1
        for i in range(network.number_starts[box], network.number_starts[box + 1]):
            number = network.numbers[i]
            for j in range(network.box_starts[number], network.box_starts[number + 1]):
                other = network.boxes[j]
                if seen[other] != visit:
                    if size == len(region):
                        return size
                    seen[other] = visit
                    region[size] = other
                    size += 1
    return size
