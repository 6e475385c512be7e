"""Two numbers that share cells."""

from sweepbot.solver.deduction.knowledge import MINE, SAFE, UNDECIDED, Knowledge
from sweepbot.solver.frontier import Neighbourhoods


def two_numbers(knowledge: Knowledge) -> None:
    """Where one number needs as many more mines than another as it has cells of its own, these are mines.

    And the other's own cells are safe. Let A and B be the undecided cells of two numbers that miss a and b mines. The
    shared cells count for both, so a - b is the mines in A without B less the mines in B without A. That is at most
    |A without B|, and reaches it only if every cell of A without B is a mine and none of B without A is.
    """
    near, mine = knowledge.neighbourhoods, knowledge.mine.tolist()
    for first, cells in enumerate(near.around):
        for cell in cells:
            for second in near.over[cell]:
                if second != first and mine[cell] == UNDECIDED:
                    _compare(near, mine, first, second)
    knowledge.mine[:] = mine


def _compare(near: Neighbourhoods, mine: list[int], first: int, second: int) -> None:
    of_first, of_second = near.around[first], near.around[second]
    own = [cell for cell in of_first if mine[cell] == UNDECIDED and cell not in of_second]
    excess = near.missing[first] - sum(mine[cell] == MINE for cell in of_first)
    excess -= near.missing[second] - sum(mine[cell] == MINE for cell in of_second)
    if excess == len(own):
        for cell in own:
            mine[cell] = MINE
        for cell in of_second:
            if mine[cell] == UNDECIDED and cell not in of_first:
                mine[cell] = SAFE
