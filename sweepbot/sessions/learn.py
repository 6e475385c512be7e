"""A session of `calibrate --live`."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from sweepbot.calibrate.labels.belief import Observe, unobserved
from sweepbot.calibrate.learned import Label, Learned
from sweepbot.calibrate.live.calibrate import calibrate_live, find_board
from sweepbot.calibrate.live.touch import Times
from sweepbot.control.client_window import ClientWindow
from sweepbot.control.window_size import WindowSize
from sweepbot.desktop.desk import Desk
from sweepbot.errors import NoBoardFoundError
from sweepbot.sessions.settings import LearnSettings
from sweepbot.vision.extent import goes_on
from sweepbot.vision.grid import Grid
from sweepbot.vision.lattices.followed import followed


@contextmanager
def board_in_view(desk: Desk, settings: LearnSettings) -> Iterator[Grid]:
    """The likeliest place of a board, in a larger window where it is cut off, which is put back afterwards.

    Args:
        desk: What it is looked for on.
        settings: What was asked for.

    Raises:
        NoBoardFoundError: There is none, or none whose every side is seen.
    """
    window = ClientWindow(desk)
    size = WindowSize(desk, window)
    try:
        board, sides = _found(desk, settings)
        if sides and settings.place is None:
            window.adopt(board.region)
            board, sides = next(
                (found for found in _in_larger_window(desk, settings, size) if not found[1]), (board, sides)
            )
        if sides:
            raise NoBoardFoundError(
                f"a board of {board.columns}x{board.rows} cells at {board.region} is cut off {' and '.join(sides)}",
                hint="show the whole board: make its window larger, or end its zoom",
            )
        yield board
    finally:
        size.put_back()


def _in_larger_window(desk: Desk, settings: LearnSettings, size: WindowSize) -> Iterator[tuple[Grid, list[str]]]:
    """What is found each time that the window was made larger. See `_found`."""
    for _ in size.enlarged():
        yield _found(desk, settings)


def _found(desk: Desk, settings: LearnSettings) -> tuple[Grid, list[str]]:
    """The likeliest place of a board, and the sides on which it is cut off."""
    frame = desk.screen.grab(settings.place)
    board = followed(frame.image, find_board(frame).moved(-frame.region.origin))
    return board.moved(frame.region.origin), goes_on(frame.image, board)


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
