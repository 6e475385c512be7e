"""Figures by themselves: their ink, apart from the ground of their cell, and their coarse shape in their own box."""

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from sweepbot.geometry import Image

STROKE = 0.4
"""Of the strongest ink in a cell: what a pixel of its figure has."""

_STRONGEST = 98  # per cent of a cell's pixels have less ink than where it is strongest
_SHAPE = (10, 14)  # fields, across and down, of a figure in its box
_PROPORTION = 0.15  # by which the logarithm of width over height may be off and cost nothing

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class Figures:
    """The figures of some cells.

    Attributes:
        shapes: float32 of shape (cells, fields), standardised: products are correlations.
        proportions: The logarithm of the width over the height of their boxes.
    """

    shapes: Floats
    proportions: Floats

    def likeness(self, others: "Figures") -> Floats:
        """How far they correlate with others, less for boxes of other proportions: shape (cells, others), at most 1."""
        apart = np.abs(self.proportions[:, None] - others.proportions)
        likeness: Floats = self.shapes @ others.shapes.T - np.maximum(0, apart - _PROPORTION)
        return likeness

    def with_others(self, others: "Figures") -> "Figures":
        """These figures, then others."""
        return Figures(
            np.concatenate([self.shapes, others.shapes]), np.concatenate([self.proportions, others.proportions])
        )


def figures(sizes: Sequence[Floats] | Floats) -> Figures:
    """The figures of cells, of which `sizes` says how far each pixel is from the ground: (cells, height, width)."""
    shapes = np.zeros((len(sizes), _SHAPE[0] * _SHAPE[1]), dtype=np.float32)
    proportions = np.zeros(len(sizes), dtype=np.float32)
    for index, (cell, strongest) in enumerate(zip(sizes, strongest_inks(sizes), strict=True)):
        ink = np.minimum(cell / strongest, 1)
        rows, columns = (np.flatnonzero((ink >= STROKE).any(axis=axis)) for axis in (1, 0))
        if not rows.size:
            continue
        box = ink[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
        # A straight 1 would fill its box: beside it there must be ground to see.
        room = max(0, round(box.shape[0] * _SHAPE[0] / _SHAPE[1]) - box.shape[1])
        box = cv2.copyMakeBorder(box, 0, 0, room // 2, room - room // 2, cv2.BORDER_CONSTANT, value=0.0)
        fields = cv2.resize(
            box, _SHAPE, interpolation=cv2.INTER_AREA if min(box.shape) > _SHAPE[1] else cv2.INTER_LINEAR
        )
        relief = fields.ravel() - fields.mean()
        shapes[index] = relief / (np.linalg.norm(relief) + 1e-3)
        proportions[index] = np.log((columns[-1] + 1 - columns[0]) / len(box))
    return Figures(shapes, proportions)


def strongest_inks(sizes: Sequence[Floats] | Floats) -> Floats:
    """How far the ink of each of some cells is from the ground where it is strongest, one level at least."""
    if not len(sizes):
        return np.empty(0, dtype=np.float32)
    of_cells = np.asarray(sizes).reshape(len(sizes), -1)
    return np.maximum(np.percentile(of_cells, _STRONGEST, axis=1), 1).astype(np.float32)


def ink_of(cell: Image | Floats, ground: Floats) -> Floats:
    """The colour of the figure in a template: that of the pixels furthest from its ground."""
    pixels = cell.reshape(-1, 3).astype(np.float32)
    off = np.linalg.norm(pixels - ground, axis=1)
    return np.asarray(np.median(pixels[off >= 0.9 * off.max()], axis=0), dtype=np.float32)


def mixed(offsets: Floats, squares: Floats, towards: Floats) -> tuple[Floats, Floats]:
    """How much ink pixels hold, at most all, and the square of how far they are from a mixture of ground and ink.

    Args:
        offsets: Pixels less their grounds, of shape (cells, pixels, 3).
        squares: The squared lengths of these, of shape (cells, pixels).
        towards: Inks less the grounds, of shape (cells, 3).
    """
    length = np.maximum((towards**2).sum(axis=1, keepdims=True), 1.0)
    along = np.matmul(offsets, towards[:, :, None])[..., 0]
    share = np.clip(along / length, 0, 1)
    left = squares - share * (2 * along - share * length)
    return share, np.maximum(left, 0)
