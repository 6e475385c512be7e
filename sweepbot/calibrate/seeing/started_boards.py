"""Find the boards of screenshots in unknown skins, even of games under way.

If a board is partly open, only the part that still repeats itself is found at first, and followed from there. Board
text helps: cells with the same state look the same.
"""

import itertools
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sweepbot.board import Board
from sweepbot.calibrate.seeing.followed import followed
from sweepbot.calibrate.seeing.untouched_boards import cell_size, cells_of, find_places
from sweepbot.errors import NoBoardFoundError, UsageError
from sweepbot.geometry import Image, Point
from sweepbot.vision.grid import Grid

_PLACES_TRIED = 3  # likeliest places of a board
_LEAST_ALIKE_SHARE = 0.5  # of all cells that must agree with the board text
_GRADIENT_LEVELS = 24  # by which cells over a gradient may differ
_FLAT_LEVELS = 3.0  # a cell with a smaller standard deviation may be what is beside the board


@dataclass(frozen=True, slots=True, eq=False)
class Shot:
    """A screenshot of one board.

    Attributes:
        image: The picture, uint8 array of shape (height, width, 3).
        board: What it shows, None if unknown.
        place: Where the board is, None if it must be found.
    """

    image: Image
    board: Board | None = None
    place: Grid | None = None


def find_boards(shots: Sequence[Shot], cells: Collection[bytes] = ()) -> list[Grid]:
    """Find the board of each picture. A size that neither place nor text gives is that of most pictures.

    Args:
        shots: The pictures.
        cells: Known pictures of cells: their pixels as bytes.

    Raises:
        NoBoardFoundError: A picture shows no board, or none of its board's size.
        UsageError: A place is not within its picture, or has another number of cells than the text.
    """
    for number, shot in enumerate(shots, 1):
        _check_place(shot, number)
    unplaced = [(number, shot.image, shot.board) for number, shot in enumerate(shots, 1) if shot.place is None]
    found = iter(_found(unplaced, cells) if unplaced else ())
    return [shot.place or next(found) for shot in shots]


def _check_place(shot: Shot, number: int) -> None:
    place, board = shot.place, shot.board
    if place is None:
        return
    if not _inside(shot.image, place):
        height, width = shot.image.shape[:2]
        raise UsageError(f"the grid covers {place.region}, but picture {number} has {width}x{height} pixels")
    if board is not None and (place.rows, place.columns) != board.cells.shape:
        raise UsageError(
            f"the grid of picture {number} has {place.columns}x{place.rows} cells, its board text "
            f"{board.columns}x{board.rows}"
        )


def _found(shots: Sequence[tuple[int, Image, Board | None]], cells: Collection[bytes]) -> list[Grid]:
    """Find the boards of numbered pictures without a place."""
    found = [
        _followed(image) if board is None else _aligned_with_text(image, board, number)
        for number, image, board in shots
    ]
    sizes = Counter((place.rows, place.columns) for places in found for place in places[:1])
    if not sizes:
        raise _nothing(shots[0][0], "")
    ((size, _),) = sizes.most_common(1)
    ((cell, _),) = Counter(cell_size(place) for places in found for place in places[:1]).most_common(1)
    of_size = [[place for place in places if (place.rows, place.columns) == size] for places in found]
    known = [place for places in of_size for place in places]
    boards = []
    for (number, image, board), places in zip(shots, found, strict=True):
        if board is not None:
            boards.append(next((place for place in places if cell_size(place) == cell), places[0]))
            continue
        # A window that was not moved shows its board at the same place as the other pictures.
        own = [place for place in places if place in known]
        repeats = {place: _repeats(image, place) for place in (*own, *known)}
        best = max(repeats, key=repeats.__getitem__)
        if repeats[best] < _LEAST_ALIKE_SHARE * best.cells:
            raise _nothing(number, f" of {size[1]}x{size[0]} cells")
        boards.append(best)
    return _nudged([image for _, image, _ in shots], boards, cells)


