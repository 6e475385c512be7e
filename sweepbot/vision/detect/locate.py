"""Find boards anywhere in a picture, at any scale.

Lattices are found without templates. Each of a suitable pitch is then fitted with a calibration's templates: if enough
of its cells can be read, and they make sense as a position, it is a board.
"""

import numpy as np
from numpy.typing import NDArray

from sweepbot.board import Board, State
from sweepbot.geometry import Region
from sweepbot.vision.calibration import Calibration
from sweepbot.vision.cells.classified import LEAST_READABLE_SHARE
from sweepbot.vision.cells.doubt import share_contradicted
from sweepbot.vision.detect.fit import MOST_CONTRADICTED_SHARE, Fitted
from sweepbot.vision.grid import LEAST_CELLS
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
_UNTOUCHED_CORRELATION = 0.85  # between the mean hidden cell and its template
_UNTOUCHED_RELIEF = 0.6  # mean relief that makes this correlation needless
_CONTRAST_LEVELS = 8  # by which the light and dark pixels of a template differ from its face
_TELLING_SHARE = 0.04  # of its pixels that are light, or dark, for those to be compared
_LEAST_CONTRAST_SHARE = 0.35  # of the template's contrast that the cell must have there
_LEAST_MEAN_RELIEF = 0.28  # of a board's cells: plain squares and ruled paper have about 0.2
_OVERLAP_SHARE = 0.3  # of the smaller board's area: two findings that share more are the same board


def is_board(fitted: Fitted, sample: Sample, aspect: float) -> bool:
    """Whether what was fitted is large, readable and sensible enough to be a board.

    Args:
        fitted: What was fitted.
        sample: A sample of its lattice.
        aspect: Width over height of the client's cells.
    """
    grid = fitted.grid
    large = min(grid.rows, grid.columns) >= LEAST_CELLS
    alike = abs(grid.pitch[0] / grid.pitch[1] / aspect - 1) <= _ASPECT_SHARE
    return large and alike and fitted.classified.readable >= LEAST_READABLE_SHARE and _is_sensible(fitted, sample)


def _is_sensible(fitted: Fitted, sample: Sample) -> bool:
    """Whether this could come from a game: ruled paper reads as zeros, and a chart as contradictions."""
    board, believed = Board(fitted.classified.states), fitted.classified.believed
    # A game that shows which flags are wrong has been lost, and shows mines.
    unexplained = board.count(State.WRONG_FLAG) and not board.count(State.MINE, State.EXPLODED)
    if unexplained or board.count(0) > _MOST_ZEROS_SHARE * believed.sum():
        return False
    relief = fitted.classified.reliefs[believed].mean()
    # Hidden cells are alike, so that their mean has neither dithering nor noise.
    if fitted.is_untouched and relief < _UNTOUCHED_RELIEF and _likeness(sample, fitted) < _UNTOUCHED_CORRELATION:
        return False
    return bool(relief >= _LEAST_MEAN_RELIEF) and share_contradicted(board.cells) <= MOST_CONTRADICTED_SHARE


def aspect(calibration: Calibration) -> float:
    """Return width over height of the calibration's cells."""
    return calibration.cell[0] / calibration.cell[1]


def _likeness(sample: Sample, fitted: Fitted) -> float:
    """Return the correlation between the mean hidden cell and the most similar template of hidden cells."""
    hidden = np.flatnonzero(fitted.classified.states == State.HIDDEN)
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
