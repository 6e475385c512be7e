"""Rules about single numbers, pairs of numbers and the total of mines, and proof by contradiction."""

import numpy as np

from sweepbot.solver.deduction.knowledge import MINE, SAFE, UNDECIDED, Knowledge, contradictory
from sweepbot.solver.frontier import Neighbourhoods


def single_point(knowledge: Knowledge) -> None:
    """Clear the neighbours of a number whose mines are all found; mark them if it needs all of them.

    Sound because a number counts the mines among its neighbours: if as many mines are missing as there are undecided
    neighbours, each is a mine; if none is missing, each is safe. Findings are used at once, until no number gives more.

    Raises:
        ImpossibleBoardError: A number misses more mines than it has undecided neighbours, or fewer than 0.
    """
    mine = knowledge.mine.tolist()
    broken = _propagate(knowledge.neighbourhoods, mine, list(range(len(knowledge.neighbourhoods.around)))[::-1])
    if broken is not None:
        raise knowledge.impossible(broken)
    knowledge.mine[:] = mine


def _propagate(near: Neighbourhoods, mine: list[int], waiting: list[int]) -> int | None:
    """Decide in place what each of the `waiting` numbers decides by itself, and go on to the numbers this affects.

    Args:
        near: The numbers and their cells.
        mine: For each flat cell `UNDECIDED`, `SAFE` or `MINE`.
        waiting: Places in `frontier.numbers`, taken from the end.

    Returns:
        A number that can no longer be satisfied; None if there is none.
    """
    while waiting:
        number = waiting.pop()
        values = [mine[cell] for cell in near.around[number]]
        undecided, missing = values.count(UNDECIDED), near.missing[number] - values.count(MINE)
        if not 0 <= missing <= undecided:
            return number
        if undecided and missing in (0, undecided):
            for cell in near.around[number]:
                if mine[cell] == UNDECIDED:
                    mine[cell] = MINE if missing else SAFE
                    waiting += near.over[cell]
    return None


def mines_left(knowledge: Knowledge) -> None:
    """Clear every undecided cell if no mines are left; mark them all if as many mines are left as cells.

    Sound as `single_point` is: the total of mines is a number whose neighbours are all unopened cells.
    """
    unopened, mine = knowledge.frontier.unopened, knowledge.mine
    undecided = unopened[mine[unopened] == UNDECIDED]
    left = knowledge.frontier.mines_left - int(np.count_nonzero(mine[unopened] == MINE))
    if undecided.size and left in (0, undecided.size):
        mine[undecided] = MINE if left else SAFE


def two_numbers(knowledge: Knowledge) -> None:
    """Mark the cells that only the first of two numbers has, if it needs that many more mines; clear the second's.

    Sound: let A and B be the undecided cells of two numbers that miss a and b mines. The shared cells count for both,
    so a - b is the mines in A without B minus the mines in B without A. That is at most |A without B|, and equals it
    only if every cell of A without B is a mine and none of B without A is.
    """
    near, mine = knowledge.neighbourhoods, knowledge.mine.tolist()
    for first, cells in enumerate(near.around):
        shared = {second for cell in cells if mine[cell] == UNDECIDED for second in near.over[cell]}
        for second in shared - {first}:
            _compare(near, mine, first, second)
    knowledge.mine[:] = mine


def _compare(near: Neighbourhoods, mine: list[int], first: int, second: int) -> None:
    first_cells, second_cells = near.around[first], near.around[second]
    own = [cell for cell in first_cells if mine[cell] == UNDECIDED and cell not in second_cells]
    excess = near.missing[first] - [mine[cell] for cell in first_cells].count(MINE)
    excess -= near.missing[second] - [mine[cell] for cell in second_cells].count(MINE)
    if excess == len(own):
        for cell in own:
            mine[cell] = MINE
        for cell in second_cells:
            if mine[cell] == UNDECIDED and cell not in first_cells:
                mine[cell] = SAFE


def contradiction(knowledge: Knowledge) -> None:
    """Assume that a cell is a mine, then that it is safe, follow each with single points, and keep what both agree on.

    Sound because one of the two assumptions is true: if one leads to a number that cannot be satisfied, or to too many
    or too few mines, the other holds; what follows from both holds in any case.

    Raises:
        ImpossibleBoardError: Both assumptions about a cell fail.
    """
    mine, unopened = knowledge.mine.tolist(), knowledge.frontier.unopened.tolist()
    for cell in unopened:
        if mine[cell] != UNDECIDED or not knowledge.neighbourhoods.over[cell]:
            continue
        safe_world, mine_world = (_follow(knowledge, mine, unopened, cell, value) for value in (SAFE, MINE))
        if safe_world is None and mine_world is None:
            raise contradictory()
        for other in unopened:
            if mine[other] == UNDECIDED:
                found = {world[other] for world in (safe_world, mine_world) if world is not None}
                mine[other] = found.pop() if len(found) == 1 else UNDECIDED
    knowledge.mine[:] = mine


def _follow(knowledge: Knowledge, mine: list[int], unopened: list[int], cell: int, value: int) -> list[int] | None:
    """Return the values that follow if `cell` has this one; None if a number or the total of mines contradicts it."""
    near, world = knowledge.neighbourhoods, mine.copy()
    world[cell] = value
    if _propagate(near, world, near.over[cell].copy()) is not None:
        return None
    values = [world[other] for other in unopened]
    mines, undecided = values.count(MINE), values.count(UNDECIDED)
    return world if mines <= knowledge.frontier.mines_left <= mines + undecided else None
