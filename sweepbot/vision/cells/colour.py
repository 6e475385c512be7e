"""What a screen has done to the colours of a client: night light, dimming, another colour space.

One transform for a whole board, from the colours of the templates to those that are seen: a matrix, and what it leaves
unexplained of single colours. The templates are put through it once, rather than every picture back through its
inverse: nothing is done a frame, and where a screen clips a colour the templates are clipped alike.
"""

from dataclasses import dataclass
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

_LARGEST_SHIFT = 64.0  # grey levels by which a single colour may be off
_LARGEST_SHIFT_OF_GREY = 16.0  # the same of a grey: more would make the ground of an open cell that of a hidden one
_NEAR = 3.0  # grey levels within which a pixel of a template has one of the colours told apart
_NOTED = 1.0  # grey levels from which on a single colour of a changed screen is noted
_SAME = 5.0  # grey levels: a transform that moves no colour by more is none
_LEVELS = 64  # steps to a channel in which colours of templates are told apart here
_SPREAD = 16  # grey levels within which pixels have one colour
_ONE_SHADE = 24.0  # grey levels from the darkest to the lightest colour: less of them tells no gain from an offset
_RARE = 5, 95  # per cent: what is darker or lighter than so much of them is too little to count
_BEVEL = 16.0  # grey levels by which edges must be darker and lighter than that shade, to tell it in its stead
_MOST_PIXELS = 40_000  # looked at; of more, some
_FIRMER = 1, 10, 100  # times as stiff against a mix, where the fit mixes channels as no screen would
_MIXED_WEIGHT = 0.5  # of that of pure colours: what those mixed at edges count
_ENOUGH_PIXELS = 400  # more of one colour make it no surer
_FEWEST_PIXELS = 8  # seen in a colour, for it to count


class _Bounds(NamedTuple):
    """What is believed of a screen.

    Attributes:
        gains: How much darker or brighter a channel may be.
        offset: Grey levels by which it may be lifted or lowered: real pictures show up to 38, washed-out ones 50.
        stiffness: What the fit would rather leave alone, in grey levels squared: the gain, the offset and the mix with
            the two other channels. An offset is rarer than a gain, and a mix is believed only where colours other than
            greys speak for it.
        mixes: The part of another channel that may come from blue, green and red: most does where all is made grey or
            sepia. Of a board in one shade it cannot be told where that came from.
    """

    gains: tuple[float, float]
    offset: float
    stiffness: tuple[float, float, float, float]
    mixes: tuple[float, float, float]


_BY_COLOURS = _Bounds((0.25, 1.3), 60.0, (0.3, 40.0, 0.3, 0.3), (0.5, 1.0, 0.5))
_BY_EDGES = _Bounds((0.2, 1.6), 60.0, (0.05, 1.5, 0.3, 0.3), (np.inf, np.inf, np.inf))
"""Of a board in one shade, as with nothing open: lighter and darker edges around every cell leave less to choose."""

_BY_COLOURED_EDGES = _BY_EDGES._replace(stiffness=(0.05, 1.5, 300.0, 300.0))
"""Of a board in one shade that is no grey: mixed with its other channels it could be any other shade."""


