"""Where a board's cells begin and end, with no template: by their all being alike, and by what a click changes.

A lattice tells the pitch, but not which places of a period are the edges of a cell. On an untouched board one pattern
is repeated over and over, and ends where the board does, or where a region is open already. So the pattern is laid out
over the picture; of all places for the lines the best are those between which most cells agree with it as a whole.
Space between cells that looks like what surrounds the board leaves some equally good places: the middle one is taken.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from sweepbot.board import neighbours
from sweepbot.geometry import Cell, Image
from sweepbot.vision.difference import difference
from sweepbot.vision.grid import Grid
from sweepbot.vision.lattice import SMALLEST_PITCH, Lattice, find_lattices
from sweepbot.vision.tiles import find_tilings

LARGEST_PITCH = 80
"""Pixels: cells larger than this are not looked for."""

LEAST_CELLS = 4
"""A board has at least so many rows and columns."""

_SAME = (6, 20)  # grey levels by which a pixel and its repetition may differ: on plain ground, over a gradient
_COARSE = 24  # grey levels by which tiles may differ to be counted together
_BESIDE = 2  # cells beside a lattice in which the board may go on, and that may be open between hidden ones
_STILL_BOARD = 0.2  # of the most hidden line's hidden cells: what a line needs to be one of the board's
_FAINT = 5  # grey levels: the least step of a line that is drawn at all
_RULED = 4  # lattices of lines that are looked into
_CHEQUERED = 0.8  # the share of cells that differ from the next one on a chequered board
_SAME_PITCH = 0.5  # pixels by which a board's pitch may differ when it is found again
_OFF_LINE = 0.15  # of a pitch: two findings of one board differ by less


def find_places(image: Image) -> list[Grid]:
    """Every place in a picture where an untouched board may be, the likeliest first.

    Args:
        image: uint8 array of shape (height, width, 3), blue, green, red.
    """
    tilings = [tiling.grid for tiling in find_tilings(image)]
    if tilings:
        return tilings
    places: list[Grid] = []
    for lattice in (*find_lattices(image, SMALLEST_PITCH, LARGEST_PITCH), *_ruled(image)):
        for place in _places_of(image, lattice):
            if not any(_same(place, other) for other in places):
                places.append(place)
    likelihood = {place: _likelihood(image, place) for place in places}
    return sorted((place for place in places if likelihood[place]), key=likelihood.__getitem__, reverse=True)


def _ruled(image: Image) -> Iterator[Lattice]:
    """Lattices of thin straight lines at even distances, which may be too faint to be found by their strength.

    A line counts by its length alone. Of all distances, those are taken at which the longest rows of lines follow
    each other both ways.
    """
    chains = []
    for axis in (1, 0):
        steps = (difference(image[1:], image[:-1]) if axis == 0 else difference(image[:, 1:], image[:, :-1])) >= _FAINT
        chains.append(_longest_chains(steps.sum(axis=1 - axis) >= LEAST_CELLS * SMALLEST_PITCH))
    common = sorted(chains[0].keys() & chains[1].keys(), key=lambda lag: -len(chains[0][lag]) * len(chains[1][lag]))
    for lag in common[:_RULED]:
        yield Lattice(tuple(map(float, chains[0][lag])), tuple(map(float, chains[1][lag])), 0.0)


def _longest_chains(lines: NDArray[np.bool_]) -> dict[int, range]:
    """For each distance the longest row of lines that far apart, where it has enough of them for a board."""
    found: dict[int, range] = {}
    places = np.flatnonzero(lines)
    for lag in range(SMALLEST_PITCH, LARGEST_PITCH + 1):
        best = range(0)
        lengths: dict[int, int] = {}
        for place in places[::-1].tolist():
            lengths[place] = 1 + lengths.get(place + lag, 0)
            if lengths[place] > len(best):
                best = range(place, place + lag * lengths[place], lag)
        if len(best) > LEAST_CELLS:
            found[lag] = best
    return found


def _places_of(image: Image, lattice: Lattice) -> Iterator[Grid]:
    """The boards that a lattice may be the cells of, where its pitch is a whole number and where it is not."""
    across, down = (round(pitch) for pitch in lattice.pitch)
    pitches = {(across, down), (max(across, down),) * 2, (min(across, down),) * 2}
    for same in _SAME:
        found = [_repeated(image, lattice, pitch, cells, same) for pitch in sorted(pitches) for cells in (1, 2)]
        boards = [place for place in found if place is not None]
        if boards:
            yield max(boards, key=lambda place: place.rows * place.columns)
            return
    if min(len(lattice.xs), len(lattice.ys)) > LEAST_CELLS:
        yield Grid(lattice.xs, lattice.ys)


def _repeated(image: Image, lattice: Lattice, pitch: tuple[int, int], cells: int, same: int) -> Grid | None:
    """The board whose untouched cells repeat one pattern, None where there is none.

    Args:
        image: The picture.
        lattice: Where to look.
        pitch: Width and height of a cell.
        cells: After how many cells the pattern repeats itself; 2 on chequered boards.
        same: Grey levels by which a pixel may differ from the pattern.
    """
    width, height = pitch
    left, top = (max(0, int(lines[0]) - _BESIDE * side) for lines, side in ((lattice.xs, width), (lattice.ys, height)))
    right, bottom = int(lattice.xs[-1]) + _BESIDE * width, int(lattice.ys[-1]) + _BESIDE * height
    part = image[top:bottom, left:right]
    pattern = _commonest_tile(part, width * cells, height * cells)
    if pattern is None:
        return None
    tiles = -(-part.shape[0] // pattern.shape[0]), -(-part.shape[1] // pattern.shape[1])
    laid_out = np.tile(pattern, (*tiles, 1))[: part.shape[0], : part.shape[1]]
    agrees = difference(part, laid_out) <= same
    sums = np.pad(agrees.astype(np.int32).cumsum(axis=0).cumsum(axis=1), ((1, 0), (1, 0)))
    windows = sums[height:, width:] - sums[:-height, width:] - sums[height:, :-width] + sums[:-height, :-width]
    whole = windows == width * height
    counts = np.array([[whole[y::height, x::width].sum() for x in range(width)] for y in range(height)])
    x, y = _middle_of((counts == counts.max()).any(axis=0)), _middle_of((counts == counts.max()).any(axis=1))
    columns = _board_lines(whole[y::height, x::width], 0)
    rows = _board_lines(whole[y::height, x::width], 1)
    if min(len(columns), len(rows)) < LEAST_CELLS:
        return None
    return Grid(
        tuple(float(left + x + width * column) for column in (*columns, columns[-1] + 1)),
        tuple(float(top + y + height * row) for row in (*rows, rows[-1] + 1)),
    )


def _commonest_tile(image: Image, width: int, height: int) -> Image | None:
    """The commonest of the tiles that a picture can be cut into; None where no two are alike."""
    rows, columns = image.shape[0] // height, image.shape[1] // width
    if rows * columns < LEAST_CELLS:
        return None
    tiles = image[: rows * height, : columns * width].reshape(rows, height, columns, width, 3).swapaxes(1, 2)
    flat = np.ascontiguousarray(tiles).reshape(rows * columns, -1)
    _, first, counts = np.unique(flat // _COARSE, axis=0, return_index=True, return_counts=True)
    structured = np.array([flat[index].reshape(-1, 3).std(axis=0).max() > 1 for index in first])
    # Plain tiles are what surrounds a board, unless there is nothing else.
    counts = np.where(structured, counts, 0) if (counts[structured] > 1).any() else counts
    best = int(counts.argmax())
    return flat[first[best]].reshape(height, width, 3) if counts[best] > 1 else None


def _middle_of(best: NDArray[np.bool_]) -> int:
    """The middle of the first and longest round of places that are equally good, in a circle of them."""
    count = len(best)
    if best.all():
        return 0
    start = int(np.flatnonzero(~best)[0])
    turned = np.roll(best, -start)
    edges = np.flatnonzero(np.diff(np.concatenate([[0], turned.astype(np.int8), [0]])))
    first, last = max(zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True), key=lambda run: run[1] - run[0])
    middle: int = (start + (first + last - 1) // 2) % count
    return middle


def _board_lines(hidden: NDArray[np.bool_], axis: int) -> list[int]:
    """The rows or columns that belong to the board: those with a fair part of hidden cells, and what lies between."""
    counts = hidden.sum(axis=axis)
    firm = np.flatnonzero(counts >= max(1, _STILL_BOARD * counts.max(initial=0)))
    if not firm.size:
        return []
    runs = np.split(firm, np.flatnonzero(np.diff(firm) > _BESIDE) + 1)
    longest = max(runs, key=len)
    return list(range(int(longest[0]), int(longest[-1]) + 1))


def joined(one: Grid, other: Grid) -> Grid:
    """The board of which both are parts; the first one where they do not fit together."""
    lines = []
    for own, others, pitch in ((one.xs, other.xs, one.pitch[0]), (one.ys, other.ys, one.pitch[1])):
        steps = (others[0] - own[0]) / pitch, (others[-1] - own[0]) / pitch
        if max(abs(step - round(step)) for step in steps) > _OFF_LINE:
            return one
        lines.append(_merged(own, others, round(steps[0])))
    return Grid(lines[0], lines[1])


def _merged(own: tuple[float, ...], others: tuple[float, ...], start: int) -> tuple[float, ...]:
    """Lines that two boards have between them, the other one's beginning at number `start` of the first one's.

    The outermost line of a part may be a pixel off; where the other part goes on beyond it, that knows better.
    """
    known = {start + number: line for number, line in enumerate(others)}
    known |= {number: line for number, line in enumerate(own) if 0 < number < len(own) - 1 or number not in known}
    return tuple(known[number] for number in sorted(known))


def widened(image: Image, place: Grid) -> Grid:
    """The board as wide as its lattice goes on, where columns beside it are open and so unlike the rest."""
    for lattice in find_lattices(image, min(place.pitch) - 1, max(place.pitch) + 1):
        if lattice.ys[0] < place.ys[-1] and lattice.ys[-1] > place.ys[0]:
            return Grid(joined(place, Grid(lattice.xs, place.ys)).xs, place.ys)
    return place


def cells_of(image: Image, place: Grid, size: tuple[int, int] | None = None) -> Image:
    """The pictures of a board's cells: uint8 array of shape (rows, columns, height, width, 3).

    Nothing is resized, so that what a client draws alike stays alike: of wider cells the middle is taken.

    Args:
        image: The picture.
        place: The board in it.
        size: Width and height of what is taken of each cell, those of the smallest by default.
    """
    width, height = size or cell_size(place)
    columns, rows = _middles(place.xs, width), _middles(place.ys, height)
    board = image[np.clip(rows, 0, image.shape[0] - 1)][:, np.clip(columns, 0, image.shape[1] - 1)]
    tiles = board.reshape(place.rows, height, place.columns, width, -1)
    return np.ascontiguousarray(tiles.transpose(0, 2, 1, 3, 4))


def cell_size(place: Grid) -> tuple[int, int]:
    """Width and height of a board's cells in whole pixels, those of the smallest where they differ."""
    return int(np.diff(np.rint(place.xs)).min()), int(np.diff(np.rint(place.ys)).min())


