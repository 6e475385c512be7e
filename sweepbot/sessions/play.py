"""A session of `play` or `demo`."""

from collections.abc import Callable
from pathlib import Path

from sweepbot.calibrate.apprentice import Apprentice
from sweepbot.player import Observer, Player
from sweepbot.sessions.desk import Desk
from sweepbot.sessions.settings import PlaySettings
from sweepbot.solver import Solver
from sweepbot.vision.calibration import Calibration
from sweepbot.vision.reader import Reader


def make_player(
    desk: Desk,
    calibration: Calibration,
    settings: PlaySettings,
    solver: Solver,
    observer: Observer,
    *,
    tell: Callable[[str], None],
    evidence: Path,
) -> Player:
    """The player of a session.

    Args:
        desk: What it plays on.
        calibration: The client's.
        settings: What it was told.
        solver: What decides.
        observer: Told of all that happens.
        tell: Told in words what was learned in play.
        evidence: The folder in which a picture is saved that could not be read.
    """
    return Player(
        desk.screen,
        desk.mouse,
        Reader(calibration, settings.mines),
        solver,
        observer,
        region=settings.place,
        level=settings.size,
        learner=Apprentice(calibration, tell) if settings.learns else None,
        evidence=evidence,
        clock=desk.clock,
    )
