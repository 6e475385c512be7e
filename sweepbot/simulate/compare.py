"""Two methods on the same boards, pair by pair."""

import math
from dataclasses import dataclass, replace

from sweepbot.errors import UsageError
from sweepbot.simulate.summary import Z95, Summary, mean_with_interval


@dataclass(frozen=True, slots=True)
class Comparison:
    """How much more often one method wins than another.

    Attributes:
        games: How many boards both played.
        only_first: How many the first won and the second lost.
        only_second: How many the second won and the first lost.
        difference: The first's win rate less the second's.
        ci95: The 95% interval of the difference: lower and upper end.
        expected_difference: The mean difference of the expected outcomes, where both have them.
        expected_ci95: The 95% interval of that.
    """

    games: int
    only_first: int
    only_second: int
    difference: float
    ci95: tuple[float, float]
    expected_difference: float | None = None
    expected_ci95: tuple[float, float] | None = None


def compare(first: Summary, second: Summary) -> Comparison:
    """Compare two runs over the same boards.

    Boards that both win or both lose say nothing about the difference; leaving them out of its variance is what makes a
    comparison by pairs so much sharper than one of two win rates.

    Raises:
        UsageError: They did not play the same number of games.
    """
    games = first.games
    if games != second.games:
        raise UsageError(f"runs of {games} and {second.games} games cannot be compared board by board")
    pairs = list(zip(first.outcomes, second.outcomes, strict=True))
    only_first, only_second = pairs.count(("1", "0")), pairs.count(("0", "1"))
    found = Comparison(
        games, only_first, only_second, (only_first - only_second) / games, paired(only_first, only_second, games)
    )
    if first.expected is None or second.expected is None:
        return found
    differences = [a - b for a, b in zip(first.expected.outcomes, second.expected.outcomes, strict=True)]
    mean, interval = mean_with_interval(differences)
    return replace(found, expected_difference=mean, expected_ci95=interval)


def paired(only_first: int, only_second: int, games: int) -> tuple[float, float]:
    """The 95% interval of a difference of paired proportions (Agresti and Min 2005).

    Half a game is added to each of the four outcomes that a pair can have; that keeps the interval honest where there
    are few pairs or few that differ.
    """
    n, b, c = games + 2, only_first + 0.5, only_second + 0.5
    centre = (b - c) / n
    half = Z95 * math.sqrt(b + c - (b - c) ** 2 / n) / n
    return max(-1.0, centre - half), min(1.0, centre + half)
