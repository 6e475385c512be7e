"""The figures in cells: their ink on the ground of the cell, and their coarse shape in their own box.

The numbers in fonts that desktops often have are known beside those of templates.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

import cv2
import numpy as np
from numpy.typing import NDArray

from sweepbot.geometry import Image

NUMBERS = range(1, 9)
"""The numbers that are written in cells."""

_DIGITS = "digits.png"  # a row a font, with the numbers side by side, in white on black
_DIGITS_HEIGHT_PX = 32  # of a row
_STROKE_SHARE = 0.4  # of the strongest ink in a cell: what has less is none of the figure
_STRONGEST_PERCENTILE = 98  # of a cell's pixels that is its strongest ink
_SHAPE_FIELDS = (10, 14)  # across and down, to which a figure's box is reduced
_SAME_PROPORTION_LOG = 0.15  # of width / height: smaller differences cost nothing

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class Figures:
    """The figures of some cells.

    Attributes:
        shapes: float32 of shape (cells, fields), standardised, so that products are correlations.
        proportions: log(width / height) of their boxes.
    """

    shapes: Floats
    proportions: Floats

    def likeness(self, others: "Figures") -> Floats:
        """Return the correlations with others, reduced for boxes of other proportions, of shape (cells, others)."""
        apart = np.abs(self.proportions[:, None] - others.proportions)
        likeness: Floats = self.shapes @ others.shapes.T - np.maximum(0, apart - _SAME_PROPORTION_LOG)
        return likeness

    def with_others(self, others: "Figures") -> "Figures":
        """Append other figures."""
        return Figures(
            np.concatenate([self.shapes, others.shapes]), np.concatenate([self.proportions, others.proportions])
        )


def figures(sizes: Sequence[Floats] | Floats) -> Figures:
    """Find the figures of cells.

    Args:
        sizes: The distance of each pixel from the ground, of shape (cells, height, width).
    """
    shapes = np.zeros((len(sizes), _SHAPE_FIELDS[0] * _SHAPE_FIELDS[1]), dtype=np.float32)
    proportions = np.zeros(len(sizes), dtype=np.float32)
    for index, (cell, strongest) in enumerate(zip(sizes, _strongest_inks(sizes), strict=True)):
        ink = np.minimum(cell / strongest, 1)
        rows, columns = (np.flatnonzero((ink >= _STROKE_SHARE).any(axis=axis)) for axis in (1, 0))
        if not rows.size:
            continue
        box = ink[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
        # A straight 1 would fill its box, and have no shape without some ground beside it.
        room = max(0, round(box.shape[0] * _SHAPE_FIELDS[0] / _SHAPE_FIELDS[1]) - box.shape[1])
        box = cv2.copyMakeBorder(box, 0, 0, room // 2, room - room // 2, cv2.BORDER_CONSTANT, value=0.0)
        fields = cv2.resize(
            box, _SHAPE_FIELDS, interpolation=cv2.INTER_AREA if min(box.shape) > _SHAPE_FIELDS[1] else cv2.INTER_LINEAR
        )
        relief = fields.ravel() - fields.mean()
        shapes[index] = relief / (np.linalg.norm(relief) + 1e-3)
        proportions[index] = np.log((columns[-1] + 1 - columns[0]) / len(box))
    return Figures(shapes, proportions)


@lru_cache(maxsize=1)
def in_common_fonts() -> tuple[Figures, NDArray[np.uint8]]:
    """Return the figures of the numbers in all fonts, and the number that each shows: uint8 of shape (figures,)."""
    sheet = cv2.imdecode(np.frombuffer(files(__package__).joinpath(_DIGITS).read_bytes(), np.uint8), 0)
    digits = np.asarray(sheet, dtype=np.float32)
    rows = np.vsplit(digits, len(digits) // _DIGITS_HEIGHT_PX)
    fields = [field for row in rows for field in np.hsplit(row, len(NUMBERS))]
    return figures(fields), np.tile(np.array(NUMBERS, dtype=np.uint8), len(rows))


def _strongest_inks(sizes: Sequence[Floats] | Floats) -> Floats:
    """Return the distance of the strongest ink of each cell from the ground, at least one grey level."""
    if not len(sizes):
        return np.empty(0, dtype=np.float32)
    of_cells = np.asarray(sizes).reshape(len(sizes), -1)
    return np.maximum(np.percentile(of_cells, _STRONGEST_PERCENTILE, axis=1), 1).astype(np.float32)


def ink_of(cell: Image | Floats, ground: Floats) -> Floats:
    """Return the colour of the figure in a template: that of the pixels furthest from its ground."""
    pixels = cell.reshape(-1, 3).astype(np.float32)
    off = np.linalg.norm(pixels - ground, axis=1)
    return np.asarray(np.median(pixels[off >= 0.9 * off.max()], axis=0), dtype=np.float32)


def mixed(offsets: Floats, squares: Floats, towards: Floats) -> tuple[Floats, Floats]:
    """Explain pixels as mixtures of ground and ink.

    Args:
        offsets: Pixels minus their grounds, of shape (cells, pixels, 3).
        squares: The squared lengths of these, of shape (cells, pixels).
        towards: Inks minus the grounds, of shape (cells, 3).

    Returns:
        The share of ink in each pixel, in [0, 1], and its squared distance from that mixture.
    """
    length = np.maximum((towards**2).sum(axis=1, keepdims=True), 1.0)
    along = np.matmul(offsets, towards[:, :, None])[..., 0]
    share = np.clip(along / length, 0, 1)
    left = squares - share * (2 * along - share * length)
    return share, np.maximum(left, 0)
