"""A session of `play` or `demo`."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import platformdirs
from msgspec import structs

from sweepbot.errors import UsageError
from sweepbot.player.as_events import found_event
from sweepbot.player.loop import Player
from sweepbot.sessions.recording import Recording
from sweepbot.sessions.target import Target, finder
from sweepbot.solver import Solver
from sweepbot.trace.events import Observer
from sweepbot.vision.missed import explained
from sweepbot.vision.reader import Reader


@contextmanager
def playing(
    recording: Recording,
    target: Target,
    observer: Observer = lambda _: None,
    *,
    tell: Callable[[str], None] = lambda _: None,
    evidence: Path | None = None,
    solver: Solver | None = None,
) -> Iterator[Player]:
    """Find a client and make its player; a window that was resized is put back when the block is left.

    The observer is called with each event once it is recorded, and `tell` with messages on what was learned in play.
    Pictures that could not be read go into the folder `evidence`, by default the user's state folder.

    Raises:
        NoBoardFoundError: No board is in sight, or only a picture of one.
        UntrustedReadingError: Its size is doubtful.
        UsageError: The board has another size than the level.
    """
    observe = recording.telling(observer)
    search = finder(
        target,
        recording,
        observe,
        lambda error, image: explained(error, image, None if target.named is None else target.named.calibration.name),
    )
    with search.find() as client:
        if target.settings.place is None:  # nobody has named the place
            recording.check_client(client.reading.grid.region)
        calibration, settings = target.settled(client.reading)
        board, level = client.reading.board, settings.size
        if level is not None and (board.columns, board.rows) != (level.columns, level.rows):
            raise UsageError(
                f"the board on the screen has {board.columns}x{board.rows} cells, not {level.columns}x{level.rows}",
                hint="set the level in the client, or leave --level out",
            )
        observe(found_event(client.reading))
        learner = None
        if settings.learns:
            from sweepbot.calibrate.in_play import InPlayLearner  # noqa: PLC0415  (the demo is played without)

            learner = InPlayLearner(calibration, tell)
        if settings.no_guess:  # for this run only: it is not saved
            calibration = structs.replace(calibration, behaviour=structs.replace(calibration.behaviour, no_guess=True))
        yield Player(
            recording.desk,
            client,
            Reader(calibration, settings.mines),
            solver or Solver(),
            observe,
            learner=learner,
            evidence=evidence or platformdirs.user_state_path("sweepbot", appauthor=False),
            style=settings.style,
            cps=settings.cps,
            stop_at_guess=settings.stop_at_guess,
        )
