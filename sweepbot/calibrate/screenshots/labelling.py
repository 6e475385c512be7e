"""Learning from screenshots: labels from board text, then at first sight, then from a person."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sweepbot.behaviour import Behaviour, Restart, Settle
from sweepbot.board import Board, State
from sweepbot.calibrate.beliefs.patches import Looks, PatchStore
from sweepbot.calibrate.confusion import labels_of
from sweepbot.calibrate.learned import DEAL_INTERVAL_MS, NEEDED, Fixture, Label, Learned
from sweepbot.calibrate.seeing.untouched_boards import cell_size, cells_of, to_the_pixel
from sweepbot.errors import CalibrationError, NoBoardFoundError, UsageError
from sweepbot.geometry import Cell, Image, Region
from sweepbot.vision.calibration import NAME_OF_STATE, STATE_NAMES, Calibration, Template
from sweepbot.vision.grid import Grid
from sweepbot.vision.places.place import place_at
from sweepbot.vision.reader import UNKNOWN_CLIENT, Reader
from sweepbot.vision.telling import at_first_sight

UNDO = "undo"
"""The answer that takes back the last one."""


@dataclass(frozen=True, slots=True, eq=False)
class Shot:
    """A screenshot of one board.

    Attributes:
        image: The picture, uint8 array of shape (height, width, 3).
        board: What it shows, None if unknown.
        place: Where the board is, None if it must be found.
    """

    image: Image
    board: Board | None = None
    place: Grid | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Question:
    """The question what a look means.

    Attributes:
        picture: A cell with this look, uint8 array of shape (height, width, 3).
        cells: How many cells have it.
        number: The number of the question, from 1.
        most: The most questions there can be; an answer may settle others.
        image: The screenshot that the cell is from.
        region: The cell's place in it.
    """

    picture: Image
    cells: int
    number: int
    most: int
    image: Image
    region: Region


Ask = Callable[[Question], str | None]
"""Answers with a name of `STATE_NAMES`, with `UNDO`, or with None to leave out the look."""

_BY_TEXT, _BY_PERSON, _BY_SIGHT = "by the board text", "by a person", "at first sight and by the rules of the game"
_BY_LIKENESS = "almost the same as a known picture"

_SURE_CHANCE = 0.98  # at first sight, on average of the cells with a look
_MAX_APART_PX = 1  # by which the sizes of cells may differ, as they may not be whole pixels

_UNOBSERVED = Behaviour(
    first_click=None,
    restart=(Restart(key="f2"),),
    settle=Settle(notice_ms=50, quiet_ms=20, limit_ms=400),
    deal_interval_ms=DEAL_INTERVAL_MS,
)
"""What most clients do, as pictures do not show behaviour."""


def from_images(shots: Sequence[Shot], ask: Ask, known: Calibration | None = None) -> Learned:
    """Learn from pictures that each show one board of the same client at the same scale.

    It asks what a look means if neither board texts nor first sight say, about the commonest look first. A `known`
    calibration is completed with states that it lacks and further looks.

    Raises:
        NoBoardFoundError: A picture shows no board, or none of the size of its board text.
        UsageError: The boards differ in the size of their cells, or have other cells than the calibration.
        CalibrationError: A board contradicts another one or the calibration; or for a new calibration, hidden cells, 0
            or 1 stay unknown.
    """
    templates: Sequence[Template] = () if known is None else known.templates
    readers = [Reader(it) for it in (known, UNKNOWN_CLIENT) if it is not None]
    places = [_place_of(readers, shot, number) for number, shot in enumerate(shots, 1)]
    if known is None:
        size = min(cell_size(place)[0] for place in places), min(cell_size(place)[1] for place in places)
        _check_sizes(places, size, "use pictures of one scale")
    else:
        size = known.cell
        _check_sizes(places, size, "use pictures of the calibration's scale, or make a new calibration of them")
    labelling = _Labelling(shots, places, size, templates, ask)
    labels = labelling.labels()
    names = {label.state for label in labels}
    if known is None and (missing := [name for name in NEEDED if name not in names]):
        raise CalibrationError(
            f"no cell is known to show {', '.join(missing)}", hint="add a picture that shows them: --image"
        )
    return Learned(
        place=Grid.uniform(places[0].origin, size, places[0].rows, places[0].columns),
        labels=labels,
        open_questions=["the behaviour (manners) below was not observed: check it"] if known is None else [],
        behaviour=_UNOBSERVED if known is None else known.behaviour,
        levels={},
        fixtures=labelling.fixtures(),
        not_missed=frozenset(() if known is None else {*STATE_NAMES} - {NAME_OF_STATE[state] for state in known.unmet}),
    )


def _check_sizes(places: Sequence[Grid], size: tuple[int, int], hint: str) -> None:
    """Check that the cells of all boards have the same size in pixels, up to rounding.

    Raises:
        UsageError: They do not.
    """
    for number, place in enumerate(places, 1):
        if any(abs(one - two) > _MAX_APART_PX for one, two in zip(cell_size(place), size, strict=True)):
            sizes = "{}x{} pixels, and not of {}x{}".format(*cell_size(place), *size)
            raise UsageError(f"picture {number} has cells of {sizes}", hint=hint)


def _place_of(readers: Sequence[Reader], shot: Shot, number: int) -> Grid:
    """Return where the board of the `number`-th picture is: as given, or where the first reader finds it.

    Raises:
        NoBoardFoundError: The picture shows no board, or none of the size of its board text.
        UsageError: The place is not within the picture, or has another number of cells than the text.
    """
    place, board = shot.place, shot.board
    if place is not None:
        if place.region.intersection(Region.of(shot.image)) != place.region:
            height, width = shot.image.shape[:2]
            raise UsageError(f"the grid covers {place.region}, but picture {number} has {width}x{height} pixels")
        if board is not None and (place.rows, place.columns) != board.cells.shape:
            raise UsageError(
                f"the grid of picture {number} has {place.columns}x{place.rows} cells, its board text "
                f"{board.columns}x{board.rows}"
            )
        return place
    found: list[Grid] = []
    for reader in readers:
        with suppress(NoBoardFoundError):
            found += [to_the_pixel(shot.image, reading.grid) for reading in reader.read_all(shot.image)]
    of_size = [it for it in found if board is None or (it.rows, it.columns) == board.cells.shape]
    if not of_size:
        size = "" if board is None else f" of {board.columns}x{board.rows} cells"
        raise NoBoardFoundError(
            f"picture {number} shows no board{size}", hint="say what it shows: --board, or where its board is: --grid"
        )
    return of_size[0]


@dataclass(frozen=True, slots=True)
class _Evidence:
    """The state that a picture shows, None to leave it out, and where this comes from."""

    picture: int
    state: int | None
    by: str


class _Labelling:
    """Works out the states of looks from templates, board texts and first sight, and asks about the rest.

    Raises:
        CalibrationError: Templates and board texts contradict each other about a look.
    """

    def __init__(
        self,
        shots: Sequence[Shot],
        places: Sequence[Grid],
        size: tuple[int, int],
        templates: Sequence[Template],
        ask: Ask,
    ) -> None:
        self._shots, self._places, self._templates = shots, places, templates
        cells = [place_at(shot.image, place).cells for shot, place in zip(shots, places, strict=True)]
        self._seen = [at_first_sight(*of) for of in cells]
        self._patches = PatchStore()
        states = {self._patches.number(template.image): template.state for template in templates}
        evidence = [_Evidence(picture, state, _BY_LIKENESS) for picture, state in states.items()]
        cut_out = [cells_of(shot.image, place, size) for shot, place in zip(shots, places, strict=True)]
        self._boards = [self._patches.numbers(cells) for cells in cut_out]
        self._counts = Counter(picture for board in self._boards for picture in board.ravel().tolist())
        for shot, board in zip(shots, self._boards, strict=True):
            evidence.extend(_read(shot.board, board, states))
        self._infer(evidence)
        answers: list[_Evidence] = []
        while open_looks := self._looks.keys() - self._known.keys():
            look = min(open_looks, key=lambda look: (-self._cells(look), look))
            answer = ask(self._question(look, len(answers) + 1, len(answers) + len(open_looks)))
            if answer != UNDO:
                picture = self._looks[look][0]
                answers.append(_Evidence(picture, None if answer is None else STATE_NAMES[answer], _BY_PERSON))
            elif answers:
                answers.pop()
            self._infer([*evidence, *answers])

    def _infer(self, evidence: Sequence[_Evidence]) -> None:
        """Group pictures into looks, and infer their states from evidence, of which the last for a picture counts."""
        by_picture = {one.picture: one for one in evidence}
        looks = Looks(self._patches, [*by_picture, *sorted(self._counts)]).all()
        self._looks, self._known = dict(looks), dict[int, _Evidence]()
        for look, pictures in looks.items():
            of_look = [by_picture[picture] for picture in pictures if picture in by_picture]
            if len({one.state for one in of_look}) > 1:  # so similar that only the evidence distinguishes them
                del self._looks[look]
                self._looks |= {picture: [picture] for picture in pictures}
                self._known |= {it: by_picture.get(it, _Evidence(it, None, _BY_LIKENESS)) for it in pictures}
            elif of_look:
                self._known[look] = next((one for one in of_look if one.by != _BY_LIKENESS), of_look[0])
        look_of = {picture: look for look, pictures in self._looks.items() for picture in pictures}
        self._look_boards = [np.vectorize(look_of.__getitem__, otypes=[np.intp])(board) for board in self._boards]
        for look in self._looks.keys() - self._known.keys():
            if (state := self._at_sight(look)) is not None:
                self._known[look] = _Evidence(look, state, _BY_SIGHT)

    def _at_sight(self, look: int) -> int | None:
        """Return the state that all cells with a look have at first sight; None if that is in doubt."""
        states, chances = list[int](), list[float]()
        for board, seen in zip(self._look_boards, self._seen, strict=True):
            states += seen.cells.states[board == look].tolist()
            chances += seen.cells.trust[board == look].tolist()
        is_one = len(set(states)) == 1 and states[0] != State.UNKNOWN
        return states[0] if is_one and np.mean(chances) >= _SURE_CHANCE else None

    @property
    def _states(self) -> dict[int, int]:
        """The states of looks, as far as known."""
        return {look: known.state for look, known in self._known.items() if known.state is not None}

    def _question(self, look: int, number: int, most: int) -> Question:
        """Make the question about a look, with the first cell that has it."""
        picture = self._looks[look][0]
        places = zip(self._shots, self._places, self._boards, strict=True)
        shot, place, cells = next((it, place, at) for it, place, on in places if len(at := np.argwhere(on == picture)))
        region = place.region_of(Cell(*cells[0].tolist()))
        return Question(self._patches[picture], self._cells(look), number, most, shot.image, region)

    def _cells(self, look: int) -> int:
        return sum(self._counts[member] for member in self._looks[look])

    def labels(self) -> list[Label]:
        """Return the states that have new pictures, with these, without known and doubtful ones."""
        states: dict[str, Counter[int]] = {}
        sources: dict[str, list[str]] = {}
        known = {self._patches.number(template.image) for template in self._templates}
        for look, state in self._states.items():
            name = NAME_OF_STATE[state]
            states.setdefault(name, Counter()).update({it: self._counts[it] for it in self._looks[look]})
            sources.setdefault(name, []).extend([] if known.issuperset(self._looks[look]) else [self._known[look].by])
        why = {}
        for name, pictures in states.items():
            new = Counter({it: count for it, count in pictures.items() if it not in known}).total()
            why[name] = f"{new} cell{'s' * (new != 1)}, {' and '.join(dict.fromkeys(sources[name]))}"
        return labels_of(self._patches, states, why, self._templates)

    def fixtures(self) -> list[Fixture]:
        """Return the screenshots with their boards: the given ones, or else what is known of them."""
        states = self._states
        state_of = np.vectorize(lambda look: states.get(look, State.UNKNOWN), otypes=[np.uint8])
        return [
            Fixture("board", shot.image, shot.board or Board(state_of(board)))
            for shot, board in zip(self._shots, self._look_boards, strict=True)
        ]


def _read(text: Board | None, pictures: NDArray[np.intp], states: dict[int, int]) -> Iterator[_Evidence]:
    """Yield the evidence of a board text for the pictures of its cells; `states` has the known ones, and is updated."""
    for cell, state in ((cell, text[cell]) for cell in text or () if text is not None):
        picture = int(pictures[cell])
        if state == State.UNKNOWN:
            continue
        if states.setdefault(picture, state) != state:
            raise CalibrationError(
                f"{cell}: the board text says {NAME_OF_STATE[state]!r}, but another cell that looks the same is "
                f"{NAME_OF_STATE[states[picture]]!r}",
                hint="correct the board text",
            )
        yield _Evidence(picture, state, _BY_TEXT)
