"""A session of `calibrate --live`."""

from collections.abc import Callable, Sequence

from sweepbot.calibrate.labels.belief import Observe, unobserved
from sweepbot.calibrate.learned import Label, Learned
from sweepbot.calibrate.live.calibrate import calibrate_live
from sweepbot.calibrate.live.touch import Times
from sweepbot.desktop.desk import Desk
from sweepbot.sessions.settings import LearnSettings
from sweepbot.vision.grid import Grid


def learn(
    desk: Desk,
    board: Grid,
    settings: LearnSettings,
    tell: Callable[[str], None],
    *,
    show: Callable[[Sequence[Label]], None] = lambda _: None,
    observe: Observe = unobserved,
) -> Learned:
    """Learn the client whose board is there. See `calibrate_live` for what is raised.

    Args:
        desk: What it is learned on.
        board: The board, as `find_board` found it.
        settings: What was asked for.
        tell: Told in words what happens.
        show: Given now and then what is believed so far.
        observe: Told each thing that is observed.
    """
    return calibrate_live(
        desk,
        board,
        max_games=settings.max_games,
        times=Times(),
        tell=tell,
        show=show,
        observe=observe,
    )
