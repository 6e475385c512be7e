"""The light of a screen: by what it multiplies blue, green and red where it is dimmed or warmed in the evening."""

import numpy as np
from numpy.typing import NDArray

from sweepbot.geometry import Image

Light = NDArray[np.float32]
"""Factors of shape (3,): blue, green, red."""

FULL = np.ones(3, dtype=np.float32)

WARMTHS = 0.0, 0.165, 0.33, 0.495, 0.66
"""By how much less blue there may be: none, then about 5200, 4200, 3400 and 2700 K; half a step is not felt."""

_HALF_A_STEP = 0.09  # of full blue
_BLUEST = 99.9  # per cent of the pixels looked at: what is bluer may be an artefact of compression
_STEP = 8  # pixels from one that is looked at to the next


def light(brightness: float, warmth: float = 0.0) -> Light:
    """The light of a screen that is dimmed to a share of its brightness and has so much less blue.

    A night light of any colour temperature takes half as much green away as it takes blue: a line through the white
    points that Redshift and GNOME use (Ingo Thies' table, 2013).
    """
    return np.array([brightness * (1 - warmth), brightness * (1 - warmth / 2), brightness], dtype=np.float32)


def possible_warmths(image: Image) -> list[float]:
    """How warm the light in a picture may be: all of a screen is warmed, and nothing in it is bluer than its white."""
    bluest = float(np.percentile(image[::_STEP, ::_STEP, 0], _BLUEST)) / 255
    return [warmth for warmth in WARMTHS if warmth == 0 or bluest <= 1 - warmth + _HALF_A_STEP]
