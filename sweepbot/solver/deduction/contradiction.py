"""Assume, and see what follows."""

import numpy as np
from numpy.typing import NDArray

from sweepbot.solver.compiled import helper, kernel
from sweepbot.solver.deduction.knowledge import MINE, SAFE, UNDECIDED, Knowledge, contradictory
from sweepbot.solver.deduction.single_point import new_stack, propagate, push_numbers_over
from sweepbot.solver.frontier import Frontier


def contradiction(knowledge: Knowledge) -> None:
    """Assume of each cell that it is a mine, then that it is safe, follow each with single points, keep what survives.

    Sound because one of the two assumptions is true: if one leads to a number that cannot be satisfied, or to more or
    fewer mines than there are, the other holds, and what follows from both holds in any case.

    Raises:
        ImpossibleBoardError: Both assumptions about a cell fail.
    """
    if not _assume_each(knowledge.frontier, knowledge.mine):
        raise contradictory()


@kernel
def _assume_each(frontier: Frontier, mine: NDArray[np.int8]) -> bool:
    """Whether the position can be; what was found is written into `mine`."""
    stack = new_stack(frontier)
    for cell in frontier.unopened:
        if frontier.box_of[cell] < 0 or mine[cell] != UNDECIDED:
            continue
        safe_world, mine_world = mine.copy(), mine.copy()
        safe_holds = _follow(frontier, safe_world, cell, SAFE, stack)
        mine_holds = _follow(frontier, mine_world, cell, MINE, stack)
        if not (safe_holds or mine_holds):
            return False
        for other in frontier.unopened:
            if mine[other] == UNDECIDED:
                if not mine_holds:
                    mine[other] = safe_world[other]
                elif not safe_holds or safe_world[other] == mine_world[other]:
                    mine[other] = mine_world[other]
    return True


@helper
def _follow(frontier: Frontier, world: NDArray[np.int8], cell: int, value: int, stack: NDArray[np.int32]) -> bool:
    """Whether `cell` may have this value as far as single points and the total tell; what follows is in `world`."""
    world[cell] = value
    if propagate(frontier, world, stack, push_numbers_over(frontier, cell, stack, 0)) >= 0:
        return False
    mines, undecided = 0, 0
    for other in frontier.unopened:
        mines += world[other] == MINE
        undecided += world[other] == UNDECIDED
    return mines <= frontier.mines_left <= mines + undecided
