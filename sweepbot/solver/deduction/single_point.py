"""One number at a time."""

import numpy as np
from numpy.typing import NDArray

from sweepbot.solver.compiled import compiled
from sweepbot.solver.deduction.knowledge import MINE, SAFE, UNDECIDED, Knowledge
from sweepbot.solver.frontier import Frontier


def single_point(knowledge: Knowledge) -> None:
    """A number with all its mines found clears its other neighbours; one that needs all of them marks them.

    Sound because a number counts the mines among its neighbours: if the undecided ones hold as many as there are, each
    is a mine, and if they hold none, each is safe. What is found is used at once, until no number says more.

    Raises:
        ImpossibleBoardError: A number misses more mines than it has room for, or fewer than none.
    """
    frontier = knowledge.frontier
    stack = new_stack(frontier)
    height = len(frontier.numbers)
    stack[:height] = np.arange(height, dtype=np.int32)[::-1]
    broken = propagate(frontier, knowledge.mine, stack, height)
    if broken >= 0:
        raise knowledge.impossible(broken)


@compiled
def new_stack(frontier: Frontier) -> NDArray[np.int32]:
    """Room for `propagate`: all numbers at once, and after that at most eight for each cell decided."""
    return np.empty(len(frontier.numbers) + 8 * len(frontier.unopened), np.int32)


@compiled
def propagate(frontier: Frontier, mine: NDArray[np.int8], stack: NDArray[np.int32], height: int) -> int:
    """Look at the numbers `stack[:height]`, decide what each one alone decides, and go on to the numbers it concerns.

    Returns:
        A number that cannot be satisfied any more, as a place in `frontier.numbers`; -1 where there is none.
    """
    starts, members = frontier.starts, frontier.members
    while height > 0:
        height -= 1
        number = stack[height]
        missing, undecided = frontier.missing[number], 0
        for i in range(starts[number], starts[number + 1]):
            if mine[members[i]] == MINE:
                missing -= 1
            elif mine[members[i]] == UNDECIDED:
                undecided += 1
        if missing < 0 or missing > undecided:
            return int(number)
        if undecided > 0 and missing in (0, undecided):
            for i in range(starts[number], starts[number + 1]):
                if mine[members[i]] == UNDECIDED:
                    mine[members[i]] = SAFE if missing == 0 else MINE
                    height = push_numbers_over(frontier, members[i], stack, height)
    return -1


@compiled
def push_numbers_over(frontier: Frontier, cell: int, stack: NDArray[np.int32], height: int) -> int:
    """Put the numbers around a cell on the stack; returns its new height."""
    box = frontier.box_of[cell]
    if box >= 0:
        for i in range(frontier.box_number_starts[box], frontier.box_number_starts[box + 1]):
            stack[height] = frontier.box_numbers[i]
            height += 1
    return height
