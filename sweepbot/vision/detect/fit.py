"""Fit a lattice with templates: the lines of its cells, the colours of the screen, and the edges of the board.

Each depends on the others, so they are settled in rounds. At first a sample of cells is recognised by shape, then all
by look. The states that are read give the colours and the edges, and the differences between cells and templates move
the lines. Where a sample is drawn as calibrated, as in most pictures, there are only the edges left to find.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from numpy.typing import NDArray

from sweepbot.board import State
from sweepbot.geometry import Image, Point
from sweepbot.vision.cells.classified import LEAST_READABLE_SHARE, Classified
from sweepbot.vision.cells.classify import Classifier
from sweepbot.vision.cells.doubt import reconsidered, share_contradicted
from sweepbot.vision.detect.rectangle import board_part
from sweepbot.vision.grid import LEAST_CELLS, Grid
from sweepbot.vision.lattices.align import (
    Sample,
    alike_in_shape,
    drawn,
    extended,
    refined,
    within,
)
from sweepbot.vision.lattices.lattice import Lattice
from sweepbot.vision.pictures.patches import Patches

MOST_CONTRADICTED_SHARE = 0.25
"""Most share of inner cells, and of their numbers, that may break the rules of the game."""

COARSE_PX = 24
"""Pixels a side to which larger cells are reduced, until client and place are roughly known."""

_UNTOUCHED_SHARE = 0.93  # of read cells that are hidden on a board with little else to show
_OUTWARDS_CELLS = 4  # by which an edge is moved in a round
_ROUNDS_BY_SAMPLE = 2  # the first by shape alone, the second by colour as well
_MOST_ROUNDS = 8  # of settling: most boards come to rest in two or three, one of KMines at 150% in eight
_AS_WELL_SHARE = 0.99  # of the agreement on fractional lines: lines on whole pixels with as much are preferred
_DENSER_FACTOR = 1.15  # between two widths of gaps that are tried: scores in between are nearly as high
_VOTING_CELLS = 150  # that decide on colours and gaps
_FEWEST_VOTING_ROWS = 4  # of them: over a gradient, all cells of one row are alike
_SETTLED_SHARE = 0.01  # of a cell: lines that move less have come to rest
_MIDDLE_CELLS = 12  # a side of the part that is classified in full to see if the rest is worth it
_WORTH_A_LOOK_SHARE = 0.3  # of readable cells, for all to be classified in full


@dataclass(frozen=True, slots=True, eq=False)
class Fitted:
    """A lattice fitted with the templates of a calibration.

    Attributes:
        grid: The lines of its cells.
        classifier: The classifier for its colours.
        classified: What its cells show.
    """

    grid: Grid
    classifier: Classifier
    classified: Classified

    @property
    def is_untouched(self) -> bool:
        """Whether there is little to show but hidden cells."""
        hidden = int((self.classified.states == State.HIDDEN).sum())
        return hidden > _UNTOUCHED_SHARE * int(self.classified.believed.sum())

    def part(self, columns: range, rows: range) -> "Fitted":
        """Return some of its columns and rows, or the whole if these are too few for a board."""
        if min(len(columns), len(rows)) < LEAST_CELLS:
            return self
        cells = slice(rows.start, rows.stop), slice(columns.start, columns.stop)
        return Fitted(self.grid.part(rows, columns), self.classifier, self.classified.part(*cells))


def sampled(image: Image, lattice: Lattice, cut: Callable[..., Patches]) -> Sample:
    """Take a sample from the core of a lattice, to be compared with any number of looks; see `Sample` for `cut`."""
    lines = lattice.grid
    middle_x, middle_y = ((of[0] + of[-1]) / 2 for of in (lines.xs, lines.ys))
    # Exact lines are where cells begin; others have any phase, and cells may begin beyond them.
    tried = lines if lattice.exact else _with_reach(lines, image)
    return Sample(image, tried, lattice.core or (middle_x, middle_y), cut, exact=lattice.exact)


def shown_as_drawn(sample: Sample, plain: Classifier) -> Classified:
    """Sketch a sample of cells as clients draw them: on whole pixels, in calibrated colours; see `sample_score`."""
    grid = sample.part_of(sample.on_pixels(sample.anchored(plain.patterns))[0])
    return plain.sketch(sample.patches(grid, plain.cell))


def sample_score(sample: Sample, plain: Classifier) -> float:
    """Return the mean score of a sample of cells, in colours estimated from these cells alone.

    This is quick enough to try many clients on the same cells.

    Args:
        sample: A sample of a lattice.
        plain: A classifier for cells of its size or less, in the calibrated colours.

    Returns:
        A score in [0, 1]; unreadable cells count as 0.
    """
    grid = sample.part_of(sample.anchored(plain.patterns))
    patches = sample.patches(grid, plain.cell)
    templates = plain.shaped(patches, coloured=False)
    if (templates < 0).all():  # large cells with thin gaps have little shape
        shown = plain.sketch(patches)
    else:
        grid, classifier = _adjusted(grid, plain, patches, templates)
        shown = _sketched(sample.patches(grid, plain.cell), plain, classifier)[1]
    return shown.confidence


def fit(sample: Sample, classifier: Classifier) -> Fitted:
    """Fit a lattice with the templates of a classifier, by a sample of it.

    If the picture is not drawn as calibrated, it may have been resized, and gaps are as wide as they are in it. Without
    the right gap, states that differ in small marks, such as flags and question marks, cannot be told apart.
    """
    fitted = _fitted(sample, classifier)
    if fitted.classified.readable < LEAST_READABLE_SHARE or fitted.classified.is_as_drawn:
        return fitted
    grid, colours = fitted.grid, fitted.classifier.colours
    rows = _voting_rows(grid.rows, grid.columns)

    def score(look: Classifier) -> float:
        eyes = look.for_pitch(grid.pitch).with_colours(colours)
        return float(eyes.sketch(sample.patches(grid, eyes.cell, rows)).scores.mean())

    look, highest = classifier, score(classifier)
    for by in (1 / _DENSER_FACTOR, _DENSER_FACTOR):
        while (other := look.denser(by, grid.pitch)) is not None and (reached := score(other)) > highest:
            look, highest = other, reached
        if look is not classifier:
            return max(fitted, _fitted(sample, look), key=lambda one: float(one.classified.scores.sum()))
    return fitted


def _fitted(sample: Sample, classifier: Classifier) -> Fitted:
    plain, coarse = classifier.for_pitch(sample.pitch), classifier.for_pitch(sample.pitch, COARSE_PX)
    grid = sample.anchored(coarse.patterns)
    if shown_as_drawn(sample, coarse).is_as_drawn:
        start = max(sample.on_pixels(grid), key=lambda at: _agreement(sample, at, coarse)), coarse
    else:
        start = _fitted_to_sample(sample, grid, coarse)
    grid, settled = _settled(sample, *start, coarse)
    classifier = plain if settled is coarse else plain.with_colours(settled.colours)
    if coarse is not plain:
        grid, classifier = _settled(sample, grid, classifier, plain)
    patches = sample.patches(grid, classifier.cell)
    classifier, shown = _sketched(patches, plain, classifier)
    # Most clients draw to whole pixels; lines there are exact.
    whole = _on_whole_pixels(sample, grid, classifier)
    if whole not in (None, grid):
        whole_patches = sample.patches(whole, classifier.cell)
        on_whole = classifier.sketch(whole_patches)
        if on_whole.agreement >= _AS_WELL_SHARE * shown.agreement:
            grid, patches, shown = whole, whole_patches, on_whole
    if _may_be_board(shown) or _may_be_board(_middle_in_full(sample, grid, classifier)):
        shown = classifier.classify(patches)
        looked_at_again = reconsidered(classifier, patches, shown)
        columns, rows = board_part(looked_at_again)
        if (len(rows), len(columns)) == patches.size:
            return Fitted(grid, classifier, looked_at_again)
        # Without what is beside the board, cells at its rim may no longer break the rules.
        return _reconsidered(sample, Fitted(grid, classifier, shown).part(columns, rows))
    return Fitted(grid, classifier, shown)


def fit_on(sample: Sample, grid: Grid, classifier: Classifier) -> Fitted:
    """Read a board on lines that another look has settled, with the templates of a classifier in a light of its own."""
    plain = classifier.for_pitch(grid.pitch)
    patches = sample.patches(grid, plain.cell)
    relit = plain.recoloured(patches, plain.shaped(patches, coloured=False))
    classifier, _ = _sketched(patches, plain, relit)
    shown = classifier.classify(patches)
    return Fitted(grid, classifier, reconsidered(classifier, patches, shown))


def _may_be_board(shown: Classified) -> bool:
    """Whether cells are worth being classified in full."""
    return shown.readable >= _WORTH_A_LOOK_SHARE and share_contradicted(shown.states) <= MOST_CONTRADICTED_SHARE


def _middle_in_full(sample: Sample, grid: Grid, classifier: Classifier) -> Classified:
    """Classify the middle cells in full, which alone recognises numbers in another font."""
    rows, columns = (
        range(max(0, (count - _MIDDLE_CELLS) // 2), min(count, (count + _MIDDLE_CELLS) // 2))
        for count in (grid.rows, grid.columns)
    )
    return classifier.classify(sample.patches(grid.part(rows, columns), classifier.cell))


def _on_whole_pixels(sample: Sample, grid: Grid, classifier: Classifier) -> Grid | None:
    """Return the lines on whole pixels, about a pixel away at most, that fit best; None if cells are uneven."""
    whole = grid.whole()
    if whole is None:
        return None

    @cache
    def agreement(at: Grid) -> float:
        return _agreement(sample, at, classifier)

    for across, down in ((1, 0), (0, 1)):
        whole = max((whole.moved(Point(by * across, by * down)) for by in (0, -1, 1)), key=agreement)
    return whole


def _agreement(sample: Sample, grid: Grid, classifier: Classifier) -> float:
    """Return how well the cells of some rows agree with templates, if a board has these lines."""
    rows = _voting_rows(grid.rows, grid.columns)
    return classifier.sketch(sample.patches(grid, classifier.cell, rows)).agreement


def _reconsidered(sample: Sample, fitted: Fitted) -> Fitted:
    grid, classifier = fitted.grid, fitted.classifier
    patches = sample.patches(grid, classifier.cell)
    return replace(fitted, classified=reconsidered(classifier, patches, fitted.classified))


def _fitted_to_sample(sample: Sample, grid: Grid, plain: Classifier) -> tuple[Grid, Classifier]:
    """Estimate lines and colours from a sample of an anchored lattice, which is quick.

    They stay as given if no cell of the sample has the shape of a template.
    """
    part, classifier = sample.part_of(grid), plain
    moved = part
    for number in range(_ROUNDS_BY_SAMPLE):
        patches = sample.patches(moved, classifier.cell)
        templates = classifier.shaped(patches, coloured=number > 0)
        if (templates < 0).all():
            return grid, plain
        moved, classifier = _adjusted(moved, classifier, patches, templates)
    right, down = (float(np.mean(np.subtract(*lines))) for lines in ((moved.xs, part.xs), (moved.ys, part.ys)))
    return Grid(tuple(x + right for x in grid.xs), tuple(y + down for y in grid.ys)), classifier


def _settled(sample: Sample, grid: Grid, classifier: Classifier, plain: Classifier) -> tuple[Grid, Classifier]:
    """Settle lines and colours in rounds, by the looks of cells; they stay as given if too little is read."""
    for _ in range(_MOST_ROUNDS):
        before = grid
        found = _settled_by_looks(sample, _with_reach(grid, sample.image), plain, classifier)
        if found is None:
            break
        grid, classifier = found
        if grid.nearly(before, _SETTLED_SHARE * grid.pitch[0]):
            break
    return grid, classifier


def _settled_by_looks(
    sample: Sample, grid: Grid, plain: Classifier, classifier: Classifier
) -> tuple[Grid, Classifier] | None:
    """Estimate edges, lines and colours from what the cells show; None if they show too little."""
    patches = sample.patches(grid, classifier.cell)
    classifier, shown = _sketched(patches, plain, classifier)
    columns, rows = board_part(shown)
    if min(len(columns), len(rows)) < LEAST_CELLS:
        return None
    inner = slice(rows.start, rows.stop), slice(columns.start, columns.stop)
    # Cells in a colour that the screen has changed much are not believed: their shapes tell what they show.
    templates = np.full(patches.size, -1, dtype=np.intp)
    templates[inner] = np.where(shown.believed, shown.templates, -1)[inner]
    unread = np.zeros(patches.size, dtype=np.bool_)
    unread[inner] = ~shown.believed[inner]
    if classifier is plain and shown.part(*inner).is_as_drawn:
        part = grid.part(rows, columns)
        exact = part == part.whole()
        return part if exact else _aligned(grid, plain, patches, templates).part(rows, columns), plain
    if unread.any():
        cells = classifier.cells(patches, np.flatnonzero(unread))
        templates[unread] = alike_in_shape(cells, classifier.looks, classifier.colours.gain)
    grid, classifier = _adjusted(grid, classifier, patches, templates)
    return grid.part(rows, columns), classifier


def _sketched(patches: Patches, plain: Classifier, classifier: Classifier) -> tuple[Classifier, Classified]:
    """Classify quickly, in the calibrated or the estimated colours, whichever score higher on some of the cells.

    The estimate is tried without its exceptions too: over a gradient, single colours differ from place to place.
    """
    choices = [plain]
    if classifier is not plain:
        choices.append(classifier)
        if len(classifier.colours.exceptions):
            choices.append(classifier.with_colours(classifier.colours.without_exceptions()))
    if len(choices) == 1:
        return plain, plain.sketch(patches)
    rows = _voting_rows(*patches.size)
    some = patches.only(rows)
    best, shown = max(((one, one.sketch(some)) for one in choices), key=lambda tried: tried[1].agreement)
    return best, shown if len(rows) == patches.rows else best.sketch(patches)


def _voting_rows(rows: int, columns: int) -> tuple[int, ...]:
    """Return the numbers of some rows, from all over a board, whose cells vote on what is right for all."""
    count = min(rows, max(_FEWEST_VOTING_ROWS, round(_VOTING_CELLS / columns)))
    return tuple(np.unique(np.linspace(0, rows - 1, count).astype(np.intp)).tolist())


def _adjusted(
    grid: Grid, classifier: Classifier, patches: Patches, templates: NDArray[np.intp]
) -> tuple[Grid, Classifier]:
    """Adjust colours, then lines, by the template that each cell shows, -1 if unknown."""
    classifier = classifier.recoloured(patches, templates)
    return _aligned(grid, classifier, patches, templates), classifier


def _aligned(grid: Grid, classifier: Classifier, patches: Patches, templates: NDArray[np.intp]) -> Grid:
    """Move lines to where the cells match their templates best, -1 if unknown."""
    seen = classifier.levelled(patches)
    return refined(grid, seen, *drawn(templates, classifier.looks, seen))


def _with_reach(grid: Grid, image: Image) -> Grid:
    """Extend a grid by a few lines on every side, within the picture."""
    return Grid(
        within(extended(grid.xs, _OUTWARDS_CELLS, _OUTWARDS_CELLS), image.shape[1]),
        within(extended(grid.ys, _OUTWARDS_CELLS, _OUTWARDS_CELLS), image.shape[0]),
    )
