"""What boards in pictures show, of which no click is known: what was told of looks, and what the rules leave then.

A look may be a number or a mark, like a flag, of which the rules say nothing. So only pictures all of whose looks may
be numbers tell anything, but for the marks that are known. What follows from one is settled where it would follow just
so if any one other look were a mark after all, where some cells show it, as one alone may agree by chance, and where no
other look is known for the same number. The rest is left for a person.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sweepbot.board import State
from sweepbot.calibrate.labels.constraints import MINE, OF_NUMBERS, SAFE, UNDECIDED, UNOPENED, LabelConstraints, Record
from sweepbot.calibrate.labels.log import Pictures
from sweepbot.calibrate.labels.looks import Looks, PatchStore
from sweepbot.calibrate.thresholds import EVIDENCE, LIKENESS
from sweepbot.errors import ImpossibleBoardError

BY_LIKENESS, BY_RULES = "hardly unlike what was known", "by the rules of the game"

LookBoard = NDArray[np.intp]
"""The look of each cell of a board, shape (rows, columns)."""


@dataclass(frozen=True, slots=True)
class Told:
    """The state that a picture shows, None where it shall be left out, and who has said so."""

    picture: int
    state: int | None
    by: str


@dataclass(frozen=True, slots=True, eq=False)
class ShownMeaning:
    """What the boards of a log show.

    Attributes:
        boards: The boards, as looks.
        looks: The pictures of each look.
        known: What is known of a look, and from where; state None where it shall be left out.
    """

    boards: list[LookBoard]
    looks: dict[int, list[int]]
    known: dict[int, Told]

    @property
    def states(self) -> dict[int, int]:
        """The states of looks, as far as they are known."""
        return {look: told.state for look, told in self.known.items() if told.state is not None}


def infer_shown(patches: PatchStore, shown: Sequence[Pictures], answers: Iterable[Told]) -> ShownMeaning:
    """What follows from boards in pictures, and from what was told of their cells; the last word counts."""
    told = {one.picture: one for one in answers}
    pictures = [*told, *np.unique(np.concatenate([board.ravel() for board in shown])).tolist()]
    looks = Looks(patches, LIKENESS.look_steps_levels[0], pictures).all()
    members, known = dict(looks), dict[int, Told]()
    for look, pictures in looks.items():
        said = [told[picture] for picture in pictures if picture in told]
        if len({one.state for one in said}) > 1:  # so near each other that only what was told tells them apart
            del members[look]
            members |= {picture: [picture] for picture in pictures}
            known |= {picture: told.get(picture, Told(picture, None, BY_LIKENESS)) for picture in pictures}
        elif said:
            known[look] = next((one for one in said if one.by != BY_LIKENESS), said[0])
    look_of = {picture: look for look, pictures in members.items() for picture in pictures}
    boards = [np.vectorize(look_of.__getitem__, otypes=[np.intp])(board) for board in shown]
    meaning = ShownMeaning(boards, members, known)
    for look, state in settled(boards, meaning.states).items():
        known.setdefault(look, Told(look, state, BY_RULES))
    return meaning


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
