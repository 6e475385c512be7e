"""Two numbers that share cells."""

import numpy as np
from numpy.typing import NDArray

from sweepbot.solver.compiled import compiled
from sweepbot.solver.deduction.knowledge import MINE, SAFE, UNDECIDED, Knowledge
from sweepbot.solver.frontier import Frontier


def two_numbers(knowledge: Knowledge) -> None:
    """Where one number needs as many more mines than another as it has cells of its own, these are mines.

    And the other's own cells are safe. Let A and B be the undecided cells of two numbers that miss a and b mines. The
    shared cells count for both, so a - b is the mines in A without B less the mines in B without A. That is at most
    |A without B|, and reaches it only if every cell of A without B is a mine and none of B without A is.
    """
    _compare_all(knowledge.frontier, knowledge.mine)


@compiled
def _compare_all(frontier: Frontier, mine: NDArray[np.int8]) -> None:
    for first in range(len(frontier.numbers)):
        for i in range(frontier.starts[first], frontier.starts[first + 1]):
            cell = frontier.members[i]
            box = frontier.box_of[cell]
            for j in range(frontier.box_number_starts[box], frontier.box_number_starts[box + 1]):
                second = frontier.box_numbers[j]
                if second != first and mine[cell] == UNDECIDED:
                    _compare(frontier, mine, first, second)


@compiled
def _compare(frontier: Frontier, mine: NDArray[np.int8], first: int, second: int) -> None:
    starts, members = frontier.starts, frontier.members
    excess, own = frontier.missing[first] - frontier.missing[second], 0
    for i in range(starts[first], starts[first + 1]):
        excess -= mine[members[i]] == MINE
        own += mine[members[i]] == UNDECIDED and not _touches(frontier, second, members[i])
    for i in range(starts[second], starts[second + 1]):
        excess += mine[members[i]] == MINE
    if excess == own:
        _decide_own_cells(frontier, mine, first, second, MINE)
        _decide_own_cells(frontier, mine, second, first, SAFE)


@compiled
def _decide_own_cells(frontier: Frontier, mine: NDArray[np.int8], number: int, other: int, value: int) -> None:
    """Decide the cells around `number` that are not around `other`."""
    for i in range(frontier.starts[number], frontier.starts[number + 1]):
        cell = frontier.members[i]
        if mine[cell] == UNDECIDED and not _touches(frontier, other, cell):
            mine[cell] = value


@compiled
def _touches(frontier: Frontier, number: int, cell: int) -> bool:
    box = frontier.box_of[cell]
    for i in range(frontier.box_number_starts[box], frontier.box_number_starts[box + 1]):
        if frontier.box_numbers[i] == number:
            return True
    return False
