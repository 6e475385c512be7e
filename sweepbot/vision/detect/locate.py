"""Where the boards are: anywhere in a picture, at any scale.

Lattices are found without templates; each of a fitting pitch is then fitted with a calibration's templates. What reads
as cells and makes sense as a position is a board.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sweepbot.board import Board, State
from sweepbot.geometry import Image, Region
from sweepbot.vision.calibration import Calibration
from sweepbot.vision.cells.classified import Classified
from sweepbot.vision.cells.classify import Classifier
from sweepbot.vision.cells.doubt import share_contradicted
from sweepbot.vision.detect.fit import (
    LEAST_READABLE,
    MOST_CONTRADICTED,
    Fitted,
    fit,
    voting_rows,
)
from sweepbot.vision.detect.rectangle import LEAST_CELLS
from sweepbot.vision.grid import Grid
from sweepbot.vision.lattices.lattice import Lattice
from sweepbot.vision.pictures.cutting import rectified

SMALLEST_CELL, LARGEST_CELL = 11.5, 165.0
"""Pixels: the shorter and the longer side of cells that are looked for, whatever size they were calibrated at.

Boards of 12 to 160 pixels a cell are promised; a lattice may be off by some pixels in a hundred before it is fitted.
"""

MOST_CELLS = 6_000
"""Cells of what may be a board, with what is beside it: how long one takes to read grows with them.

Boards of 70 x 70 are read; no client offers larger ones as a level.
"""

_ASPECT = 0.025  # the share by which cells may be wider or higher than the calibration's are
_MOST_ZEROS = 0.93  # the share of readable cells that may be zeros: a single mine on the smallest board allows less
_UNTOUCHED = 0.93  # the share of readable cells from which on a board has little to show but hidden cells
_LEAST_READABLE_UNTOUCHED = 0.67  # the share of its cells that must be: of a chequerboard every other cell may be read
_LEAST_LIKENESS = 0.85  # correlation of their mean with their template
_UNTOUCHED_RELIEF = 0.6  # with so much of it on average, there is no need for that
_CONTRAST = 8  # grey levels from which on pixels of a template are lighter or darker than its face
_SIDE = 0.04  # of its pixels, for the lighter or the darker ones to matter
_LEAST_CONTRAST = 0.35  # of what sets them apart from the face
_LEAST_RELIEF = 0.28  # of the cells of a board on average: that of plain squares and ruled paper is about 0.2
_AS_DRAWN = (
    0.96  # mean score: boards as clients draw them have more, at least 0.962; pictures of them resized up to 0.954
)
_DENSER = 1.15  # the factor between two densities that are tried: in between, cells agree nearly as well
_BEYOND_DOUBT = 0.95  # score: a board all of whose cells agree so well is of no other look
_OVERLAP = 0.3  # of the smaller board: two findings that share more are the same board


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """A place where a board may be.

    Attributes:
        grid: Its lines, in pixels of the picture searched.
        scale: How large a cell is, as a multiple of the calibration's.
        classifier: Made for the colours of the board.
        classified: What its cells show.
        aspect: The width of the calibration's cells, as a multiple of their height.
        likeness: How far its hidden cells, all laid over one another, correlate with a template of theirs; 0 for none.
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
        alike = abs(self.grid.pitch[0] / self.grid.pitch[1] / self.aspect - 1) <= _ASPECT
        return large and alike and self.classified.readable >= LEAST_READABLE and self._is_sensible()

    @property
    def is_untouched(self) -> bool:
        """Whether it has little to show but hidden cells."""
        hidden = int((self.classified.states == State.HIDDEN).sum())
        return hidden > _UNTOUCHED * int(self.classified.believed.sum())

    @property
    def is_beyond_doubt(self) -> bool:
        """Whether its cells agree so well that it is of no other look."""
        return bool(self.classified.believed.all()) and float(self.classified.scores.min()) >= _BEYOND_DOUBT

    def _is_sensible(self) -> bool:
        """Whether this could come from a game: ruled paper reads as zeros, and a chart as nonsense."""
        board, believed = Board(self.classified.states), self.classified.believed
        # A game that shows which flags are wrong has been lost, and shows mines.
        unexplained = board.count(State.WRONG_FLAG) and not board.count(State.MINE, State.EXPLODED)
        if unexplained or board.count(0) > _MOST_ZEROS * believed.sum():
            return False
        relief = self.classified.reliefs[believed].mean()
        if self.is_untouched:
            # All alike they can be judged by their mean, which has neither dithering nor noise.
            if max(relief / _UNTOUCHED_RELIEF, self.likeness / _LEAST_LIKENESS) < 1:
                return False
            if self.classified.readable < _LEAST_READABLE_UNTOUCHED:
                return False
        if relief < _LEAST_RELIEF:
            return False
        return share_contradicted(board.cells) <= MOST_CONTRADICTED


