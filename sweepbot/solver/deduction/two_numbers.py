"""Two numbers that share cells."""

import numpy as np
from numpy.typing import NDArray

from sweepbot.solver.compiled import helper, kernel
from sweepbot.solver.deduction.knowledge import MINE, SAFE, UNDECIDED, Knowledge
from sweepbot.solver.frontier import Frontier


def two_numbers(knowledge: Knowledge) -> None:
    """Where one number needs as many more mines than another as it has cells of its own, these are mines.

    And the other's own cells are safe. Let A and B be the undecided cells of two numbers that miss a and b mines. The
    shared cells count for both, so a - b is the mines in A without B less the mines in B without A. That is at most
    |A without B|, and reaches it only if every cell of A without B is a mine and none of B without A is.
    """
    _compare_all(knowledge.frontier, knowledge.mine)


@kernel
def _compare_all(frontier: Frontier, mine: NDArray[np.int8]) -> None:
    for first in range(frontier.numbers.size):
        for i in range(frontier.around[first, 8]):
            cell = frontier.around[first, i]
            box = frontier.box_of[cell]
            for j in range(frontier.over[box, 8]):
                second = frontier.over[box, j]
                if second != first and mine[cell] == UNDECIDED:
                    _compare(frontier, mine, first, second)


@helper
def _compare(frontier: Frontier, mine: NDArray[np.int8], first: int, second: int) -> None:
    around = frontier.around
    excess, own = frontier.missing[first] - frontier.missing[second], 0
    for i in range(around[first, 8]):
        cell = around[first, i]
        excess -= mine[cell] == MINE
        own += mine[cell] == UNDECIDED and not _touches(frontier, second, cell)
    for i in range(around[second, 8]):
        excess += mine[around[second, i]] == MINE
    if excess == own:
        _decide_own_cells(frontier, mine, first, second, MINE)
        _decide_own_cells(frontier, mine, second, first, SAFE)


@helper
def _decide_own_cells(frontier: Frontier, mine: NDArray[np.int8], number: int, other: int, value: int) -> None:
    """Decide the cells around `number` that are not around `other`."""
    for i in range(frontier.around[number, 8]):
        cell = frontier.around[number, i]
        if mine[cell] == UNDECIDED and not _touches(frontier, other, cell):
            mine[cell] = value


@helper
def _touches(frontier: Frontier, number: int, cell: int) -> bool:
    box = frontier.box_of[cell]
    for i in range(frontier.over[box, 8]):  # noqa: SIM110  (numba knows no generators)
        if frontier.over[box, i] == number:
            return True
    return False
