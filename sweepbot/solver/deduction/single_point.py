"""One number at a time."""

import numpy as np
from numpy.typing import NDArray

from sweepbot.solver.arrays import new_ints
from sweepbot.solver.compiled import helper, kernel
from sweepbot.solver.deduction.knowledge import MINE, SAFE, UNDECIDED, Knowledge
from sweepbot.solver.frontier import Frontier


def single_point(knowledge: Knowledge) -> None:
    """A number with all its mines found clears its other neighbours; one that needs all of them marks them.

    Sound because a number counts the mines among its neighbours: if the undecided ones hold as many as there are, each
    is a mine, and if they hold none, each is safe. What is found is used at once, until no number says more.

    Raises:
        ImpossibleBoardError: A number misses more mines than it has room for, or fewer than none.
    """
    broken = _all_single_points(knowledge.frontier, knowledge.mine)
    if broken >= 0:
        raise knowledge.impossible(broken)


@kernel
def _all_single_points(frontier: Frontier, mine: NDArray[np.int8]) -> int:
    """Decide what single numbers decide, in place; a number that cannot be satisfied, else -1."""
    stack, height = new_stack(frontier), frontier.numbers.size
    for i in range(height):
        stack[i] = height - 1 - i
    return propagate(frontier, mine, stack, height)


@helper
def new_stack(frontier: Frontier) -> NDArray[np.int32]:
    """Room for `propagate`: all numbers at once, and after that at most eight for each cell decided."""
    return new_ints(frontier.numbers.size + 8 * frontier.unopened.size)


@helper
def propagate(frontier: Frontier, mine: NDArray[np.int8], stack: NDArray[np.int32], height: int) -> int:
    """Look at the numbers `stack[:height]`, decide what each one alone decides, and go on to the numbers it concerns.

    Returns:
        A number that cannot be satisfied any more, as a place in `frontier.numbers`; -1 where there is none.
    """
    around = frontier.around
    while height > 0:
        height -= 1
        number = stack[height]
        missing, undecided = frontier.missing[number], 0
        for i in range(around[number, 8]):
            if mine[around[number, i]] == MINE:
                missing -= 1
            elif mine[around[number, i]] == UNDECIDED:
                undecided += 1
        if missing < 0 or missing > undecided:
            return int(number)
        if undecided > 0 and missing in (0, undecided):
            for i in range(around[number, 8]):
                cell = around[number, i]
                if mine[cell] == UNDECIDED:
                    mine[cell] = SAFE if missing == 0 else MINE
                    height = push_numbers_over(frontier, cell, stack, height)
    return -1


@helper
def push_numbers_over(frontier: Frontier, cell: int, stack: NDArray[np.int32], height: int) -> int:
    """Put the numbers around a cell on the stack; returns its new height."""
    box = frontier.box_of[cell]
    if box >= 0:
        for i in range(frontier.over[box, 8]):
            stack[height] = frontier.over[box, i]
            height += 1
    return height
