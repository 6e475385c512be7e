"""Figures in greys on coloured grounds, as mines are drawn on hidden cells by some clients.

Such a figure has no ink of its own: it is a ball with a lit side and a shaded one. It is told by where a cell is grey
and by how its greys are shaded; a pointer may have much of one, and hardly of both.
"""

import numpy as np
from numpy.typing import NDArray

LEAST_ALIKE = 0.65
"""Correlation with a template of where greys are, for a figure to be believed: of mines 0.72 and more, else 0.57."""

_LEAST_SHADED = 0.35  # the same of how they are shaded: of mines 0.5 and more, of flags and most pointers 0.25 at most
_GREY = 0.5  # of a cell's mean colourfulness: greys have less

Floats = NDArray[np.float32]


class GreyFigures:
    """Compares cells with templates that show such figures.

    Args:
        figures: The templates, float32 of shape (templates, pixels, 3).
    """

    def __init__(self, figures: Floats) -> None:
        self._figures = []
        for figure in figures:
            colourful = np.ptp(figure, axis=1)
            grey = colourful < _GREY * colourful.mean()
            self._figures.append((_relief(colourful), grey, _relief(figure[grey].mean(axis=1))))

    def compare(self, cells: Floats) -> tuple[NDArray[np.intp], Floats]:
        """The template that each of some cells is most like, and how much: a correlation, 0 where shaded otherwise.

        Args:
            cells: float32 of shape (cells, pixels, 3).
        """
        colourful = _relief(np.ptp(cells, axis=2))
        alike = np.zeros((len(self._figures), len(cells)), dtype=np.float32)
        for index, (known, grey, shading) in enumerate(self._figures):
            shaded = _relief(cells[:, grey].mean(axis=2)) @ shading
            alike[index] = np.where(shaded >= _LEAST_SHADED, colourful @ known, 0)
        return alike.argmax(axis=0), alike.max(axis=0)


def _relief(levels: Floats) -> Floats:
    """Levels of shape (..., pixels) less their mean and over their contrast: products are correlations."""
    off = levels - levels.mean(axis=-1, keepdims=True)
    return np.asarray(off / (np.linalg.norm(off, axis=-1, keepdims=True) + 1e-3), dtype=np.float32)
