"""Boards of clients whose cells have no ground in common: found by their chequers or the lines between cells.

Templates cannot be laid over a gradient, nor over a chequered ground that a screen has made paler. What is the same all
over such a board is what sets its cells apart: two shades in turn, or a dark line. By that its lines are found; what
its cells show is told by `ink`.
"""

import cv2
import numpy as np
from numpy.typing import NDArray

from sweepbot.geometry import Image
from sweepbot.vision.calibration import Calibration
from sweepbot.vision.cells.ink import HIDDEN_KIND, InkClassifier, some_pixels
from sweepbot.vision.cells.numbers import SIDE
from sweepbot.vision.detect.fit import LEAST_CELLS, sampled
from sweepbot.vision.detect.locate import (
    LARGEST_CELL,
    MOST_CELLS,
    SMALLEST_CELL,
    Candidate,
    aspect,
    same_place,
)
from sweepbot.vision.grid import Grid
from sweepbot.vision.lattices.align import LEAST_CORRELATION, Sample, extended, middle, within
from sweepbot.vision.lattices.chequers import find_chequers
from sweepbot.vision.lattices.lattice import Lattice
from sweepbot.vision.pictures.cutting import MARGIN, rectified
from sweepbot.vision.pictures.light import light, possible_warmths

_DIMMED = 1.0, 0.8, 0.62, 0.48  # of a dimmed page: its brightness, as a share of its own
_LEAST_GROUNDS = 0.3  # of a lattice's pixels: what has the colour of a ground
_REACH = 3  # cells by which an edge is moved outwards at a time
_ROUNDS = 4
_REHEARSED = 6  # cells a side: to read one by its ink takes a millisecond
_NEARLY_ALL = 0.95  # of a board's cells: where fewer can be read, the light may be told too coarsely
_SEARCHED = 0.22  # of a cell: how far from its place a line is sought
_LINE = 0.75  # of a cell's brightness: a line between cells is darker
_ALONG = 80  # per cent of a side that is no brighter than the line on it
_SIDES = 3  # of a cell's four that must have a line
_BESIDE = 2  # of the pixels of a cell: so far beside its edge a line may run
_FIRM = 0.35  # of the cells in the firmest row or column that are closed by lines: a window may hide most of another's
_LEAST_FIRM = 0.15  # of the cells looked at
_BRIDGE = 3  # rows or columns from a closed one to the next, of the same board

Floats = NDArray[np.float32]


def on_chequers(image: Image, calibration: Calibration, inks: InkClassifier) -> list[Candidate]:
    """Find the boards of a client whose ground is chequered."""
    found: list[Candidate] = []
    for one in find_chequers(image, inks.kinds, SMALLEST_CELL, LARGEST_CELL):
        too_large = one.grid.rows * one.grid.columns > MOST_CELLS
        if too_large or any(same_place(one.grid.region, other.grid.region) for other in found):
            continue
        candidate = _best_lit(image, one.grid, calibration, inks.lit(one.light))
        if _is_won(image, candidate) or (candidate.is_board and _has_mines(candidate)):
            found.append(candidate)
    return found


def _is_won(image: Image, candidate: Candidate) -> bool:
    """Whether its open cells are painted over, as after a win: few cells of such a board can be read."""
    size = candidate.grid.rows, candidate.grid.columns
    board = rectified(image, candidate.grid, candidate.classifier.cell)
    return candidate.classifier.shows_win(board, size, candidate.classified.states)


def _has_mines(candidate: Candidate) -> bool:
    """Whether there are cells that may hold a mine: ruled paper with numbers on it has none."""
    return bool(np.isin(candidate.classified.states, HIDDEN_KIND).any())


