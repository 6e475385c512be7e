"""Numbers told by ground, ink and shape, in whatever font and size they are written.

A template says little of a number in another font, or of one that is written larger. But its ground and its ink stay
what they are, and in a box of its own its shape is nearly the same:

- its ink is what is added to the ground by the figure. At its edges a figure is mixed with the ground, and where it is
  thin it is nowhere else: so an ink is judged by how well mixtures of it with the cell's own ground explain the cell;
- its shape is how much ink is where, in the figure's own box.

A number is believed where ink and shape together lead those of every other number clearly.
"""

import math
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from sweepbot.board import State
from sweepbot.geometry import Image
from sweepbot.vision.cells.figures import STROKE, Figures, figures, ink_of, mixed
from sweepbot.vision.cells.likeness import Floats

SIDE = 32
"""Pixels to which a cell is brought, however large it is: more tell no more of a coarse shape."""

INKED = 40.0
"""Grey levels from which on a pixel is no ground."""

LEAST_INKED = 0.03
"""Of a cell's inner pixels: fewer inked ones are no figure."""

_RIM = 4  # pixels on every side that are left out: lines, shadows and outlines of neighbours run there
INNER = SIDE - 2 * _RIM
_SHADOWED = 0.8  # of a row or column at the rim: a shadow covers more of it, and no figure does
_DEEPEST_SHADOW = 4  # pixels within the rim
_LEAST_LEAD = 0.1  # of costs: the next best number must cost so much more
_OTHER_INK = 0.2  # of a cell's ink: another number's colour must not explain so much more of it
_LEAST_SCORE = 0.5  # less has a figure that is half covered: a mine 0.26 as a 4
_OTHER_SHAPE = 0.15  # of correlation: another number's shape must not be so much more like a figure; letters' mostly is
_NEVER = 9.0  # a cost beyond all others
_INK_COUNTS = 2.0  # how much more unexplained ink counts than a shape: at 1.0 half-covered flags are read as 1s


@dataclass(frozen=True, slots=True, eq=False)
class Told:
    """What some cells show; all arrays have the shape (cells,).

    Attributes:
        states: uint8, `UNKNOWN` where no state is believed.
        templates: intp, the number of the template most like it.
        scores: float32 in [0, 1].
    """

    states: NDArray[np.uint8]
    templates: NDArray[np.intp]
    scores: Floats


