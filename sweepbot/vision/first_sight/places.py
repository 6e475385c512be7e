"""Where a board of an unknown skin is: lattices propose, and where the network sees no cell of a board decides."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from sweepbot.geometry import Image
from sweepbot.vision.detect.locate import MOST_CELLS
from sweepbot.vision.first_sight.network import CELL_PX, Floats, Network
from sweepbot.vision.grid import LEAST_CELLS, Grid
from sweepbot.vision.lattices.lattice import Lattice

_SAMPLE_CELLS = 8  # a side of the part in which the phase is sought
_COARSE_PX, _FINE_PX = CELL_PX // 4, CELL_PX // 8  # steps of the phase, of a cell as the network sees it
_RING_CELLS = 2  # around a lattice that are looked at, too
_OUTSIDE_SHARE = 0.25  # of a cell that may be beyond the picture's edge
_GROWN = 6  # times, at most, that a board is followed further
MOST_ODDS = 4.0
"""The most, as a natural logarithm, that a single cell can say for or against being a part of the board."""

_UNDECIDED_ODDS = 2.0  # the same, mean of a row or column, for it to be tried within the board, and outside
_LEAST_BOARD_CHANCE = 0.5  # mean, of the cells of a sample, for its lattice to be followed up
_LARGEST_STEP_LEVELS = 128  # between pixels: those of figures would outweigh those between cells
_EDGE_SHARE = 0.02  # of a cell, over which edges are smoothed
_ASTRAY_SHARE = 0.2  # of a cell, by which a line may be off
_SAME_EDGE_SHARE = 0.04  # of a cell, within which two edges are one
_EDGES_TRIED = 3  # across, and down
_LEAST_EDGE_SHARE = 0.5  # of the highest edge's height
# In training half of all cells are none of the board's; of a lattice found on a board one in six or so, and of the
# rectangle that the board fills only those that something covers.
_OUTSIDE_ODDS, _COVERED_ODDS = 0.2, 0.2


@dataclass(frozen=True, slots=True, eq=False)
class Place:
    """Where a board may be, and what the network says there.

    Attributes:
        around: The lines of the board and of some cells around it.
        chances: Of each state for each of these cells, of shape (rows, columns, STATES).
        picture: These cells as the network saw them.
        rows: Those of the board.
        columns: Those of the board.
        evidence: The mean, over the board's cells, of the logarithm of the odds that they are a board's and that those
            around it are not.
    """

    around: Grid
    chances: Floats
    picture: Image
    rows: range
    columns: range
    evidence: float

    @property
    def grid(self) -> Grid:
        """The lines of the board."""
        return self.around.part(self.rows, self.columns)

    @property
    def cells(self) -> tuple[Floats, Image]:
        """The chances and the picture of the board's own cells."""
        ys, xs = (slice(of.start * CELL_PX, of.stop * CELL_PX) for of in (self.rows, self.columns))
        inside = self.chances[self.rows.start : self.rows.stop, self.columns.start : self.columns.stop]
        return _weighed(inside, _COVERED_ODDS), self.picture[ys, xs]

    def others(self) -> Iterator["Place"]:
        """Yield the place with a row or column less or more, where the network leaves undecided what the line is."""
        odds = _odds(self.chances)
        for rows in _undecided(odds[:, self.columns.start : self.columns.stop].mean(1), self.rows):
            yield replace(self, rows=rows)
        for columns in _undecided(odds[self.rows.start : self.rows.stop].mean(0), self.columns):
            yield replace(self, columns=columns)


def _undecided(odds: Floats, lines: range) -> Iterator[range]:
    """Yield a board's lines of cells with one less or more at either end, given the mean odds of all lines."""
    first, last = lines.start, lines.stop
    if odds[first] < _UNDECIDED_ODDS:
        yield range(first + 1, last)
    if odds[last - 1] < _UNDECIDED_ODDS:
        yield range(first, last - 1)
    if first > 0 and odds[first - 1] > -_UNDECIDED_ODDS:
        yield range(first - 1, last)
    if last < len(odds) and odds[last] > -_UNDECIDED_ODDS:
        yield range(first, last + 1)


def place_on(image: Image, lattice: Lattice, network: Network) -> Place | None:
    """Find the board on a lattice; None if no cells of one are there.

    Args:
        image: uint8 array of shape (height, width, 3), blue, green, red.
        lattice: Lines one period apart.
        network: What looks.
    """
    grid = _in_phase(image, lattice, network)
    return None if grid is None else _whole(image, grid, network)


