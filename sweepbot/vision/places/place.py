"""A place where a board may be: its lines, and what is known of its cells."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from sweepbot.board import State
from sweepbot.geometry import Image
from sweepbot.vision.extent import Side
from sweepbot.vision.first_sight.network import LATTICE_ODDS, network, weighed
from sweepbot.vision.grid import MIN_CELLS, Grid
from sweepbot.vision.known.looks import Look
from sweepbot.vision.pictures.board import CELL_PX, apart, board_picture
from sweepbot.vision.places.closer import closer
from sweepbot.vision.places.rectangle import largest_sum
from sweepbot.vision.trust import Floats

MAX_LATTICE_CELLS = 6_000
"""Most cells of a lattice, including what is beside the board; this bounds the time of a reading.

Boards of 70 x 70 are read; no client offers a larger level.
"""

_RING_CELLS = 2  # around a lattice that are looked at, too; more each time that its board goes on
_OUTSIDE_SHARE = 0.25  # of a cell that may be beyond the picture's edge
_GROWN = 6  # times, at most, that a board is followed further
_MAX_ODDS = 4.0  # the most, as a natural logarithm, that a single cell says for or against being a part of a board
_PLAIN_ODDS = 1.0  # the most for a plain cell of a known look
_WELL_KNOWN_SHARE = 0.85  # of a board's cells that have its look; plain ones count less
_STRANGE_ODDS = -0.05  # of a cell that is near none of the templates of the board's look
_UNDECIDED_ODDS = 2.0  # the same, mean of a row or column, for it to be tried within the board, and outside
_BEYOND_CHANCE = 0.9  # of a cell beside a board, from which on it is one
_COVERED_ODDS = 0.2  # beside `LATTICE_ODDS`, in the rectangle that a board fills: only what is covered is none of it


@dataclass(frozen=True, slots=True, eq=False)
class Place:
    """Where a board may be, and what is seen there.

    Attributes:
        around: The lines of the board and of some cells around it.
        chances: Of each state for each of these cells, by the network, of shape (rows, columns, STATES).
        picture: These cells, as `board_picture` cuts them out.
        rows: Those of the board.
        columns: Those of the board.
        evidence: The mean, over the board's cells, of the logarithm of the odds that they are a board's and that those
            around it are not.
        look: That of a known client which most of its cells have; None if there is none.
    """

    around: Grid
    chances: Floats
    picture: Image
    rows: range
    columns: range
    evidence: float
    look: Look | None

    @property
    def grid(self) -> Grid:
        """The lines of the board."""
        return self.around.part(self.rows, self.columns)

    @property
    def cells(self) -> tuple[Image, Floats]:
        """The picture of the board's own cells, and the chances of each state for each of them."""
        ys, xs = (slice(of.start * CELL_PX, of.stop * CELL_PX) for of in (self.rows, self.columns))
        inside = self.chances[self.rows.start : self.rows.stop, self.columns.start : self.columns.stop]
        return self.picture[ys, xs], weighed(inside, _COVERED_ODDS)

    @property
    def weight(self) -> float:
        """How many cells speak for this board: those that have its look, or else as many as the network is sure of."""
        if self.look is None:
            return self.evidence / _MAX_ODDS * self.grid.cells
        return self.look.agreement(self.look.match(apart(self.cells[0])))

    @property
    def is_well_known(self) -> bool:
        """Whether so many cells have its look that no other lines need to be tried."""
        return self.look is not None and self.weight >= _WELL_KNOWN_SHARE * self.grid.cells

    @property
    def is_covered(self) -> bool:
        """Whether any of its cells is likely none."""
        return bool((self.cells[1].argmax(2) == State.UNKNOWN).any())

    @property
    def undecided_sides(self) -> int:
        """How many of its outermost lines of cells may be none of the board's."""
        odds = _odds(self.chances, self.picture, self.look)
        inside = odds[self.rows.start : self.rows.stop, self.columns.start : self.columns.stop]
        lines = inside[0], inside[-1], inside[:, 0], inside[:, -1]
        return sum(float(line.mean()) < _UNDECIDED_ODDS for line in lines)

    @property
    def goes_on(self) -> list[Side]:
        """The sides beyond which the network sees cells, at least two in a line: a header has none so."""
        seen = 1 - self.chances[..., -1] >= _BEYOND_CHANCE
        (top, bottom), (left, right) = ((of.start, of.stop) for of in (self.rows, self.columns))
        across, down = seen[top:bottom], seen[:, left:right].T
        outwards = across[:, :left][:, ::-1], across[:, right:], down[:, :top][:, ::-1], down[:, bottom:]
        return [side for side, of in zip(Side, outwards, strict=True) if (of[:, :1] & of[:, 1:2]).any()]

    def others(self) -> Iterator["Place"]:
        """Yield the place with other ends, where these are undecided: as the network alone sees them, or a line off."""
        for rows, columns in self._ends():
            if min(len(rows), len(columns)) >= MIN_CELLS and (rows, columns) != (self.rows, self.columns):
                yield replace(self, rows=rows, columns=columns)

    def _ends(self) -> Iterator[tuple[range, range]]:
        if self.look is not None:
            rows, columns, _ = largest_sum(_odds(self.chances, self.picture, None))
            yield rows, columns
        odds = _odds(self.chances, self.picture, self.look)
        for rows in _undecided(odds[:, self.columns.start : self.columns.stop].mean(1), self.rows):
            yield rows, self.columns
        for columns in _undecided(odds[self.rows.start : self.rows.stop].mean(0), self.columns):
            yield self.rows, columns