def _middles(lines: tuple[float, ...], side: int) -> NDArray[np.intp]:
    """The pixels of the middles of all cells between lines, one after the other."""
    whole = np.rint(lines).astype(np.intp)
    starts = whole[:-1] + (np.diff(whole) - side) // 2
    pixels: NDArray[np.intp] = (starts[:, None] + np.arange(side)).ravel()
    return pixels


def _likelihood(image: Image, place: Grid) -> float:
    """How many cells there are that look like many others: the two commonest looks, for chequered boards."""
    cells = cells_of(image, place)
    flat = np.ascontiguousarray(cells.reshape(place.rows * place.columns, -1))
    for coarse in (1, 16):  # over a gradient no two cells are quite alike
        looks, kinds, counts = np.unique(flat // coarse, axis=0, return_inverse=True, return_counts=True)
        order = np.argsort(-counts)[:2]
        if counts[order].sum() > len(flat) / 2:
            break
    plain = looks[order].reshape(len(order), -1, 3).std(axis=1).max() == 0
    board = kinds.reshape(place.rows, place.columns)
    alternating = (board[:, 1:] != board[:, :-1]).mean() > _CHEQUERED and (board[1:] != board[:-1]).mean() > _CHEQUERED
    # A plain look is an empty surface, unless it changes from each cell to the next.
    return float(counts[order].sum()) if alternating or not plain else 0.0


def _same(one: Grid, other: Grid) -> bool:
    """Whether two boards are nearly the same one."""
    return (one.rows, one.columns) == (other.rows, other.columns) and all(
        abs(a - b) < 1 for a, b in zip(one.xs + one.ys, other.xs + other.ys, strict=True)
    )


def is_as_large(one: Grid, other: Grid) -> bool:
    """Whether two boards have as many cells, and cells of one size: one of them may be the other, in another place."""
    pitches = zip(one.pitch, other.pitch, strict=True)
    same_size = (one.rows, one.columns) == (other.rows, other.columns)
    return same_size and all(abs(a - b) < _SAME_PITCH for a, b in pitches)


def is_exact(image: Image, place: Grid) -> bool:
    """Whether a board's lines are those between equal pieces of the picture, and not only some period apart."""
    return any(place.nearly(tiling.grid, 1) for tiling in find_tilings(image))


def fitted_to(changed: NDArray[np.bool_], place: Grid, clicked: Cell, reach: float) -> Grid:
    """Move a board's lines so that what a click changed lies inside cells.

    Args:
        changed: Which pixels of a picture changed, shape (height, width).
        place: The board, in pixels of the picture.
        clicked: The cell that was clicked.
        reach: By how many pixels its lines may be off.
    """
    cells = _changed_together(changed, place, clicked)
    if not cells:
        return place
    # Where the click has ended the game mines come up all over the board: only what is near the cells counts.
    near = np.zeros_like(changed)
    down, across = (
        slice(max(0, int(lines[min(at)] - reach)), int(lines[max(at) + 1] + reach))
        for lines, at in zip((place.ys, place.xs), zip(*cells, strict=True), strict=True)
    )
    near[down, across] = changed[down, across]
    lines = []
    for axis, (own, pitch) in enumerate(((place.xs, place.pitch[0]), (place.ys, place.pitch[1]))):
        touched = np.flatnonzero(near.any(axis=axis))
        move = _move(float(touched[0]), float(touched[-1] + 1), own[0], pitch, reach)
        lines.append(tuple(line + move for line in own))
    return Grid(lines[0], lines[1])


def _move(start: float, stop: float, line: float, pitch: float, reach: float) -> int:
    """The least move of lines for what lies from `start` to `stop` to fill whole cells; 0 where it fills none."""

    def room(move: int) -> float:
        first, last = (start - line - move) // pitch, (stop - line - move - 1) // pitch
        return (last - first + 1) * pitch - (stop - start)

    least = min(range(-int(reach), int(reach) + 1), key=lambda move: (room(move), abs(move)))
    return least if room(least) < pitch / 2 else 0


def _changed_together(changed: NDArray[np.bool_], place: Grid, clicked: Cell) -> list[Cell]:
    """The clicked cell and all that changed in one piece with it."""
    found: list[Cell] = []
    waiting = [clicked]
    around = neighbours(place.rows, place.columns)
    while waiting:
        cell = waiting.pop()
        region = place.region_of(cell)
        if cell not in found and changed[max(0, region.y) : region.bottom, max(0, region.x) : region.right].any():
            found.append(cell)
            waiting.extend(around[cell])
    return found