def _nudged(images: Sequence[Image], places: list[Grid], known: Collection[bytes]) -> list[Grid]:
    """Move all boards by a pixel if that leaves fewer kinds of unknown cells.

    On a fresh board, the lines may be anywhere between cells. If they are off, a cell next to one of another state
    shows a little of it, and so makes a kind of its own.
    """
    best, fewest = places, len(set().union(*map(_different, images, places)).difference(known))
    for x, y in itertools.product((-1, 0, 1), repeat=2):
        moved = [place.moved(Point(x, y)) for place in places]
        if all(_inside(image, place) for image, place in zip(images, moved, strict=True)):
            different = len(set().union(*map(_different, images, moved)).difference(known))
            if different < fewest:
                best, fewest = moved, different
    return best


def _different(image: Image, place: Grid) -> set[bytes]:
    cells = cells_of(image, place)
    return {cell.tobytes() for cell in cells.reshape(-1, *cells.shape[2:])}


def _nothing(number: int, size: str) -> NoBoardFoundError:
    return NoBoardFoundError(
        f"picture {number} shows no board{size}",
        hint="add a picture of a fresh board, say what this one shows: --board, or where its board is: --grid",
    )


def _followed(image: Image) -> list[Grid]:
    """Return the likeliest boards of a picture, each followed as far as it goes."""
    return [followed(image, place) for place in find_places(image)[:_PLACES_TRIED]]


def _inside(image: Image, place: Grid) -> bool:
    region = place.region
    return region.x >= 0 and region.y >= 0 and region.right <= image.shape[1] and region.bottom <= image.shape[0]


def _cores(cells: Image) -> NDArray[np.int16]:
    """Return cells without their rims, where neighbours may show, of shape (cells, values)."""
    return cells[:, 1:-1, 1:-1].reshape(len(cells), -1).astype(np.int16)


def _repeats(image: Image, place: Grid) -> int:
    """Count the cells of a board that are not plain and look just like another one."""
    if not _inside(image, place):
        return 0
    cells = cells_of(image, place)
    telling = cells.reshape(-1, *cells.shape[2:])[~_plain(cells).ravel()]
    counts = Counter(core.tobytes() for core in _cores(telling) // _GRADIENT_LEVELS)
    return sum(count for count in counts.values() if count > 1)


def _plain(cells: Image) -> NDArray[np.bool_]:
    """Return which cells are of one colour, of the shape of `cells` without its last three axes."""
    plain: NDArray[np.bool_] = cells.astype(np.float32).std(axis=(-3, -2)).max(axis=-1) < _FLAT_LEVELS
    return plain


def _aligned_with_text(image: Image, board: Board, number: int) -> list[Grid]:
    """Find the board with a known text, or else one of its size, as over a gradient hardly two cells are alike."""
    aligned = (_aligned(image, found, board) for found in find_places(image)[:_PLACES_TRIED])
    places = [place for place in aligned if place is not None] or [
        place for place in _followed(image) if (place.rows, place.columns) == board.cells.shape
    ]
    if not places:
        raise _nothing(number, f" of {board.columns}x{board.rows} cells")
    return places


def _aligned(image: Image, place: Grid, board: Board) -> Grid | None:
    """Find the board on the lines of a place, by cells with the same state that look the same.

    Without the text, only the hidden cells, or another uniform part, may have been found.
    """
    across, down = place.pitch
    lefts = range(-board.columns + 1, board.columns)
    tops = range(-board.rows + 1, board.rows)
    best, most = None, 0
    for left, top in itertools.product(lefts, tops):
        grid = Grid.uniform(
            (place.xs[0] + left * across, place.ys[0] + top * down), place.pitch, board.rows, board.columns
        )
        if not _inside(image, grid):
            continue
        alike = _alike_by_text(cells_of(image, grid), board)
        if alike > most:
            best, most = grid, alike
    return best if most >= _LEAST_ALIKE_SHARE * board.cells.size else None


def _alike_by_text(cells: Image, board: Board) -> int:
    """Count the cells that look like most of their state, minus those of other states that look so too."""
    flat = np.ascontiguousarray(cells[:, :, ::2, ::2].reshape(board.cells.size, -1)) // _GRADIENT_LEVELS
    _, kinds = np.unique(flat, axis=0, return_inverse=True)
    states = board.cells.ravel()
    alike = 0
    for state in np.unique(states):
        of_state = kinds.reshape(-1)[states == state]
        commonest = int(np.bincount(of_state).argmax())
        inside = int((of_state == commonest).sum())
        alike += inside - int((kinds.reshape(-1)[states != state] == commonest).sum())
    return alike
