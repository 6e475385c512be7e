"""Open cells whose ground is lighter or darker than that of their templates, as over a gradient.

A template that has a cell's shade may agree with it more than one that has its figure. So figures are compared on the
ground of the cell: it is lighter by some grey levels wherever the ground shows, and the ink stays as it is.
"""

import numpy as np
from numpy.typing import NDArray

from sweepbot.board import State
from sweepbot.geometry import Image
from sweepbot.vision.cells.classified import Indices
from sweepbot.vision.cells.likeness import Floats, agreement, planes, shades, squared, tints
from sweepbot.vision.pictures.cutting import softened


class Shading:
    """Templates on grounds of other shades.

    Args:
        of_template: The state that each template shows: uint8 of shape (templates,).
        looks: The templates: uint8 of shape (templates, height, width, 3).

    Attributes:
        figures: Which of the templates show numbers from 1 on.
    """

    def __init__(self, of_template: NDArray[np.uint8], looks: Image) -> None:
        self.figures: NDArray[np.bool_] = (of_template > 0) & (of_template < State.HIDDEN)
        self._open = of_template < State.HIDDEN
        self._planes = planes(softened(looks))
        grounds = shades(planes(looks))[:, :, None]
        off = np.abs(self._planes - grounds).max(axis=1, keepdims=True)
        self._ground_shares = 1 - off / np.maximum(off.max(axis=2, keepdims=True), 1)
        """How much of each pixel is ground, and not ink: shape (templates, 1, pixels)."""

    def distances(self, cells: Floats, templates: Floats) -> Floats:
        """The squared distances of cells from the figures, both less their median colours: of shape (cells, figures).

        Args:
            cells: Of shape (cells, pixels * 3).
            templates: Of shape (templates, pixels * 3).
        """
        plain, figures = _without_shade(cells), _without_shade(templates[self.figures])
        distances: Floats = squared(figures) - 2 * plain @ figures.T + squared(plain)[:, None]
        return distances

    def agreements(self, seen: Image, considered: Indices, raw: Floats, cutoff: float) -> Floats:
        """How far cells agree with some templates each, open ones on the ground of the cell.

        Args:
            seen: The cells, as planes.
            considered: The templates, of shape (cells, templates).
            raw: How far they agree as they are, of the same shape.
            cutoff: Grey levels from which on two pixels are simply different.
        """
        lit = raw.copy()
        for index, column in enumerate(considered.T):
            which = np.flatnonzero(self._open[column])
            others = self._on_ground_of(seen[which], column[which])
            lit[which, index] = np.maximum(raw[which, index], agreement(seen[which], others, cutoff))
        return lit

    def _on_ground_of(self, seen: Image, templates: Indices) -> Image:
        """The planes of as many templates on grounds as light as those of cells."""
        drawn = self._planes[templates]
        steps = tints(drawn, seen)[:, :, None]
        changed: Image = np.clip(drawn + steps * self._ground_shares[templates], 0, 255).astype(np.uint8)
        return changed


def _without_shade(cells: Floats) -> Floats:
    pixels = cells.reshape(len(cells), -1, 3)
    less: Floats = (pixels - np.median(pixels, axis=1, keepdims=True)).reshape(cells.shape)
    return less
