"""Compare cells pixel by pixel, and bring them to one tint first.

Cells are compared as planes: uint8 arrays of shape (cells, 3, pixels), blue, green and red one after the other.
"""

import cv2
import numpy as np
from numpy.typing import NDArray

from sweepbot.geometry import Image
from sweepbot.vision.pictures.patches import reduced

_LARGEST_TINT_LEVELS = 16.0  # by which a gradient may change cells of one state
_MEDIAN_STEP_PX = 3  # every third pixel is enough for a median
_SMALL_SIDE_PX = 16  # to which larger cells are reduced to find the nearest of many

Floats = NDArray[np.float32]


def planes(cells: Image) -> Image:
    """Turn cells of shape (cells, height, width, 3) into planes."""
    return np.ascontiguousarray(cells.reshape(len(cells), -1, 3).transpose(0, 2, 1))


def agreement(cells: Image, others: Image, cutoff: float) -> Floats:
    """Return the match scores of cells with as many others: 1 - the mean clipped difference.

    Args:
        cells: Planes.
        others: As many planes.
        cutoff: Grey levels at which the difference of two pixels is clipped.

    Returns:
        Scores in [0, 1], of shape (cells,).
    """
    if not len(cells):
        return np.empty(0, np.float32)
    difference = cv2.absdiff(cells.reshape(len(cells), -1), others.reshape(len(cells), -1))
    third = difference.shape[1] // 3
    blue, green, red = (difference[:, start : start + third] for start in range(0, 3 * third, third))
    largest = cv2.min(cv2.max(cv2.max(blue, green), red), cutoff)  # type: ignore[call-overload]
    mean = cv2.reduce(largest, 1, cv2.REDUCE_AVG, dtype=cv2.CV_32F)[:, 0]
    return np.asarray(1 - mean / cutoff, dtype=np.float32)


def flattened(cells: Image) -> Image:
    """Fill each plane with its own median colour."""
    return np.ascontiguousarray(np.broadcast_to(shades(cells).astype(np.uint8)[:, :, None], cells.shape))


def tinted(cells: Image, like: Image) -> Image:
    """Make planes slightly lighter or darker, so that their median colours are those of as many others."""
    step = np.clip(shades(like) - shades(cells), -_LARGEST_TINT_LEVELS, _LARGEST_TINT_LEVELS)
    changed: Image = np.clip(cells + step[:, :, None], 0, 255).astype(np.uint8)
    return changed


def shades(cells: Image) -> NDArray[np.float64]:
    """Return the median colours of planes, of shape (cells, 3)."""
    return np.asarray(np.median(cells[:, :, ::_MEDIAN_STEP_PX], axis=2), dtype=np.float64)


def most_alike_tinted(cells: Image, others: Image, most: int) -> NDArray[np.intp]:
    """Find for each cell the other cells that are most similar once they are `tinted`.

    Returns:
        Indices of shape (cells, at most `most`), the most similar first.
    """
    own_shades, other_shades = (shades(planes(of)) for of in (cells, others))
    # In grey: what differs beyond a tint differs in grey as well.
    reliefs, other_reliefs = (
        small(of).reshape(len(of), -1, 3).mean(axis=2) - shade.mean(axis=1, keepdims=True)
        for of, shade in ((cells, own_shades), (others, other_shades))
    )
    distance = squared(other_reliefs) - 2 * reliefs @ other_reliefs.T
    too_far = np.abs(own_shades[:, None] - other_shades).max(axis=2) > _LARGEST_TINT_LEVELS
    return np.asarray(np.where(too_far, np.inf, distance).argsort(axis=1)[:, :most], dtype=np.intp)


def small(cells: Image) -> Floats:
    """Reduce cells to what is enough to find the nearest of many; flat, of shape (cells, pixels * 3)."""
    if max(cells.shape[1:3]) <= _SMALL_SIDE_PX:
        return cells.reshape(len(cells), -1).astype(np.float32)
    return reduced(cells, _SMALL_SIDE_PX)


def squared(rows: Floats) -> Floats:
    """Return the squared length of each row."""
    lengths: Floats = np.einsum("ij,ij->i", rows, rows)
    return lengths
