"""Rules about single numbers, pairs of them and the total of mines, and what follows from assuming a cell."""

from sweepbot.solver.deduction.knowledge import MINE, SAFE, UNDECIDED, Knowledge, contradictory
from sweepbot.solver.frontier import Neighbourhoods


def single_point(knowledge: Knowledge) -> None:
    """A number with all its mines found clears its other neighbours; one that needs all of them marks them.

    Sound because a number counts the mines among its neighbours: if the undecided ones hold as many as there are, each
    is a mine, and if they hold none, each is safe. What is found is used at once, until no number says more.

    Raises:
        ImpossibleBoardError: A number misses more mines than it has room for, or fewer than none.
    """
    mine = knowledge.mine.tolist()
    broken = _propagate(knowledge.neighbourhoods, mine, list(range(len(knowledge.neighbourhoods.around)))[::-1])
    if broken is not None:
        raise knowledge.impossible(broken)
    knowledge.mine[:] = mine


def _propagate(near: Neighbourhoods, mine: list[int], waiting: list[int]) -> int | None:
    """Decide in place what each of the `waiting` numbers alone decides, and go on to the numbers that this concerns.

    Args:
        near: The numbers and their cells.
        mine: For each flat cell `UNDECIDED`, `SAFE` or `MINE`.
        waiting: Places in `frontier.numbers`, the last one first; empty when this returns, but for a broken number.

    Returns:
        A number that cannot be satisfied any more; None where there is none.
    """
    while waiting:
        number = waiting.pop()
        cells = near.around[number]
        undecided = [cell for cell in cells if mine[cell] == UNDECIDED]
        missing = near.missing[number] - sum(mine[cell] == MINE for cell in cells)
        if not 0 <= missing <= len(undecided):
            return number
        if undecided and missing in (0, len(undecided)):
            for cell in undecided:
                mine[cell] = MINE if missing else SAFE
                waiting += near.over[cell]
    return None


def mines_left(knowledge: Knowledge) -> None:
    """With no mines left every undecided cell is safe; with as many left as cells, each is a mine.

    Sound as `single_point` is: the total of mines is a number that all unopened cells are around.
    """
    undecided, left = knowledge.undecided(), knowledge.mines_left()
    if undecided and left in (0, len(undecided)):
        knowledge.mine[undecided] = MINE if left else SAFE


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


def contradiction(knowledge: Knowledge) -> None:
    """Assume of each cell that it is a mine, then that it is safe, follow each with single points, keep what survives.

    Sound because one of the two assumptions is true: if one leads to a number that cannot be satisfied, or to more or
    fewer mines than there are, the other holds, and what follows from both holds in any case.

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
    """What follows if `cell` has this value; None if single points or the total of mines contradict it."""
    near, world = knowledge.neighbourhoods, mine.copy()
    world[cell] = value
    if _propagate(near, world, near.over[cell].copy()) is not None:
        return None
    values = [world[other] for other in unopened]
    mines, undecided = values.count(MINE), values.count(UNDECIDED)
    return world if mines <= knowledge.frontier.mines_left <= mines + undecided else None