def aspect(calibration: Calibration) -> float:
    """The width of the calibration's cells, as a multiple of their height."""
    return calibration.cell[0] / calibration.cell[1]


def in_range(pitch: tuple[float, float]) -> bool:
    """Whether cells are as large as those that are looked for, their pitch being known to within a few hundredths."""
    return min(pitch) >= SMALLEST_CELL and max(pitch) <= LARGEST_CELL


def fitted_on(image: Image, lattice: Lattice, calibration: Calibration, classifier: Classifier) -> Candidate | None:
    """The board, or what comes nearest to one, on a lattice of a picture; None where its cells are shaped otherwise.

    Args:
        image: uint8 array of shape (height, width, 3), blue, green, red.
        lattice: The lattice.
        calibration: Of the client.
        classifier: Made from its templates.
    """
    whole = fit(image, lattice, classifier)
    if whole is None:
        return None
    if whole.classified.readable >= LEAST_READABLE and whole.classified.scores.mean() < _AS_DRAWN:
        whole = _in_its_density(image, lattice, classifier, whole)
    scale = whole.grid.pitch[0] / calibration.cell[0]
    likeness = _likeness(image, whole)
    return Candidate(whole.grid, scale, whole.classifier, whole.classified, aspect(calibration), likeness)


def _in_its_density(image: Image, lattice: Lattice, classifier: Classifier, fitted: Fitted) -> Fitted:
    """The board with gaps as wide as they are in this picture, which may have been reduced or enlarged since.

    Where cells look most alike with a little on what they show, as flags and question marks, these are told apart by
    nothing else.
    """
    grid, colours = fitted.grid, fitted.classifier.colours
    rows = voting_rows(grid.rows, grid.columns)

    def score(look: Classifier) -> float:
        eyes = look.for_pitch(grid.pitch).with_colours(colours)
        return float(eyes.sketch(rectified(image, grid, eyes.cell, rows), (len(rows), grid.columns)).scores.mean())

    look, highest = classifier, score(classifier)
    for by in (1 / _DENSER, _DENSER):
        while (other := look.denser(by, grid.pitch)) is not None and (reached := score(other)) > highest:
            look, highest = other, reached
        if look is not classifier:
            break
    again = None if look is classifier else fit(image, lattice, look)
    return fitted if again is None else max(fitted, again, key=lambda one: float(one.classified.scores.sum()))


def _likeness(image: Image, fitted: Fitted) -> float:
    """How far the mean of all hidden cells correlates with that template of theirs which is most like it."""
    hidden = np.flatnonzero(fitted.classified.states == State.HIDDEN)
    if not hidden.size:
        return 0.0
    classifier = fitted.classifier
    board = rectified(image, fitted.grid, classifier.cell)
    mean = classifier.cells(board, (fitted.grid.rows, fitted.grid.columns), hidden).mean(axis=(0, 3))
    # The calibrated colours: those estimated of a picture without a board may hold that light and dark are the same.
    templates = classifier.images_of(State.HIDDEN).mean(axis=3)
    return max(_likeness_to(mean / classifier.colours.gain, template) for template in templates)


def _likeness_to(seen: NDArray[np.floating], template: NDArray[np.floating]) -> float:
    """The correlation of two pictures in grey; 0 where what is lighter or darker in `template` is not so in `seen`."""
    relief, seen_relief = template - np.median(template), seen - np.median(seen)
    for side in (relief > _CONTRAST, relief < -_CONTRAST):
        if side.mean() > _SIDE and seen_relief[side].mean() / relief[side].mean() < _LEAST_CONTRAST:
            return 0.0
    if not relief.any() or not seen_relief.any():
        return 0.0  # nothing correlates with what is plain
    return float(np.corrcoef(seen.ravel(), template.ravel())[0, 1])


def same_place(one: Region, other: Region) -> bool:
    """Whether both are about the same board."""
    shared = one.intersection(other)
    if shared is None:
        return False
    areas = [region.width * region.height for region in (shared, one, other)]
    return areas[0] > _OVERLAP * min(areas[1:])
