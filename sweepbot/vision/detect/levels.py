"""What a level's size says of where a board ends.

A page may be as plain as its open cells are, and then reads as more of them on every side. On some sides only, they
may be cells: those of a board of no level's size.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np

from sweepbot.board import State
from sweepbot.level import Level
from sweepbot.vision.cells.doubt import contradicted
from sweepbot.vision.detect.fit import Fitted


def part_of_level(fitted: Fitted, levels: Iterable[Level]) -> Fitted:
    """The part of a board that is as large as a level, where cells all around it show nothing; else the whole board.

    Of several such parts it is the one that the rules of the game speak against least, if that is one alone.
    """
    sizes = {(level.rows, level.columns) for level in levels}
    parts = [part for size in sizes for part in _parts(fitted, size)]
    wrong = [int(contradicted(part.classified.states).sum()) for part in parts]
    if not wrong or wrong.count(min(wrong)) > 1:
        return fitted
    return parts[wrong.index(min(wrong))]


def _parts(fitted: Fitted, size: tuple[int, int]) -> Iterator[Fitted]:
    """The parts of so many rows and columns with cells on every side, none of which shows anything."""
    states = fitted.classified.states
    telling = np.argwhere((states != 0) & (states != State.UNKNOWN))
    if not telling.size:
        return
    first, last = telling.min(axis=0).tolist(), telling.max(axis=0).tolist()
    tops, lefts = (
        range(max(1, last[axis] + 1 - size[axis]), min(first[axis], states.shape[axis] - size[axis] - 1) + 1)
        for axis in (0, 1)
    )
    for top in tops:
        for left in lefts:
            rows, columns = range(top, top + size[0]), range(left, left + size[1])
            shown = fitted.classified.part(slice(rows.start, rows.stop), slice(columns.start, columns.stop))
            yield replace(fitted, grid=fitted.grid.part(rows, columns), classified=shown)
