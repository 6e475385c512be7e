"""What was learned, in the form in which it is written: a picture or more of each state, and why it is believed."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sweepbot.behaviour import Behaviour, Dialog, Restart
from sweepbot.board import Board, State
from sweepbot.calibrate.disputes import undisplaced, undisputed, without_strays
from sweepbot.calibrate.ending import EITHER, told_at_win
from sweepbot.calibrate.learner import Learner
from sweepbot.calibrate.manners import Manners as Observed
from sweepbot.calibrate.notebook import Sheet
from sweepbot.calibrate.pictures import SAME, Album
from sweepbot.calibrate.place import cell_size
from sweepbot.calibrate.rules import UNDECIDED, UNOPENED
from sweepbot.calibrate.table import Scene
from sweepbot.errors import StuckError, UntrustedReadingError
from sweepbot.geometry import Image
from sweepbot.level import FirstClick
from sweepbot.vision.calibration import STATE_NAMES
from sweepbot.vision.familiar import largest_differences
from sweepbot.vision.grid import Grid

_MOST_PICTURES = 12
"""Templates of one state: a gradient has no more faces than that to tell, a pattern with lines has some more."""

_SURE_OPEN = 5
"""First clicks that all opened a region before a client is believed to promise that."""

_RESULTS: tuple[Literal["won", "lost"], ...] = ("won", "lost")

DEAL_INTERVAL_MS = 1100.0
"""Between two new games: clients that deal by the clock's second would deal the same mines again before that."""

NEEDED = ("hidden", "0", "1")
"""States without which no board can be read."""


@dataclass(slots=True, eq=False)
class Label:
    """One state: its pictures, uint8 arrays of shape (height, width, 3), the commonest first, and the evidence.

    Attributes:
        state: Its name.
        pictures: What stands for it.
        why: The evidence, in words.
        spread: By how many grey levels its cells differed from those pictures at most, as `familiar` measures it.
    """

    state: str
    pictures: list[Image]
    why: str
    spread: float = 0.0

    @classmethod
    def of(cls, state: str, album: Album, pictures: Counter[int], why: str, known: Sequence[int] = ()) -> "Label":
        """Choose the pictures that stand for a state from all those that show it, besides those that do already."""
        kept = representatives(album, pictures, known)
        everything = np.stack([album[picture] for picture in pictures])
        differences = largest_differences(everything, np.stack(kept))
        return cls(state, kept, why, float(differences.min(axis=1).max()))


@dataclass(slots=True, eq=False)
class Fixture:
    """A picture of a board and what it shows; `.` where that was never settled."""

    name: str
    image: Image
    board: Board


