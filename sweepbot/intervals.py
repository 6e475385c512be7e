"""The 95% interval of a win rate, for games that were played and games that are simulated."""

import math

Z95 = 1.959963984540054
"""The two-sided 95% quantile of the normal distribution."""


def wilson(won: int, games: int) -> tuple[float, float]:
    """Return the 95% score interval of a proportion (Wilson 1927), which also holds for few games and near 0 and 1.

    Args:
        won: 0 to `games`.
        games: At least 1.
    """
    rate = won / games
    shrink = 1 + Z95**2 / games
    centre = (rate + Z95**2 / (2 * games)) / shrink
    half = Z95 * math.sqrt(rate * (1 - rate) / games + Z95**2 / (4 * games**2)) / shrink
    return max(0.0, centre - half), min(1.0, centre + half)
