"""What boards in pictures show, of which no click is known: what was told of looks, and what the rules leave then.

A look may be a number or a mark, like a flag, of which the rules say nothing. So only pictures all of whose looks may
be numbers tell anything, but for the marks that are known. What follows from one is settled where it would follow just
so if any one other look were a mark after all, where some cells show it, as one alone may agree by chance, and where no
other look is known for the same number. The rest is left for a person.
"""

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from sweepbot.board import State
from sweepbot.calibrate.labels.constraints import MINE, OF_NUMBERS, SAFE, UNDECIDED, UNOPENED, LabelConstraints, Record
from sweepbot.calibrate.thresholds import EVIDENCE
from sweepbot.errors import ImpossibleBoardError

LookBoard = NDArray[np.intp]
"""The look of each cell of a board, shape (rows, columns)."""


def settled(boards: Sequence[LookBoard], told: Mapping[int, int]) -> dict[int, int]:
    """The numbers that further looks must show by the rules of the game; none where no look is known to be hidden."""
    found: dict[int, int] = {}
    counts = Counter(look for board in boards for look in board.ravel().tolist())
    before = -1
    while before < len(found):
        before = len(found)
        # A picture with few marks tells what its looks mean, and thereby helps with the others.
        for some in (*([board] for board in boards), list(boards)):
            known = {**told, **found}
            agreed = _agreed(some, known)
            taken = Counter([*known.values(), *agreed.values()])
            often = [look for look in agreed if counts[look] >= EVIDENCE.witnesses]
            found |= {look: agreed[look] for look in often if taken[agreed[look]] == 1}
    return found


def _agreed(boards: Sequence[LookBoard], told: Mapping[int, int]) -> dict[int, int]:
    """What follows whichever one of the unknown looks is a mark, or none."""
    looks = {look for board in boards for look in board.ravel().tolist()}
    unknown = sorted(looks - told.keys())
    if not unknown or all(told.get(look) != State.HIDDEN for look in looks):
        return {}
    agreed = _numbers(boards, told)
    for mark in unknown if agreed else ():
        if_mark = _numbers(boards, {**told, mark: State.UNKNOWN})
        if if_mark:
            agreed = {look: number for look, number in agreed.items() if look == mark or if_mark.get(look) == number}
    return agreed


def _numbers(boards: Sequence[LookBoard], states: Mapping[int, int]) -> dict[int, int]:
    """The numbers that follow where all looks of no state are taken for numbers; none where that cannot be."""
    try:
        knowledge = LabelConstraints([_record(board, states) for board in boards])
        knowledge.probe_looks([look for look in knowledge.meanings if knowledge.number_of(look) is None])
    except ImpossibleBoardError:
        return {}
    numbers = {look: knowledge.number_of(look) for look in knowledge.meanings if look not in OF_NUMBERS}
    return {look: number for look, number in numbers.items() if number is not None}


def _record(board: LookBoard, states: Mapping[int, int]) -> Record:
    record = Record(board.copy(), np.full(board.shape, SAFE, dtype=np.int8))
    for look, state in states.items():
        record.looks[board == look] = OF_NUMBERS[state] if state < State.HIDDEN else UNOPENED
        if state >= State.HIDDEN and state != State.WRONG_FLAG:
            record.mines[board == look] = MINE if state in (State.MINE, State.EXPLODED) else UNDECIDED
    return record
