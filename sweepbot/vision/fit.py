"""A lattice fitted with templates: where its cells begin and end, what the screen does to colours, how far it goes.

Each depends on the others, so that they are settled in rounds: cells are told by their shapes at first, then by their
looks; what they show gives the colours; what reads as cells gives the edges; how cells differ from their templates
moves the lines.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sweepbot.board import State
from sweepbot.vision.align import alike_in_shape, anchored, extended, refined, within
from sweepbot.vision.cells import Image, cut, rectified, softened
from sweepbot.vision.classify import Classified, Classifier
from sweepbot.vision.colour import estimate_colours
from sweepbot.vision.grid import Grid
from sweepbot.vision.lattice import Lattice

LEAST_CELLS = 4
"""A board has at least so many rows and columns."""

LEAST_READABLE = 0.5
"""The share of its cells that must be readable for a rectangle to be a board."""

_LEAST_CORRELATION = 0.4  # of a lattice's cells with templates, for it to be followed up
_REACH = 4  # cells by which an edge is moved outwards at a time
_BRIDGE = 3  # lines that may be unreadable between readable ones, under a pointer or a dialog
_LEAST_LINE = 0.3  # of the most readable line's share: what a line needs to be one of the board's
_MOST_ROUNDS = 8
_SETTLED = 0.01  # of a cell: lines that move less have come to rest
_WORTH_A_LOOK = 0.3  # the readable share from which on doubtful cells are looked at twice
_SAMPLE = 200  # cells that colours are estimated and lines moved by, at most


@dataclass(frozen=True, slots=True, eq=False)
class Fitted:
    """A lattice as a calibration sees it.

    Attributes:
        grid: The lines of its cells.
        classifier: Made for its colours.
        classified: What its cells show.
    """

    grid: Grid
    classifier: Classifier
    classified: Classified


def fit(image: Image, lattice: Lattice, classifier: Classifier) -> Fitted:
    """Fit a lattice of a picture with the templates of a classifier, as far as they do fit."""
    grid, correlation = anchored(image, _with_reach(Grid(lattice.xs, lattice.ys), image), classifier.images)
    if correlation >= _LEAST_CORRELATION:
        grid, classifier = _settled_by_shapes(image, grid, classifier)
        for _ in range(_MOST_ROUNDS):
            before = grid
            grid, classifier = _settled_by_looks(image, _with_reach(grid, image), classifier)
            if grid.nearly(before, _SETTLED * grid.pitch[0]):
                break
    board, size = rectified(image, grid, classifier.cell), (grid.rows, grid.columns)
    shown = classifier.sketch(board, size)
    if shown.readable >= _WORTH_A_LOOK:
        shown = classifier.classify(board, size)
    return Fitted(grid, classifier, shown)


def _settled_by_shapes(image: Image, grid: Grid, classifier: Classifier) -> tuple[Grid, Classifier]:
    """Lines and colours by the cells that are shaped like a template, whatever their colours."""
    which = _some(np.arange(grid.rows * grid.columns))
    for _ in range(2):
        cells = cut(rectified(image, grid, classifier.cell), (grid.rows, grid.columns), which)
        found, templates = alike_in_shape(cells, classifier.images)
        if not found.size:
            break
        classifier = _for_colours(classifier, cells[found], classifier.images[templates])
        grid = refined(grid, which[found], softened(cells[found]), classifier.soft[templates])
    return grid, classifier


def _settled_by_looks(image: Image, grid: Grid, classifier: Classifier) -> tuple[Grid, Classifier]:
    """Edges, lines and colours by what the cells show."""
    size = grid.rows, grid.columns
    board = rectified(image, grid, classifier.cell)
    shown = classifier.sketch(board, size)
    columns, rows = _edges(shown)
    if min(len(columns), len(rows)) < LEAST_CELLS:
        return grid, classifier
    numbers = np.arange(grid.rows * grid.columns).reshape(size)
    which = _some(numbers[rows.start : rows.stop, columns.start : columns.stop].ravel())
    states = shown.states.ravel()[which]
    cells = cut(board, size, which)
    # A colour that the screen has changed much keeps its cells from being believed: they are told by their shapes.
    shaped, templates = alike_in_shape(cells, classifier.images)
    expected = np.full(len(which), -1)
    expected[shaped] = templates
    expected = np.where(states == State.UNKNOWN, expected, classifier.template_of_state[states])
    told = np.flatnonzero(expected >= 0)
    classifier = _for_colours(classifier, cells[told], classifier.images[expected[told]])
    grid = refined(grid, which[told], softened(cells[told]), classifier.soft[expected[told]])
    return Grid(grid.xs[columns.start : columns.stop + 1], grid.ys[rows.start : rows.stop + 1]), classifier


def _for_colours(classifier: Classifier, seen: Image, shown: Image) -> Classifier:
    """The classifier for colours like these, the same where they tell nothing."""
    colours = estimate_colours(seen, shown)
    return classifier if colours is None or colours is classifier.colours else classifier.with_colours(colours)


def _some(which: NDArray[np.intp]) -> NDArray[np.intp]:
    """So many cells at most, spread evenly."""
    return which[:: -(-len(which) // _SAMPLE) or 1]


def _with_reach(grid: Grid, image: Image) -> Grid:
    """The grid with a few more lines on every side, as far as the picture goes."""
    return Grid(
        within(extended(grid.xs, _REACH, _REACH), image.shape[1]),
        within(extended(grid.ys, _REACH, _REACH), image.shape[0]),
    )


def _edges(shown: Classified) -> tuple[range, range]:
    """The columns and rows that the board has, of those looked at."""
    rows, columns = range(shown.states.shape[0]), range(shown.states.shape[1])
    # What is beside the board dilutes the lines of the other axis: a second look sees less of it.
    for _ in range(2):
        columns = _run(shown.believed[rows.start : rows.stop].sum(axis=0))
        rows = _run(shown.believed[:, columns.start : columns.stop].sum(axis=1))
    return columns, rows


def _run(readable: NDArray[np.int64]) -> range:
    """The longest run of readable lines, with what it bridges, given how many cells of each are readable."""
    firm = np.flatnonzero(readable >= max(1, _LEAST_LINE * readable.max(initial=0)))
    if not firm.size:
        return range(0)
    runs = np.split(firm, np.flatnonzero(np.diff(firm) > _BRIDGE + 1) + 1)
    longest = max(runs, key=len)
    return range(int(longest[0]), int(longest[-1]) + 1)
