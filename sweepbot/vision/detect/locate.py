"""Find boards anywhere in a picture, at any scale.

Lattices are found without templates. Each of a suitable pitch is then fitted with a calibration's templates: if enough
of its cells can be read, and they make sense as a position, it is a board.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sweepbot.board import Board, State
from sweepbot.geometry import Region
from sweepbot.vision.calibration import Calibration
from sweepbot.vision.cells.classified import LEAST_READABLE_SHARE, Classified
from sweepbot.vision.cells.classify import Classifier
from sweepbot.vision.cells.doubt import share_contradicted
from sweepbot.vision.detect.fit import (
    MOST_CONTRADICTED_SHARE,
    Fitted,
    fit,
    fit_on,
    voting_rows,
)
from sweepbot.vision.grid import LEAST_CELLS, Grid
from sweepbot.vision.lattices.align import Sample
from sweepbot.vision.lattices.lattice import CellSizes

READ_SIZES = CellSizes(11.5, 165.0)
"""The sizes of cells that are read.

Boards with cells of 12 to 160 pixels are promised; before it is fitted, a lattice may be off by a few per cent.
"""

MOST_CELLS = 6_000
"""Most cells of a lattice, including what is beside the board; this bounds the time of a reading.

Boards of 70 x 70 are read; no client offers a larger level.
"""

_ASPECT_SHARE = 0.025  # by which the aspect of cells may differ from the calibration's
_MOST_ZEROS_SHARE = 0.93  # of read cells: even a single mine on the smallest board leaves less
_UNTOUCHED_SHARE = 0.93  # of read cells that are hidden on a board with little else to show
_UNTOUCHED_CORRELATION = 0.85  # between the mean hidden cell and its template
_UNTOUCHED_RELIEF = 0.6  # mean relief that makes this correlation needless
_CONTRAST_LEVELS = 8  # by which the light and dark pixels of a template differ from its face
_TELLING_SHARE = 0.04  # of its pixels that are light, or dark, for those to be compared
_LEAST_CONTRAST_SHARE = 0.35  # of the template's contrast that the cell must have there
_LEAST_MEAN_RELIEF = 0.28  # of a board's cells: plain squares and ruled paper have about 0.2
_DENSER_FACTOR = 1.15  # between two densities that are tried: scores in between are nearly as high
_OVERLAP_SHARE = 0.3  # of the smaller board's area: two findings that share more are the same board


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """A place where a board may be.

    Attributes:
        grid: Its lines, in pixels of the picture.
        scale: The size of a cell, as a multiple of the calibration's.
        classifier: The classifier for the colours of the board.
        classified: What its cells show.
        aspect: Width over height of the calibration's cells.
        likeness: The correlation between the mean hidden cell and the most similar template; 0 if none is hidden.
    """

    grid: Grid
    scale: float
    classifier: Classifier
    classified: Classified
    aspect: float
    likeness: float

    @property
    def is_board(self) -> bool:
        """Whether this is large, readable and sensible enough to be a board."""
        large = min(self.grid.rows, self.grid.columns) >= LEAST_CELLS
        alike = abs(self.grid.pitch[0] / self.grid.pitch[1] / self.aspect - 1) <= _ASPECT_SHARE
        return large and alike and self.classified.readable >= LEAST_READABLE_SHARE and self._is_sensible()

    @property
    def is_untouched(self) -> bool:
        """Whether it has little to show but hidden cells."""
        hidden = int((self.classified.states == State.HIDDEN).sum())
        return hidden > _UNTOUCHED_SHARE * int(self.classified.believed.sum())

    def _is_sensible(self) -> bool:
        """Whether this could come from a game: ruled paper reads as zeros, and a chart as contradictions."""
        board, believed = Board(self.classified.states), self.classified.believed
        # A game that shows which flags are wrong has been lost, and shows mines.
        unexplained = board.count(State.WRONG_FLAG) and not board.count(State.MINE, State.EXPLODED)
        if unexplained or board.count(0) > _MOST_ZEROS_SHARE * believed.sum():
            return False
        relief = self.classified.reliefs[believed].mean()
        # Hidden cells are alike, so that their mean has neither dithering nor noise.
        if self.is_untouched and max(relief / _UNTOUCHED_RELIEF, self.likeness / _UNTOUCHED_CORRELATION) < 1:
            return False
        return relief >= _LEAST_MEAN_RELIEF and share_contradicted(board.cells) <= MOST_CONTRADICTED_SHARE


def aspect(calibration: Calibration) -> float:
    """Return width over height of the calibration's cells."""
    return calibration.cell[0] / calibration.cell[1]