def _in_phase(image: Image, lattice: Lattice, network: Network) -> Grid | None:
    """Move a lattice so that its lines are those between cells; None if they are nowhere."""
    grid = lattice.grid
    core = lattice.core or (sum(grid.xs[:: len(grid.xs) - 1]) / 2, sum(grid.ys[:: len(grid.ys) - 1]) / 2)
    rows, columns = _about(grid.ys, core[1]), _about(grid.xs, core[0])
    part = grid.part(rows, columns)
    picture = part.rectify(image, (CELL_PX, CELL_PX), margin=CELL_PX)
    height, width = part.rows * CELL_PX, part.columns * CELL_PX

    def likelihood(right: int, down: int) -> float:
        top, left = CELL_PX + down, CELL_PX + right
        chances = network.judge(network.look(np.ascontiguousarray(picture[top : top + height, left : left + width])))
        return float(((1 - chances[..., -1]) * chances[..., :-1].max(2)).mean())

    coarse = [(right, down) for right in range(-12, 12, _COARSE_PX) for down in range(-12, 12, _COARSE_PX)]
    tried = {offset: likelihood(*offset) for offset in ([(0, 0)] if lattice.exact else coarse)}
    best = max(tried, key=lambda offset: tried[offset])
    if tried[best] < _LEAST_BOARD_CHANCE:
        return None
    if not lattice.exact:
        steps = (-_FINE_PX, 0, _FINE_PX)
        fine = {(best[0] + right, best[1] + down) for right in steps for down in steps} - {best}
        tried |= {offset: likelihood(*offset) for offset in sorted(fine)}
        best = max(tried, key=lambda offset: tried[offset])
    across, down = (step * pitch / CELL_PX for step, pitch in zip(best, grid.pitch, strict=True))
    return Grid(tuple(x + across for x in grid.xs), tuple(y + down for y in grid.ys))


def _about(lines: tuple[float, ...], middle: float) -> range:
    """Return the cells of a sample about a place, along one side."""
    count = min(_SAMPLE_CELLS, len(lines) - 1)
    first = int(np.searchsorted(lines, middle)) - count // 2
    first = max(0, min(first, len(lines) - 1 - count))
    return range(first, first + count)


def _whole(image: Image, grid: Grid, network: Network) -> Place | None:
    """Follow a board to its ends, and read it."""
    for _ in range(_GROWN):
        wider = _ringed(grid, image.shape[1], image.shape[0])
        if wider.cells > MOST_CELLS or min(wider.rows, wider.columns) < LEAST_CELLS:
            return None
        picture = wider.rectify(image, (CELL_PX, CELL_PX))
        chances = _weighed(network.judge(network.look(picture)), _OUTSIDE_ODDS)
        rows, columns, evidence = largest_sum(_odds(chances))
        found = wider.part(rows, columns)
        if min(found.rows, found.columns) < LEAST_CELLS:
            return None
        again = _ringed(found, image.shape[1], image.shape[0])
        if len(again.xs) <= len(wider.xs) and len(again.ys) <= len(wider.ys):
            break
        grid = found
    return Place(wider, chances, picture, rows, columns, evidence / found.cells)


def place_at(image: Image, grid: Grid, network: Network, evidence: float) -> Place:
    """Return the place of a board whose lines are known, as the network sees it; the evidence is that known before."""
    around = _ringed(grid, image.shape[1], image.shape[0])
    picture = around.rectify(image, (CELL_PX, CELL_PX))
    chances = _weighed(network.judge(network.look(picture)), _OUTSIDE_ODDS)
    left, top = around.xs.index(grid.xs[0]), around.ys.index(grid.ys[0])
    rows, columns = range(top, top + grid.rows), range(left, left + grid.columns)
    return Place(around, chances, picture, rows, columns, evidence)


def _odds(chances: Floats) -> Floats:
    """Return the logarithm of the odds that each cell is a board's."""
    inside = np.clip(1 - chances[..., -1], 1e-6, 1 - 1e-6)
    return np.asarray(np.clip(np.log(inside / (1 - inside)), -MOST_ODDS, MOST_ODDS), dtype=np.float32)


def _weighed(chances: Floats, odds: float) -> Floats:
    """Return chances if cells that are none of a board's are so many times as likely as was thought."""
    weighed = chances.copy()
    weighed[..., -1] *= odds
    return np.asarray(weighed / weighed.sum(axis=2, keepdims=True), dtype=np.float32)


