"""Collecting the findings of a learning session."""

import numpy as np

from sweepbot.behaviour import Behaviour
from sweepbot.board import Board, State
from sweepbot.calibrate.confusion import labels_of
from sweepbot.calibrate.learned import DEAL_INTERVAL_MS, NEEDED, Fixture, Learned
from sweepbot.calibrate.live.session import LearningSession
from sweepbot.errors import UntrustedReadingError
from sweepbot.vision.calibration import STATE_NAMES


def findings_of(session: LearningSession) -> Learned:
    """Return what a session has learned.

    Raises:
        UntrustedReadingError: Not even hidden cells, 0 and 1 were learned.
        StuckError: The same, or there is hardly any evidence for them, because no further game could be started.
    """
    belief, states = session.belief, session.belief.states
    labels = labels_of(session.tracker.patches, states, belief.why)
    names = {label.state for label in labels}
    if missing := [name for name in NEEDED if name not in names]:
        if session.stuck is not None:
            raise session.stuck
        raise UntrustedReadingError(
            f"{', '.join(missing)} could not be learned in {session.tried.games} games",
            hint="let it play more: --max-games N",
        )
    # A few cells of an unconfirmed game may be anything that changes when it is clicked.
    if session.stuck is not None and all(it.result is None for it in belief.endings) and "2" not in names:
        raise session.stuck
    place, tried = session.tracker.place, session.tried
    of_picture = {picture: STATE_NAMES[name] for name, pictures in states.items() for picture in pictures}
    shown = np.vectorize(lambda picture: of_picture.get(picture, State.UNKNOWN), otypes=[np.uint8])
    never_shown = {"question": not tried.question_marks, "exploded": belief.marks.hit_looks_usual}
    return Learned(
        place=place,
        labels=labels,
        open_questions=belief.open_questions,
        behaviour=Behaviour(
            first_click=belief.first_click,
            restart=tuple(session.starter.restart),
            settle=session.tracker.touch.times.settle(),
            chord_button=tried.chord_button,
            flags_to_win=tried.flags_to_win,
            deal_interval_ms=DEAL_INTERVAL_MS,
            dialogs=session.dismisser.dialogs(),
        ),
        levels={} if belief.total is None else {"calibrated": f"{place.columns}x{place.rows}/{belief.total}"},
        totals=belief.totals,
        titles=(belief.title,) if belief.title else (),
        fixtures=[
            Fixture("last", scene.image, Board(np.where(scene.hidden, np.uint8(State.HIDDEN), shown(scene.pictures))))
            for scene in session.scenes
        ],
        games=session.tried.games,
        stuck=session.stuck,
        not_missed=frozenset(state for state, is_never in never_shown.items() if is_never),
    )
