"""A session of `play` or `demo`."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from sweepbot.desktop.desk import Desk
from sweepbot.errors import UsageError
from sweepbot.geometry import Image
from sweepbot.level import Level
from sweepbot.player import Found, Observer, Player
from sweepbot.player.finding import Finder
from sweepbot.sessions.settings import PlaySettings
from sweepbot.solver import Solver
from sweepbot.vision.calibration import Calibration
from sweepbot.vision.reader import Reader, Reading


@dataclass(frozen=True, slots=True)
class Sought:
    """Which client is looked for.

    Attributes:
        read: Reads the board in a picture; raises NoBoardFoundError where there is none of such a client.
        titles: What the titles of its windows contain.
        settled: Given the reading of the board that was found, says which client it is, and what was asked of it.
    """

    read: Callable[[Image], Reading]
    titles: Sequence[str]
    settled: Callable[[Reading], tuple[Calibration, PlaySettings]]


def named(calibration: Calibration, settings: PlaySettings) -> Sought:
    """One client and no other."""
    return Sought(Reader(calibration, settings.mines).read, calibration.titles, lambda _: (calibration, settings))


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

    Raises:
        NoBoardFoundError: No board is in sight.
        UntrustedReadingError: Something speaks against its size.
        UsageError: The board has another size than the level.
    """
    finder = Finder(
        desk,
        sought.read,
        titles=sought.titles,
        region=settings.place,
        may_resize=settings.resizes,
        observer=observer,
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
