"""Boards of clients whose ground is chequered: nothing else sets their cells apart, and no lattice is found of them."""

import numpy as np

from sweepbot.board import State
from sweepbot.geometry import Image
from sweepbot.vision.calibration import Calibration
from sweepbot.vision.cells.classify import Classifier
from sweepbot.vision.detect.locate import (
    LARGEST_CELL,
    MOST_CELLS,
    SMALLEST_CELL,
    Candidate,
    aspect,
    same_place,
)
from sweepbot.vision.grid import Grid
from sweepbot.vision.lattices.chequers import find_chequers
from sweepbot.vision.pictures.cutting import rectified
from sweepbot.vision.pictures.light import Light, light, possible_warmths

_NEARLY_ALL = 0.95  # of a board's cells: where fewer can be read, the light may be told too coarsely


def on_chequers(image: Image, calibration: Calibration, classifier: Classifier) -> list[Candidate]:
    """Find the boards of a client whose ground is chequered."""
    found: list[Candidate] = []
    grounds = classifier.grounds
    for one in find_chequers(image, grounds.colours if grounds else (), SMALLEST_CELL, LARGEST_CELL):
        too_large = one.grid.rows * one.grid.columns > MOST_CELLS
        if too_large or any(same_place(one.grid.region, other.grid.region) for other in found):
            continue
        candidate = _best_lit(image, one.grid, calibration, classifier, one.light)
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
    return bool(np.isin(candidate.classified.states, (State.HIDDEN, State.FLAG)).any())


def _best_lit(image: Image, grid: Grid, calibration: Calibration, classifier: Classifier, own: Light) -> Candidate:
    """The board as it is read in its own light, or in one of those that its cells tell where that is better."""
    found = _candidate(image, grid, calibration, classifier.in_light(own))
    if found.classified.readable >= _NEARLY_ALL or _is_won(image, found):
        return found
    tinted = (classifier.in_light(light(1, warmth)) for warmth in possible_warmths(image))
    again = (_candidate(image, grid, calibration, one.relit(image, grid)) for one in tinted)
    return max(found, *again, key=lambda one: one.classified.agreement)


def _candidate(image: Image, grid: Grid, calibration: Calibration, classifier: Classifier) -> Candidate:
    own = classifier.for_pitch(grid.pitch)
    shown = own.classify(rectified(image, grid, own.cell), (grid.rows, grid.columns))
    scale = grid.pitch[0] / calibration.cell[0]
    return Candidate(grid, scale, own, shown, aspect(calibration), 1.0)
