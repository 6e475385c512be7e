"""Recognise numbers by ground, ink and shape, in any font and size.

Clients write their numbers in the font that the desktop has chosen, and clones in larger or smaller ones, so that
pixels differ from every template. But the ground of an open cell and the ink of a number stay what they are, and the
shape of a figure, in its own box, is nearly the same:

- The ink is the colour of the figure. The edges of a figure, or all of a thin one, are mixed with the ground. So an ink
  is judged by how well mixtures of it with the cell's own ground explain the cell.
- The shape is the amount of ink at each place of the figure's own box.

A number is believed if ink and shape together clearly lead those of every other number.
"""

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from sweepbot.board import State
from sweepbot.geometry import Image
from sweepbot.vision.cells.classified import Recognised
from sweepbot.vision.cells.figures import NUMBERS, figures, in_common_fonts, ink_of, mixed
from sweepbot.vision.cells.likeness import Floats

SIDE_PX = 32
"""Pixels a side to which cells of any size are resized: more say no more about a coarse shape."""

_RIM_PX = 3  # on every side that no figure reaches
_SHADOW_PX = 5  # within the rim, where neighbours may cast shadows
_SHADED_SHARE = 0.2  # of its ink that counts next to the rim: a figure seldom reaches there
_INKED_LEVELS = 40.0  # from the ground, from which on a pixel is ink
_INKED_SHARE = 0.03  # of a cell's inner pixels that are ink, for a figure
_LEAST_HEIGHT_PX = 7  # of a figure on the screen: lower ones have no shape in an unknown font
_AROUND_PX = 2  # within the rim, where a template mostly shows its ground
_SAME_GROUND_LEVELS = 12.0  # by which a pixel may differ from a ground
_LEAST_GROUND_SHARE = 0.01  # of the inner pixels that are ground: a bold figure that fills its cell leaves 0.02
_SAME_INK_LEVELS = 40.0  # by which two templates of a number may differ and have one ink
_CLOSED = (State.HIDDEN, State.FLAG, State.QUESTION)  # states with the rim of a hidden cell
_CLEARLY_LEVELS = 10.0  # by which a rim must be nearer to a hidden cell's: in flat themes they differ by 8
_SAME_RIM_LEVELS = 2.0  # of rims that differ by less, one is kept
_LEAST_LEAD_COST = 0.1  # over the next best number
_OTHER_INK_SHARE = 0.2  # of a cell's ink that another number's colour may explain beyond the best number's
_LEAST_SCORE = 0.55  # a half-covered mine has 0.26 as a 4, a line of text 0.504 as a 7
_OTHER_SHAPE_CORRELATION = 0.15  # by which another number's shape may be more similar; letters are refused by it
_NEVER_COST = 9.0  # above all that occur
_INK_WEIGHT = 2.0  # of unexplained ink against shape: at 1.0, half-covered flags are read as 1s


class _Written(NamedTuple):
    """A number as one theme writes it: an ink, and the shapes in that ink.

    Attributes:
        state: The number.
        ink: The colour of its figure, float32 of shape (3,).
        templates: Indices of the templates that show it so, among those of numbers.
        figures: Indices of their figures, and of those of common fonts, which come in any ink.
    """

    state: int
    ink: Floats
    templates: NDArray[np.intp]
    figures: NDArray[np.intp]


