"""Cells of a client at another size: the picture in a cell grows with it, but the gap around it does not."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sweepbot.geometry import Image

_SAMPLES_PER_SIDE = 4  # of which each pixel of a resized template is the mean


def drawn_at(templates: Sequence[Image], size: tuple[int, int], gap: int) -> list[Image]:
    """Return templates as their client draws them at another size, with half a gap on every side.

    Args:
        templates: uint8 arrays of one shape (height, width, 3).
        size: The width and height to draw them at.
        gap: Width of the gap in pixels, the same at every size.
    """
    height, width = templates[0].shape[:2]
    across, down = (_weights(side, wanted, gap) for side, wanted in zip((width, height), size, strict=True))
    rows = down @ np.stack(templates).reshape(len(templates), height, -1).astype(np.float32)
    columns = rows.reshape(-1, width, 3).swapaxes(0, 1).reshape(width, -1)
    pixels = (across @ columns).reshape(size[0], len(templates), size[1], 3).transpose(1, 2, 0, 3)
    return list(np.rint(pixels).astype(np.uint8))


def _weights(side: int, wanted: int, gap: int) -> NDArray[np.float32]:
    """Return the weights of `side` source pixels in `wanted` target pixels, of shape (wanted, side)."""
    at = (np.arange(wanted * _SAMPLES_PER_SIDE) + 0.5) / _SAMPLES_PER_SIDE
    edges = (0, gap / 2, wanted - gap / 2, wanted), (0, gap / 2, side - gap / 2, side)
    places = np.clip(np.interp(at, *edges) - 0.5, 0, side - 1)
    near = np.clip(1 - np.abs(places[:, None] - np.arange(side)), 0, None)
    return np.asarray(near.reshape(wanted, _SAMPLES_PER_SIDE, side).mean(axis=1), dtype=np.float32)
