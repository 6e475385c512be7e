"""Assume, and see what follows."""

from sweepbot.solver.deduction.knowledge import MINE, SAFE, UNDECIDED, Knowledge, contradictory
from sweepbot.solver.deduction.single_point import propagate


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
    if propagate(near, world, near.over[cell].copy()) is not None:
        return None
    values = [world[other] for other in unopened]
    mines, undecided = values.count(MINE), values.count(UNDECIDED)
    return world if mines <= knowledge.frontier.mines_left <= mines + undecided else None
