"""What a screen has done to the colours of a client: night light, dimming, another colour space.

One transform for a whole board, from the colours of the templates to those that are seen: a matrix, and what it leaves
unexplained of single colours. The templates are put through
it once, rather than every picture back through its inverse: nothing is done a frame, and where a screen clips a
colour the templates are clipped alike.
"""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

_GAINS = 0.2, 1.6  # how much darker or brighter a channel may be
_LARGEST_OFFSET = 120.0  # grey levels
_LARGEST_SHIFT = 64.0  # grey levels by which a single colour may be off
_NEAR = 3.0  # grey levels within which a pixel of a template has one of the colours told apart
_NOTED = 1.0  # grey levels from which on a single colour of a changed screen is noted
_SAME = 5.0  # grey levels: a transform that moves no colour by more is none
_LEVELS = 64  # steps to a channel in which colours of templates are told apart here
_SPREAD = 16  # grey levels within which pixels have one colour
_LEAST_RANGE = 48.0  # grey levels from the darkest to the lightest colour seen, for them to tell a gain from an offset
_MOST_PIXELS = 40_000  # looked at; of more, some
_ENOUGH_PIXELS = 400  # more of one colour make it no surer
_FEWEST_PIXELS = 8  # seen in a colour, for it to count

# What the fit would rather leave alone, in grey levels squared: an offset is rarer than a gain, and a mix of channels
# is believed only where colours other than greys speak for it.
_STIFFNESS = np.diag([0.05, 1.5, 0.3, 0.3])


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
    if not amid.size or np.ptp(drawn.reshape(-1, 3)[amid].mean(axis=1)) < _LEAST_RANGE:
        # One shade, as of a board with nothing open, tells no gain from an offset: edges must do, softened alike.
        seen, drawn = (np.asarray(cv2.blur(of, (5, 5)), dtype=np.uint8) for of in (seen, drawn))
        amid = np.flatnonzero(known)
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
    weight = np.minimum(counts[often], _ENOUGH_PIXELS)
    weight = np.sqrt(weight / weight.sum())[:, None]
    # Greys have no chroma, so that they settle gain and offset alone.
    chroma = source[:, [0, 2]] - source[:, [1]]
    matrix = np.zeros((3, 4), dtype=np.float32)
    for channel in range(3):
        own = source[:, channel]
        features = np.column_stack([own, np.full_like(own, 255.0), chroma]) * weight
        wanted = (target[:, channel] - own) * weight[:, 0]
        gain, offset, blue, red = np.linalg.solve(features.T @ features + 255 * _STIFFNESS, features.T @ wanted)
        matrix[channel] = blue, -blue - red, red, 255 * offset
        matrix[channel, channel] += 1 + gain
    gains = matrix[:, :3].sum(axis=1)
    believable = (gains >= _GAINS[0]).all() and (gains <= _GAINS[1]).all()
    if not believable or np.abs(matrix[:, 3]).max() > _LARGEST_OFFSET:
        return None
    if np.abs(source @ matrix[:, :3].T + matrix[:, 3] - source).max() <= _SAME:
        matrix = TRUE_COLOURS.matrix
    # Another colour space changes single colours in ways that no matrix does, strong ones most.
    left = target - (source @ matrix[:, :3].T + matrix[:, 3])
    largest = np.abs(left).max(axis=1)
    apart = (largest > (_SAME if matrix is TRUE_COLOURS.matrix else _NOTED)) & (largest <= _LARGEST_SHIFT)
    if matrix is TRUE_COLOURS.matrix and not apart.any():
        return TRUE_COLOURS
    return Colours(matrix, source[apart].astype(np.float32), left[apart].astype(np.float32))
