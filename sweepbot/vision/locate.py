"""Where the boards are: anywhere in a picture, at any scale.

Lattices are found without templates; each of a fitting pitch is then fitted with a calibration's templates. What reads
as cells and makes sense as a position is a board.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sweepbot.board import Board, Status
from sweepbot.geometry import Region
from sweepbot.vision.calibration import Calibration
from sweepbot.vision.classify import Classified, Classifier
from sweepbot.vision.fit import LEAST_CELLS, LEAST_READABLE, fit
from sweepbot.vision.grid import Grid
from sweepbot.vision.lattice import Lattice, find_lattices

_MOST_PROBLEMS = 0.25  # the share of cells that the rules may speak against
_MOST_ZEROS = 0.93  # the share of readable cells that may be zeros: a single mine on the smallest board allows less
_LEAST_RELIEF = 0.28  # of its cells on average: that of plain squares and ruled paper is about 0.2
_MOST_SCATTERED = 0.2  # the share of readable cells that may have unreadable ones on all four sides
_OVERLAP = 0.3  # of the smaller board: two findings that share more are the same board

Image = NDArray[np.uint8]


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """A place where a board may be.

    Attributes:
        grid: Its lines, in pixels of the picture searched.
        scale: How large a cell is, as a multiple of the calibration's.
        classifier: Made for the colours of the board.
        classified: What its cells show.
    """

    grid: Grid
    scale: float
    classifier: Classifier
    classified: Classified

    @property
    def is_board(self) -> bool:
        """Whether this is large, readable and sensible enough to be a board."""
        large = min(self.grid.rows, self.grid.columns) >= LEAST_CELLS
        return large and self.classified.readable >= LEAST_READABLE and self._is_sensible()

    def _is_sensible(self) -> bool:
        """Whether this could come from a game: ruled paper reads as zeros, and a chart as nonsense."""
        if self.classified.reliefs[self.classified.believed].mean() < _LEAST_RELIEF:
            return False
        if _scattered(self.classified.believed) > _MOST_SCATTERED:
            return False
        board = Board(self.classified.states)
        if board.count(0) > _MOST_ZEROS * self.classified.believed.sum():
            return False
        against = [problem for problem in board.problems() if problem.status is not Status.UNREADABLE]
        return len(against) <= _MOST_PROBLEMS * board.cells.size


def locate(
    image: Image, calibration: Calibration, classifier: Classifier, lattices: Sequence[Lattice] | None = None
) -> list[Candidate]:
    """Find the boards in a picture.

    Args:
        image: uint8 array of shape (height, width, 3), blue, green, red.
        calibration: The skin to look for.
        classifier: The one made from its templates.
        lattices: Those of the picture, where they are known already.

    Returns:
        The boards and near misses found, the one with most readable cells first; see `Candidate.is_board`.
    """
    smallest, largest = pitches(calibration)
    if lattices is None:
        lattices = find_lattices(image, smallest, largest)
    fitting = [lattice for lattice in lattices if 0.95 * smallest <= lattice.pitch[0] <= 1.05 * largest]
    found: list[Candidate] = []
    for lattice in fitting:
        # Cells twice as large, or the same cells again, would be found on every board.
        if not any(candidate.is_board and _overlap(_region(lattice), candidate.grid.region) for candidate in found):
            found.append(_candidate(image, lattice, calibration, classifier))
    ranked = sorted(found, key=lambda candidate: (candidate.is_board, candidate.classified.agreement), reverse=True)
    distinct: list[Candidate] = []
    for candidate in ranked:
        if not any(_overlap(candidate.grid.region, other.grid.region) for other in distinct):
            distinct.append(candidate)
    return distinct


def pitches(calibration: Calibration) -> tuple[float, float]:
    """The smallest and largest pitch of the calibration's cells, in pixels."""
    return min(calibration.cell) * calibration.scales[0], max(calibration.cell) * calibration.scales[1]


def _candidate(image: Image, lattice: Lattice, calibration: Calibration, classifier: Classifier) -> Candidate:
    fitted = fit(image, lattice, classifier)
    scale = fitted.grid.pitch[0] / calibration.cell[0]
    return Candidate(fitted.grid, scale, fitted.classifier, fitted.classified)


def _scattered(readable: NDArray[np.bool_]) -> float:
    """The share of readable cells with none beside, above or below: what covers a board leaves the rest together."""
    padded = np.pad(readable, 1)
    beside = padded[:-2, 1:-1] | padded[2:, 1:-1] | padded[1:-1, :-2] | padded[1:-1, 2:]
    return float((readable & ~beside).sum() / max(1, readable.sum()))


def _region(lattice: Lattice) -> Region:
    return Grid(lattice.xs, lattice.ys).region


def _overlap(one: Region, other: Region) -> bool:
    """Whether both are about the same board."""
    shared = one.intersection(other)
    if shared is None:
        return False
    areas = [region.width * region.height for region in (shared, one, other)]
    return areas[0] > _OVERLAP * min(areas[1:])