@dataclass(frozen=True, slots=True, eq=False)
class Colours:
    """A transform of colours.

    Attributes:
        matrix: float32 array of shape (3, 4): what blue, green, red and 1 each add to the blue, green and red seen.
        exceptions: Colours that are seen otherwise, of shape (colours, 3).
        shifts: What is added to each of them beyond the matrix, of the same shape.
    """

    matrix: NDArray[np.float32]
    exceptions: NDArray[np.float32]
    shifts: NDArray[np.float32]

    @property
    def gain(self) -> float:
        """How large differences are after it, 1 where nothing is changed."""
        return float(self.matrix[:, :3].sum(axis=1).mean())

    def without_exceptions(self) -> "Colours":
        """The matrix alone."""
        return Colours(self.matrix, _NONE, _NONE)

    def apply(self, image: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """The picture, of shape (..., 3), as it is seen."""
        pixels = image.reshape(-1, 1, 3)
        seen = cv2.transform(pixels.astype(np.float32), self.matrix)
        for colour, shift in zip(self.exceptions, self.shifts, strict=True):
            near = cv2.inRange(pixels, np.ceil(colour - _NEAR), np.floor(colour + _NEAR))
            seen[np.flatnonzero(near)] += shift
        clipped: NDArray[np.uint8] = np.clip(np.rint(seen), 0, 255).astype(np.uint8)
        return clipped.reshape(image.shape)


_NONE = np.empty((0, 3), dtype=np.float32)

TRUE_COLOURS = Colours(np.eye(3, 4, dtype=np.float32), _NONE, _NONE)
"""The transform that changes nothing."""


def of_light(light: NDArray[np.float32]) -> Colours:
    """The transform that multiplies blue, green and red by so much."""
    return Colours(np.pad(np.diag(light), ((0, 0), (0, 1))).astype(np.float32), _NONE, _NONE)


class _Samples(NamedTuple):
    """What became of colours of a drawing.

    Attributes:
        drawn: Colours, float64 of shape (colours, 3).
        seen: What is seen in their places, the outer quarters of it left out, on average: of the same shape.
        counts: How many pixels have them.
    """

    drawn: NDArray[np.float64]
    seen: NDArray[np.float64]
    counts: NDArray[np.float64]

    def weights(self, total: float) -> NDArray[np.float64]:
        """How much each colour counts, `total` together."""
        enough = np.minimum(self.counts, _ENOUGH_PIXELS)
        weights: NDArray[np.float64] = total * enough / max(1.0, enough.sum())
        return weights


def estimate_colours(seen: NDArray[np.uint8], drawn: NDArray[np.uint8], known: NDArray[np.bool_]) -> Colours | None:
    """Find the transform that turns the colours of templates into those seen.

    Pixels amid others of their own colour count most. Thin lines have none: at edges, where interpolation has mixed
    two colours, both pictures are softened, and what is mixed alike is compared.

    Args:
        seen: A board, uint8 array of shape (height, width, 3).
        drawn: The same drawn with templates.
        known: Where it is known what is to be drawn, of shape (height, width).

    Returns:
        None where no transform that a screen would make explains them.
    """
    around = np.ones((3, 3), np.uint8)
    blue, green, red = cv2.split(cv2.subtract(cv2.dilate(drawn, around), cv2.erode(drawn, around)))
    amid = cv2.max(cv2.max(blue, green), red) <= _SPREAD
    pure = _sampled(seen, drawn, amid & known)
    if not pure.counts.size:
        return None
    soft_seen, soft = (np.asarray(cv2.blur(of, (3, 3)), dtype=np.uint8) for of in (seen, drawn))
    mixed = _sampled(soft_seen, soft, ~amid & known)
    one_shade = _one_shade(pure, mixed)
    bounds, weight = _BY_COLOURS, _MIXED_WEIGHT
    if one_shade:
        grey = np.ptp(pure.drawn[pure.counts.argmax()]) <= _SPREAD
        bounds, weight = _BY_EDGES if grey else _BY_COLOURED_EDGES, 1.0
    matrix = _fitted(pure, mixed, bounds, weight)
    if matrix is None:
        return None
    if max(np.abs(_through(matrix, of.drawn) - of.drawn).max(initial=0) for of in (pure, mixed)) <= _SAME:
        matrix = TRUE_COLOURS.matrix
    # By one shade and its edges nothing is told of single colours.
    exceptions = _exceptions(matrix, pure) & (not one_shade)
    if matrix is TRUE_COLOURS.matrix and not exceptions.any():
        return TRUE_COLOURS
    colours = pure.drawn[exceptions]
    shifts = pure.seen[exceptions] - _through(matrix, colours)
    return Colours(matrix, colours.astype(np.float32), shifts.astype(np.float32))


def _sampled(seen: NDArray[np.uint8], drawn: NDArray[np.uint8], where: NDArray[np.bool_]) -> _Samples:
    """The colours of a drawing at some places, those that are nearly the same as one, and what is seen there."""
    places = np.flatnonzero(where)
    places = places[:: 1 + len(places) // _MOST_PIXELS]
    pixels, seen_pixels = (of.reshape(-1, 3)[places] for of in (drawn, seen))
    steps = (pixels // (256 // _LEVELS)).astype(np.int64) @ np.array([_LEVELS**2, _LEVELS, 1])
    often = np.flatnonzero(np.bincount(steps) >= _FEWEST_PIXELS)
    group = np.searchsorted(often, steps).clip(max=max(0, len(often) - 1))
    kept = often[group] == steps if often.size else np.zeros(len(steps), dtype=np.bool_)
    group, pixels, seen_pixels = group[kept], pixels[kept], seen_pixels[kept]
    counts = np.bincount(group, minlength=len(often)).astype(np.float64)
    means = np.stack([np.bincount(group, channel, len(often)) for channel in pixels.T], axis=1) / counts[:, None]
    middle = np.stack([_middle_means(group, channel, counts) for channel in seen_pixels.T], axis=1)
    return _Samples(means, middle, counts)


def _middle_means(
    group: NDArray[np.intp], values: NDArray[np.uint8], counts: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The mean of the middle half of each group's values: dithered colours have it, what covers a part of them has not.

    Args:
        group: The number of the group of each value.
        values: The values.
        counts: How many each group has, one at least.
    """
    ordered = np.sort(group * 256 + values) % 256
    sums = np.concatenate([[0], np.cumsum(ordered)])
    sizes = counts.astype(np.intp)
    first = np.cumsum(sizes) - sizes
    start, stop = first + sizes // 4, first + sizes - sizes // 4
    means: NDArray[np.float64] = (sums[stop] - sums[start]) / (stop - start)
    return means


def _one_shade(pure: _Samples, mixed: _Samples) -> bool:
    """Whether but one shade is seen and lighter and darker edges: these tell gain and offset apart, it does not."""
    shades, edges = pure.drawn.mean(axis=1), mixed.drawn.mean(axis=1)
    darkest, lightest = np.percentile(np.repeat(shades, pure.counts.astype(np.int64)), _RARE)
    if lightest - darkest >= _ONE_SHADE or not edges.size:
        return False
    return bool(edges.min() < darkest - _BEVEL and edges.max() > lightest + _BEVEL)


def _fitted(pure: _Samples, mixed: _Samples, bounds: _Bounds, weight: float) -> NDArray[np.float32] | None:
    """The matrix that explains colours best; None where no screen would do that."""
    source, target = np.concatenate([pure.drawn, mixed.drawn]), np.concatenate([pure.seen, mixed.seen])
    weights = np.sqrt(np.concatenate([pure.weights(1.0), mixed.weights(weight)]))
    for firmer in _FIRMER:
        matrix = _solved(source, target, weights, np.array(bounds.stiffness) * (1, 1, firmer, firmer))
        gains = matrix[:, :3].sum(axis=1)
        if gains.min() < bounds.gains[0] or gains.max() > bounds.gains[1] or abs(matrix[:, 3]).max() > bounds.offset:
            return None
        mix = np.abs(matrix[:, :3]) / gains[:, None] * (1 - np.eye(3))
        if (mix <= bounds.mixes).all():
            return matrix
    return None


def _solved(
    source: NDArray[np.float64],
    target: NDArray[np.float64],
    weights: NDArray[np.float64],
    stiffness: NDArray[np.float64],
) -> NDArray[np.float32]:
    """The matrix by least squares; `stiffness` is that of `_Bounds`."""
    # Greys have no chroma, so that they settle gain and offset alone.
    chroma = source[:, [0, 2]] - source[:, [1]]
    matrix = np.zeros((3, 4), dtype=np.float32)
    for channel in range(3):
        own = source[:, channel]
        features = np.column_stack([own, np.full_like(own, 255.0), chroma]) * weights[:, None]
        wanted = (target[:, channel] - own) * weights
        normal = features.T @ features + 255 * np.diag(stiffness)
        gain, offset, blue, red = np.linalg.solve(normal, features.T @ wanted)
        matrix[channel] = blue, -blue - red, red, 255 * offset
        matrix[channel, channel] += 1 + gain
    return matrix


def _exceptions(matrix: NDArray[np.float32], pure: _Samples) -> NDArray[np.bool_]:
    """Which colours a matrix leaves unexplained: another colour space changes strong ones in ways of its own."""
    off = np.abs(pure.seen - _through(matrix, pure.drawn)).max(axis=1)
    least = _SAME if matrix is TRUE_COLOURS.matrix else _NOTED
    most = np.where(np.ptp(pure.drawn, axis=1) <= _SPREAD, _LARGEST_SHIFT_OF_GREY, _LARGEST_SHIFT)
    exceptions: NDArray[np.bool_] = (off > least) & (off <= most)
    return exceptions


def _through(matrix: NDArray[np.float32], colours: NDArray[np.floating]) -> NDArray[np.floating]:
    through: NDArray[np.floating] = colours @ matrix[:, :3].T + matrix[:, 3]
    return through