def lit_as(image: Image, lattice: Lattice, inks: InkClassifier) -> InkClassifier | None:
    """The classifier in the light of a lattice's region; None where that has too little of the client's grounds."""
    pixels = some_pixels(image, lattice.region)
    if not pixels.size:
        return None
    for warmth in possible_warmths(image):
        lights = [light(brightness, warmth) for brightness in _DIMMED]
        shares = [inks.grounds_in(pixels, one) for one in lights]
        best = int(np.argmax(shares))
        if shares[best] >= _LEAST_GROUNDS:
            return inks.lit(lights[best])
    return None


def rehearsed_in_ink(image: Image, sample: Sample, inks: InkClassifier) -> float:
    """How well the cells in the middle of a lattice are read by ink: their mean score, unreadable ones counted as 0.

    Args:
        image: The picture.
        sample: Taken of the lattice.
        inks: The classifier, in the light of the lattice.
    """
    placed, correlation = sample.anchored(inks.patterns)
    if correlation < LEAST_CORRELATION:
        return 0.0
    grid = _on_lines(image, sample.part_of(placed))
    grid = grid.part(middle(grid.rows, _REHEARSED), middle(grid.columns, _REHEARSED))
    shown = inks.classify(rectified(image, grid, inks.cell), (grid.rows, grid.columns))
    return shown.agreement / (grid.rows * grid.columns)


def lined_on(image: Image, lattice: Lattice, calibration: Calibration, inks: InkClassifier) -> Candidate | None:
    """The board on a lattice of a client that draws lines between its cells, its edges where these end.

    Args:
        image: The picture.
        lattice: The lattice.
        calibration: Of the client.
        inks: The classifier, in the light of the lattice.

    Returns:
        None where there is none, or none with a cell that may hold a mine.
    """
    grid, correlation = sampled(image, lattice).anchored(inks.patterns)
    if correlation < LEAST_CORRELATION:
        return None
    grid = _on_lines(image, grid)
    for _ in range(_ROUNDS):
        wide = Grid(
            within(extended(grid.xs, _REACH, _REACH), image.shape[1]),
            within(extended(grid.ys, _REACH, _REACH), image.shape[0]),
        )
        closed = _closed(image, wide)
        rows, columns = range(wide.rows), range(wide.columns)
        for _ in range(2):
            rows = _run(closed[:, columns.start : columns.stop].mean(axis=1))
            columns = _run(closed[rows.start : rows.stop].mean(axis=0)) if rows else rows
            if min(len(rows), len(columns)) < LEAST_CELLS:
                return None
        before, grid = grid, _on_lines(image, wide.part(rows, columns))
        if (grid.rows, grid.columns) == (before.rows, before.columns):
            break
    found = _best_lit(image, grid, calibration, inks)
    return found if _has_mines(found) else None


def _best_lit(image: Image, grid: Grid, calibration: Calibration, inks: InkClassifier) -> Candidate:
    """The board as it is read in this light, or in one of the lights that its grounds tell where that is better."""
    found = _candidate(image, grid, calibration, inks)
    if found.classified.readable >= _NEARLY_ALL or _is_won(image, found):
        return found
    lit = (inks.brightest(image, grid, light(1, warmth)) for warmth in possible_warmths(image))
    again = (_candidate(image, grid, calibration, one) for one in lit)
    return max(found, *again, key=lambda one: one.classified.agreement)


def _candidate(image: Image, grid: Grid, calibration: Calibration, inks: InkClassifier) -> Candidate:
    shown = inks.classify(rectified(image, grid, inks.cell), (grid.rows, grid.columns))
    scale = grid.pitch[0] / calibration.cell[0]
    return Candidate(grid, scale, inks, shown, aspect(calibration), 1.0)


def _brightness(image: Image, grid: Grid) -> Floats:
    return np.asarray(cv2.cvtColor(rectified(image, grid, (SIDE, SIDE)), cv2.COLOR_BGR2GRAY), dtype=np.float32)


def _on_lines(image: Image, grid: Grid) -> Grid:
    """The grid moved to where the picture is darkest all along its lines, at even distances."""
    board = _brightness(image, grid)
    return Grid(_darkest(board.mean(axis=0), grid.xs), _darkest(board.mean(axis=1), grid.ys))


