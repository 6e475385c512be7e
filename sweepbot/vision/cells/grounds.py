"""Bring cells to one ground if their grounds differ: over a gradient, chequered, or lighter under the pointer.

In some clients no two cells have the same ground, but the figures on them are drawn alike. So each cell is made lighter
or darker until its ground is that of the templates, and is then compared with them like the cells of any client. A cell
whose ground is neither known nor between two known ones is refused.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sweepbot.board import State
from sweepbot.geometry import Image, Region
from sweepbot.vision.calibration import Template
from sweepbot.vision.cells.classified import MINES
from sweepbot.vision.cells.likeness import Floats
from sweepbot.vision.pictures.light import FULL, Light
from sweepbot.vision.pictures.patches import without_rims

_OPEN, _CLOSED, _OWN, _PAINTED = 1, 2, 3, 4
"""Kinds of grounds; 0 is none. Painted cells, and mines and flags on grounds of their own, stay as they are."""

_WITH_OWN_GROUND = (State.FLAG, State.QUESTION, *MINES)
"""States that may have a ground of their own."""

SAME_GROUND_LEVELS = 26.0
"""Largest Euclidean distance of a pixel from the colour of its ground."""

LEAST_GROUND_SHARE = 0.3
"""Least share of the inner pixels of a cell that must show its ground."""

_BITS = 5  # per channel in the table of colours: steps of 8 grey levels are fine enough for grounds
_SHADE_QUANTILES = 0.04, 0.96  # of a hidden cell's pixels: darker and lighter ones are its lines
_BRIGHTNESS_FACTORS = tuple(1.05 * 0.94**step for step in range(24))  # of a dimmed page, down to a quarter
_MOST_PIXELS = 1_500  # sampled for that: their share is exact to 0.03


class Grounds:
    """The grounds of a client's cells.

    Args:
        templates: The templates, all of one size.
        after_win: How open cells look after a win, if they are painted over then.

    Attributes:
        colours: The colours of open cells, of hidden ones, and of painted ones if there are any, each of shape
            (colours, 3).
    """

    def __init__(self, templates: Sequence[Template], after_win: Sequence[Image] = ()) -> None:
        states = np.array([template.state for template in templates], dtype=np.uint8)
        inner = _inner(np.stack([template.image for template in templates])).astype(np.float32)
        own = np.asarray(np.median(inner, axis=1), dtype=np.float32)
        closed = states == State.HIDDEN
        # A hidden cell may be lit from somewhere, an open one is flat.
        known = [_between(own[states == 0]), np.concatenate([_between(own[closed]), _shades(inner[closed])])]
        self.colours = tuple(np.unique(segments.reshape(-1, 3), axis=0) for segments in known)
        apart = np.minimum(*(_distance(own, segments) for segments in known)) > SAME_GROUND_LEVELS
        of_figures = own[np.isin(states, _WITH_OWN_GROUND) & apart]
        painted = [np.asarray(np.median(look, axis=(0, 1)), dtype=np.float32) for look in after_win]
        self.colours += (np.stack(painted),) if painted else ()
        self._segments = {_OPEN: known[0], _CLOSED: known[1]}
        self._segments |= {_OWN: np.stack([of_figures, of_figures], axis=1)} if len(of_figures) else {}
        self._segments |= {_PAINTED: _between(np.stack(painted))} if painted else {}
        self._kinds_in: dict[bytes, NDArray[np.uint8]] = {}
        kinds = self._kinds(inner.astype(np.uint8), FULL)
        self._levels = np.zeros((_PAINTED + 1, 3), dtype=np.float32)
        for kind, of_kind in ((_OPEN, states == 0), (_CLOSED, closed)):
            self._levels[kind] = np.median(_means(inner[of_kind], kinds[of_kind] == kind), axis=0)

    def levelled(self, cells: Image, light: Light = FULL) -> Image:
        """Bring cells of shape (cells, height, width, 3) to the ground of the templates, if theirs is known."""
        inner = _inner(cells)
        kinds = self._kinds(inner, light)
        kind = _commonest(kinds)[0]
        steps = self._levels[kind] * light - _means(inner, kinds == kind[:, None])
        steps[~np.isin(kind, (_OPEN, _CLOSED))] = 0
        changed: Image = np.clip(np.rint(cells + steps[:, None, None]), 0, 255).astype(np.uint8)
        return changed

    def are_known(self, cells: Image, light: Light) -> NDArray[np.bool_]:
        """Return which cells show enough of a known ground."""
        known: NDArray[np.bool_] = _commonest(self._kinds(_inner(cells), light))[1] >= LEAST_GROUND_SHARE
        return known

    def painted_over(self, cells: Image, light: Light) -> NDArray[np.bool_]:
        """Return which cells are painted over, as after a win."""
        painted: NDArray[np.bool_] = (self._kinds(_inner(cells), light) == _PAINTED).mean(axis=1) >= LEAST_GROUND_SHARE
        return painted

    def share(self, pixels: Image, light: Light) -> float:
        """Return the share of pixels, (pixels, 3), that have the colour of a ground or are painted over."""
        return float(np.isin(self._kinds(pixels, light), (_OPEN, _CLOSED, _PAINTED)).mean())

    def brightest(self, pixels: Image, tint: Light) -> Light:
        """Return the brightness, of a tint, in which most pixels have the colours of grounds."""
        lights: list[Light] = [np.float32(one) * tint for one in _BRIGHTNESS_FACTORS]
        return max(lights, key=lambda one: self.share(pixels, one))

    def _kinds(self, pixels: Image, light: Light) -> NDArray[np.uint8]:
        """Return the kind of ground whose colour each pixel has, of the shape of `pixels` without channels.

        Colours are looked up in a table, which is made once for each tint.
        """
        brightness = light.max()
        tint = np.round(light / brightness, 3)
        known = tint.tobytes()
        if known not in self._kinds_in:
            side = np.arange(1 << _BITS, dtype=np.float32) * (256 >> _BITS) + (128 >> _BITS)
            colours = np.stack(np.meshgrid(side, side, side, indexing="ij"), axis=-1).reshape(-1, 3)
            off = np.stack([_distance(colours, segments * tint) for segments in self._segments.values()], axis=1)
            kinds = np.array(list(self._segments), dtype=np.uint8)[off.argmin(axis=1)]
            table = np.where(off.min(axis=1) <= SAME_GROUND_LEVELS, kinds, 0).astype(np.uint8).reshape(3 * (side.size,))
            self._kinds_in[known] = np.pad(table, (0, 1))  # the last step of each channel is brighter than white
        levels = np.arange(256)
        step = np.minimum(levels / brightness, 255).astype(np.intp) >> 8 - _BITS
        step[levels > brightness * 255 + SAME_GROUND_LEVELS] = 1 << _BITS
        blue, green, red = (step[pixels[..., channel]] for channel in range(3))
        kinds_of: NDArray[np.uint8] = self._kinds_in[known][blue, green, red]
        return kinds_of


def some_pixels(image: Image, region: Region) -> Image:
    """Sample the pixels of a region, to shape (pixels, 3)."""
    part = image[max(0, region.y) : region.bottom, max(0, region.x) : region.right]
    step = max(1, int(np.sqrt(part.shape[0] * part.shape[1] / _MOST_PIXELS)))
    return part[::step, ::step].reshape(-1, 3)


def _commonest(kinds: NDArray[np.uint8]) -> tuple[NDArray[np.intp], Floats]:
    """Return the commonest kind of ground in each cell, 0 if it has none, and its share."""
    shares = np.stack([(kinds == kind).mean(axis=1) for kind in range(1, _OWN + 1)], axis=1)
    most = np.asarray(shares.max(axis=1), dtype=np.float32)
    return np.where(most > 0, shares.argmax(axis=1) + 1, 0), most


def _inner(cells: Image) -> Image:
    """Return the pixels of cells without their rims, of shape (cells, pixels, 3)."""
    return without_rims(cells).reshape(len(cells), -1, 3)


def _means(pixels: NDArray[np.generic], which: NDArray[np.bool_]) -> Floats:
    """Return the mean colour of some pixels of each cell, of shape (cells, 3)."""
    sums = np.einsum("cpk,cp->ck", pixels.astype(np.float32), which.astype(np.float32))
    return np.asarray(sums / np.maximum(which.sum(axis=1), 1)[:, None], dtype=np.float32)


def _shades(cells: Floats) -> Floats:
    """Return segments, as `_between` does, from a dark to a light quantile of each cell."""
    order = np.argsort(cells.sum(axis=2), axis=1)
    ends = order[:, [round(share * cells.shape[1]) for share in _SHADE_QUANTILES]]
    return cells[np.arange(len(cells))[:, None], ends]


def _between(colours: Floats) -> Floats:
    """Return the line segments between colours, each as its two ends, of shape (segments, 2, 3)."""
    pairs = [(one, other) for index, one in enumerate(colours) for other in colours[index:]]
    return np.asarray(pairs, dtype=np.float32)


def _distance(colours: Floats, segments: Floats) -> Floats:
    """Return the distances of colours, (colours, 3), from the nearest segment, of shape (colours,)."""
    nearest = np.full(len(colours), np.inf, dtype=np.float32)
    for start, stop in segments:
        along = stop - start
        off = colours - start
        if along.any():
            off = off - np.clip(off @ along / float(along @ along), 0, 1)[..., None] * along
        np.minimum(nearest, np.einsum("...c,...c->...", off, off), out=nearest)
    return np.sqrt(nearest)
