"""The undecided part of a frontier, in the form that random walks need."""

from math import lgamma
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sweepbot.solver.deduction.knowledge import Knowledge, contradictory


class Network(NamedTuple):
    """The boxes of undecided frontier cells, renumbered from 0, and the numbers over them, likewise."""

    sizes: NDArray[np.int32]
    """The number of cells in each box."""
    log_ways: NDArray[np.float64]
    """In row `box`, column `mines`: the logarithm of the number of ways to place these mines in the box."""
    box_starts: NDArray[np.int32]
    boxes: NDArray[np.int32]
    """The boxes under number `i`: `boxes[box_starts[i]:box_starts[i + 1]]`."""
    need: NDArray[np.int32]
    """How many mines the boxes under each number hold."""
    number_starts: NDArray[np.int32]
    numbers: NDArray[np.int32]
    """The numbers over box `i`: `numbers[number_starts[i]:number_starts[i + 1]]`."""
    least: int
    most: int
    """The frontier holds from `least` to `most` mines, so that the others fit off it."""
    log_weight: NDArray[np.float64]
    """For each number of mines on the frontier, the logarithm of the ways to place the others; 0.0 out of bounds."""


def build_network(knowledge: Knowledge, boxes: list[list[int]], interior: int) -> Network:
    """Renumber `boxes`, given as the undecided cells of each; `interior` undecided cells are off the frontier.

    Raises:
        ImpossibleBoardError: The mines do not fit, however many of them are on the frontier.
    """
    place = {cell: box for box, cells in enumerate(boxes) for cell in cells}
    equations = knowledge.equations()
    under = [sorted({place[cell] for cell in cells}) for cells, _, _ in equations]
    over: list[list[int]] = [[] for _ in boxes]
    for number, around in enumerate(under):
        for box in around:
            over[box].append(number)
    mines = knowledge.mines_left()
    least, most = max(0, mines - interior), min(len(place), mines)
    if least > most:
        raise contradictory()
    log_weight = np.zeros(len(place) + 1)
    for count in range(least, most + 1):
        log_weight[count] = _log_binomial(interior, mines - count)
    log_ways = np.zeros((len(boxes), max(map(len, boxes), default=0) + 1))
    for box, cells in enumerate(boxes):
        log_ways[box, : len(cells) + 1] = [_log_binomial(len(cells), count) for count in range(len(cells) + 1)]
    sizes = np.array([len(cells) for cells in boxes], dtype=np.int32)
    need = np.array([missing for _, missing, _ in equations], dtype=np.int32)
    return Network(sizes, log_ways, *_flat(under), need, *_flat(over), least, most, log_weight)


def _log_binomial(n: int, k: int) -> float:
    return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)


def _flat(lists: list[list[int]]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return where each list starts in the concatenation of all, and the concatenation."""
    starts = np.cumsum([0, *map(len, lists)], dtype=np.int32)
    return starts, np.array([item for items in lists for item in items], dtype=np.int32)