def fitted_on(
    sample: Sample, calibration: Calibration, classifier: Classifier, settled: Grid | None
) -> Candidate | None:
    """Fit a classifier to a lattice; None if its cells have other shapes.

    Args:
        sample: A sample of the lattice.
        calibration: The client's calibration.
        classifier: A classifier with its templates.
        settled: The lines of the board if another look has settled them, in its density.

    Returns:
        A board or a near miss.
    """
    whole = _fitted(sample, classifier) if settled is None else fit_on(sample, settled, classifier)
    if whole is None:
        return None
    scale = whole.grid.pitch[0] / calibration.cell[0]
    likeness = _likeness(sample, whole)
    return Candidate(whole.grid, scale, whole.classifier, whole.classified, aspect(calibration), likeness)


def _fitted(sample: Sample, classifier: Classifier) -> Fitted | None:
    """Fit a lattice, with gaps as wide as they are in this picture if it is not drawn as calibrated."""
    whole = fit(sample, classifier)
    if whole is None or whole.classified.readable < LEAST_READABLE_SHARE or whole.classified.is_as_drawn:
        return whole
    return _in_its_density(sample, classifier, whole)


def _in_its_density(sample: Sample, classifier: Classifier, fitted: Fitted) -> Fitted:
    """Fit the board with gaps as wide as they are in this picture, which may have been resized.

    Without the right gap, states that differ in small marks, such as flags and question marks, cannot be told apart.
    """
    grid, colours = fitted.grid, fitted.classifier.colours
    rows = voting_rows(grid.rows, grid.columns)

    def score(look: Classifier) -> float:
        eyes = look.for_pitch(grid.pitch).with_colours(colours)
        return float(eyes.sketch(sample.patches(grid, eyes.cell, rows)).scores.mean())

    look, highest = classifier, score(classifier)
    for by in (1 / _DENSER_FACTOR, _DENSER_FACTOR):
        while (other := look.denser(by, grid.pitch)) is not None and (reached := score(other)) > highest:
            look, highest = other, reached
        if look is not classifier:
            break
    again = None if look is classifier else fit(sample, look)
    return fitted if again is None else max(fitted, again, key=lambda one: float(one.classified.scores.sum()))


def _likeness(sample: Sample, fitted: Fitted) -> float:
    """Return the correlation between the mean hidden cell and the most similar template of hidden cells."""
    hidden = np.flatnonzero(fitted.classified.states == State.HIDDEN)
    if not hidden.size:
        return 0.0
    classifier = fitted.classifier
    patches = sample.patches(fitted.grid, classifier.cell)
    mean = classifier.cells(patches, hidden).mean(axis=(0, 3))
    # In calibrated colours: those estimated from a picture without a board may make light and dark the same.
    templates = classifier.images_of(State.HIDDEN).mean(axis=3)
    return max(_likeness_to(mean / classifier.colours.gain, template) for template in templates)


def _likeness_to(seen: NDArray[np.floating], template: NDArray[np.floating]) -> float:
    """Return the correlation of two grey pictures; 0 if the light or dark parts of `template` are not so in `seen`."""
    relief, seen_relief = template - np.median(template), seen - np.median(seen)
    for side in (relief > _CONTRAST_LEVELS, relief < -_CONTRAST_LEVELS):
        if side.mean() > _TELLING_SHARE and seen_relief[side].mean() / relief[side].mean() < _LEAST_CONTRAST_SHARE:
            return 0.0
    if not relief.any() or not seen_relief.any():
        return 0.0  # nothing correlates with what is plain
    return float(np.corrcoef(seen.ravel(), template.ravel())[0, 1])


def same_place(one: Region, other: Region) -> bool:
    """Whether two regions overlap so much that they are the same board."""
    return one.overlap(other) > _OVERLAP_SHARE
