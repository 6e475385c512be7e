"""Where the grid is: anywhere in a picture, at any of a calibration's scales.

The picture is brought to scale 1 and searched for every template. The places found vote for a lattice by where they
stand within a cell (x modulo the cell's width, y modulo its height). The votes of one lattice are joined to rectangles,
and the rectangles' edges are moved until what is inside reads as cells and what is outside does not.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from sweepbot.board import State
from sweepbot.vision.calibration import Calibration
from sweepbot.vision.classify import MARGIN, Classified, Classifier
from sweepbot.vision.grid import Grid

LEAST_CELLS = 4
"""A board has at least so many rows and columns."""

LEAST_READABLE = 0.5
"""The share of its cells that must be readable for a rectangle to be a board."""

_LARGEST_DIFFERENCE = 14.0  # grey levels, root mean square over a cell: what a place may differ from a template
_BRIDGE = 3  # cells that may be missing between two found ones, under a pointer or a dialog
_REACH = 3  # cells by which an edge may lie beyond the outermost place found
_LEAST_EDGE = 0.2  # the readable share below which an outermost line is no part of the board
_LATTICES = 4  # how many lattices of one picture are followed up at most
_FEWEST_VOTES = 0.2  # the share of the best lattice's votes below which one is not followed up

Image = NDArray[np.uint8]


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """A place where a board may be.

    Attributes:
        grid: Its lines, in pixels of the picture searched.
        scale: The scale it was found at.
        classified: What its cells show.
    """

    grid: Grid
    scale: float
    classified: Classified

    @property
    def readable_cells(self) -> float:
        """How many of its cells are believed, weighed by how well they agree."""
        return self.classified.readable * float(self.classified.scores.mean()) * self.classified.states.size

    @property
    def is_board(self) -> bool:
        """Whether this is large and readable enough to be a board."""
        return min(self.grid.rows, self.grid.columns) >= LEAST_CELLS and self.classified.readable >= LEAST_READABLE


def locate(image: Image, calibration: Calibration, classifier: Classifier) -> list[Candidate]:
    """Find the boards in a picture.

    Scales are tried in the calibration's order, and the search ends with the first at which a board is found.

    Args:
        image: uint8 array of shape (height, width, 3), blue, green, red.
        calibration: The skin to look for.
        classifier: The one made from its templates.

    Returns:
        The boards and near misses found, the one with most readable cells first; see `Candidate.is_board`.
    """
    candidates: list[Candidate] = []
    for scale in calibration.scales:
        candidates += _locate_at(image, calibration, classifier, scale)
        if any(candidate.is_board for candidate in candidates):
            break
    return sorted(candidates, key=lambda candidate: (candidate.is_board, candidate.readable_cells), reverse=True)


def _locate_at(image: Image, calibration: Calibration, classifier: Classifier, scale: float) -> Iterator[Candidate]:
    width, height = calibration.cell
    if image.shape[0] < LEAST_CELLS * height * scale or image.shape[1] < LEAST_CELLS * width * scale:
        return
    size = round(image.shape[1] / scale), round(image.shape[0] / scale)
    plain = image if scale == 1 else np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), dtype=np.uint8)
    hits = _find_templates(plain, calibration)
    for x, y in _best_lattices(hits, width, height):
        found = hits[y::height, x::width].astype(np.uint8)
        for rectangle in _rectangles(found):
            grid, classified = _fitted(plain, (x, y), rectangle, calibration, classifier)
            yield Candidate(grid.scaled(scale), scale, classified)


def _find_templates(image: Image, calibration: Calibration) -> NDArray[np.bool_]:
    """Mark every place (its top left pixel) that looks like some template."""
    grey = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
    width, height = calibration.cell
    limit = _LARGEST_DIFFERENCE**2 * width * height
    hits = np.zeros((grey.shape[0] - height + 1, grey.shape[1] - width + 1), dtype=np.bool_)
    for template in calibration.templates:
        pattern = cv2.cvtColor(template.image, cv2.COLOR_BGR2GRAY)
        hits |= cv2.matchTemplate(grey, pattern, cv2.TM_SQDIFF) < limit
    return hits


def _best_lattices(hits: NDArray[np.bool_], width: int, height: int) -> list[tuple[int, int]]:
    """Where cells begin within (width, height), as (x, y): the places with most votes, neighbours counted as one."""
    rows, columns = np.nonzero(hits)
    votes = np.bincount((rows % height) * width + columns % width, minlength=width * height).reshape(height, width)
    fewest = max(LEAST_CELLS, _FEWEST_VOTES * votes.max())
    lattices: list[tuple[int, int]] = []
    while len(lattices) < _LATTICES and votes.max() >= fewest:
        y, x = divmod(int(votes.argmax()), width)
        lattices.append((x, y))
        near_y, near_x = np.meshgrid(np.arange(y - 1, y + 2) % height, np.arange(x - 1, x + 2) % width)
        votes[near_y, near_x] = 0
    return lattices


def _rectangles(found: NDArray[np.uint8]) -> Iterator[tuple[range, range]]:
    """The rows and columns that groups of found cells span; `found` is 1 where a cell of the lattice was found."""
    bridge = np.ones((2 * _BRIDGE + 1,) * 2, dtype=np.uint8)
    padded = cv2.copyMakeBorder(found, _BRIDGE, _BRIDGE, _BRIDGE, _BRIDGE, cv2.BORDER_CONSTANT, value=0)
    joined = cv2.morphologyEx(padded, cv2.MORPH_CLOSE, bridge)[_BRIDGE:-_BRIDGE, _BRIDGE:-_BRIDGE]
    count, labels = cv2.connectedComponents(joined, connectivity=8)
    for label in range(1, count):
        rows, columns = np.nonzero((labels == label) & (found > 0))
        if len(rows) >= LEAST_CELLS:
            yield (
                range(int(rows.min()), int(rows.max()) + 1),
                range(int(columns.min()), int(columns.max()) + 1),
            )


def _fitted(
    image: Image, lattice: tuple[int, int], found: tuple[range, range], calibration: Calibration, classifier: Classifier
) -> tuple[Grid, Classified]:
    """Move the edges of a rectangle of the lattice to where its cells end, and say what they show."""
    width, height = calibration.cell
    rows, columns = (
        range(max(0, cells.start - _REACH), min(cells.stop + _REACH, (size - first) // pitch))
        for cells, size, first, pitch in zip(found, image.shape, reversed(lattice), (height, width), strict=False)
    )
    origin = lattice[0] + columns.start * width, lattice[1] + rows.start * height
    around = Grid.uniform(origin, (width, height), len(rows), len(columns))
    shown = classifier.classify(around.rectify(image, calibration.cell, MARGIN), len(rows), len(columns))
    believed = shown.states != State.UNKNOWN
    top, bottom = found[0].start - rows.start, found[0].stop - rows.start
    left, right = found[1].start - columns.start, found[1].stop - columns.start
    top, bottom = _moved_edges(believed[:, left:right].mean(axis=1), top, bottom)
    left, right = _moved_edges(believed[top:bottom].mean(axis=0), left, right)
    grid = Grid(around.xs[left : right + 1], around.ys[top : bottom + 1])
    return grid, shown.part(slice(top, bottom), slice(left, right))


def _moved_edges(readable: NDArray[np.float64], first: int, last: int) -> tuple[int, int]:
    """Where a run of lines begins and ends, given the readable share of each line and a first guess."""
    while last - first > 1 and readable[first] < _LEAST_EDGE:
        first += 1
    while last - first > 1 and readable[last - 1] < _LEAST_EDGE:
        last -= 1
    while first > 0 and readable[first - 1] >= LEAST_READABLE:
        first -= 1
    while last < len(readable) and readable[last] >= LEAST_READABLE:
        last += 1
    return first, last
