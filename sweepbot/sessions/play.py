"""A session of `play` or `demo`."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from sweepbot.desktop.desk import Desk
from sweepbot.errors import UsageError
from sweepbot.geometry import Region
from sweepbot.level import Level
from sweepbot.player import Found, Located, Observer, Player
from sweepbot.player.finding import Finder
from sweepbot.sessions.apart import ApartReader
from sweepbot.sessions.client_region import Place, place_of_client
from sweepbot.sessions.settings import PlaySettings
from sweepbot.sessions.sought import Sought
from sweepbot.solver import Solver
from sweepbot.vision.calibration import Calibration
from sweepbot.vision.missed import explained
from sweepbot.vision.reader import Reader, Reading


@contextmanager
def playing(
    desk: Desk,
    sought: Sought,
    settings: PlaySettings,
    solver: Solver,
    observer: Observer,
    *,
    tell: Callable[[str], None],
    evidence: Path,
    place: Callable[[Reading, Calibration], Place] | None = None,
    shown: Callable[[], Region | None] = lambda: None,
) -> Iterator[Player]:
    """Find a client, and make its player; the client's window is put back, if it was resized, when the block is left.

    Args:
        desk: What it plays on.
        sought: Which client.
        settings: What it was told.
        solver: What decides.
        observer: Told of all that happens.
        tell: Told in words what was learned in play.
        evidence: The folder in which a picture is saved that could not be read.
        place: How much of the screen is the client's; by default as pixels tell.
        shown: The part of the screen that a trace shows, in a replay of one that shows the client only.

    Raises:
        NoBoardFoundError: No board is in sight.
        UntrustedReadingError: Something speaks against its size.
        UsageError: The board has another size than the level.
    """
    apart = ApartReader(
        sought,
        place or (lambda reading, calibration: place_of_client(reading, calibration, desk.screen.region, None)),
        lambda place: observer(Located(place.region, place.window)),
        shown,
    )
    finder = Finder(
        desk,
        apart.read,
        titles=sought.titles,
        region=settings.place,
        may_resize=settings.resizes,
        observer=observer,
        explained=lambda error, image: explained(error, image, sought.named),
    )
    with finder.found() as client:
        calibration, settings = sought.settled(client.reading)
        _check_size(client.reading, settings.size)
        observer(Found(client.reading))
        learner = None
        if settings.learns:
            from sweepbot.calibrate.in_play import InPlayLearner  # noqa: PLC0415  (the demo is played without)

            learner = InPlayLearner(calibration, tell)
        yield Player(
            desk,
            client,
            Reader(calibration, settings.mines),
            solver,
            observer,
            learner=learner,
            evidence=evidence,
            style=settings.style,
            cps=settings.cps,
            stop_at_guess=settings.stop_at_guess,
        )


def _check_size(found: Reading, level: Level | None) -> None:
    board = found.board
    if level is not None and (board.columns, board.rows) != (level.columns, level.rows):
        raise UsageError(
            f"the board on the screen has {board.columns}x{board.rows} cells, not {level.columns}x{level.rows}",
            hint="set the level in the client, or leave --level out",
        )
