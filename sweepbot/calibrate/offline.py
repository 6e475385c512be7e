"""A calibration from screenshots: labels from board text where there is any, from a person where there is none."""

import itertools
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
        places = [place for found in places[:_PLACES_TRIED] if (place := _aligned(image, found, board)) is not None]
    if not places:
        size = "" if board is None else f" of {board.columns}x{board.rows} cells"
        raise NoBoardFoundError(
            f"picture {number} shows no board{size}",
            hint="crop it to the client's window; a fresh board with every cell hidden is found best",
        )
    return places[0]


def _aligned(image: Image, place: Grid, board: Board) -> Grid | None:
    """The board of that size on the lines of a place, where cells that the text calls the same look the same.

    Only hidden cells, or another part that looks alike, are found without help; the text tells where the rest is.
    """
    across, down = place.pitch
    lefts = range(-board.columns + 1, board.columns)
    tops = range(-board.rows + 1, board.rows)
    best, most = None, 0
    for left, top in itertools.product(lefts, tops):
        grid = Grid.uniform(
            (place.xs[0] + left * across, place.ys[0] + top * down), place.pitch, board.rows, board.columns
        )
        region = grid.region
        if region.x < 0 or region.y < 0 or region.right > image.shape[1] or region.bottom > image.shape[0]:
            continue
        alike = _alike_by_text(cells_of(image, grid), board)
        if alike > most:
            best, most = grid, alike
    return best if most >= _LEAST_ALIKE * board.cells.size else None


def _alike_by_text(cells: Image, board: Board) -> int:
    """How many cells look as most do that the text calls the same, minus those of others that look so too."""
    flat = np.ascontiguousarray(cells[:, :, ::2, ::2].reshape(board.cells.size, -1)) // _COARSE
    _, kinds = np.unique(flat, axis=0, return_inverse=True)
    states = board.cells.ravel()
    alike = 0
    for state in np.unique(states):
        of_state = kinds.reshape(-1)[states == state]
        commonest = int(np.bincount(of_state).argmax())
        inside = int((of_state == commonest).sum())
        alike += inside - int((kinds.reshape(-1)[states != state] == commonest).sum())
    return alike


_PLACES_TRIED = 3
_LEAST_ALIKE = 0.5  # of all cells: what must agree with the board text
_COARSE = 24  # grey levels by which cells over a gradient may differ


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
