"""Turn a lattice into the lines between cells: find where in a period cells begin, and move each line into place."""

import bisect
import itertools
from collections.abc import Callable, Sequence
from functools import cached_property, lru_cache

import cv2
import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from sweepbot.geometry import Image
from sweepbot.vision.grid import Grid
from sweepbot.vision.lattices.lattice import straightened, vertex
from sweepbot.vision.pictures.patches import Patches, grey, reduced, softened

Floats = NDArray[np.float32]

LEAST_CORRELATION = 0.45
"""Least correlation of a lattice's cells with templates: text has up to 0.4, boards of the right look 0.6 or more."""

_SAMPLE_CELLS = 9  # a side of the sample in which the phase is sought
_REDUCED_PX = 16  # a side, to which larger cells are reduced for that
_LEAST_HALVED_CORRELATION = 0.35  # at half the size, below which the full one is below `LEAST_CORRELATION`
_MOST_KEPT_BOARDS = 16  # that were cut out: most are needed again at once or never
_PLACES_TRIED = 2  # the best at half the size: the light and dark edges of a bevel correlate nearly equally
_STEPS_PX = range(-1, 2)  # around a place found at half the size
_FEATURELESS_LEVELS = 4.0  # templates with a smaller standard deviation have no phase
_SAME_SHAPE_CORRELATION = 0.97  # of two patterns of which one is enough
_DAMPING_FACTOR = 0.7  # of a move: a template's edges are softer than those seen, so that moves are overestimated
_LARGEST_DIFFERENCE_LEVELS = 32.0  # larger ones come from another look, not from another place
_CLEAR_CORRELATION = 0.8  # from which on a cell has the shape of a template
_RIVAL_CORRELATION = 0.06  # templates that differ by less are rivals
_NEARER_LEVELS = 16.0  # by which a mean colour must be nearer to decide between rivals
_VOTING_CELLS = 60  # that decide on the light
_SAME_COLOUR_LEVELS = 16.0  # within which a cell has the mean colour of a template
_DARK_LEVELS = 16.0  # darker channels do not show their light
_LEAST_LIGHT_FACTOR = 0.1  # of a channel: no screen dims one further
_WHOLE_PX = 0.2  # lines so near to whole pixels are moved there
_OUTSIDE_SHARE = 0.15  # of a cell: one with less beyond the picture's edge is read, as Windows XP's with two pixels
_LEAST_SLOPE_SHARE = 0.02  # of the steepest line's: a line with less is moved by its neighbours


def extended(lines: Sequence[float], before: int, after: int) -> tuple[float, ...]:
    """Add lines at either end, at the mean distance."""
    pitch = (lines[-1] - lines[0]) / (len(lines) - 1)
    first = [lines[0] - pitch * number for number in range(before, 0, -1)]
    last = [lines[-1] + pitch * number for number in range(1, after + 1)]
    return (*first, *lines, *last)


def within(lines: Sequence[float], size: int) -> tuple[float, ...]:
    """Keep the lines within a picture of that size, or so little outside that their cell is nearly whole."""
    slack = _OUTSIDE_SHARE * (lines[-1] - lines[0]) / (len(lines) - 1)
    return tuple(line for line in lines if -slack <= line <= size + slack)


class Patterns:
    """The shapes of templates, which show where cells begin.

    Args:
        templates: uint8 array of shape (templates, height, width, 3).

    Attributes:
        cell: Width and height of the reduced templates, with which the best places are tried.
        halved_cell: Half of both, with which all places are tried.
    """

    def __init__(self, templates: Image) -> None:
        self._templates = templates
        height, width = templates.shape[1:3]
        reduction = max(1.0, max(width, height) / _REDUCED_PX)
        self.cell = round(width / reduction), round(height / reduction)
        self.halved_cell = self.cell[0] // 2, self.cell[1] // 2

    @cached_property
    def reduced(self) -> Floats:
        """One standardised pattern of each shape that has features, of shape (patterns, pixels of `cell`)."""
        small = [cv2.resize(one, self.cell, interpolation=cv2.INTER_AREA) for one in self._templates]
        return _shapes(np.asarray(np.stack(small), dtype=np.uint8))

    @cached_property
    def halved(self) -> Floats:
        """The same at half the size, of shape (patterns, pixels of `halved_cell`)."""
        small = [cv2.resize(one, self.halved_cell, interpolation=cv2.INTER_AREA) for one in self._templates]
        return _shapes(np.asarray(np.stack(small), dtype=np.uint8))


