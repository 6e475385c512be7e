"""What a screen has done to the colours of a client: night light, dimming, another colour space.

One transform for a whole board, from the colours of the templates to those that are seen: a matrix, and what it leaves
unexplained of single colours. The templates are put through
it once, rather than every picture back through its inverse: nothing is done a frame, and where a screen clips a
colour the templates are clipped alike.
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
_ENOUGH_PIXELS = 400  # more of one colour make it no surer
_FEWEST_PIXELS = 8  # seen in a colour, for it to count


class _Bounds(NamedTuple):
    """What is believed of a screen.

    Attributes:
        gains: How much darker or brighter a channel may be.
        offset: Grey levels by which it may be lifted or lowered.
        stiffness: What the fit would rather leave alone, in grey levels squared: the gain, the offset and the mix with
            the two other channels. An offset is rarer than a gain, and a mix is believed only where colours other than
            greys speak for it.
    """

    gains: tuple[float, float]
    offset: float
    stiffness: tuple[float, float, float, float]


_BY_COLOURS = _Bounds((0.25, 1.3), 40.0, (1.0, 40.0, 0.3, 0.3))
_BY_EDGES = _Bounds((0.2, 1.6), 120.0, (0.05, 1.5, 0.3, 0.3))
"""Of a board in one shade, as with nothing open: lighter and darker edges around every cell leave less to choose."""


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

    def apply(self, image: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """The picture, of shape (..., 3), as it is seen."""
        seen = image.astype(np.float32) @ self.matrix[:, :3].T + self.matrix[:, 3]
        for colour, shift in zip(self.exceptions, self.shifts, strict=True):
            seen[(np.abs(image - colour) <= _NEAR).all(axis=-1)] += shift
        clipped: NDArray[np.uint8] = np.clip(np.rint(seen), 0, 255).astype(np.uint8)
        return clipped


_NONE = np.empty((0, 3), dtype=np.float32)

TRUE_COLOURS = Colours(np.eye(3, 4, dtype=np.float32), _NONE, _NONE)
"""The transform that changes nothing."""


def estimate_colours(seen: NDArray[np.uint8], drawn: NDArray[np.uint8], known: NDArray[np.bool_]) -> Colours | None:
    """Find the transform that turns the colours of templates into those seen.

    Only pixels amid others of their own colour count: at an edge, interpolation has mixed two colours.

    Args:
        seen: A board, uint8 array of shape (height, width, 3).
        drawn: The same drawn with templates.
        known: Where it is known what is to be drawn, of shape (height, width).

    Returns:
        None where no transform that a screen would make explains them.
    """
    around = np.ones((3, 3), np.uint8)
    blue, green, red = cv2.split(cv2.subtract(cv2.dilate(drawn, around), cv2.erode(drawn, around)))
    amid = np.flatnonzero((cv2.max(cv2.max(blue, green), red) <= _SPREAD) & known)
    bounds = _BY_COLOURS
    shades = drawn.reshape(-1, 3)[amid].mean(axis=1)
    darkest, lightest = np.percentile(shades, _RARE) if shades.size else (0, 255)
    if lightest - darkest < _ONE_SHADE:
        soft_seen, soft = (np.asarray(cv2.blur(of, (5, 5)), dtype=np.uint8) for of in (seen, drawn))
        edges = soft[known].mean(axis=1)
        if edges.min() < darkest - _BEVEL and edges.max() > lightest + _BEVEL:
            seen, drawn, amid, bounds = soft_seen, soft, np.flatnonzero(known), _BY_EDGES
    seen_pixels, pixels = (of.reshape(-1, 3)[amid].astype(np.float64) for of in (seen, drawn))
    steps = (pixels // (256 // _LEVELS)).astype(np.int64) @ np.array([_LEVELS**2, _LEVELS, 1])
    _, group, counts = np.unique(steps, return_inverse=True, return_counts=True)
    means = [
        np.stack([np.bincount(group, of[:, channel], len(counts)) for channel in range(3)], axis=1)
        for of in (seen_pixels, pixels)
    ]
    often = counts >= _FEWEST_PIXELS
    if not often.any():
        return None
    target, source = (mean[often] / counts[often, None] for mean in means)
    squares = np.stack([np.bincount(group, seen_pixels[:, c] ** 2, len(counts)) for c in range(3)], axis=1)
    varied = np.sqrt(np.maximum(squares[often] / counts[often, None] - target**2, 0)).max(axis=1)
    weight = np.minimum(counts[often], _ENOUGH_PIXELS)
    weight = np.sqrt(weight / weight.sum())[:, None]
    # Greys have no chroma, so that they settle gain and offset alone.
    chroma = source[:, [0, 2]] - source[:, [1]]
    matrix = np.zeros((3, 4), dtype=np.float32)
    for channel in range(3):
        own = source[:, channel]
        features = np.column_stack([own, np.full_like(own, 255.0), chroma]) * weight
        wanted = (target[:, channel] - own) * weight[:, 0]
        normal = features.T @ features + 255 * np.diag(bounds.stiffness)
        gain, offset, blue, red = np.linalg.solve(normal, features.T @ wanted)
        matrix[channel] = blue, -blue - red, red, 255 * offset
        matrix[channel, channel] += 1 + gain
    gains = matrix[:, :3].sum(axis=1)
    believable = (gains >= bounds.gains[0]).all() and (gains <= bounds.gains[1]).all()
    if not believable or np.abs(matrix[:, 3]).max() > bounds.offset:
        return None
    if np.abs(source @ matrix[:, :3].T + matrix[:, 3] - source).max() <= _SAME:
        matrix = TRUE_COLOURS.matrix
    # Another colour space changes single colours in ways that no matrix does, strong ones most.
    left = target - (source @ matrix[:, :3].T + matrix[:, 3])
    largest = np.abs(left).max(axis=1)
    most = np.where(np.ptp(source, axis=1) <= _SPREAD, _LARGEST_SHIFT_OF_GREY, _LARGEST_SHIFT)
    apart = (largest > (_SAME if matrix is TRUE_COLOURS.matrix else _NOTED)) & (largest <= most) & (largest > 2 * varied)
    if bounds is _BY_EDGES:
        apart[:] = False  # softened, these are no colours that a template has
    if matrix is TRUE_COLOURS.matrix and not apart.any():
        return TRUE_COLOURS
    return Colours(matrix, source[apart].astype(np.float32), left[apart].astype(np.float32))