class Numbers:
    """Tells figures by ink and shape.

    Args:
        cells: Templates of figures as `inner` gives them.
        states: The state that each shows: uint8 of shape (templates,).
        grounds: The ground of each, of shape (templates, 3).
        other_fonts: Figures in fonts that the templates do not show, and the state of each.
    """

    def __init__(
        self,
        cells: Floats,
        states: NDArray[np.uint8],
        grounds: Floats,
        other_fonts: tuple[Figures, NDArray[np.uint8]],
    ) -> None:
        offsets = np.linalg.norm(cells - grounds[:, None, None], axis=3)
        # An ink is the same in all fonts: each is tried once.
        self._states, self._first = np.unique(states, return_index=True)
        self._inks = [ink_of(cells[at], grounds[at]) for at in self._first]
        others, of_other = other_fonts
        shown = np.flatnonzero(np.isin(of_other, self._states))
        self._figures = figures(offsets).with_others(others.some(shown))
        of_figure = np.concatenate([states, of_other[shown]])
        first = self._first[np.searchsorted(self._states, of_other[shown])]
        self._template_of = np.concatenate([np.arange(len(states)), first])
        self._of_state = [np.flatnonzero(of_figure == state) for state in self._states]

    def tell(self, offsets: Floats, sizes: Floats, grounds: Floats, allowed: NDArray[np.bool_]) -> Told:
        """What cells with some ink show.

        Args:
            offsets: Their pixels less their grounds, of shape (cells, pixels, 3).
            sizes: How far each pixel of the figure alone is from the ground, of shape (cells, pixels).
            grounds: Their grounds, of shape (cells, 3).
            allowed: Which templates may be on such a ground, of shape (cells, templates).
        """
        offsets = np.where(sizes[..., None] > 0, offsets, 0)
        side = math.isqrt(sizes.shape[1])
        alike = figures(sizes.reshape(-1, side, side)).likeness(self._figures)
        energy = np.maximum((sizes**2).sum(axis=1), 1)
        # The last one stands for none of them: a calibration may show a single number.
        costs = np.full((len(sizes), len(self._states) + 1), _NEVER, dtype=np.float32)
        unexplained, shaped = np.ones_like(costs), np.full_like(costs, -1.0)
        nearest = np.zeros(costs.shape, dtype=np.intp)
        for index, (of_state, ink) in enumerate(zip(self._of_state, self._inks, strict=True)):
            nearest[:, index] = of_state[alike[:, of_state].argmax(axis=1)]
            shaped[:, index] = alike[:, of_state].max(axis=1)
            _, left = mixed(offsets, ink - grounds)
            unexplained[:, index] = (left**2).sum(axis=1) / energy
            may_be = allowed[:, self._template_of[of_state]].any(axis=1)
            cost = _INK_COUNTS * unexplained[:, index] + 1 - shaped[:, index]
            costs[:, index] = np.where(may_be, cost, _NEVER)
        states = np.append(self._states, np.uint8(State.UNKNOWN))
        order = np.argsort(costs, axis=1)
        everyone, first, second = np.arange(len(sizes)), order[:, 0], order[:, 1]
        scores = np.clip(1 - costs[everyone, first], 0, 1)
        believed = (costs[everyone, second] - costs[everyone, first] >= _LEAST_LEAD) & (scores >= _LEAST_SCORE)
        believed &= unexplained[everyone, first] <= unexplained.min(axis=1) + _OTHER_INK
        believed &= shaped[everyone, first] >= shaped.max(axis=1) - _OTHER_SHAPE
        return Told(
            np.where(believed, states[first], State.UNKNOWN).astype(np.uint8),
            self._template_of[nearest[everyone, first]],
            scores,
        )


def inner(cells: Image, rim: int = _RIM) -> Floats:
    """Cells of shape (cells, height, width, 3) brought to one size, without their rims: float32."""
    brought = [
        cell
        if cell.shape[:2] == (SIDE, SIDE)
        else cv2.resize(
            cell, (SIDE, SIDE), interpolation=cv2.INTER_AREA if min(cell.shape[:2]) > SIDE else cv2.INTER_LINEAR
        )
        for cell in cells
    ]
    return np.stack(brought)[:, rim : SIDE - rim, rim : SIDE - rim].astype(np.float32)


def figure_alone(sizes: Floats) -> Floats:
    """What is inked of cells, without what comes in from the rim beside the figure, as shadows and marks do: 0 there.

    Args:
        sizes: How far each pixel is from the ground, of shape (cells, pixels); so is what is returned.
    """
    side = math.isqrt(sizes.shape[1])
    kept = sizes.reshape(-1, side, side).copy()
    for cell in kept:
        _drop_shadows(cell)
        stroke = (cell >= STROKE * max(float(np.percentile(cell, 98)), 1.0)).astype(np.uint8)
        count, labels, stats, _ = cv2.connectedComponentsWithStats(stroke, connectivity=8)
        if count <= 1:
            continue
        largest = 1 + int(stats[1:, cv2.CC_STAT_AREA].argmax())
        for number in range(1, count):
            left, top, width, height = stats[number, :4].tolist()
            at_rim = left == 0 or top == 0 or left + width == side or top + height == side
            if at_rim and number != largest:
                around = cv2.dilate((labels == number).astype(np.uint8), np.ones((3, 3), np.uint8))
                cell[(around > 0) & (labels != largest)] = 0
    return kept.reshape(sizes.shape)


def _drop_shadows(cell: Floats) -> None:
    """Take rows and columns at the rim of a cell away that are inked from end to end: neighbours cast shadows there."""
    for turned in (cell, cell[::-1], cell.T, cell.T[::-1]):
        for line in turned[:_DEEPEST_SHADOW]:
            if (line > INKED / 2).mean() < _SHADOWED:
                break
            line[:] = 0