class Sample:
    """A sample of a lattice's cells, to be compared with the patterns of any number of clients.

    Args:
        image: The picture.
        lattice: Lines one period apart.
        core: The middle of the sample, as (x, y).
        cut: Cuts a board out of the picture: called with its grid, the size of a cell, and the rows if not all.
        exact: Whether the lines are those between cells, so that their phase is known.

    Attributes:
        image: The picture.
        patches: Does what `cut` does, and keeps the latest results.
        pitch: The mean width and height of a cell.
    """

    def __init__(
        self,
        image: Image,
        lattice: Grid,
        core: tuple[float, float],
        cut: Callable[..., Patches],
        *,
        exact: bool = False,
    ) -> None:
        self.image = image
        self.pitch = lattice.pitch
        self._exact = exact
        self._lattice = lattice
        self._columns = _about(lattice.xs, core[0])
        self._rows = _about(lattice.ys, core[1])
        # A picture takes long to resize, and several looks are tried on the same lines.
        self.patches = lru_cache(_MOST_KEPT_BOARDS)(cut)
        self._boards: dict[tuple[int, int], Floats] = {}
        self._windows: dict[tuple[int, int], tuple[Floats, tuple[int, int, int, int]]] = {}
        self._cells: dict[tuple[int, int, int, int], Floats] = {}
        self._best: dict[Patterns, tuple[float, float, float]] = {}

    def correlation(self, patterns: Patterns) -> float:
        """Return the mean correlation of cells with patterns, at the best phase."""
        return 1.0 if self._exact else self._best_place(patterns)[2]

    def part_of(self, placed: Grid) -> Grid:
        """Return the cells of the sample, of an anchored lattice."""
        return placed.part(
            *(
                range(of.start, min(of.stop, count))
                for of, count in ((self._rows, placed.rows), (self._columns, placed.columns))
            )
        )

    def on_pixels(self, placed: Grid) -> list[Grid]:
        """Return an anchored lattice on whole pixels: with even lines if its sample has such, and with lines as found.

        What is beside a board bends lines, but pitches may also mix beyond the sample.
        """
        even = self.part_of(placed).whole()
        if even is None:
            return [placed.snapped()]
        left, top = self._columns.start, self._rows.start
        xs = extended(even.xs, left, placed.columns - left - even.columns)
        ys = extended(even.ys, top, placed.rows - top - even.rows)
        return [Grid(xs, ys), placed.snapped()]

    def anchored(self, patterns: Patterns) -> Grid:
        """Move the lines of the lattice to where its cells begin.

        The sample is correlated with every pattern at every place, so that colours need not be known yet. The
        correlations are folded over the period; cells begin at the best place. The grid is one row and one column
        smaller, unless its lines were exact already.
        """
        if self._exact:
            return self._lattice
        share_x, share_y, _ = self._best_place(patterns)
        return Grid(_shifted(self._lattice.xs, share_x), _shifted(self._lattice.ys, share_y))

    def _best_place(self, patterns: Patterns) -> tuple[float, float, float]:
        """Return the best phase, (x, y) as shares of a period, and the mean correlation there.

        All places are tried at half the size, then the best ones and their neighbours at full size.
        """
        if patterns not in self._best:
            self._best[patterns] = self._sought(patterns)
        return self._best[patterns]

    def _sought(self, patterns: Patterns) -> tuple[float, float, float]:
        width, height = patterns.cell
        windows, size = self._at_all_places(patterns.halved_cell)
        folded = (patterns.halved @ windows).max(axis=0, initial=0).reshape(size).mean(axis=(0, 2))
        if folded.max() < _LEAST_HALVED_CORRELATION:
            return 0.0, 0.0, 0.0
        rows, columns = np.unravel_index(np.argsort(folded, axis=None)[-_PLACES_TRIED:], folded.shape)
        tops, lefts = rows * height // folded.shape[0], columns * width // folded.shape[1]
        tried = {
            ((top + down) % height, (left + right) % width)
            for top, left in zip(tops.tolist(), lefts.tolist(), strict=True)
            for down, right in itertools.product(_STEPS_PX, _STEPS_PX)
        }
        top, left = max(sorted(tried), key=lambda place: self._agreement_at(patterns, *place))
        across = [self._agreement_at(patterns, top, left + step) for step in _STEPS_PX]
        x = int(np.argmax(across))
        left += _STEPS_PX[x]
        down = [self._agreement_at(patterns, top + step, left) for step in _STEPS_PX]
        y = int(np.argmax(down))
        share_x = (left + vertex(across, x)) / width % 1
        share_y = (top + _STEPS_PX[y] + vertex(down, y)) / height % 1
        return share_x, share_y, down[y]

    def _agreement_at(self, patterns: Patterns, top: int, left: int) -> float:
        """Return the mean correlation of the cells that begin at a place, in pixels of the patterns' cells."""
        width, height = patterns.cell
        known = width, height, top % height, left % width
        if known not in self._cells:
            _, _, top, left = known
            board, down, across = self._board_of(patterns.cell)
            cells = board[top : top + down * height, left : left + across * width]
            cells = cells.reshape(down, height, across, width).swapaxes(1, 2)
            self._cells[known] = _standardised_greys(cells.reshape(-1, height * width)).T
        return float((patterns.reduced @ self._cells[known]).max(axis=0, initial=0).mean())

    def _at_all_places(self, cell: tuple[int, int]) -> tuple[Floats, tuple[int, int, int, int]]:
        """Return the standardised cells at all places, (pixels, places); rows, height, columns and width of these."""
        if cell not in self._windows:
            width, height = cell
            board, down, across = self._board_of(cell)
            windows = sliding_window_view(board, (height, width))[: down * height, : across * width]
            flat = _standardised_greys(windows.reshape(-1, height * width)).T
            self._windows[cell] = np.ascontiguousarray(flat), (down, height, across, width)
        return self._windows[cell]

    def _board_of(self, cell: tuple[int, int]) -> tuple[Floats, int, int]:
        """Return the sample in grey, with cells of that size, and its rows and columns less one for the phase."""
        if cell not in self._boards:
            self._boards[cell] = grey(self._lattice.part(self._rows, self._columns).rectify(self.image, cell))
        board, (width, height) = self._boards[cell], cell
        return board, board.shape[0] // height - 1, board.shape[1] // width - 1


