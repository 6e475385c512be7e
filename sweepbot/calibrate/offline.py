"""A calibration from screenshots: labels from board text where there is any, from a person where there is none."""

from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from sweepbot.board import Board, State
from sweepbot.calibrate.learned import NEEDED, Fixture, Label, Learned, representatives
from sweepbot.calibrate.pictures import TOLERANCES, Album, Looks
from sweepbot.calibrate.place import Image, cell_size, cells_of, find_places
from sweepbot.errors import CalibrationError, NoBoardFoundError, UsageError
from sweepbot.level import FirstClick
from sweepbot.vision.calibration import STATE_NAMES, Manners, Restart, Settle
from sweepbot.vision.grid import Grid

Ask = Callable[[Image, int], str | None]
"""Told a picture of a cell and how many look so; answers a name of `STATE_NAMES`, or None to leave it out."""

_NAMES = {state: name for name, state in STATE_NAMES.items()}

_UNOBSERVED = Manners(
    first_click=FirstClick.SAFE,
    restart=(Restart(key="f2"),),
    settle=Settle(notice_ms=50, quiet_ms=20, limit_ms=400),
)
"""What most clients do; a picture tells nothing of manners."""


def from_images(shots: Sequence[tuple[Image, Board | None]], ask: Ask) -> Learned:
    """Make a calibration of pictures that each show one board of the same client at the same scale.

    Args:
        shots: Pictures, uint8 arrays of shape (height, width, 3), with the boards that they show where these are known.
        ask: Tells what a look means that no board tells.

    Raises:
        NoBoardFoundError: A picture shows no board, or none of its board's size.
        UsageError: The boards differ in the size of their cells.
        CalibrationError: Two boards contradict each other, or hidden cells, 0 or 1 stay unknown.
    """
    album = Album()
    places = [_place(image, board, number) for number, (image, board) in enumerate(shots, 1)]
    if len({cell_size(place) for place in places}) > 1:
        sizes = ", ".join("{}x{}".format(*cell_size(place)) for place in places)
        raise UsageError(f"the pictures have cells of different sizes: {sizes}", hint="use pictures of one scale")
    boards = [album.numbers(cells_of(image, place)) for (image, _), place in zip(shots, places, strict=True)]
    told: dict[int, int] = {}
    for pictures, (_, board) in zip(boards, shots, strict=True):
        if board is not None:
            _tell(told, pictures, board)
    looks = Looks(album, TOLERANCES[0])
    counts = Counter(int(picture) for pictures in boards for picture in pictures.ravel())
    looks.add(counts)
    states, sources = _labelled(album, looks, counts, told, ask)
    if missing := [name for name in NEEDED if name not in states]:
        raise CalibrationError(
            f"no cell is known to show {', '.join(missing)}", hint="add a picture that shows them: --image"
        )
    return Learned(
        place=places[0],
        labels=[
            Label(
                name,
                representatives(album, states[name]),
                f"{states[name].total()} cells, {sources.get(name, 'by the board text')}",
            )
            for name in STATE_NAMES
            if name in states
        ],
        open_questions=["the manners below were not observed: look them over"],
        manners=_UNOBSERVED,
        levels={},
        fixtures=[Fixture("board", image, board) for image, board in shots if board is not None],
    )


def _labelled(
    album: Album, looks: Looks, counts: Counter[int], told: dict[int, int], ask: Ask
) -> tuple[dict[str, Counter[int]], dict[str, str]]:
    """The pictures of each state, and where that is known from: board text first, a person for the rest."""
    states: dict[str, Counter[int]] = {}
    sources: dict[str, str] = {}
    for members in sorted(looks.all().values(), key=lambda of_look: -sum(counts[member] for member in of_look)):
        by_text = [member for member in members if member in told]
        meanings = {told[member] for member in by_text}
        if len(meanings) > 1:  # looks so near each other that only the text can tell them apart
            for member in by_text:
                states.setdefault(_NAMES[told[member]], Counter())[member] = counts[member]
            continue
        total = sum(counts[member] for member in members)
        name = _NAMES[meanings.pop()] if meanings else ask(album[members[0]], total)
        if name is not None:
            states.setdefault(name, Counter()).update({member: counts[member] for member in members})
            sources.setdefault(name, "by the board text" if by_text else "by a person")
    return states, sources


def _place(image: Image, board: Board | None, number: int) -> Grid:
    places = find_places(image)
    if board is not None:
        places = [place for place in places if (place.rows, place.columns) == (board.rows, board.columns)]
    if not places:
        size = "" if board is None else f" of {board.columns}x{board.rows} cells"
        raise NoBoardFoundError(
            f"picture {number} shows no board{size}",
            hint="crop it to the client's window; a fresh board with every cell hidden is found best",
        )
    return places[0]


def _tell(told: dict[int, int], pictures: NDArray[np.intp], board: Board) -> None:
    """Take down what a board says of the pictures of its cells."""
    for cell in board:
        picture, state = int(pictures[cell]), board[cell]
        if state == State.UNKNOWN:
            continue
        if told.setdefault(picture, state) != state:
            raise CalibrationError(
                f"{cell}: the board text says {_NAMES[state]!r}, but another cell that looks just so is "
                f"{_NAMES[told[picture]]!r}",
                hint="mend the board text",
            )