@dataclass(slots=True, eq=False)
class Learned:
    """Everything there is to write.

    Attributes:
        place: The board.
        labels: The states, in the order of `STATE_NAMES`.
        open_questions: In words, what was seen and not understood.
        behaviour: What the client does.
        levels: Its levels, as a calibration writes them.
        fixtures: Pictures and their boards.
        games: How many games were played.
        stuck: What has ended the learning early, None where nothing has: no further game could be begun.
        never_shown: States that the client has no look of their own for.
    """

    place: Grid
    labels: list[Label]
    open_questions: list[str]
    behaviour: Behaviour
    levels: dict[str, str]
    fixtures: list[Fixture] = field(default_factory=list)
    games: int = 0
    stuck: StuckError | None = None
    never_shown: frozenset[str] = frozenset()

    @property
    def unmet(self) -> list[str]:
        """The states that the client may show and that were not seen."""
        met = {label.state for label in self.labels}
        return [name for name in STATE_NAMES if name not in met | self.never_shown]

    @property
    def gap(self) -> int:
        """Pixels between the tiles of neighbouring closed cells, whose faces differ from what is around them.

        Only the middles of lines are looked at: tiles may have round corners.
        """
        closed = [label.pictures for label in self.labels if label.state in _CLOSED]
        everything = np.concatenate(closed).astype(np.int16)
        height, width = (side // 4 for side in everything.shape[1:3])
        ground = everything[0, 0, 2 * width]
        drawn = np.abs(everything - ground).max(axis=3) > SAME
        rims = _rims(drawn[:, height:-height].any(axis=1)), _rims(drawn[:, :, width:-width].any(axis=2))
        gap, other = (int(rim.max()) for rim in rims)
        return gap if gap == other and _FEWEST_BETWEEN <= gap <= _MOST_BETWEEN else 0

    @property
    def cell(self) -> tuple[int, int]:
        """Width and height of a cell in pixels."""
        return cell_size(self.place)


def cells(count: int) -> str:
    """A number of cells, in words."""
    return f"{count} cell{'s' * (count != 1)}"


def glimpse(learner: Learner) -> list[Label]:
    """What is believed in the middle of learning: each state with its commonest picture."""
    states = _numbers(learner) | _marks(learner)
    states["hidden"] = Counter([*map(int, learner.table.baseline.ravel()), *learner.table.focused])
    return [
        Label(name, [learner.table.album[states[name].most_common(1)[0][0]]], _why(name, states[name], learner))
        for name in STATE_NAMES
        if name in states
    ]


def gathered(learner: Learner) -> Learned:
    """What a learner has found out.

    Raises:
        UntrustedReadingError: Not even hidden cells, 0 and 1 were told apart.
        StuckError: They were not, or by next to nothing, because no further game could be begun.
    """
    album = learner.table.album
    states = _numbers(learner) | _marks(learner)
    states["hidden"] = Counter([*map(int, learner.table.baseline.ravel()), *learner.table.focused])
    states = undisputed(album, without_strays(album, undisplaced(album, states)))
    if missing := [name for name in NEEDED if name not in states]:
        if learner.stuck is not None:
            raise learner.stuck
        raise UntrustedReadingError(
            f"{', '.join(missing)} could not be told after {len(learner.results)} games",
            hint="let it play more: --max-games N",
        )
    # A few cells of a game that nothing bears out may be anything that changes when it is clicked.
    if learner.stuck is not None and not {"won", "lost"} & set(learner.results) and "2" not in states:
        raise learner.stuck
    labels = [
        Label.of(name, album, states[name], _why(name, states[name], learner)) for name in STATE_NAMES if name in states
    ]
    jitter = _jitter(labels)
    for label in labels:
        if label.state not in _BLANK:
            label.spread = max(label.spread, jitter)
    return Learned(
        place=learner.table.place,
        labels=labels,
        open_questions=list(_open_questions(learner)),
        behaviour=_behaviour(learner),
        levels=_levels(learner),
        fixtures=[_fixture(states, scene, sheet) for scene, sheet in learner.scenes],
        games=len(learner.results),
        stuck=learner.stuck,
        never_shown=frozenset(_never_shown(learner.manners)),
    )


def _never_shown(observed: Observed) -> Iterable[str]:
    if not observed.question_marks:
        yield "question"
    if observed.hit_looks_usual:
        yield "exploded"


def _numbers(learner: Learner) -> dict[str, Counter[int]]:
    """How often each picture was seen, by the number that it shows.

    Left out is what is not settled, and what was seen once only in a game that was never cleared up.
    """
    found: dict[str, Counter[int]] = {}
    proved: set[str] = set()
    for sheet in learner.notebook.sheets:
        for picture in sheet.pictures[sheet.pictures != UNOPENED]:
            number = learner.notebook.number_of(int(picture))
            if number is not None:
                found.setdefault(str(number), Counter())[int(picture)] += 1
                if not (sheet.mines == UNDECIDED).any():
                    proved.add(str(number))
    return {
        name: _seen_twice(learner, pictures)
        for name, pictures in found.items()
        if name in proved or pictures.total() > 1
    }


def _seen_twice(learner: Learner, pictures: Counter[int]) -> Counter[int]:
    """The pictures of a number without looks that one cell alone had, where another look was seen more often.

    A picture of a busy client may have been taken in the middle of a change.
    """
    looks = learner.notebook.looks
    cells: Counter[int] = Counter()
    for picture, count in pictures.items():
        cells[looks.of(picture)] += count
    alone = {look for look, count in cells.items() if count == 1} if max(cells.values()) > 1 else set()
    return Counter({picture: count for picture, count in pictures.items() if looks.of(picture) not in alone})


def _marks(learner: Learner) -> dict[str, Counter[int]]:
    """How often each other picture was seen, by the state that it shows."""
    marks = {state: Counter(pictures) for state, pictures in learner.marks.items()}
    flags, mines = (tuple(marks.get(state, ())) for state in ("flag", "mine"))
    for picture, count in marks.pop(EITHER, Counter()).items():
        state = told_at_win(learner.table.album, picture, flags, mines)
        if state is not None:
            marks.setdefault(state, Counter())[picture] += count
    # Where no mines are shown, one lost game alone might have been a slow client.
    if "mine" not in marks and marks.get("exploded", Counter()).total() == 1:
        del marks["exploded"]
    return marks


def representatives(album: Album, pictures: Counter[int], known: Sequence[int] = ()) -> list[Image]:
    """The commonest picture, then again and again the one that is least like those chosen, then those drawn otherwise.

    Those that are `known` to stand for the same come first, in the place of the commonest.
    """
    numbers = [number for number, _ in pictures.most_common()]
    chosen = [*known] or numbers[:1]
    while len(chosen) < _MOST_PICTURES:
        distance = np.min([album.distances(number, numbers) for number in chosen], axis=0)
        if distance.max() <= _WORTH_KEEPING:
            break
        chosen.append(numbers[int(distance.argmax())])
    others = [picture for number in chosen for picture in (*album.redrawn(number), *album.rimmed(number))]
    return [*(album[number] for number in chosen), *others][:_MOST_PICTURES]


_CLOSED = ("hidden", "flag", "question")
_FEWEST_BETWEEN, _MOST_BETWEEN = 3, 16  # pixels: what is narrower is a line of the cells' own; the most there may be
_WORTH_KEEPING = 6  # grey levels by which a further picture of a state differs from those that are kept


def _rims(drawn: NDArray[np.bool_]) -> NDArray[np.intp]:
    """How many lines there are before the first and after the last drawn one of each picture, together."""
    rims: NDArray[np.intp] = drawn.argmax(axis=1) + drawn[:, ::-1].argmax(axis=1)
    return rims


def _jitter(labels: Iterable[Label]) -> float:
    """By how many grey levels one figure may differ from its pictures for no other reason than where it stands.

    Cells that are no whole number of pixels wide show each figure in several places. Numbers that were met in most of
    them tell how much that matters, for figures that were met in one.
    """
    apart = []
    for label in labels:
        if label.state.isdigit() and len(label.pictures) >= _SEVERAL_PLACES:
            pictures = np.stack(label.pictures)
            differences = largest_differences(pictures, pictures)
            np.fill_diagonal(differences, np.inf)
            apart.append(float(differences.min(axis=1).max()))
    return _BETWEEN_PLACES * min(apart, default=0.0)


_SEVERAL_PLACES = 3  # pictures of a number from which on they tell of places: fewer may stand on two grounds
_BETWEEN_PLACES = 1.5  # a place that was not met, or lines found a pixel off, may differ by so much more
_BLANK = ("0", "hidden")  # states that show no figure


def _why(name: str, pictures: Counter[int], learner: Learner) -> str:
    """The evidence for a state, in words."""
    shown = cells(pictures.total())
    others = {
        "hidden": "what every cell shows before it is touched",
        "flag": "a right click on a hidden cell"
        + (", which a left click then left closed" if learner.manners.flags_protect else "")
        if "flag" in learner.marks
        else f"{shown} of won games that hold a mine, and look otherwise in lost ones",
        "question": "a second right click",
        "mine": f"{shown} of lost games, with every number around them in agreement",
        "exploded": "the cell clicked when a game was lost",
        "wrong_flag": "a flag on a cell that the rules had cleared, after the game was lost",
        "0": f"{shown} with no hidden cell beside them",
    }
    return others.get(name, f"{shown}, only labelling consistent with {len(learner.results)} games")


def _open_questions(learner: Learner) -> Iterable[str]:
    for members in learner.notebook.looks.all().values():
        if learner.notebook.number_of(members[0]) is None:
            meaning = learner.notebook.meanings.get(learner.notebook.looks.of(members[0]), 0)
            numbers = " or ".join(str(number) for number in range(9) if meaning >> number & 1)
            yield f"a look of {len(members)} pictures was not settled: {numbers}"


def _behaviour(learner: Learner) -> Behaviour:
    observed = learner.manners
    openings = observed.first_openings
    opens = len(openings) >= _SURE_OPEN and min(openings) > 1
    dialogs = tuple(
        Dialog(
            after=result,
            keys=tuple(closing.keys),
            clicks=tuple(closing.clicks),
            lasts_ms=round(1000 * closing.lasts),
        )
        for result in _RESULTS
        if (closing := observed.closing(result)) is not None
    )
    return Behaviour(
        first_click=FirstClick.OPEN if opens else FirstClick.SAFE,
        restart=tuple(way.restart() for way in observed.restart) or (Restart(key="f2"),),
        settle=learner.table.touch.times.settle(),
        chord_button=observed.chord_button,
        question_marks=bool(observed.question_marks),
        flags_to_win=observed.flags_to_win,
        starts_open=observed.starts_open,
        deal_interval_ms=DEAL_INTERVAL_MS,
        dialogs=dialogs,
    )


def _levels(learner: Learner) -> dict[str, str]:
    place = learner.table.place
    return {} if learner.mines is None else {"calibrated": f"{place.columns}x{place.rows}/{learner.mines}"}


def _fixture(states: dict[str, Counter[int]], scene: Scene, sheet: Sheet) -> Fixture:
    """A scene with the board that the rules say it shows."""
    of_picture = {picture: STATE_NAMES[name] for name, pictures in states.items() for picture in pictures}
    cells = np.full(scene.pictures.shape, State.UNKNOWN, dtype=np.uint8)
    for row, column in np.ndindex(cells.shape):
        picture = int(scene.pictures[row, column])
        if scene.hidden[row, column]:
            cells[row, column] = State.HIDDEN
        elif sheet.pictures[row, column] == picture or picture in of_picture:
            cells[row, column] = of_picture.get(picture, State.UNKNOWN)
    return Fixture(scene.name, scene.image, Board(cells))
