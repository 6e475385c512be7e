"""A calibration from screenshots: labels from board text, then from the rules of the game, then from a person."""

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from sweepbot.behaviour import Behaviour, Restart, Settle
from sweepbot.board import Board, State
from sweepbot.calibrate.doubtful import without_misleading
from sweepbot.calibrate.labels.deduction import settled
from sweepbot.calibrate.labels.patches import TOLERANCES, Looks, PatchStore
from sweepbot.calibrate.learned import DEAL_INTERVAL_MS, NEEDED, Fixture, Label, Learned, cells
from sweepbot.calibrate.screenshots.started_boards import find_boards
from sweepbot.calibrate.untouched_boards import cell_size, cells_of
from sweepbot.errors import CalibrationError, NoBoardFoundError, UsageError
from sweepbot.geometry import Image
from sweepbot.vision.calibration import STATE_NAMES, Calibration, Template
from sweepbot.vision.grid import Grid
from sweepbot.vision.reader import Reader

Shot = tuple[Image, Board | None]
"""A picture, uint8 array of shape (height, width, 3), with the board that it shows where that is known."""

Ask = Callable[[Image, int], str | None]
"""Told a picture of a cell and how many look so; answers a name of `STATE_NAMES`, or None to leave it out."""

_NAMES = {state: name for name, state in STATE_NAMES.items()}
_BY_TEXT, _BY_RULES, _BY_PERSON = "by the board text", "by the rules of the game", "by a person"
_BY_LIKENESS = "hardly unlike what was known"

_MAY_BE_HIDDEN = 4  # of the commonest looks

_UNOBSERVED = Behaviour(
    first_click=None,
    restart=(Restart(key="f2"),),
    settle=Settle(notice_ms=50, quiet_ms=20, limit_ms=400),
    deal_interval_ms=DEAL_INTERVAL_MS,
)
"""What most clients do; a picture tells nothing of behaviour."""


@dataclass(frozen=True, slots=True, eq=False)
class Addition:
    """What pictures tell beyond what a calibration knows.

    Attributes:
        labels: States with those pictures only that are new, in the order of `STATE_NAMES`.
        fixtures: The pictures and their boards.
    """

    labels: list[Label]
    fixtures: list[Fixture]


