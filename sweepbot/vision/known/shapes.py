"""Where cells begin on a lattice, by the shapes of known looks: all shapes at all offsets in one product."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from sweepbot.geometry import Image
from sweepbot.vision.grid import Grid
from sweepbot.vision.known.looks import Look
from sweepbot.vision.lattices.lattice import Lattice
from sweepbot.vision.pictures.board import CELL_PX
from sweepbot.vision.trust import Floats

_SHAPE_PX = 12  # the side of a cell in which shapes are compared
_MIN_SHAPE_LEVELS = 1.0  # a smaller standard deviation of grey is no shape; thin lines around large cells have little
_FEATURELESS_LEVELS = 4.0  # added to the length of what is compared, so that noise correlates with nothing
_SAME_SHAPE_CORRELATION = 0.97  # from which on two templates are one shape
_MIN_CORRELATION = 0.5  # mean over a sample, at the best offset
_NEARLY_SHARE = 0.85  # of the best correlation, from which on a look may be the right one
_APART_PX = 3  # from which on two offsets are two
_CLEAR_CORRELATION = 0.06  # by which the best offset is better than the best of those apart from it
_GREY_SHARES = np.array((0.11, 0.59, 0.3), dtype=np.float32)  # of blue, green and red


@dataclass(frozen=True, slots=True)
class Offset:
    """Where the cells of a lattice begin by the shapes of a look.

    Attributes:
        shares: Of a period, to the right and down from the lattice's lines.
        correlation: The mean, over the cells of a sample, of the correlation with the most similar shape.
        looks: Those with this offset whose correlation is nearly as high as any, the highest first.
    """

    shares: tuple[float, float]
    correlation: float
    looks: tuple[Look, ...]


class Shapes:
    """The shapes of any number of looks.

    Args:
        looks: The looks.
    """

    def __init__(self, looks: Sequence[Look]) -> None:
        shapes, owners = list[Floats](), list[int]()
        for number, look in enumerate(looks):
            own = _own_shapes(look)
            shapes += own
            owners += [number] * len(own)
        self._shapes = np.array(shapes, dtype=np.float32).reshape(-1, _SHAPE_PX**2)
        self._owners = np.array(owners, dtype=np.intp)
        self._looks = tuple(looks)

    def offsets(self, image: Image, lattice: Lattice) -> list[Offset]:
        """Return where cells may begin, each offset that stands clear of all others of its look, the best first."""
        if not len(self._shapes):
            return []
        windows, (rows, columns) = _windows(image, lattice)
        correlations = np.maximum(self._shapes @ windows, 0)
        found: list[Offset] = []
        for owner in np.unique(self._owners).tolist():
            best = correlations[self._owners == owner].max(axis=0)
            offset = _clear_offset(best.reshape(rows, _SHAPE_PX, columns, _SHAPE_PX).mean(axis=(0, 2)))
            if offset is not None:
                found.append(Offset(*offset, (self._looks[owner],)))
        return _together(sorted(found, key=lambda offset: -offset.correlation))


def moved(grid: Grid, offset: Offset) -> Grid:
    """Return a lattice whose lines are those between cells; it has a row and a column less."""
    both = zip((grid.xs, grid.ys), offset.shares, strict=True)
    return Grid(*(tuple(one + share * (other - one) for one, other in pairwise(lines)) for lines, share in both))


@lru_cache(maxsize=1024)  # looks are near several sizes
def _own_shapes(look: Look) -> list[Floats]:
    """Return the different shapes of a look's templates, standardised."""
    half = CELL_PX // _SHAPE_PX
    pictures = look.pictures.reshape(-1, _SHAPE_PX, half, _SHAPE_PX, half, 3).astype(np.float32)
    greys = (pictures.mean(axis=(2, 4)) @ _GREY_SHARES).reshape(-1, _SHAPE_PX**2)
    kept: list[Floats] = []
    for shape in _standardised(greys[greys.std(axis=1) >= _MIN_SHAPE_LEVELS]):
        if not any(float(shape @ other) >= _SAME_SHAPE_CORRELATION for other in kept):
            kept.append(shape)
    return kept


def _standardised(greys: Floats) -> Floats:
    """Bring greys of shape (cells, pixels) to mean 0 and length 1: products are correlations."""
    relief = greys - greys.mean(axis=1, keepdims=True)
    lengths = np.linalg.norm(relief, axis=1, keepdims=True)
    return np.asarray(relief / (lengths + _FEATURELESS_LEVELS), dtype=np.float32)


def _windows(image: Image, lattice: Lattice) -> tuple[Floats, tuple[int, int]]:
    """Return what is at all places of a sample, standardised, (pixels, places), and its rows and columns."""
    part = lattice.sample(lattice.grid)
    grey = part.rectify(image, (_SHAPE_PX, _SHAPE_PX)).astype(np.float32) @ _GREY_SHARES
    rows, columns = part.rows - 1, part.columns - 1
    windows = sliding_window_view(grey, (_SHAPE_PX, _SHAPE_PX))[: rows * _SHAPE_PX, : columns * _SHAPE_PX]
    return _standardised(windows.reshape(-1, _SHAPE_PX**2)).T, (rows, columns)


def _clear_offset(correlations: NDArray[np.floating]) -> tuple[tuple[float, float], float] | None:
    """Return the best of all offsets, of an array (down, right), if it stands clear of those that are apart from it."""
    down, right = divmod(int(correlations.argmax()), _SHAPE_PX)
    best = float(correlations[down, right])
    steps = np.arange(_SHAPE_PX)
    off = [np.minimum((steps - at) % _SHAPE_PX, (at - steps) % _SHAPE_PX) for at in (down, right)]
    apart = np.maximum.outer(*off) >= _APART_PX
    if best < _MIN_CORRELATION or best - float(correlations[apart].max()) < _CLEAR_CORRELATION:
        return None
    return (right / _SHAPE_PX, down / _SHAPE_PX), best


def _together(offsets: Sequence[Offset]) -> list[Offset]:
    """Put offsets near a better one together with it, or leave them out if their correlation is much lower."""
    kept: list[Offset] = []
    for offset in offsets:
        near = next((number for number, other in enumerate(kept) if _is_near(offset, other)), None)
        if near is None:
            kept.append(offset)
        elif offset.correlation >= _NEARLY_SHARE * kept[near].correlation:
            kept[near] = replace(kept[near], looks=(*kept[near].looks, *offset.looks))
    return kept


def _is_near(one: Offset, other: Offset) -> bool:
    off = [abs(a - b) * _SHAPE_PX for a, b in zip(one.shares, other.shares, strict=True)]
    return max(min(by, _SHAPE_PX - by) for by in off) < _APART_PX