class Numbers:
    """Recognises numbers on the grounds of templates.

    Args:
        looks: Templates as the screen shows them: uint8 of shape (templates, height, width, 3).
        of_template: The state of each: uint8 of shape (templates,).
        shadowed: Whether neighbours cast shadows on the rims of cells: then ink counts less there.

    Attributes:
        are_legible: Whether figures are high enough to have a shape.
    """

    def __init__(self, looks: Image, of_template: NDArray[np.uint8], *, shadowed: bool = False) -> None:
        self._weights = _weights(shadowed=shadowed)
        brought = brought_to_side(looks)
        rims = _rims(brought)
        self._open_rims = _unlike(rims[of_template <= NUMBERS[-1]])
        self._closed_rims = _unlike(rims[np.isin(of_template, _CLOSED)])
        templates = np.flatnonzero(np.isin(of_template, NUMBERS))
        self._relief = _relief(inner(brought[of_template == 0]))
        states, cells = of_template[templates], inner(brought[templates]) - self._relief
        self._grounds = _ground(cells)
        heights = sorted(_height(*one) for one in zip(cells, self._grounds, strict=True))
        usual = heights[len(heights) // 2] if heights else 0
        self.are_legible = usual * looks.shape[1] / SIDE_PX >= _LEAST_HEIGHT_PX
        others, of_other = in_common_fonts()
        own = figures(np.linalg.norm(cells - self._grounds[:, None, None], axis=3) * self._weights)
        self._figures = own.with_others(others)
        self._unmet = len(own.shapes) + np.flatnonzero(~np.isin(of_other, states))
        self._templates = templates
        self._written = [
            _Written(state, ink, of, np.concatenate([of, len(own.shapes) + np.flatnonzero(of_other == state)]))
            for state, ink, of in _by_ink(states, [ink_of(*one) for one in zip(cells, self._grounds, strict=True)])
        ]

    def recognise(self, cells: Image, states: NDArray[np.uint8]) -> Recognised:
        """Recognise numbers by ink and shape in cells that were classified by templates.

        Unread cells may become numbers, and numbers that contradict ink and shape become unread.

        Args:
            cells: uint8 array of shape (cells, height, width, 3).
            states: What the templates say, of shape (cells,).
        """
        found = Recognised(states.copy(), np.zeros(len(cells), dtype=np.intp), np.zeros(len(cells), dtype=np.float32))
        brought = brought_to_side(cells)
        pixels = (inner(brought) - self._relief).reshape(len(cells), -1, 3)
        known = np.unique(self._grounds, axis=0)
        off = np.stack([_largest(np.abs(pixels - ground)) for ground in known])
        shares = (off <= np.minimum(off.min(axis=0), _SAME_GROUND_LEVELS)).mean(axis=2).T
        grounds = known[shares.argmax(axis=1)]
        offsets = (pixels - grounds[:, None]) * self._weights.reshape(-1, 1)
        sizes = np.sqrt(np.einsum("cpk,cpk->cp", offsets, offsets))
        legible = (shares.max(axis=1) >= _LEAST_GROUND_SHARE) & ((sizes > _INKED_LEVELS).mean(axis=1) > _INKED_SHARE)
        some = np.flatnonzero(legible & self._are_open(brought))
        if some.size:
            seen = self._by_ink_and_shape(offsets[some], sizes[some], grounds[some])
            was_unread = states[some] == State.UNKNOWN
            is_other = (seen.states != State.UNKNOWN) & (seen.states != states[some])
            found.states[some] = np.where(was_unread, seen.states, np.where(is_other, State.UNKNOWN, states[some]))
            found.templates[some], found.scores[some] = seen.templates, seen.scores
        return found

    def _by_ink_and_shape(self, offsets: Floats, sizes: Floats, grounds: Floats) -> Recognised:
        """Recognise the numbers of cells with some ink.

        Args:
            offsets: Their pixels minus their grounds, of shape (cells, pixels, 3).
            sizes: The lengths of these, of shape (cells, pixels).
            grounds: Their grounds, of shape (cells, 3).
        """
        on_its_ground = np.abs(grounds[:, None] - self._grounds).max(axis=2) <= _SAME_GROUND_LEVELS
        side = math.isqrt(sizes.shape[1])
        alike = figures(sizes.reshape(-1, side, side)).likeness(self._figures)
        squares = sizes**2
        energy = np.maximum(squares.sum(axis=1), 1)
        # The last column stands for no number: a calibration may have a single one.
        costs = np.full((len(sizes), len(self._written) + 1), _NEVER_COST, dtype=np.float32)
        unexplained, shaped = np.ones_like(costs), np.full_like(costs, -1.0)
        nearest = np.zeros(costs.shape, dtype=np.intp)
        for index, one in enumerate(self._written):
            nearest[:, index] = one.templates[alike[:, one.templates].argmax(axis=1)]
            shaped[:, index] = alike[:, one.figures].max(axis=1)
            _, left = mixed(offsets, squares, one.ink - grounds)
            unexplained[:, index] = left.sum(axis=1) / energy
            may_be = on_its_ground[:, one.templates].any(axis=1)
            cost = _INK_WEIGHT * unexplained[:, index] + 1 - shaped[:, index]
            costs[:, index] = np.where(may_be, cost, _NEVER_COST)
        states = np.array([*(one.state for one in self._written), State.UNKNOWN], dtype=np.uint8)
        everyone, first = np.arange(len(sizes)), costs.argmin(axis=1)
        lowest = costs[everyone, first]
        others = np.where(states == states[first][:, None], _NEVER_COST, costs).min(axis=1)
        scores = np.clip(1 - lowest, 0, 1)
        believed = (others - lowest >= _LEAST_LEAD_COST) & (scores >= _LEAST_SCORE)
        believed &= unexplained[everyone, first] <= unexplained.min(axis=1) + _OTHER_INK_SHARE
        believed &= shaped[everyone, first] >= shaped.max(axis=1) - _OTHER_SHAPE_CORRELATION
        # A number that no template shows has a known one's ink at best: its shape alone speaks for it.
        believed &= shaped[everyone, first] >= alike[:, self._unmet].max(axis=1, initial=-1.0)
        return Recognised(
            np.where(believed, states[first], State.UNKNOWN).astype(np.uint8),
            self._templates[nearest[everyone, first]],
            scores,
        )

    def _are_open(self, brought: Floats) -> NDArray[np.bool_]:
        """Return which cells do not clearly have the rim of a hidden cell, whose marks may have a number's ink."""
        rims = _rims(brought)
        to_open, to_closed = (
            np.min([np.abs(rims - rim).mean(axis=1) for rim in of], axis=0, initial=np.inf)
            for of in (self._open_rims, self._closed_rims)
        )
        not_closed: NDArray[np.bool_] = to_open <= to_closed + _CLEARLY_LEVELS
        return not_closed


def _by_ink(states: NDArray[np.uint8], inks: Sequence[Floats]) -> Iterator[tuple[int, Floats, NDArray[np.intp]]]:
    """Yield each number with each of its inks, and the templates that show it so: themes differ in both."""
    for state in np.unique(states):
        left = np.flatnonzero(states == state)
        while left.size:
            ink = inks[left[0]]
            alike = np.array([np.abs(inks[at] - ink).max() <= _SAME_INK_LEVELS for at in left.tolist()])
            yield int(state), ink, left[alike]
            left = left[~alike]


def brought_to_side(cells: Image) -> Floats:
    """Resize cells of shape (cells, height, width, 3) to `SIDE_PX` pixels a side, as float32."""
    how = cv2.INTER_AREA if min(cells.shape[1:3]) > SIDE_PX else cv2.INTER_LINEAR
    brought = np.empty((len(cells), SIDE_PX, SIDE_PX, 3), dtype=np.float32)
    for index, cell in enumerate(cells):
        brought[index] = cv2.resize(cell, (SIDE_PX, SIDE_PX), interpolation=how)
    return brought


def inner(brought: Floats, rim: int = _RIM_PX) -> Floats:
    """Cut `rim` pixels off every side of cells."""
    return brought[:, rim:-rim, rim:-rim]


def _weights(*, shadowed: bool) -> Floats:
    """Return how much the ink of each inner pixel counts: less where neighbours may cast shadows."""
    away = np.arange(SIDE_PX - 2 * _RIM_PX)
    along = np.interp(np.minimum(away, away[::-1]), (0, _SHADOW_PX), (_SHADED_SHARE if shadowed else 1, 1))
    return np.minimum.outer(along, along).astype(np.float32)


def _rims(brought: Floats) -> Floats:
    """Return the outermost pixels of resized cells, of shape (cells, pixels * 3)."""
    around = np.ones(brought.shape[1:3], dtype=np.bool_)
    around[_RIM_PX:-_RIM_PX, _RIM_PX:-_RIM_PX] = False
    return brought[:, around].reshape(len(brought), -1)


def _unlike(rims: Floats) -> list[Floats]:
    """Keep one of each kind of rim."""
    found: list[Floats] = []
    for rim in rims:
        if all(np.abs(rim - other).mean() > _SAME_RIM_LEVELS for other in found):
            found.append(rim)
    return found


def _height(look: Floats, ground: Floats) -> int:
    """Count the rows of an inner template that have ink."""
    off = np.linalg.norm(look - ground, axis=2)
    return int((off >= off.max() / 2).any(axis=1).sum())


def _relief(empty: Floats) -> Floats:
    """Return how empty cells, of shape (cells, height, width, 3), differ from one colour, as if lit from somewhere."""
    if not len(empty):
        return np.zeros(empty.shape[1:], dtype=np.float32)
    return np.asarray((empty - _ground(empty)[:, None, None]).mean(axis=0), dtype=np.float32)


def _ground(cells: Floats) -> Floats:
    """Return the colour around the figure of each template, of shape (templates, 3)."""
    around = np.ones(cells.shape[1:3], dtype=np.bool_)
    around[_AROUND_PX:-_AROUND_PX, _AROUND_PX:-_AROUND_PX] = False
    return np.asarray(np.median(cells[:, around], axis=1), dtype=np.float32)


def _largest(pixels: Floats) -> Floats:
    """Return the largest channel of each pixel; numpy's own maximum is many times slower over so short an axis."""
    largest: Floats = np.maximum(np.maximum(pixels[..., 0], pixels[..., 1]), pixels[..., 2])
    return largest
