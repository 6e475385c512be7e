"""What a session of learning has found out, in the form in which it is written."""

from collections import Counter
from collections.abc import Iterable
from typing import Literal

import numpy as np

from sweepbot.behaviour import Behaviour, Dialog
from sweepbot.board import Board, State
from sweepbot.calibrate.doubtful import without_misleading
from sweepbot.calibrate.labels.constraints import UNDECIDED, UNOPENED
from sweepbot.calibrate.labels.disputes import undisplaced, undisputed, without_foreign_edges, without_strays
from sweepbot.calibrate.labels.endings import EITHER, told_at_win
from sweepbot.calibrate.labels.observations import Sheet
from sweepbot.calibrate.labels.scene import Scene
from sweepbot.calibrate.learned import DEAL_INTERVAL_MS, NEEDED, Fixture, Label, Learned, cells
from sweepbot.calibrate.live.observed_behaviour import ObservedBehaviour as Observed
from sweepbot.calibrate.live.session import LearningSession
from sweepbot.errors import UntrustedReadingError
from sweepbot.level import FirstClick
from sweepbot.vision.calibration import STATE_NAMES
from sweepbot.vision.familiar import largest_differences

_RESULTS: tuple[Literal["won", "lost"], ...] = ("won", "lost")


_SURE_OPEN = 5
"""First clicks that all opened a region before a client is believed to promise that."""

_BY_CHANCE = 0.05
"""The chance that no first click was a mine from which on a client is believed to promise that."""


def glimpse(session: LearningSession) -> list[Label]:
    """What is believed in the middle of learning: each state with its commonest picture."""
    states = _numbers(session) | _marks(session)
    states["hidden"] = Counter([*map(int, session.tracker.baseline.ravel()), *session.tracker.focused])
    return [
        Label(name, [session.tracker.patches[states[name].most_common(1)[0][0]]], _why(name, states[name], session))
        for name in STATE_NAMES
        if name in states
    ]


def gathered(session: LearningSession) -> Learned:
    """What a learner has found out.

    Raises:
        UntrustedReadingError: Not even hidden cells, 0 and 1 were told apart.
        StuckError: They were not, or by next to nothing, because no further game could be begun.
    """
    patches = session.tracker.patches
    states = _numbers(session) | _marks(session)
    states["hidden"] = Counter([*map(int, session.tracker.baseline.ravel()), *session.tracker.focused])
    states = undisputed(patches, without_strays(patches, without_foreign_edges(patches, undisplaced(patches, states))))
    if missing := [name for name in NEEDED if name not in states]:
        if session.stuck is not None:
            raise session.stuck
        raise UntrustedReadingError(
            f"{', '.join(missing)} could not be told after {len(session.results)} games",
            hint="let it play more: --max-games N",
        )
    # A few cells of a game that nothing bears out may be anything that changes when it is clicked.
    if session.stuck is not None and not {"won", "lost"} & set(session.results) and "2" not in states:
        raise session.stuck
    labels = [
        Label.of(name, patches, states[name], _why(name, states[name], session))
        for name in STATE_NAMES
        if name in states
    ]
    labels = without_misleading(labels)
    jitter = _jitter(labels)
    for label in labels:
        if label.state not in _BLANK:
            label.spread = max(label.spread, jitter)
    return Learned(
        place=session.tracker.place,
        labels=labels,
        open_questions=list(_open_questions(session)),
        behaviour=_behaviour(session, states),
        levels=_levels(session),
        totals=tuple(sorted(session.totals)),
        fixtures=[_fixture(states, scene, sheet) for scene, sheet in session.scenes],
        games=len(session.results),
        stuck=session.stuck,
        never_shown=frozenset(_never_shown(session.observed)),
    )


def _never_shown(observed: Observed) -> Iterable[str]:
    if not observed.question_marks:
        yield "question"
    if observed.hit_looks_usual:
        yield "exploded"


def _numbers(session: LearningSession) -> dict[str, Counter[int]]:
    """How often each picture was seen, by the number that it shows.

    Left out is what is not settled, and what was seen once only in a game that was never cleared up.
    """
    found: dict[str, Counter[int]] = {}
    proved: set[str] = set()
    for sheet in session.observations.sheets:
        for picture in sheet.pictures[sheet.pictures != UNOPENED]:
            number = session.observations.number_of(int(picture))
            if number is not None:
                found.setdefault(str(number), Counter())[int(picture)] += 1
                if not (sheet.mines == UNDECIDED).any():
                    proved.add(str(number))
    return {
        name: _seen_twice(session, pictures)
        for name, pictures in found.items()
        if name in proved or pictures.total() > 1
    }


