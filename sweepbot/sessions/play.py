"""A session of `play`, `demo` or `calibrate --live`."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import platformdirs
from msgspec import structs

from sweepbot.calibrate.learned import Learned
from sweepbot.calibrate.map.start_screens import TITLES
from sweepbot.calibrate.memory import is_lacking
from sweepbot.errors import NoBoardFoundError, SweepbotError, UsageError
from sweepbot.geometry import Image
from sweepbot.player.as_events import found_event
from sweepbot.player.loop import Player
from sweepbot.sessions.acquaintance import Acquaintance
from sweepbot.sessions.recording import Recording
from sweepbot.sessions.target import Target, finder, named_window
from sweepbot.solver import Solver
from sweepbot.trace.events import Observer
from sweepbot.vision.grid import MIN_CELLS
from sweepbot.vision.missed import explained
from sweepbot.vision.reader import Reader

Remember = Callable[[Learned | None, str], None]
"""Takes what was learned of a client, and why nothing was if nothing was."""


@contextmanager
def playing(
    recording: Recording,
    target: Target,
    observer: Observer = lambda _: None,
    *,
    tell: Callable[[str], None] = lambda _: None,
    remember: Remember = lambda _, __: None,
    evidence: Path | None = None,
    solver: Solver | None = None,
) -> Iterator[Player]:
    """Find a client and make its player; a window that was resized is put back when the block is left.

    The observer is called with each event once it is recorded, and `tell` with messages on what was learned in play.
    `remember` is called at the end with what games have confirmed of a client with states that were not met yet.
    Pictures that could not be read go into the folder `evidence`, by default the user's state folder.

    Raises:
        ClientGoneError: The client was closed before it was known which it is.
        NoBoardFoundError: No board is in sight, or only a picture of one.
        UntrustedReadingError: Its size is doubtful.
        UsageError: The board has another size than the level.
    """
    observe = recording.telling(observer)

    def explain(error: NoBoardFoundError, image: Image) -> NoBoardFoundError:
        known = None if target.named is None else target.named.calibration
        windows = recording.desk.windows
        origin = (target.settings.place or recording.desk.screen.region).origin
        shown = [] if windows is None else [it.region.moved(-origin) for it in windows.shown()]
        why = explained(error, image, known.name if known is not None and known.templates else None, shown)
        new = None if known is None or known.templates else known
        titles = target.titles if new is None else TITLES
        if why is error and new is not None:
            shape = f"a whole board, of at least {MIN_CELLS}x{MIN_CELLS} cells"
            error.hint = f"no client is called {new.name!r} yet: show {shape}; if a menu comes first, start a game"
        return why if why is not error else named_window(error, windows, titles)

    search = finder(target, recording, observe, explain)
    with search.find() as found:
        if target.settings.place is None:  # nobody has named the place
            recording.check_client(found.reading.grid.region)
        try:
            calibration, settings = target.settled(found.reading)
        except SweepbotError:  # which client it is may be unknown because its window has gone
            found.window.obstruction(found.reading.grid.region)
            raise
        board, level = found.reading.board, settings.size
        if level is not None and (board.columns, board.rows) != (level.columns, level.rows):
            raise UsageError(
                f"the board on the screen has {board.columns}x{board.rows} cells, not {level.columns}x{level.rows}",
                hint="set the level in the client, or leave --level out",
            )
        # A board found by any client's looks may not have them, nor be called by the name that its client is given.
        seen = found.reading.seen if calibration.templates else replace(found.reading.seen, look=None, matches=None)
        client = replace(found, reading=replace(found.reading, client=calibration.name, seen=seen))
        observe(found_event(client.reading))
        if settings.no_guess:  # for this run only: it is not saved
            calibration = structs.replace(calibration, behaviour=structs.replace(calibration.behaviour, no_guess=True))
        reader = Reader(calibration, settings.mines, is_told=True)
        acquaintance = Acquaintance(client, reader, observe, tell, settings)
        learns = settings.learns and is_lacking(calibration)
        player = Player(
            recording.desk,
            client,
            reader,
            solver or Solver(),
            acquaintance.observe,
            learner=acquaintance.memory if settings.learns else None,
            between=acquaintance.between,
            evidence=evidence or platformdirs.user_state_path("sweepbot", appauthor=False),
            style=settings.style,
            cps=settings.cps,
            stop_at_guess=settings.stop_at_guess,
        )
        if not learns:
            yield player
            return
        try:
            yield player
            acquaintance.finish(player)
        finally:
            remember(acquaintance.learned(), acquaintance.memory.why_nothing())