def whole(image: Image, grid: Grid, look: Look | None) -> Place | None:
    """Follow a board to its ends from lines between some of its cells; None if it has none."""
    for step in range(_GROWN):
        wider = _ringed(grid, image.shape[1], image.shape[0], _RING_CELLS * (1 + step))
        if wider.cells > MAX_LATTICE_CELLS or min(wider.rows, wider.columns) < MIN_CELLS:
            return None
        picture = board_picture(image, wider)
        chances = weighed(network().judge(picture), LATTICE_ODDS)
        rows, columns, evidence = largest_sum(_odds(chances, picture, look))
        found = wider.part(rows, columns)
        if min(found.rows, found.columns) < MIN_CELLS:
            return None
        seen = found
        if look is not None:
            seen = wider.part(*_hull((rows, columns), largest_sum(_odds(chances, picture, None))[:2]))
        if wider.contains(_ringed(seen, image.shape[1], image.shape[0])):
            break
        grid = seen
    return _closer(image, Place(wider, chances, picture, rows, columns, evidence / found.cells, look))


def _closer(image: Image, place: Place) -> Place:
    """Look closer at a place's own cells where their figures are small."""
    inside = place.chances[place.rows.start : place.rows.stop, place.columns.start : place.columns.stop]
    inside[:] = closer(image, place.grid, place.cells[0], inside)
    return place


def _hull(one: tuple[range, range], other: tuple[range, range]) -> tuple[range, range]:
    """Return the rows and columns that contain two rectangles."""
    rows, columns = (range(min(a.start, b.start), max(a.stop, b.stop)) for a, b in zip(one, other, strict=True))
    return rows, columns


def place_at(image: Image, grid: Grid, evidence: float = 0.0, look: Look | None = None) -> Place:
    """Return the place of a board whose lines are known to the pixel."""
    around = _ringed(grid, image.shape[1], image.shape[0])
    picture = board_picture(image, around)
    chances = weighed(network().judge(picture), LATTICE_ODDS)
    left, top = around.xs.index(grid.xs[0]), around.ys.index(grid.ys[0])
    rows, columns = range(top, top + grid.rows), range(left, left + grid.columns)
    return _closer(image, Place(around, chances, picture, rows, columns, evidence, look))


def _odds(chances: Floats, picture: Image, look: Look | None) -> Floats:
    """Return the logarithm of the odds that each cell is a board's.

    What is near a template with a figure or a rim is, and what is near none is hardly; plain patches are everywhere.
    """
    inside = np.clip(1 - chances[..., -1], 1e-6, 1 - 1e-6)
    odds = np.clip(np.log(inside / (1 - inside)), -_MAX_ODDS, _MAX_ODDS)
    if look is not None:
        matches = look.match(apart(picture))
        firm, near = matches.firm.reshape(odds.shape), (matches.states != State.UNKNOWN).reshape(odds.shape)
        weak = np.minimum(odds, np.where(near, _PLAIN_ODDS, _STRANGE_ODDS))
        odds = np.where(firm, _MAX_ODDS, weak)
    return np.asarray(odds, dtype=np.float32)


def _undecided(odds: Floats, lines: range) -> Iterator[range]:
    """Yield a board's lines of cells with one more or less at either end, or without all at an end that may be none.

    Args:
        odds: The mean odds of all lines.
        lines: Those of the board.
    """
    first, last = lines.start, lines.stop
    decided = np.flatnonzero(odds[first:last] >= _UNDECIDED_ODDS) + first
    if decided.size and decided[0] > first:
        yield from (range(first + 1, last), range(decided[0], last))
    if decided.size and decided[-1] < last - 1:
        yield from (range(first, last - 1), range(first, decided[-1] + 1))
    if first > 0 and odds[first - 1] > -_UNDECIDED_ODDS:
        yield range(first - 1, last)
    if last < len(odds) and odds[last] > -_UNDECIDED_ODDS:
        yield range(first, last + 1)


def _ringed(grid: Grid, width: int, height: int, ring_cells: int = _RING_CELLS) -> Grid:
    """Add cells around a lattice, as far as the picture goes, and leave out those beyond it."""

    def lines(own: tuple[float, ...], size: int) -> tuple[float, ...]:
        pitch = (own[-1] - own[0]) / (len(own) - 1)
        before = [own[0] - pitch * step for step in range(ring_cells, 0, -1)]
        after = [own[-1] + pitch * step for step in range(1, ring_cells + 1)]
        slack = _OUTSIDE_SHARE * pitch
        inside = [[line for line in ring if -slack <= line <= size + slack] for ring in (before, after)]
        return *inside[0], *own, *inside[1]

    return Grid(lines(grid.xs, width), lines(grid.ys, height))
