"""What looks mean on boards in screenshots, whose clicks are unknown: from known looks by the rules of the game.

A look may be a number or a mark, such as a flag, about which the rules say nothing. So inference starts from pictures
in which all looks, apart from known marks, may be numbers. A number is accepted if it would also follow if any one
other look were a mark, if enough cells show the look, as one cell may agree by chance, and if no other look is known
for the same number. The rest is left to a person.
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


def deduce(boards: Sequence[LookBoard], known: Mapping[int, int]) -> dict[int, int]:
    """Return the numbers of further looks by the rules, given the states of some; empty if none is known as hidden."""
    found: dict[int, int] = {}
    counts = Counter(look for board in boards for look in board.ravel().tolist())
    before = -1
    while before < len(found):
        before = len(found)
        # A picture with few marks shows what its looks mean, which helps with the others.
        for some in (*([board] for board in boards), list(boards)):
            so_far = {**known, **found}
            agreed = _numbers_despite_marks(some, so_far)
            taken = Counter([*so_far.values(), *agreed.values()])
            often = [look for look in agreed if counts[look] >= EVIDENCE.witnesses]
            found |= {look: agreed[look] for look in often if taken[agreed[look]] == 1}
    return found


def _numbers_despite_marks(boards: Sequence[LookBoard], known: Mapping[int, int]) -> dict[int, int]:
    """Return the numbers that follow whichever one of the unknown looks is a mark, or if none is."""
    looks = {look for board in boards for look in board.ravel().tolist()}
    unknown = sorted(looks - known.keys())
    if not unknown or all(known.get(look) != State.HIDDEN for look in looks):
        return {}
    agreed = _numbers(boards, known)
    for mark in unknown if agreed else ():
        if_mark = _numbers(boards, {**known, mark: State.UNKNOWN})
        if if_mark:
            agreed = {look: number for look, number in agreed.items() if look == mark or if_mark.get(look) == number}
    return agreed


def _numbers(boards: Sequence[LookBoard], states: Mapping[int, int]) -> dict[int, int]:
    """Return the numbers that follow if all looks without a state are numbers; empty if they cannot be."""
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
