"""One number at a time, and the total of mines."""

from sweepbot.solver.deduction.knowledge import MINE, SAFE, UNDECIDED, Knowledge
from sweepbot.solver.frontier import Neighbourhoods


def single_point(knowledge: Knowledge) -> None:
    """A number with all its mines found clears its other neighbours; one that needs all of them marks them.

    Sound because a number counts the mines among its neighbours: if the undecided ones hold as many as there are, each
    is a mine, and if they hold none, each is safe. What is found is used at once, until no number says more.

    Raises:
        ImpossibleBoardError: A number misses more mines than it has room for, or fewer than none.
    """
    mine = knowledge.mine.tolist()
    broken = propagate(knowledge.neighbourhoods, mine, list(range(len(knowledge.neighbourhoods.around)))[::-1])
    if broken is not None:
        raise knowledge.impossible(broken)
    knowledge.mine[:] = mine


def propagate(near: Neighbourhoods, mine: list[int], waiting: list[int]) -> int | None:
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