def _shapes(templates: Image) -> Floats:
    """Return one standardised template of each shape that has features, of shape (shapes, pixels)."""
    greys = grey(templates.reshape(len(templates), -1, 3))
    shapes = _standardised_greys(greys[greys.std(axis=1) >= _FEATURELESS_LEVELS])
    return shapes[~np.tril(shapes @ shapes.T >= _SAME_SHAPE_CORRELATION, -1).any(axis=1)]


def _about(lines: Sequence[float], place: float) -> range:
    """Return the numbers of the cells in a row around a place that are sampled."""
    count = len(lines) - 1
    most = min(count, _SAMPLE_CELLS + 1)
    first = min(max(0, bisect.bisect(lines, place) - 1 - most // 2), count - most)
    return range(first, first + most)


def _shifted(lines: Sequence[float], share: float) -> tuple[float, ...]:
    """Move lines by a share of the distance to the next one; the last is dropped."""
    return tuple(a + share * (b - a) for a, b in itertools.pairwise(lines))


def alike_in_shape(cells: Image, looks: Image, gain: float | None) -> NDArray[np.intp]:
    """Return the template whose shape each cell has, whatever its colours; -1 for none.

    Of templates with about the same correlation, like a mine and one on red, a clearly nearer mean colour decides.

    Args:
        cells: The cells.
        looks: The templates, uint8 of shape (templates, height, width, 3).
        gain: The factor by which the screen scales differences of colours. None if it is not known: then a rough light
            is estimated first, as a number on a red ground may be one on grey by night light.
    """
    correlation = _standardised(softened(cells)) @ _standardised(softened(looks)).T
    everyone, best = np.arange(len(cells)), correlation.argmax(axis=1)
    highest = correlation[everyone, best]
    rivals = correlation >= highest[:, None] - _RIVAL_CORRELATION
    seen, known = reduced(cells, 1), reduced(looks, 1)
    clear = highest >= _CLEAR_CORRELATION
    if gain is None:
        light = _light(seen[clear], known, rivals[clear])
        known, gain = known * light, float(light.mean())
    apart = np.linalg.norm(seen[:, None] - known, axis=2)
    nearest = np.where(rivals, apart, np.inf).argmin(axis=1)
    nearer = apart[everyone, best] - apart[everyone, nearest] > _NEARER_LEVELS * min(1.0, gain)
    return np.where(clear, np.where(nearer, nearest, best), -1)


def _light(seen: NDArray[np.float32], known: NDArray[np.float32], rivals: NDArray[np.bool_]) -> NDArray[np.float32]:
    """Estimate roughly the factors of a screen for blue, green and red, by a vote of cells.

    Each cell may be any of the templates whose shape it has, and each of these implies another light. The light in
    which most cells look like one of theirs wins (random sample consensus: Fischler and Bolles, 1981).

    Args:
        seen: The mean colours of the cells, of shape (cells, 3).
        known: The mean colours of the templates, of shape (templates, 3).
        rivals: The templates whose shape each cell has, of shape (cells, templates).
    """
    if not len(seen):
        return np.ones(3, dtype=np.float32)
    some = np.unique(np.linspace(0, len(seen) - 1, _VOTING_CELLS).astype(np.intp))
    seen, rivals = seen[some], rivals[some]
    cell, template = np.nonzero(rivals)
    of = known[template]
    overall = seen[cell].sum(axis=1, keepdims=True) / of.sum(axis=1, keepdims=True).clip(min=_DARK_LEVELS)
    ratios = np.where(of >= _DARK_LEVELS, seen[cell] / of.clip(min=_DARK_LEVELS), overall)
    lights = np.unique(np.concatenate([np.ones((1, 3)), ratios.round(2)]).clip(min=_LEAST_LIGHT_FACTOR), axis=0)
    exact, looks = seen.astype(np.float64), lights[:, None] * known.astype(np.float64)
    # (a - b)^2 = a^2 - 2ab + b^2: the product takes a fraction of the time of the differences.
    apart = (exact**2).sum(axis=1)[:, None] - 2 * exact @ looks.transpose(0, 2, 1) + (looks**2).sum(axis=2)[:, None]
    nearest = np.sqrt(np.where(rivals, apart, np.inf).min(axis=2).clip(min=0))
    votes = np.clip(1 - nearest / (_SAME_COLOUR_LEVELS * lights.mean(axis=1, keepdims=True)), 0, 1).sum(axis=1)
    return np.asarray(lights[votes.argmax()], dtype=np.float32)


def _standardised(cells: Image) -> NDArray[np.float32]:
    return _standardised_greys(grey(cells.reshape(len(cells), -1, 3)))


def _standardised_greys(cells: NDArray[np.float32]) -> NDArray[np.float32]:
    """Subtract the mean of grey cells, (cells, pixels), and divide by their contrast: products are correlations."""
    relief = cells - cells.mean(axis=1, keepdims=True)
    standardised: NDArray[np.float32] = relief / (np.linalg.norm(relief, axis=1, keepdims=True) + _FEATURELESS_LEVELS)
    return standardised


def drawn(which: NDArray[np.intp], templates: Image, seen: Image) -> tuple[Image, NDArray[np.bool_]]:
    """Draw a board with templates.

    Args:
        which: The template of each cell, -1 if unknown, of shape (rows, columns).
        templates: uint8 array of shape (templates, height, width, 3).
        seen: The board as seen, without margin; it shows through in unknown cells.

    Returns:
        The board, and where it is drawn, of its shape without channels.
    """
    height, width = templates.shape[1:3]
    board = templates[which].transpose(0, 2, 1, 3, 4).reshape(seen.shape)
    known = np.repeat(np.repeat(which >= 0, height, axis=0), width, axis=1)
    return np.asarray(cv2.copyTo(board, known.view(np.uint8), seen.copy()), dtype=np.uint8), known


def refined(grid: Grid, seen: Image, expected: Image, known: NDArray[np.bool_]) -> Grid:
    """Move each line to where the cells beside it match their templates best.

    To first order a cell that is d pixels off its place differs from its template by -d times the template's slope
    (Lucas and Kanade, 1981); all cells of a column together give its d.

    Args:
        grid: Lines that are right to within about two pixels of a template.
        seen: The board rectified by it, without margin.
        expected: The board drawn with templates.
        known: Where it is drawn.
    """
    drawing, picture = (
        cv2.GaussianBlur(cv2.cvtColor(of, cv2.COLOR_BGR2GRAY), (3, 3), 0).astype(np.float32) for of in (expected, seen)
    )
    difference = np.clip(np.where(known, picture - drawing, 0), -_LARGEST_DIFFERENCE_LEVELS, _LARGEST_DIFFERENCE_LEVELS)
    xs = _moved(grid.xs, difference, drawing, known, 1)
    ys = _moved(grid.ys, difference, drawing, known, 0)
    return Grid(xs, ys)


def _moved(
    lines: tuple[float, ...],
    difference: NDArray[np.float32],
    drawing: NDArray[np.float32],
    known: NDArray[np.bool_],
    axis: int,
) -> tuple[float, ...]:
    """Move the lines of one axis: 1 for those from left to right, 0 for those downwards."""
    slope = np.gradient(drawing, axis=axis) * known
    count = len(lines) - 1
    against, steep = (
        of.sum(axis=1 - axis).reshape(count, -1).sum(axis=1) for of in (-difference * slope, slope * slope)
    )
    certain = steep > _LEAST_SLOPE_SHARE * steep.max()
    if not certain.any():
        return lines
    moves = _DAMPING_FACTOR * np.interp(np.arange(count), np.flatnonzero(certain), against[certain] / steep[certain])
    # The line between two cells belongs to both.
    at_lines = np.concatenate([moves[:1], (moves[:-1] + moves[1:]) / 2, moves[-1:]])
    unit = (lines[-1] - lines[0]) / drawing.shape[axis]
    moved = straightened(np.array(lines) + at_lines * unit, lines[0], lines[-1])
    whole = np.rint(moved)
    return tuple(whole.tolist()) if np.abs(whole - moved).max() < _WHOLE_PX else moved
