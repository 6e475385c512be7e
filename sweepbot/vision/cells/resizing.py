"""Templates brought to other sizes: what a cell shows grows with it, and the gap around that may not."""

import cv2
import numpy as np
from numpy.typing import NDArray

from sweepbot.geometry import Image

_SAMPLES = 4  # a side, of which a pixel of a template at another size is the mean


def resized(template: Image, size: tuple[int, int], gap: float, gap_there: tuple[float, float]) -> Image:
    """A template at another `size` = (width, height), with half a gap on every side that does not grow as the rest."""
    if not gap:
        return np.asarray(cv2.resize(template, size, interpolation=cv2.INTER_AREA), dtype=np.uint8)
    across, down = (
        _places(side, wanted, gap, there)
        for side, wanted, there in zip(template.shape[1::-1], size, gap_there, strict=True)
    )
    finer = cv2.remap(template, *np.meshgrid(across, down), cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(cv2.resize(finer, size, interpolation=cv2.INTER_AREA), dtype=np.uint8)


def _places(side: int, wanted: int, gap: float, gap_there: float) -> NDArray[np.float32]:
    """Where along a side of a template the pixels of one of `wanted` pixels come from, several for each."""
    at = (np.arange(wanted * _SAMPLES) + 0.5) / _SAMPLES
    edges = (0, gap_there / 2, wanted - gap_there / 2, wanted), (0, gap / 2, side - gap / 2, side)
    places: NDArray[np.float32] = (np.interp(at, *edges) - 0.5).astype(np.float32)
    return places
