"""A calibration from screenshots: labels from board text, then from the rules of the game, then from a person."""

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from sweepbot.behaviour import Behaviour, Restart, Settle
from sweepbot.board import Board, State
from sweepbot.calibrate.doubtful import labels_of
from sweepbot.calibrate.labels.deduction import settled
from sweepbot.calibrate.labels.patches import Looks, PatchStore
from sweepbot.calibrate.labels.thresholds import LIKENESS
from sweepbot.calibrate.learned import DEAL_INTERVAL_MS, NEEDED, Fixture, Label, Learned, cells
from sweepbot.errors import CalibrationError, NoBoardFoundError, UsageError
from sweepbot.geometry import Cell, Image, Region
from sweepbot.vision.calibration import STATE_NAMES, Calibration, Template
from sweepbot.vision.grid import Grid
from sweepbot.vision.reader import Reader
from sweepbot.vision.started_boards import Shot, find_boards
from sweepbot.vision.untouched_boards import cell_size, cells_of

UNDO = "undo"
"""The answer for which the question before is asked again."""


@dataclass(frozen=True, slots=True, eq=False)
class Question:
    """What does a look mean?

    Attributes:
        picture: A cell that looks so, uint8 array of shape (height, width, 3).
        cells: How many cells do.
        number: Which question it is, from 1.
        most: How many there are at most: an answer may spare others.
        image: The picture that the cell is in.
        region: Where it is in there.
    """

    picture: Image
    cells: int
    number: int
    most: int
    image: Image
    region: Region


Ask = Callable[[Question], str | None]
"""Answers with a name of `STATE_NAMES`, with `UNDO`, or with None to leave the look out."""

_NAMES = {state: name for name, state in STATE_NAMES.items()}
_BY_TEXT, _BY_RULES, _BY_PERSON = "by the board text", "by the rules of the game", "by a person"
_BY_LIKENESS = "hardly unlike what was known"

_MAY_BE_HIDDEN = 4  # of the commonest looks
_MOST_APART_PX = 1  # by which sides of cells differ that are no whole number of pixels wide

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
    sizes = [cell_size(place) for place in places]
    size = min(width for width, _ in sizes), min(height for _, height in sizes)
    if not all(_is_nearly(one, size) for one in sizes):
        told = ", ".join("{}x{}".format(*one) for one in sizes)
        raise UsageError(f"the pictures have cells of different sizes: {told}", hint="use pictures of one scale")
    labelling = _Labelling.of(shots, places, size, ())
    labelling.finish(ask)
    states = labelling.states()
    if missing := [name for name in NEEDED if name not in states]:
        raise CalibrationError(
            f"no cell is known to show {', '.join(missing)}", hint="add a picture that shows them: --image"
        )
    return Learned(
        place=Grid.uniform(places[0].origin, size, places[0].rows, places[0].columns),
        labels=labels_of(labelling.patches, states, {name: labelling.why(of) for name, of in states.items()}),
        open_questions=["the behaviour (manners) below was not observed: look them over"],
        behaviour=_UNOBSERVED,
        levels={},
        fixtures=labelling.fixtures(),
    )


def _is_nearly(size: tuple[int, int], other: tuple[int, int]) -> bool:
    return all(abs(one - two) <= _MOST_APART_PX for one, two in zip(size, other, strict=True))


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
        if not _is_nearly(cell_size(place), calibration.cell):
            raise UsageError(
                "picture {} has cells of {}x{} pixels, the calibration's have {}x{}".format(
                    number, *cell_size(place), *calibration.cell
                ),
                hint="use pictures of its scale, or make another calibration of them",
            )
    labelling = _Labelling.of(shots, places, calibration.cell, calibration.templates)
    labelling.finish(ask)
    states = labelling.states()
    labels = [labelling.new_label(name, states[name]) for name in STATE_NAMES if name in states]
    return Addition([label for label in labels if label.pictures], labelling.fixtures())


