"""Estimate what a screen has done to the colours of a client: night light, dimming, another colour space.

One transform for a whole board, from the colours of the templates to those seen: a matrix, and exceptions for single
colours that it does not explain. It is applied to the templates once, rather than its inverse to every picture: that
costs nothing per frame, and colours that the screen clips are clipped in the templates too.
"""

from dataclasses import dataclass
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

_LARGEST_SHIFT_LEVELS = 64.0  # of an exception
_LARGEST_GREY_SHIFT_LEVELS = 16.0  # the same for a grey: more would turn the ground of open cells into that of hidden
_NEAR_LEVELS = 3.0  # within which a pixel of a template has the colour of an exception
_NOTED_LEVELS = 1.0  # from which on a colour is an exception
_IDENTITY_LEVELS = 5.0  # a transform that moves no colour by more is the identity
_COLOUR_STEPS = 64  # per channel, in which colours are grouped
_SPREAD_LEVELS = 16  # within which pixels have one colour
_ONE_SHADE_LEVELS = 24.0  # from the darkest to the lightest colour: within less, gain and offset are not separable
_BEVEL_LEVELS = 16.0  # by which edges must be darker and lighter than the one shade, to separate them
_MOST_PIXELS = 40_000  # that are sampled
_ENOUGH_PIXELS = 400  # beyond which a colour gains no weight
_MIXED_WEIGHT = 0.5  # of colours mixed at edges, compared with pure ones


class _Bounds(NamedTuple):
    """What a screen may do.

    Attributes:
        gains: The least and the largest gain of a channel.
        offset: The largest offset, in grey levels: real pictures have up to 38, washed-out ones 50.
        stiffness: Ridge penalties, in grey levels squared, of the gain, the offset and the mix with the two other
            channels. An offset is rarer than a gain, and only colours other than greys show a mix.
        mixes: The largest part of another channel that may come from blue, green and red: most if all is made grey or
            sepia. A board in one shade does not show where a channel comes from.
    """

    gains: tuple[float, float]
    offset: float
    stiffness: tuple[float, float, float, float]
    mixes: tuple[float, float, float]


_BY_COLOURS = _Bounds((0.25, 1.3), 60.0, (0.3, 40.0, 0.3, 0.3), (0.5, 1.0, 0.5))
_BY_EDGES = _Bounds((0.2, 1.6), 60.0, (0.05, 1.5, 300.0, 300.0), (np.inf, np.inf, np.inf))
"""For a board in one shade, as with no open cell: the lighter and darker edges of its cells give gain and offset, while
mixing channels could turn it into any other shade."""


