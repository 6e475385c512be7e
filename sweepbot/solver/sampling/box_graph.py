"""The undecided part of a frontier, in the form that random walks need."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sweepbot.solver.counting import log_binomial
from sweepbot.solver.deduction.knowledge import contradictory
from sweepbot.solver.flat_board import lists_of
from sweepbot.solver.frontier import Frontier


class BoxGraph(NamedTuple):
    """The boxes of a frontier and the numbers over them."""

    sizes: NDArray[np.int32]
    """The number of cells in each box."""
    log_ways: NDArray[np.float64]
    """In row `box`, column `mines`: the logarithm of the number of ways to place these mines in the box."""
    under: NDArray[np.int32]
    """A table: the boxes under each number, ascending."""
    need: NDArray[np.int32]
    """How many mines the boxes under each number hold."""
    over: NDArray[np.int32]
    """A table: the numbers over each box, ascending."""
    least: int
    most: int
    """The frontier holds from `least` to `most` mines, so that the others fit off it."""
    log_weight: NDArray[np.float64]
    """For each number of mines on the frontier, the logarithm of the ways to place the others; 0.0 out of bounds."""


def build_graph(frontier: Frontier) -> BoxGraph:
    """Return the graph of a frontier.

    Raises:
        ImpossibleBoardError: The mines do not fit, however many of them are on the frontier.
    """
    under = np.zeros_like(frontier.around)
    for number, cells in enumerate(lists_of(frontier.around)):
        boxes = np.unique(frontier.box_of[cells])
        under[number, : boxes.size], under[number, 8] = boxes, boxes.size
    mines, interior = frontier.mines_left, frontier.interior.size
    on_frontier = frontier.unopened.size - interior
    least, most = max(0, mines - interior), min(on_frontier, mines)
    if least > most:
        raise contradictory()
    log_weight = np.zeros(on_frontier + 1)
    for count in range(least, most + 1):
        log_weight[count] = log_binomial(interior, mines - count)
    sizes = frontier.boxes[:, 8].copy()
    log_ways = np.zeros((sizes.size, sizes.max(initial=0) + 1))
    for box, size in enumerate(sizes.tolist()):
        log_ways[box, : size + 1] = [log_binomial(size, count) for count in range(size + 1)]
    return BoxGraph(sizes, log_ways, under, frontier.missing, frontier.over, least, most, log_weight)