def _where_known(calibration: Calibration, shots: Sequence[Shot]) -> list[Grid]:
    """The board of each picture: where the calibration sees one, else by how it repeats itself."""
    reader = Reader(calibration)
    known = {template.image.tobytes() for template in calibration.templates}
    return find_boards([replace(shot, place=shot.place or _seen(reader, shot)) for shot in shots], known)


def _seen(reader: Reader, shot: Shot) -> Grid | None:
    """Where a reader sees a board; None where it sees none, or one of another size than it should have."""
    try:
        place = reader.read(shot.image).grid
    except NoBoardFoundError:
        return None
    return place if shot.board is None or (place.rows, place.columns) == shot.board.cells.shape else None


@dataclass(slots=True)
class _Labelling:
    """The looks of some boards and their states, as far as they are known.

    Attributes:
        shots: The pictures that the boards are in.
        places: Where they are.
        patches: Where the pictures of cells are.
        boards: The pictures of each board's cells: intp arrays of shape (rows, columns).
        templates: The states of pictures that a calibration has already.
        told: States of single pictures, by these templates and by board text.
        known: States of looks.
        sources: Where each of these is known from.
    """

    shots: Sequence[Shot]
    places: Sequence[Grid]
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
    def of(
        cls, shots: Sequence[Shot], places: Sequence[Grid], size: tuple[int, int], templates: Sequence[Template]
    ) -> "_Labelling":
        """Cut boards into cells of a size, and take down what templates and board texts say of them.

        Raises:
            CalibrationError: These call one look by two names.
        """
        patches = PatchStore()
        known = {patches.number(template.image): template.state for template in templates}
        boards = [patches.numbers(cells_of(shot.image, place, size)) for shot, place in zip(shots, places, strict=True)]
        had = {template.image.tobytes() for template in templates}
        labelling = cls(shots, places, patches, boards, known, dict(known), _had=had)
        labelling._take_text([shot.board for shot in shots])
        return labelling

    def __post_init__(self) -> None:
        self._counts = Counter(int(picture) for board in self.boards for picture in board.ravel())
        looks = Looks(self.patches, LIKENESS.look_steps_levels[0])
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
        told, sources = self.known, self.sources
        answers: dict[int, str | None] = {}
        while True:
            self.known, self.sources = dict(told), dict(sources)
            for look, name in answers.items():
                if name is not None:
                    self._know(look, STATE_NAMES[name], _BY_PERSON)
            for look, state in settled(self._looks(), self.known).items():
                self._know(look, state, _BY_RULES)
            open_looks = self._members.keys() - self.known.keys() - answers.keys()
            if not open_looks:
                return
            look = self._most_telling(open_looks)
            answer = ask(self._question(look, len(answers) + 1, len(answers) + len(open_looks)))
            if answer != UNDO:
                answers[look] = answer
            elif answers:
                answers.popitem()

    def _question(self, look: int, number: int, most: int) -> Question:
        """What to ask of a look, with the first cell that shows it."""
        picture = self._members[look][0]
        shot, place, cells = next(
            (shot, place, np.argwhere(board == picture))
            for shot, place, board in zip(self.shots, self.places, self.boards, strict=True)
            if (board == picture).any()
        )
        region = place.region_of(Cell(*cells[0].tolist()))
        return Question(self.patches[picture], self._cells(look), number, most, shot.image, region)

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

    def fixtures(self) -> list[Fixture]:
        """The pictures with their boards: those that were told, else what is known of them."""
        return [
            Fixture("board", shot.image, shot.board or self._board(pictures))
            for shot, pictures in zip(self.shots, self.boards, strict=True)
        ]

    def _board(self, pictures: NDArray[np.intp]) -> Board:
        states = [self.known.get(self._look_of[int(picture)], State.UNKNOWN) for picture in pictures.ravel()]
        return Board(np.array(states, dtype=np.uint8).reshape(pictures.shape))
