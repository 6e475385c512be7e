"""A calibration from screenshots: labels from board text, then from the rules of the game, then from a person."""

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from sweepbot.board import Board, State
from sweepbot.calibrate.learned import DEAL_INTERVAL_MS, NEEDED, Fixture, Label, Learned
from sweepbot.calibrate.meanings import settled
from sweepbot.calibrate.pictures import TOLERANCES, Album, Looks
from sweepbot.calibrate.place import Image, cell_size, cells_of
from sweepbot.calibrate.whole import find_boards
from sweepbot.errors import CalibrationError, UsageError
from sweepbot.level import FirstClick
from sweepbot.vision.calibration import STATE_NAMES, Manners, Restart, Settle

Ask = Callable[[Image, int], str | None]
"""Told a picture of a cell and how many look so; answers a name of `STATE_NAMES`, or None to leave it out."""

_NAMES = {state: name for name, state in STATE_NAMES.items()}
_BY_TEXT, _BY_RULES, _BY_PERSON = "by the board text", "by the rules of the game", "by a person"

_MAY_BE_HIDDEN = 4  # of the commonest looks

_UNOBSERVED = Manners(
    first_click=FirstClick.SAFE,
    restart=(Restart(key="f2"),),
    settle=Settle(notice_ms=50, quiet_ms=20, limit_ms=400),
    deal_interval_ms=DEAL_INTERVAL_MS,
)
"""What most clients do; a picture tells nothing of manners."""


def from_images(shots: Sequence[tuple[Image, Board | None]], ask: Ask) -> Learned:
    """Make a calibration of pictures that each show one board of the same client at the same scale.

    Args:
        shots: Pictures, uint8 arrays of shape (height, width, 3), with the boards that they show where these are known.
        ask: Tells what a look means that neither a board nor the rules tell; the commonest is asked about first.

    Raises:
        NoBoardFoundError: A picture shows no board, or none of its board's size.
        UsageError: The boards differ in the size of their cells.
        CalibrationError: Two boards contradict each other, or hidden cells, 0 or 1 stay unknown.
    """
    places = find_boards(shots)
    if len({cell_size(place) for place in places}) > 1:
        sizes = ", ".join("{}x{}".format(*cell_size(place)) for place in places)
        raise UsageError(f"the pictures have cells of different sizes: {sizes}", hint="use pictures of one scale")
    album = Album()
    boards = [album.numbers(cells_of(image, place)) for (image, _), place in zip(shots, places, strict=True)]
    labelling = _Labelling(album, boards)
    labelling.take_text([board for _, board in shots])
    labelling.finish(ask)
    states = labelling.states()
    if missing := [name for name in NEEDED if name not in states]:
        raise CalibrationError(
            f"no cell is known to show {', '.join(missing)}", hint="add a picture that shows them: --image"
        )
    return Learned(
        place=places[0],
        labels=[
            Label.of(name, album, states[name], f"{states[name].total()} cells, {labelling.sources[name]}")
            for name in STATE_NAMES
            if name in states
        ],
        open_questions=["the manners below were not observed: look them over"],
        manners=_UNOBSERVED,
        levels={},
        fixtures=[
            Fixture("board", image, board or labelling.board(pictures))
            for (image, board), pictures in zip(shots, boards, strict=True)
        ],
    )


