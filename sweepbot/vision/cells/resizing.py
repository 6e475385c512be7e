"""Resize templates: the picture in a cell grows with it, but the gap around it may not."""

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from sweepbot.geometry import Image

_SAMPLES_PER_SIDE = 4  # of which each pixel of a resized template is the mean


def resized(
    templates: Sequence[Image], size: tuple[int, int], gap: float, gap_there: tuple[float, float]
) -> list[Image]:
    """Resize templates, with half a gap on every side that does not grow like the rest.

    Args:
        templates: uint8 arrays of one shape (height, width, 3).
        size: The width and height to resize to.
        gap: Width of the gap in pixels of a template, 0 for none.
        gap_there: Its width and height at the other size.
    """
    if not gap or not templates:
        return [np.asarray(cv2.resize(one, size, interpolation=cv2.INTER_AREA), dtype=np.uint8) for one in templates]
    height, width = templates[0].shape[:2]
    across, down = (
        _weights(side, wanted, gap, there) for side, wanted, there in zip((width, height), size, gap_there, strict=True)
    )
    rows = down @ np.stack(templates).reshape(len(templates), height, -1).astype(np.float32)
    columns = rows.reshape(-1, width, 3).swapaxes(0, 1).reshape(width, -1)
    pixels = (across @ columns).reshape(size[0], len(templates), size[1], 3).transpose(1, 2, 0, 3)
    return list(np.rint(pixels).astype(np.uint8))


def _weights(side: int, wanted: int, gap: float, gap_there: float) -> NDArray[np.float32]:
    """Return the weights of `side` source pixels in `wanted` target pixels, of shape (wanted, side)."""
    at = (np.arange(wanted * _SAMPLES_PER_SIDE) + 0.5) / _SAMPLES_PER_SIDE
    edges = (0, gap_there / 2, wanted - gap_there / 2, wanted), (0, gap / 2, side - gap / 2, side)
    places = np.clip(np.interp(at, *edges) - 0.5, 0, side - 1)
    near = np.clip(1 - np.abs(places[:, None] - np.arange(side)), 0, None)
    return np.asarray(near.reshape(wanted, _SAMPLES_PER_SIDE, side).mean(axis=1), dtype=np.float32)