def _darkest(profile: Floats, lines: tuple[float, ...]) -> tuple[float, ...]:
    """Lines moved to the darkest places of a profile in their reach, then made even."""
    reach = round(_SEARCHED * SIDE)
    unit = (lines[-1] - lines[0]) / (len(lines) - 1) / SIDE
    at = np.arange(len(lines)) * SIDE + MARGIN
    smooth = cv2.blur(profile.reshape(1, -1), (3, 1))[0]
    offsets = np.arange(-reach, reach + 1)
    inside = np.clip(at[:, None] + offsets[None], 0, len(smooth) - 1)
    places = smooth[inside]
    # All lines together are off by about the same; each alone by a little more.
    common = int(places[1:-1].mean(axis=0).argmin()) if len(lines) > LEAST_CELLS else reach
    near = slice(max(0, common - 2), common + 3)
    own = offsets[near][places[:, near].argmin(axis=1)]
    weights = np.maximum(places.mean(axis=1) - places[:, near].min(axis=1), 0) + 1e-3
    weights[[0, -1]] = 1e-3  # a frame, or nothing at all, may be beside a board
    number = np.arange(len(lines))
    # A pixel's middle is half a pixel from its edge.
    seen = np.array(lines) + (own + 0.5) * unit
    slope, start = np.polyfit(number, seen, 1, w=np.sqrt(weights))
    return tuple((start + slope * number).tolist())


def _closed(image: Image, grid: Grid) -> NDArray[np.bool_]:
    """Which cells have dark lines on nearly all their sides: shape (rows, columns)."""
    board = _brightness(image, grid)
    rows, columns = grid.rows, grid.columns
    inner = board[MARGIN:-MARGIN, MARGIN:-MARGIN].reshape(rows, SIDE, columns, SIDE)
    quarter = SIDE // 4
    middles = np.median(
        inner[:, quarter:-quarter, :, quarter:-quarter].swapaxes(1, 2).reshape(rows, columns, -1), axis=2
    )
    # Along each side: the darkest of the rows of pixels about it.
    padded = np.pad(board, _BESIDE, mode="edge")
    corner = MARGIN + _BESIDE

    def darkest(profile: Floats, count: int) -> Floats:
        """For each line and each cell along it its brightness: `profile` has shape (pixels across lines, cells)."""
        lines = np.arange(count + 1) * SIDE + corner
        return np.asarray(np.min([profile[lines + offset] for offset in range(-_BESIDE - 1, _BESIDE + 1)], axis=0))

    # A line is dark from end to end: what is dark for half of it may be the edge of a window.
    across = padded[:, corner : corner + columns * SIDE].reshape(padded.shape[0], columns, SIDE)
    level = darkest(np.percentile(across, _ALONG, axis=2).astype(np.float32), rows)
    down = padded[corner : corner + rows * SIDE].reshape(rows, SIDE, padded.shape[1])
    upright = darkest(np.percentile(down, _ALONG, axis=1).T.astype(np.float32), columns).T
    limit = _LINE * middles
    sides = [level[:-1] < limit, level[1:] < limit, upright[:, :-1] < limit, upright[:, 1:] < limit]
    closed: NDArray[np.bool_] = np.sum(sides, axis=0) >= _SIDES
    return closed


def _run(shares: NDArray[np.floating]) -> range:
    """The longest run of rows or columns most of whose cells are closed, be one in between not."""
    # What is beside a board is looked at too: a line is firm as measured by the firmest.
    firm = np.flatnonzero(shares >= max(_LEAST_FIRM, _FIRM * shares.max(initial=0)))
    if not firm.size:
        return range(0)
    runs = np.split(firm, np.flatnonzero(np.diff(firm) > _BRIDGE) + 1)
    longest = max(runs, key=len)
    return range(int(longest[0]), int(longest[-1]) + 1)
