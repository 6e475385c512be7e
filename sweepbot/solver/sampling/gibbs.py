"""Gibbs moves: they lead from solution to solution and keep all layouts of the whole board equally likely."""

import numpy as np
from numpy.typing import NDArray

from sweepbot.solver.compiled import helper
from sweepbot.solver.sampling.box_graph import BoxGraph
from sweepbot.solver.sampling.walk import TOTAL, Assignment

MAX_BOXES = 40
"""The most boxes that are redrawn at once."""
MAX_VALUES = 20_000
"""The most values tried in a region; a region that needs more is left as it is."""


@helper
def redraw_region(graph: BoxGraph, assignment: Assignment, region: NDArray[np.int32], rng: np.random.Generator) -> int:
    """Replace a solution's mines in a region by a random arrangement that fits its surroundings, chosen by weight.

    The weight of an arrangement is the number of ways to place its mines in the boxes, and the others off the frontier,
    so this Gibbs step keeps all layouts equally likely. Arrangements are enumerated, leaving out those that break a
    number. Whether there are too many depends only on the surroundings of the region, so that giving up introduces no
    bias.

    Returns:
        How many values were tried.
    """
    before, chosen = np.empty(len(region), np.int32), np.empty(len(region), np.int32)
    trial = np.full(len(region), -1, np.int32)
    log_weight = _clear(graph, assignment, region, before)
    total, work, depth = 0.0, 0, 0
    while depth >= 0:
        box = region[depth]
        work += 1
        if trial[depth] == -1:
            _count_to_fill(graph, assignment, box, -graph.sizes[box])
        else:
            log_weight -= graph.log_ways[box, trial[depth]]
        if trial[depth] == graph.sizes[box] or work > MAX_VALUES:
            trial[depth] = -1
            _set_mines(graph, assignment, box, 0)
            _count_to_fill(graph, assignment, box, graph.sizes[box])
            depth -= 1
            continue
        trial[depth] += 1
        log_weight += graph.log_ways[box, trial[depth]]
        _set_mines(graph, assignment, box, trial[depth])
        if not _may_hold(graph, assignment, box):
            continue
        if depth < len(region) - 1:
            depth += 1
        elif graph.least <= assignment.tally[TOTAL] <= graph.most:
            weight = np.exp(log_weight + graph.log_weight[assignment.tally[TOTAL]])
            total += weight
            if rng.random() * total < weight:
                _copy(trial, chosen)
    for i in range(len(region)):
        _set_mines(graph, assignment, region[i], chosen[i] if work <= MAX_VALUES else before[i])
        _count_to_fill(graph, assignment, region[i], -graph.sizes[region[i]])
    return work


@helper
def _copy(values: NDArray[np.int32], into: NDArray[np.int32]) -> None:
    for i in range(len(values)):  # compiles much faster than `into[:] = values`
        into[i] = values[i]


@helper
def _clear(graph: BoxGraph, assignment: Assignment, region: NDArray[np.int32], before: NDArray[np.int32]) -> float:
    """Take all mines out of a region and note them in `before`.

    Returns:
        Minus the logarithm of their arrangement's weight: other weights stay near 1 when it is added to theirs.
    """
    log_weight = -graph.log_weight[assignment.tally[TOTAL]]
    for i in range(len(region)):
        box = region[i]
        before[i] = assignment.mines[box]
        log_weight -= graph.log_ways[box, before[i]]
        _set_mines(graph, assignment, box, 0)
        _count_to_fill(graph, assignment, box, graph.sizes[box])
    return float(log_weight)


@helper
def _set_mines(graph: BoxGraph, assignment: Assignment, box: int, mines: int) -> None:
    """Set the mines of a box; unlike `add_mines` it leaves out the list of broken numbers, which solutions lack."""
    step = mines - assignment.mines[box]
    assignment.mines[box] = mines
    assignment.tally[TOTAL] += step
    for i in range(graph.over[box, 8]):
        assignment.excess[graph.over[box, i]] += step


@helper
def _count_to_fill(graph: BoxGraph, assignment: Assignment, box: int, cells: int) -> None:
    for i in range(graph.over[box, 8]):
        assignment.to_fill[graph.over[box, i]] += cells


@helper
def _may_hold(graph: BoxGraph, assignment: Assignment, box: int) -> bool:
    """Whether no number over a box has too many mines, and each has room for those that it misses."""
    for i in range(graph.over[box, 8]):
        number = graph.over[box, i]
        if not 0 <= -assignment.excess[number] <= assignment.to_fill[number]:
            return False
    return True


@helper
def gather_region(graph: BoxGraph, centre: int, most: int) -> NDArray[np.int32]:
    """Return up to `most` boxes nearest to `centre`, by steps over numbers."""
    region, seen = np.empty(most, np.int32), np.zeros(len(graph.sizes), np.bool_)
    region[0], size, done = centre, 1, 0
    seen[centre] = True
    while done < size:
        box = region[done]
        done += 1
        for i in range(graph.over[box, 8]):
            number = graph.over[box, i]
            for j in range(graph.under[number, 8]):
                other = graph.under[number, j]
                if not seen[other]:
                    if size == most:
                        return region
                    seen[other] = True
                    region[size] = other
                    size += 1
    return region[:size]
