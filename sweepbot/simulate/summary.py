"""A summary of many games: the win rate with its interval, the guesses, the times."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from sweepbot.errors import SweepbotError
from sweepbot.simulate.match import Record

Z95 = 1.959963984540054
"""The two-sided 95% quantile of the normal distribution."""


@dataclass(frozen=True, slots=True)
class Times:
    """Milliseconds a game: the mean, the median and the 99th percentile."""

    mean: float
    p50: float
    p99: float


@dataclass(frozen=True, slots=True)
class Expected:
    """The expected outcomes of many games.

    Attributes:
        win_rate: Their mean.
        ci95: Its 95% interval: lower and upper end.
        outcomes: That of each game, in the order of the boards.
    """

    win_rate: float
    ci95: tuple[float, float]
    outcomes: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Clicks:
    """The clicks of won games for each 3BV of their boards.

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
        no_guess_rate: The part of the games that was won without a single guess.
        lost_on_certain: How many were lost on a cell called certain. Anything but 0 is a bug in the solver.
        ms_per_game: Wall-clock time of a game.
        outcomes: `1` for each game won, `0` for each game lost, in the order of the boards.
        expected: The expected outcomes, where they were asked for.
        clicks_per_3bv: Of the games won, where a style of play was asked for.
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
    """Add up the records of some games.

    Raises:
        SweepbotError: There are none.
    """
    records = list(records)
    if not records:
        raise SweepbotError("no game was played to its end, there is nothing to add up")
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
    """The mean of at least one value and its 95% interval, by the normal distribution."""
    mean = float(np.mean(values))
    half = Z95 * float(np.std(values, ddof=1)) / math.sqrt(len(values)) if len(values) > 1 else math.inf
    return mean, (mean - half, mean + half)


def wilson(won: int, games: int) -> tuple[float, float]:
    """The 95% score interval of a proportion (Wilson 1927); it holds for few games and near 0 and 1 too.

    Args:
        won: 0 to `games`.
        games: At least 1.
    """
    rate = won / games
    shrink = 1 + Z95**2 / games
    centre = (rate + Z95**2 / (2 * games)) / shrink
    half = Z95 * math.sqrt(rate * (1 - rate) / games + Z95**2 / (4 * games**2)) / shrink
    return max(0.0, centre - half), min(1.0, centre + half)
