"""A session of `calibrate --live`."""

import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import msgspec
import numpy as np

from sweepbot.calibrate.labels.log import Entry
from sweepbot.calibrate.learned import Label, Learned
from sweepbot.calibrate.live.calibrate import calibrate_live, find_board
from sweepbot.calibrate.live.times import Times
from sweepbot.control.client_window import ClientWindow
from sweepbot.desktop.desk import Desk
from sweepbot.errors import NoBoardFoundError
from sweepbot.geometry import Image
from sweepbot.sessions.recording import Recording
from sweepbot.sessions.settings import LearnSettings
from sweepbot.trace.events import Learned as LearnedEvent
from sweepbot.trace.events import Lesson, Observed, Scene
from sweepbot.vision.extent import goes_on
from sweepbot.vision.grid import Grid


@contextmanager
def board_in_view(recording: Recording, settings: LearnSettings) -> Iterator[Grid]:
    """Find the likeliest board; enlarge its window if it is cut off, and put that back when the block is left.

    Raises:
        NoBoardFoundError: There is no board, only a picture of one, or it is cut off in a window of any size.
    """
    desk = recording.desk
    window = ClientWindow(desk)
    with window.restored():
        board, sides = _find(desk, settings)
        if settings.place is None:  # nobody has named the place
            recording.check_client(board.region)
        if sides and settings.place is None:
            window.adopt(board.region)
            for _ in window.enlarge():
                if not (found := _find(desk, settings))[1]:
                    board, sides = found
                    break
        if sides:
            raise NoBoardFoundError(
                f"a board of {board.columns}x{board.rows} cells at {board.region} is cut off {' and '.join(sides)}",
                hint="show the whole board: enlarge its window, zoom out, or close what is in front of it",
            )
        yield board


def _find(desk: Desk, settings: LearnSettings) -> tuple[Grid, list[str]]:
    """Find the likeliest board; return its grid, and the sides on which it is cut off."""
    frame = desk.screen.grab(settings.place)
    board = find_board(frame)
    return board, goes_on(frame.image, board.moved(-frame.region.origin))


def learn(
    recording: Recording,
    board: Grid,
    settings: LearnSettings,
    *,
    tell: Callable[[str], None] = lambda _: None,
    show: Callable[[Sequence[Label]], None] = lambda _: None,
) -> Learned:
    """Learn the client of a board, as `find_board` found it. Raises what `calibrate_live` raises.

    `tell` is called with messages on what was learned, `show` now and then with what has been learned so far.
    """
    recording.observe(recording.place_of(board, None))

    def lesson(text: str) -> None:
        recording.observe(Lesson(text=text))
        tell(text)

    def observed(entry: Entry, new: Sequence[Image]) -> None:
        data = msgspec.to_builtins(entry, enc_hook=np.ndarray.tolist, order="sorted")
        kind = type(entry).__name__.lower()
        recording.observe(Observed(what=kind, data=data, new=len(new)), np.concatenate(new) if new else None)

    learned = calibrate_live(
        recording.desk,
        board,
        max_games=settings.max_games,
        times=Times(),
        tell=lesson,
        show=show,
        observe=observed,
    )
    for fixture in learned.fixtures:
        height, width = fixture.image.shape[:2]
        scene = Scene(name=fixture.name, rows=fixture.board.lines(), picture=(0, 0, width, height, 0, 0))
        recording.observe(scene, fixture.image)
    states = {
        label.state: f"{zlib.crc32(b''.join(picture.tobytes() for picture in label.pictures)):08x}"
        for label in learned.labels
    }
    restart = [str(way.key or way.click) for way in learned.behaviour.restart]
    recording.observe(LearnedEvent(states=states, restart=restart, levels=learned.levels))
    return learned
