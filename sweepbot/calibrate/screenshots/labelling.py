"""Learning from screenshots: labels from board text, then from the rules of the game, then from a person."""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sweepbot.behaviour import Behaviour, Restart, Settle
from sweepbot.board import Board, State
from sweepbot.calibrate.confusion import labels_of
from sweepbot.calibrate.labels.looks import Looks, PatchStore
from sweepbot.calibrate.learned import DEAL_INTERVAL_MS, NEEDED, Fixture, Label, Learned
from sweepbot.calibrate.screenshots.deduction import deduce
from sweepbot.calibrate.seeing.started_boards import Shot, find_boards
from sweepbot.calibrate.seeing.untouched_boards import cell_size, cells_of
from sweepbot.errors import CalibrationError, NoBoardFoundError, UsageError
from sweepbot.geometry import Cell, Image, Region
from sweepbot.vision.calibration import NAME_OF_STATE, STATE_NAMES, Calibration, Template
from sweepbot.vision.grid import Grid
from sweepbot.vision.reader import Reader

UNDO = "undo"
"""The answer that takes back the last one."""


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

_BY_TEXT, _BY_PERSON, _BY_RULES = "by the board text", "by a person", "by the rules of the game"
_BY_LIKENESS = "almost the same as a known picture"

_COMMONEST_LOOKS = 4  # one of which should be that of hidden cells
_MOST_APART_PX = 1  # by which the sizes of cells may differ, as they may not be whole pixels

_UNOBSERVED = Behaviour(
    first_click=None,
    restart=(Restart(key="f2"),),
    settle=Settle(notice_ms=50, quiet_ms=20, limit_ms=400),
    deal_interval_ms=DEAL_INTERVAL_MS,
)
"""What most clients do, as pictures do not show behaviour."""


def from_images(shots: Sequence[Shot], ask: Ask, known: Calibration | None = None) -> Learned:
    """Learn from pictures that each show one board of the same client at the same scale.

    It asks what a look means if neither board texts nor the rules say, about the commonest look first. A `known`
    calibration is completed with states that it lacks and further looks.

    Raises:
        NoBoardFoundError: A picture shows no board, or none of the size of its board text.
        UsageError: The boards differ in the size of their cells, or have other cells than the calibration.
        CalibrationError: A board contradicts another one or the calibration; or for a new calibration, hidden cells, 0
            or 1 stay unknown.
    """
    templates: Sequence[Template] = () if known is None else known.templates
    if known is None:
        places = find_boards(shots)
        size = min(cell_size(place)[0] for place in places), min(cell_size(place)[1] for place in places)
        _check_sizes(places, size, "use pictures of one scale")
    else:
        reader, size = Reader(known), known.cell
        seen = [replace(shot, place=shot.place or _find(reader, shot)) for shot in shots]
        places = find_boards(seen, {template.image.tobytes() for template in templates})
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
        if any(abs(one - two) > _MOST_APART_PX for one, two in zip(cell_size(place), size, strict=True)):
            sizes = "{}x{} pixels, and not of {}x{}".format(*cell_size(place), *size)
            raise UsageError(f"picture {number} has cells of {sizes}", hint=hint)


def _find(reader: Reader, shot: Shot) -> Grid | None:
    """Return the grid at which a reader finds a board; None if it finds none, or one of another size than expected."""
    try:
        place = reader.read(shot.image).grid
    except NoBoardFoundError:
        return None
    return place if shot.board is None or (place.rows, place.columns) == shot.board.cells.shape else None


@dataclass(frozen=True, slots=True)
class _Evidence:
    """The state that a picture shows, None to leave it out, and where this comes from."""

    picture: int
    state: int | None
    by: str


class _Labelling:
    """Works out the states of looks from templates, board texts and the rules, and asks about the rest.

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
            look = self._most_telling(open_looks)
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
        for look, state in deduce(self._look_boards, self._states).items():
            self._known.setdefault(look, _Evidence(look, state, _BY_RULES))

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

    def _most_telling(self, looks: Collection[int]) -> int:
        """Return the commonest look; while none is known as hidden, the one from which most would follow if it is."""
        commonest = sorted(looks, key=lambda look: (-self._cells(look), look))
        boards, states = self._look_boards, self._states
        if State.HIDDEN in states.values():
            return commonest[0]
        return max(commonest[:_COMMONEST_LOOKS], key=lambda look: len(deduce(boards, {**states, look: State.HIDDEN})))

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