@dataclass(frozen=True, slots=True, eq=False)
class Colours:
    """A transform of colours.

    Attributes:
        matrix: float32 array of shape (3, 4) from (blue, green, red, 1) to the blue, green and red seen.
        exceptions: Colours that the matrix does not explain, of shape (colours, 3).
        shifts: What is added to each of them after the matrix, of the same shape.
    """

    matrix: NDArray[np.float32]
    exceptions: NDArray[np.float32]
    shifts: NDArray[np.float32]

    @property
    def gain(self) -> float:
        """The factor by which it scales differences of colours."""
        return float(self.matrix[:, :3].sum(axis=1).mean())

    def without_exceptions(self) -> "Colours":
        """Return the matrix alone."""
        return Colours(self.matrix, _NONE, _NONE)

    def apply(self, image: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """Transform a picture of shape (..., 3)."""
        pixels = image.reshape(-1, 1, 3)
        seen = cv2.transform(pixels.astype(np.float32), self.matrix)
        for colour, shift in zip(self.exceptions, self.shifts, strict=True):
            near = cv2.inRange(pixels, np.ceil(colour - _NEAR_LEVELS), np.floor(colour + _NEAR_LEVELS))
            seen[np.flatnonzero(near)] += shift
        clipped: NDArray[np.uint8] = np.clip(np.rint(seen), 0, 255).astype(np.uint8)
        return clipped.reshape(image.shape)


_NONE = np.empty((0, 3), dtype=np.float32)

TRUE_COLOURS = Colours(np.eye(3, 4, dtype=np.float32), _NONE, _NONE)
"""The transform that changes nothing."""


def of_light(light: NDArray[np.float32]) -> Colours:
    """Return the transform that multiplies blue, green and red by `light`."""
    return Colours(np.pad(np.diag(light), ((0, 0), (0, 1))).astype(np.float32), _NONE, _NONE)


class _Samples(NamedTuple):
    """Colours as drawn and as seen.

    Attributes:
        drawn: Colours, float64 of shape (colours, 3).
        seen: The mean of the middle half of what is seen in their places, of the same shape.
        counts: The number of pixels of each.
    """

    drawn: NDArray[np.float64]
    seen: NDArray[np.float64]
    counts: NDArray[np.float64]

    def weights(self, total: float) -> NDArray[np.float64]:
        """Return the weight of each colour; they add up to `total`."""
        enough = np.minimum(self.counts, _ENOUGH_PIXELS)
        weights: NDArray[np.float64] = total * enough / max(1.0, enough.sum())
        return weights


def estimate_colours(seen: NDArray[np.uint8], drawn: NDArray[np.uint8], known: NDArray[np.bool_]) -> Colours | None:
    """Find the transform that turns the colours of templates into those seen.

    Pixels surrounded by their own colour count most. At edges, where interpolation has mixed two colours, both pictures
    are softened before they are compared; thin lines have only such pixels.

    Args:
        seen: A board, uint8 array of shape (height, width, 3).
        drawn: The same board drawn with templates.
        known: Where what is drawn is known, of shape (height, width).

    Returns:
        The transform, None if a screen would not make one that explains the colours.
    """
    around = np.ones((3, 3), np.uint8)
    blue, green, red = cv2.split(cv2.subtract(cv2.dilate(drawn, around), cv2.erode(drawn, around)))
    amid = cv2.max(cv2.max(blue, green), red) <= _SPREAD_LEVELS
    pure = _sampled(seen, drawn, amid & known)
    if not pure.counts.size:
        return None
    soft_seen, soft = (np.asarray(cv2.blur(of, (3, 3)), dtype=np.uint8) for of in (seen, drawn))
    mixed = _sampled(soft_seen, soft, ~amid & known)
    one_shade = _one_shade(pure, mixed)
    matrix = _fitted(pure, mixed, *((_BY_EDGES, 1.0) if one_shade else (_BY_COLOURS, _MIXED_WEIGHT)))
    if matrix is None:
        return None
    if max(np.abs(_through(matrix, of.drawn) - of.drawn).max(initial=0) for of in (pure, mixed)) <= _IDENTITY_LEVELS:
        matrix = TRUE_COLOURS.matrix
    # One shade and its edges say nothing about single colours.
    exceptions = _exceptions(matrix, pure) & (not one_shade)
    if matrix is TRUE_COLOURS.matrix and not exceptions.any():
        return TRUE_COLOURS
    colours = pure.drawn[exceptions]
    shifts = pure.seen[exceptions] - _through(matrix, colours)
    return Colours(matrix, colours.astype(np.float32), shifts.astype(np.float32))


def _sampled(seen: NDArray[np.uint8], drawn: NDArray[np.uint8], where: NDArray[np.bool_]) -> _Samples:
    """Group the colours of a drawing at some places, and average what is seen there."""
    places = np.flatnonzero(where)
    places = places[:: 1 + len(places) // _MOST_PIXELS]
    pixels, seen_pixels = (of.reshape(-1, 3)[places] for of in (drawn, seen))
    steps = (pixels // (256 // _COLOUR_STEPS)).astype(np.int64) @ np.array([_COLOUR_STEPS**2, _COLOUR_STEPS, 1])
    _, group, numbers = np.unique(steps, return_inverse=True, return_counts=True)
    counts = numbers.astype(np.float64)
    means = np.stack([np.bincount(group, channel, len(counts)) for channel in pixels.T], axis=1) / counts[:, None]
    middle = np.stack([_middle_means(group, channel, len(counts)) for channel in seen_pixels.T], axis=1)
    return _Samples(means, middle, counts)


def _middle_means(group: NDArray[np.intp], values: NDArray[np.uint8], groups: int) -> NDArray[np.float64]:
    """Return the mean of the middle half of each group's values, which dithering keeps and outliers do not change.

    Args:
        group: The group of each value; none is empty.
        values: The values.
        groups: The number of groups.
    """
    up_to = np.bincount(group * 256 + values, minlength=groups * 256).reshape(groups, 256).cumsum(axis=1)
    start, stop = up_to[:, -1:] // 4, up_to[:, -1:] - up_to[:, -1:] // 4
    counts = np.diff(np.clip(up_to, start, stop), axis=1, prepend=start)  # of each value in the middle half
    means: NDArray[np.float64] = counts @ np.arange(256) / (stop - start)[:, 0]
    return means


def _one_shade(pure: _Samples, mixed: _Samples) -> bool:
    """Whether only one shade is seen, with lighter and darker edges that separate gain and offset."""
    shades, edges = pure.drawn.mean(axis=1), mixed.drawn.mean(axis=1)
    darkest, lightest = shades.min(), shades.max()
    if lightest - darkest >= _ONE_SHADE_LEVELS or not edges.size:
        return False
    return bool(edges.min() < darkest - _BEVEL_LEVELS and edges.max() > lightest + _BEVEL_LEVELS)


def _fitted(pure: _Samples, mixed: _Samples, bounds: _Bounds, weight: float) -> NDArray[np.float32] | None:
    """Return the matrix that explains colours best, None if a screen would not do that."""
    source, target = np.concatenate([pure.drawn, mixed.drawn]), np.concatenate([pure.seen, mixed.seen])
    weights = np.sqrt(np.concatenate([pure.weights(1.0), mixed.weights(weight)]))
    matrix = _solved(source, target, weights, bounds.stiffness)
    gains = matrix[:, :3].sum(axis=1)
    if gains.min() < bounds.gains[0] or gains.max() > bounds.gains[1] or abs(matrix[:, 3]).max() > bounds.offset:
        return None
    mix = np.abs(matrix[:, :3]) / gains[:, None] * (1 - np.eye(3))
    return matrix if (mix <= bounds.mixes).all() else None


def _solved(
    source: NDArray[np.float64],
    target: NDArray[np.float64],
    weights: NDArray[np.float64],
    stiffness: tuple[float, float, float, float],
) -> NDArray[np.float32]:
    """Return the matrix by regularised least squares; for `stiffness` see `_Bounds`."""
    # Greys have no chroma, so that they determine gain and offset alone.
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
    """Return which colours a matrix does not explain: another colour space changes strong ones in its own way."""
    off = np.abs(pure.seen - _through(matrix, pure.drawn)).max(axis=1)
    least = _IDENTITY_LEVELS if matrix is TRUE_COLOURS.matrix else _NOTED_LEVELS
    most = np.where(np.ptp(pure.drawn, axis=1) <= _SPREAD_LEVELS, _LARGEST_GREY_SHIFT_LEVELS, _LARGEST_SHIFT_LEVELS)
    exceptions: NDArray[np.bool_] = (off > least) & (off <= most)
    return exceptions


def _through(matrix: NDArray[np.float32], colours: NDArray[np.floating]) -> NDArray[np.floating]:
    through: NDArray[np.floating] = colours @ matrix[:, :3].T + matrix[:, 3]
    return through