def from_images(shots: Sequence[Shot], ask: Ask) -> Learned:
    """Make a calibration of pictures that each show one board of the same client at the same scale.

    Args:
        shots: The pictures.
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
    labelling = _Labelling.of(shots, places, ())
    labelling.finish(ask)
    states = labelling.states()
    if missing := [name for name in NEEDED if name not in states]:
        raise CalibrationError(
            f"no cell is known to show {', '.join(missing)}", hint="add a picture that shows them: --image"
        )
    return Learned(
        place=places[0],
        labels=without_misleading(
            [
                Label.of(name, labelling.patches, states[name], labelling.why(states[name]))
                for name in STATE_NAMES
                if name in states
            ]
        ),
        open_questions=["the behaviour (manners) below was not observed: look them over"],
        behaviour=_UNOBSERVED,
        levels={},
        fixtures=labelling.fixtures(shots),
    )


def beyond(calibration: Calibration, shots: Sequence[Shot], ask: Ask) -> Addition:
    """Find out what a calibration does not know yet: states that it lacks, and other looks of those that it has.

    Args:
        calibration: What is known.
        shots: Pictures of the same client, at the scale of the calibration.
        ask: Tells what a look means that neither a board nor the rules tell.

    Raises:
        NoBoardFoundError: A picture shows no board, or none of its board's size.
        UsageError: A board's cells are of another size than the calibration's.
        CalibrationError: A board contradicts the calibration, or another board.
    """
    places = _where_known(calibration, shots)
    for number, place in enumerate(places, 1):
        if cell_size(place) != calibration.cell:
            raise UsageError(
                "picture {} has cells of {}x{} pixels, the calibration's have {}x{}".format(
                    number, *cell_size(place), *calibration.cell
                ),
                hint="use pictures of its scale, or make another calibration of them",
            )
    labelling = _Labelling.of(shots, places, calibration.templates)
    labelling.finish(ask)
    states = labelling.states()
    labels = [labelling.new_label(name, states[name]) for name in STATE_NAMES if name in states]
    return Addition([label for label in labels if label.pictures], labelling.fixtures(shots))


def _where_known(calibration: Calibration, shots: Sequence[Shot]) -> list[Grid]:
    """The board of each picture: where the calibration sees one, else by how it repeats itself."""
    reader = Reader(calibration)
    seen = [_seen(reader, image, board) for image, board in shots]
    unseen = [shot for shot, place in zip(shots, seen, strict=True) if place is None]
    known = {template.image.tobytes() for template in calibration.templates}
    found = iter(find_boards(unseen, known) if unseen else ())
    return [next(found) if place is None else place for place in seen]


def _seen(reader: Reader, image: Image, board: Board | None) -> Grid | None:
    """Where a reader sees a board; None where it sees none, or one of another size than it should have."""
    try:
        place = reader.read(image).grid
    except NoBoardFoundError:
        return None
    return place if board is None or (place.rows, place.columns) == board.cells.shape else None


@dataclass(slots=True)
class _Labelling:
    """The looks of some boards and their states, as far as they are known.

    Attributes:
        patches: Where the pictures are.
        boards: The pictures of each board's cells: intp arrays of shape (rows, columns).
        templates: The states of pictures that a calibration has already.
        told: States of single pictures, by these templates and by board text.
        known: States of looks.
        sources: Where each of these is known from.
    """

    patches: PatchStore
    boards: list[NDArray[np.intp]]
    templates: dict[int, int] = field(default_factory=dict)
    told: dict[int, int] = field(default_factory=dict)
    known: dict[int, int] = field(default_factory=dict)
    sources: dict[int, str] = field(default_factory=dict)
    _had: set[bytes] = field(default_factory=set)
    _counts: Counter[int] = field(init=False)
    _members: dict[int, list[int]] = field(init=False)
    _look_of: dict[int, int] = field(init=False)

    @classmethod
    def of(cls, shots: Sequence[Shot], places: Sequence[Grid], templates: Sequence[Template]) -> "_Labelling":
        """Cut boards into cells, and take down what templates and board texts say of them.

        Raises:
            CalibrationError: These call one look by two names.
        """
        patches = PatchStore()
        known = {patches.number(template.image): template.state for template in templates}
        boards = [patches.numbers(cells_of(image, place)) for (image, _), place in zip(shots, places, strict=True)]
        had = {template.image.tobytes() for template in templates}
        labelling = cls(patches, boards, known, dict(known), _had=had)
        labelling._take_text([board for _, board in shots])
        return labelling

    def __post_init__(self) -> None:
        self._counts = Counter(int(picture) for board in self.boards for picture in board.ravel())
        looks = Looks(self.patches, TOLERANCES[0])
        looks.add({**self.templates, **self._counts})
        self._members = looks.all()
        self._look_of = {picture: look for look, members in self._members.items() for picture in members}

    def _take_text(self, texts: Sequence[Board | None]) -> None:
        by_text = set()
        for pictures, board in zip(self.boards, texts, strict=True):
            for cell in board or ():
                if board is not None and board[cell] != State.UNKNOWN:
                    by_text.add(int(pictures[cell]))
                    self._tell(int(pictures[cell]), board[cell], str(cell))
        for look, members in list(self._members.items()):
            meanings = {self.told[member] for member in members if member in self.told}
            if len(meanings) == 1:
                self._know(look, meanings.pop(), _BY_LIKENESS if by_text.isdisjoint(members) else _BY_TEXT)
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
        """Make each picture of a look a look of its own; those of which nothing tells are left out."""
        for member in self._members.pop(look):
            if member in self.told:
                self._members[member] = [member]
                self._look_of[member] = member
                self._know(member, self.told[member], _BY_TEXT)

    def _know(self, look: int, state: int, source: str) -> None:
        self.known[look] = state
        self.sources[look] = source

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
            name = ask(self.patches[self._members[look][0]], self._cells(look))
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

    def why(self, pictures: Counter[int]) -> str:
        """The evidence for a state of which these are the pictures, in words."""
        sources = dict.fromkeys(self.sources[self._look_of[picture]] for picture in pictures)
        return f"{cells(pictures.total())}, {' and '.join(sources)}"

    def new_label(self, name: str, pictures: Counter[int]) -> Label:
        """A state with what no template of it shows already."""
        known = [number for number, state in self.templates.items() if state == STATE_NAMES[name]]
        new = Counter({picture: count for picture, count in pictures.items() if picture not in known})
        label = Label.of(name, self.patches, pictures, self.why(new or pictures), known)
        label.pictures = [picture for picture in label.pictures if picture.tobytes() not in self._had]
        return label

    def fixtures(self, shots: Sequence[Shot]) -> list[Fixture]:
        """The pictures with their boards: those that were told, else what is known of them."""
        return [
            Fixture("board", image, board or self._board(pictures))
            for (image, board), pictures in zip(shots, self.boards, strict=True)
        ]

    def _board(self, pictures: NDArray[np.intp]) -> Board:
        states = [self.known.get(self._look_of[int(picture)], State.UNKNOWN) for picture in pictures.ravel()]
        return Board(np.array(states, dtype=np.uint8).reshape(pictures.shape))