def on_edges(image: Image, grid: Grid) -> list[Grid]:
    """Return where the lines of a board may be to the pixel, by the edges drawn between its cells, the likeliest first.

    Rims, gaps and shadows draw several edges beside each line.
    """
    left, right = max(0, round(grid.xs[0])), round(grid.xs[-1])
    top, bottom = max(0, round(grid.ys[0])), round(grid.ys[-1])
    grey = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY).astype(np.float32)
    across = np.minimum(np.abs(np.diff(grey[top:bottom], axis=1)), _LARGEST_STEP_LEVELS).mean(0)
    down = np.minimum(np.abs(np.diff(grey[:, left:right], axis=0)), _LARGEST_STEP_LEVELS).mean(1)
    columns, rows = _evenly(grid.xs, across), _evenly(grid.ys, down)
    pairs = [(one + other, xs, ys) for one, xs in columns for other, ys in rows]
    return [Grid(xs, ys) for _, xs, ys in sorted(pairs, key=lambda pair: -pair[0])]


def _evenly(lines: tuple[float, ...], steps: Floats) -> list[tuple[float, tuple[float, ...]]]:
    """Return evenly spaced lines near others, where a profile of steps between pixels is high, with that height."""
    count = len(lines) - 1
    pitch = (lines[-1] - lines[0]) / count
    profile = cv2.GaussianBlur(steps[None], (0, 0), max(0.5, _EDGE_SHARE * pitch))[0]
    reach = np.arange(-_ASTRAY_SHARE * pitch, _ASTRAY_SHARE * pitch + 0.125, 0.25)
    first, last = lines[0] + reach[:, None, None], lines[-1] + reach[None, :, None]
    tried = first + (last - first) * (np.arange(count + 1) / count)
    heights = np.interp(tried, np.arange(1, len(profile) + 1), profile, 0, 0).mean(2)
    highest, middles, found = heights.max(), tried.mean(2), list[tuple[float, tuple[float, ...]]]()
    while len(found) < _EDGES_TRIED and heights.max() > _LEAST_EDGE_SHARE * highest:
        one, other = divmod(int(heights.argmax()), len(reach))
        found.append((float(heights[one, other] / highest), tuple(tried[one, other].tolist())))
        heights[np.abs(middles - middles[one, other]) < max(1.0, _SAME_EDGE_SHARE * pitch)] = 0
    return found or [(0.0, lines)]


def _ringed(grid: Grid, width: int, height: int) -> Grid:
    """Add cells around a lattice, as far as the picture goes, and leave out those beyond it."""

    def lines(own: tuple[float, ...], size: int) -> tuple[float, ...]:
        pitch = (own[-1] - own[0]) / (len(own) - 1)
        before = [own[0] - pitch * step for step in range(_RING_CELLS, 0, -1)]
        after = [own[-1] + pitch * step for step in range(1, _RING_CELLS + 1)]
        slack = _OUTSIDE_SHARE * pitch
        return tuple(line for line in (*before, *own, *after) if -slack <= line <= size + slack)

    return Grid(lines(grid.xs, width), lines(grid.ys, height))


def largest_sum(values: NDArray[np.floating]) -> tuple[range, range, float]:
    """Return the rows and columns of the rectangle with the largest sum of values, and that sum.

    Kadane's algorithm along the rows, for each pair of a first and a last column at once.
    """
    rows, columns = values.shape
    sums = np.concatenate([np.zeros((rows, 1)), np.cumsum(values, axis=1)], axis=1)
    first, last = np.triu_indices(columns + 1, 1)
    strips = sums[:, last] - sums[:, first]
    best, top, bottom = np.full(len(first), -np.inf), np.zeros(len(first), np.intp), np.zeros(len(first), np.intp)
    running, start = np.zeros(len(first)), np.zeros(len(first), np.intp)
    for row in range(rows):
        anew = running <= 0
        running = np.where(anew, strips[row], running + strips[row])
        start = np.where(anew, row, start)
        better = running > best
        best = np.where(better, running, best)
        top, bottom = np.where(better, start, top), np.where(better, row, bottom)
    one = int(best.argmax())
    return range(int(top[one]), int(bottom[one]) + 1), range(int(first[one]), int(last[one])), float(best[one])


def places(image: Image, lattices: Iterator[list[Lattice]], network: Network) -> Iterator[Place]:
    """Yield the places where a board may be, of each search those with the most evidence first."""
    for found in lattices:
        tried = [place for lattice in found[:6] if (place := place_on(image, lattice, network)) is not None]
        yield from sorted(tried, key=lambda place: -place.evidence * place.grid.cells)