def _seen_twice(session: LearningSession, pictures: Counter[int]) -> Counter[int]:
    """The pictures of a number without looks that one cell alone had, where another look was seen more often.

    A picture of a busy client may have been taken in the middle of a change.
    """
    looks = session.observations.looks
    cells: Counter[int] = Counter()
    for picture, count in pictures.items():
        cells[looks.of(picture)] += count
    alone = {look for look, count in cells.items() if count == 1} if max(cells.values()) > 1 else set()
    return Counter({picture: count for picture, count in pictures.items() if looks.of(picture) not in alone})


def _marks(session: LearningSession) -> dict[str, Counter[int]]:
    """How often each other picture was seen, by the state that it shows."""
    marks = {state: Counter(pictures) for state, pictures in session.marks.items()}
    flags, mines = (tuple(marks.get(state, ())) for state in ("flag", "mine"))
    for picture, count in marks.pop(EITHER, Counter()).items():
        state = told_at_win(session.tracker.patches, picture, flags, mines)
        if state is not None:
            marks.setdefault(state, Counter())[picture] += count
    # Where no mines are shown, one lost game alone might have been a slow client.
    if "mine" not in marks and marks.get("exploded", Counter()).total() == 1:
        del marks["exploded"]
    return marks


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


def _why(name: str, pictures: Counter[int], session: LearningSession) -> str:
    """The evidence for a state, in words."""
    shown = cells(pictures.total())
    others = {
        "hidden": "what every cell shows before it is touched",
        "flag": "a right click on a hidden cell"
        + (", which a left click then left closed" if session.observed.flags_protect else "")
        if "flag" in session.marks
        else f"{shown} of won games that hold a mine, and look otherwise in lost ones",
        "question": "a second right click",
        "mine": f"{shown} of lost games, with every number around them in agreement",
        "exploded": "the cell clicked when a game was lost",
        "wrong_flag": "a flag on a cell that the rules had cleared, after the game was lost",
        "0": f"{shown} with no hidden cell beside them",
    }
    return others.get(name, f"{shown}, only labelling consistent with {len(session.results)} games")


def _open_questions(session: LearningSession) -> Iterable[str]:
    for members in session.observations.looks.all().values():
        if session.observations.number_of(members[0]) is None:
            meaning = session.observations.meanings.get(session.observations.looks.of(members[0]), 0)
            numbers = " or ".join(str(number) for number in range(9) if meaning >> number & 1)
            yield f"a look of {len(members)} pictures was not settled: {numbers}"


def _behaviour(session: LearningSession, states: dict[str, Counter[int]]) -> Behaviour:
    observed = session.observed
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
        first_click=_first_click(session, states),
        restart=tuple(way.restart() for way in observed.restart),
        settle=session.tracker.touch.times.settle(),
        chord_button=observed.chord_button,
        question_marks=bool(observed.question_marks),
        flags_to_win=observed.flags_to_win,
        starts_open=observed.starts_open,
        deal_interval_ms=DEAL_INTERVAL_MS,
        dialogs=dialogs,
    )


def _first_click(session: LearningSession, states: dict[str, Counter[int]]) -> FirstClick | None:
    """What the client promises of the first cell, None where too few first clicks tell.

    One that was a mine tells that it promises nothing. That none was one of so many tells that none ever is, where
    chance would hardly have had it so.
    """
    observed, place = session.observed, session.tracker.place
    openings = observed.first_openings
    if any(picture in states.get(name, ()) for picture in observed.first_pictures for name in ("exploded", "mine")):
        return FirstClick.NONE
    if len(openings) >= _SURE_OPEN and min(openings) > 1:
        return FirstClick.OPEN
    safe = 1 - (session.mines or 0) / (place.rows * place.columns)
    return FirstClick.SAFE if safe ** len(openings) <= _BY_CHANCE else None


def _levels(session: LearningSession) -> dict[str, str]:
    if session.mines is None or len(session.totals) > 1:
        return {}
    place = session.tracker.place
    return {"calibrated": f"{place.columns}x{place.rows}/{session.mines}"}


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
