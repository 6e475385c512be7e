"""The light of a screen: its factors for blue, green and red if it is dimmed, or warmed in the evening."""

import numpy as np
from numpy.typing import NDArray

from sweepbot.geometry import Image

Light = NDArray[np.float32]
"""Factors of shape (3,): blue, green, red."""

FULL = np.ones(3, dtype=np.float32)

WARMTH_SHARES = 0.0, 0.165, 0.33, 0.495, 0.66
"""Shares of blue that are missing: none, then about 5200, 4200, 3400 and 2700 K; half a step makes no difference."""

_HALF_A_STEP_SHARE = 0.09  # of full blue
_BLUEST_PERCENTILE = 99.9  # of the sampled pixels: what is bluer may be an artefact of compression
_STEP_PX = 8  # from one sample to the next


def light(brightness: float, warmth: float = 0.0) -> Light:
    """Return the light of a screen with a share of its brightness, and with less blue.

    A night light of any colour temperature takes half as much green away as it takes blue: a line through the white
    points that Redshift and GNOME use (Ingo Thies' table, 2013).
    """
    return np.array([brightness * (1 - warmth), brightness * (1 - warmth / 2), brightness], dtype=np.float32)


def possible_warmths(image: Image) -> list[float]:
    """Return how warm the light in a picture may be: nothing on a warmed screen is bluer than its white."""
    bluest = float(np.percentile(image[::_STEP_PX, ::_STEP_PX, 0], _BLUEST_PERCENTILE)) / 255
    return [warmth for warmth in WARMTH_SHARES if warmth == 0 or bluest <= 1 - warmth + _HALF_A_STEP_SHARE]
