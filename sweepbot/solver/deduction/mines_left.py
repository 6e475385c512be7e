"""The total of mines."""

from sweepbot.solver.deduction.knowledge import MINE, SAFE, Knowledge


def mines_left(knowledge: Knowledge) -> None:
    """With no mines left every undecided cell is safe; with as many left as cells, each is a mine.

    Sound as `single_point` is: the total of mines is a number that all unopened cells are around.
    """
    undecided, left = knowledge.undecided(), knowledge.mines_left()
    if undecided and left in (0, len(undecided)):
        knowledge.mine[undecided] = MINE if left else SAFE