@dataclass(slots=True)
class _Labelling:
    """The looks of some boards and their states, as far as they are known.

    Attributes:
        album: Where the pictures are.
        boards: The pictures of each board's cells: intp arrays of shape (rows, columns).
        told: States of single pictures, by board text.
        known: States of looks.
        sources: For each state that has a look, where that is known from.
    """

    album: Album
    boards: list[NDArray[np.intp]]
    told: dict[int, int] = field(default_factory=dict)
    known: dict[int, int] = field(default_factory=dict)
    sources: dict[str, str] = field(default_factory=dict)
    _counts: Counter[int] = field(init=False)
    _members: dict[int, list[int]] = field(init=False)
    _look_of: dict[int, int] = field(init=False)

    def __post_init__(self) -> None:
        self._counts = Counter(int(picture) for board in self.boards for picture in board.ravel())
        looks = Looks(self.album, TOLERANCES[0])
        looks.add(self._counts)
        self._members = looks.all()
        self._look_of = {picture: look for look, members in self._members.items() for picture in members}

    def take_text(self, texts: Sequence[Board | None]) -> None:
        """Take down what board texts say of the pictures of their cells.

        Raises:
            CalibrationError: They call one look by two names.
        """
        for pictures, board in zip(self.boards, texts, strict=True):
            for cell in board or ():
                if board is not None and board[cell] != State.UNKNOWN:
                    self._tell(int(pictures[cell]), board[cell], str(cell))
        for look, members in list(self._members.items()):
            meanings = {self.told[member] for member in members if member in self.told}
            if len(meanings) == 1:
                self._know(look, meanings.pop(), _BY_TEXT)
            elif meanings:  # looks so near each other that only the text can tell them apart
                self._split(look)

    def _tell(self, picture: int, state: int, cell: str) -> None:
        if self.told.setdefault(picture, state) != state:
            raise CalibrationError(
                f"{cell}: the board text says {_NAMES[state]!r}, but another cell that looks just so is "
                f"{_NAMES[self.told[picture]]!r}",
                hint="mend the board text",
            )

    def _split(self, look: int) -> None:
        """Make each picture of a look a look of its own; those of which the text says nothing are left out."""
        for member in self._members.pop(look):
            if member in self.told:
                self._members[member] = [member]
                self._look_of[member] = member
                self._know(member, self.told[member], _BY_TEXT)

    def _know(self, look: int, state: int, source: str) -> None:
        self.known[look] = state
        self.sources.setdefault(_NAMES[state], source)

    def finish(self, ask: Ask) -> None:
        """Let the rules settle what they can, and ask for the rest, look by look."""
        left_out: set[int] = set()
        while True:
            for look, state in settled(self._looks(), self.known).items():
                self._know(look, state, _BY_RULES)
            open_looks = self._members.keys() - self.known.keys() - left_out
            if not open_looks:
                return
            look = self._most_telling(open_looks)
            name = ask(self.album[self._members[look][0]], self._cells(look))
            if name is None:
                left_out.add(look)
            else:
                self._know(look, STATE_NAMES[name], _BY_PERSON)

    def _most_telling(self, looks: Collection[int]) -> int:
        """The commonest look; while none is known to be hidden, that which would tell the rules most if it were."""
        commonest = sorted(looks, key=lambda of: (-self._cells(of), of))
        if State.HIDDEN in self.known.values():
            return commonest[0]
        boards = self._looks()
        return max(commonest[:_MAY_BE_HIDDEN], key=lambda of: len(settled(boards, {**self.known, of: State.HIDDEN})))

    def _looks(self) -> list[NDArray[np.intp]]:
        """The boards with looks in the place of pictures."""
        return [np.vectorize(self._look_of.__getitem__, otypes=[np.intp])(board) for board in self.boards]

    def _cells(self, look: int) -> int:
        return sum(self._counts[member] for member in self._members[look])

    def states(self) -> dict[str, Counter[int]]:
        """How many cells show each picture, by the name of the state."""
        states: dict[str, Counter[int]] = {}
        for look, state in self.known.items():
            counts = {member: self._counts[member] for member in self._members[look]}
            states.setdefault(_NAMES[state], Counter()).update(counts)
        return states

    def board(self, pictures: NDArray[np.intp]) -> Board:
        """What a board shows, as far as that is known."""
        states = [self.known.get(self._look_of[int(picture)], State.UNKNOWN) for picture in pictures.ravel()]
        return Board(np.array(states, dtype=np.uint8).reshape(pictures.shape))
