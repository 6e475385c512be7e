"""Summaries of many games (win rates with their intervals, guesses, times), and comparisons of two of them."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from sweepbot.errors import SweepbotError, UsageError
from sweepbot.intervals import Z95, wilson
from sweepbot.simulate.match import Record


@dataclass(frozen=True, slots=True)
class Times:
    """Milliseconds per game: the mean, the median and the 99th percentile."""

    mean: float
    p50: float
    p99: float


@dataclass(frozen=True, slots=True)
class Expected:
    """The expected outcomes of many games.

    Attributes:
        win_rate: Their mean.
        ci95: Its 95% interval: lower and upper end.
        outcomes: The expected outcome of each game, in the order of the boards.
    """

    win_rate: float
    ci95: tuple[float, float]
    outcomes: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Clicks:
    """The clicks per 3BV of the games won.

    Attributes:
        mean: Over the games.
        ci95: Its 95% interval: lower and upper end.
    """

    mean: float
    ci95: tuple[float, float]


@dataclass(frozen=True, slots=True)
class Summary:
    """The result of a simulation; its fields are the keys of the JSON that `sweepbot simulate` prints.

    Attributes:
        games: How many were played.
        won: How many of them were won.
        win_rate: `won / games`.
        ci95: The 95% interval of the win rate: lower and upper end.
        no_guess_rate: The share of the games that were won without a guess.
        lost_on_certain: How many were lost on a cell said to be safe. Anything but 0 is a bug in the solver.
        ms_per_game: The wall-clock time of a game.
        outcomes: `1` for each game won, `0` for each game lost, in the order of the boards.
        expected: The expected outcomes, if asked for.
        clicks_per_3bv: The clicks in the games won, if a style of play was asked for.
    """

    games: int
    won: int
    win_rate: float
    ci95: tuple[float, float]
    no_guess_rate: float
    lost_on_certain: int
    ms_per_game: Times
    outcomes: str
    expected: Expected | None = None
    clicks_per_3bv: Clicks | None = None


def summarise(records: Iterable[Record]) -> Summary:
    """Summarise the records of some games.

    Raises:
        SweepbotError: There are none.
    """
    records = list(records)
    if not records:
        raise SweepbotError("no game was played to its end, so there is nothing to sum up")
    games = len(records)
    won = sum(record.won for record in records)
    times = [record.milliseconds for record in records]
    outcomes = [record.expected for record in records if record.expected is not None]
    ratios = [record.clicks / record.three_bv for record in records if record.three_bv]
    return Summary(
        games=games,
        won=won,
        win_rate=won / games,
        ci95=wilson(won, games),
        no_guess_rate=sum(record.won and not record.guesses for record in records) / games,
        lost_on_certain=sum(record.lost_on_certain for record in records),
        ms_per_game=Times(float(np.mean(times)), *map(float, np.percentile(times, (50, 99)))),
        outcomes="".join("01"[record.won] for record in records),
        expected=Expected(*mean_with_interval(outcomes), tuple(outcomes)) if outcomes else None,
        clicks_per_3bv=Clicks(*mean_with_interval(ratios)) if ratios else None,
    )


def mean_with_interval(values: Sequence[float]) -> tuple[float, tuple[float, float]]:
    """Return the mean of at least one value and its 95% interval, by the normal distribution."""
    mean = float(np.mean(values))
    half = Z95 * float(np.std(values, ddof=1)) / math.sqrt(len(values)) if len(values) > 1 else math.inf
    return mean, (mean - half, mean + half)


@dataclass(frozen=True, slots=True)
class Advantage:
    """How much more often one method wins than another.

    Attributes:
        games: How many boards both played.
        only_first: How many the first won and the second lost.
        only_second: How many the second won and the first lost.
        difference: The first's win rate minus the second's.
        ci95: The 95% interval of the difference: lower and upper end.
        expected_difference: The mean difference of the expected outcomes, if both have them.
        expected_ci95: Its 95% interval.
    """

    games: int
    only_first: int
    only_second: int
    difference: float
    ci95: tuple[float, float]
    expected_difference: float | None = None
    expected_ci95: tuple[float, float] | None = None


def compare(first: Summary, second: Summary) -> Advantage:
    """Compare two runs over the same boards.

    Boards that both win or both lose do not add to the variance of the difference, which makes a comparison by pairs
    much sharper than one of two win rates.

    Raises:
        UsageError: They did not play the same number of games.
    """
    games = first.games
    if games != second.games:
        raise UsageError(f"runs of {games} and {second.games} games cannot be compared board by board")
    pairs = list(zip(first.outcomes, second.outcomes, strict=True))
    only_first, only_second = pairs.count(("1", "0")), pairs.count(("0", "1"))
    interval = paired(only_first, only_second, games)
    expected: tuple[float, tuple[float, float]] | tuple[None, None] = None, None
    if first.expected is not None and second.expected is not None:
        outcomes = zip(first.expected.outcomes, second.expected.outcomes, strict=True)
        expected = mean_with_interval([one - other for one, other in outcomes])
    return Advantage(games, only_first, only_second, (only_first - only_second) / games, interval, *expected)


def paired(only_first: int, only_second: int, games: int) -> tuple[float, float]:
    """Return the 95% interval of a difference of paired proportions (Agresti and Min 2005).

    Half a game is added to each of the four outcomes of a pair, which keeps the interval accurate if there are few
    pairs or few that differ.
    """
    n, b, c = games + 2, only_first + 0.5, only_second + 0.5
    centre = (b - c) / n
    half = Z95 * math.sqrt(b + c - (b - c) ** 2 / n) / n
    return max(-1.0, centre - half), min(1.0, centre + half)
