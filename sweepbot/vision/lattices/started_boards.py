"""Where the boards of screenshots are, also of games that are under way: no click can tell, so that looks must.

Of a board that is partly open only the part that still repeats itself is found at first, and followed from there.
Board text tells more: cells that it calls the same look the same.
"""

import itertools
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sweepbot.board import Board
from sweepbot.errors import NoBoardFoundError, UsageError
from sweepbot.geometry import Image, Point
from sweepbot.vision.grid import Grid
from sweepbot.vision.lattices.followed import followed
from sweepbot.vision.lattices.untouched_boards import cell_size, cells_of, find_places

_PLACES_TRIED = 3  # places where a board may be, the likeliest first
_LEAST_ALIKE = 0.5  # of all cells: what must agree with the board text
_COARSE = 24  # grey levels by which cells over a gradient may differ
_PLAIN = 3.0  # grey levels that a cell's pixels deviate: one that deviates less might be what is beside the board


@dataclass(frozen=True, slots=True, eq=False)
class Shot:
    """A screenshot of one board.

    Attributes:
        image: The picture, uint8 array of shape (height, width, 3).
        board: What it shows, None where that is not known.
        place: Where the board is, None where that must be found.
    """

    image: Image
    board: Board | None = None
    place: Grid | None = None


def find_boards(shots: Sequence[Shot], cells: Collection[bytes] = ()) -> list[Grid]:
    """The board of each picture; where neither place nor text tells its size, most pictures must agree on it.

    Args:
        shots: The pictures.
        cells: How cells are known to look: their pixels as bytes.

    Raises:
        NoBoardFoundError: A picture shows no board, or none of its board's size.
        UsageError: A place is not within its picture, or has not as many cells as the text.
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
    """The boards of pictures of which nobody has said where they are, each with its number."""
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
        # A window that was not moved shows its board where the other pictures show theirs.
        own = [place for place in places if place in known]
        repeats = {place: _repeats(image, place) for place in (*own, *known)}
        best = max(repeats, key=repeats.__getitem__)
        if repeats[best] < _LEAST_ALIKE * best.rows * best.columns:
            raise _nothing(number, f" of {size[1]}x{size[0]} cells")
        boards.append(best)
    return _nudged([image for _, image, _ in shots], boards, cells)


def _nudged(images: Sequence[Image], places: list[Grid], known: Collection[bytes]) -> list[Grid]:
    """The boards, moved together by a pixel where fewer different cells are cut out there that are not known.

    On an untouched board the lines may as well be in the middle of what is between cells; where hidden and open cells
    meet, each cell that is cut out a little beside its place shows what its neighbour is.
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
    """The likeliest boards of a picture, each followed as far as it goes."""
    return [followed(image, place) for place in find_places(image)[:_PLACES_TRIED]]


def _inside(image: Image, place: Grid) -> bool:
    region = place.region
    return region.x >= 0 and region.y >= 0 and region.right <= image.shape[1] and region.bottom <= image.shape[0]


def _cores(cells: Image) -> NDArray[np.int16]:
    """Cells without their rims, where neighbours may show: shape (cells, values)."""
    return cells[:, 1:-1, 1:-1].reshape(len(cells), -1).astype(np.int16)


def _repeats(image: Image, place: Grid) -> int:
    """How many cells of a board are not plain and look just like another one."""
    if not _inside(image, place):
        return 0
    cells = cells_of(image, place)
    telling = cells.reshape(-1, *cells.shape[2:])[~_plain(cells).ravel()]
    counts = Counter(core.tobytes() for core in _cores(telling) // _COARSE)
    return sum(count for count in counts.values() if count > 1)


def _plain(cells: Image) -> NDArray[np.bool_]:
    """Which cells are of one colour; of the shape of `cells` without its last three axes."""
    plain: NDArray[np.bool_] = cells.astype(np.float32).std(axis=(-3, -2)).max(axis=-1) < _PLAIN
    return plain


def _aligned_with_text(image: Image, board: Board, number: int) -> list[Grid]:
    """The board with a known text; over a gradient, where hardly two cells are alike, one of its size will do."""
    aligned = (_aligned(image, found, board) for found in find_places(image)[:_PLACES_TRIED])
    places = [place for place in aligned if place is not None] or [
        place for place in _followed(image) if (place.rows, place.columns) == board.cells.shape
    ]
    if not places:
        raise _nothing(number, f" of {board.columns}x{board.rows} cells")
    return places


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
        if not _inside(image, grid):
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
