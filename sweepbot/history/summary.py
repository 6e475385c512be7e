"""What a history of games adds up to."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from sweepbot.history.store import PlayedGame
from sweepbot.simulate.summary import wilson


@dataclass(frozen=True, slots=True)
class Stats:
    """The games of a client on a level, or of several; its fields are keys of `sweepbot stats --json`.

    Attributes:
        games: How many were won or lost.
        won: How many of them were won.
        aborted: How many were left to the person; they count for nothing else.
        win_rate: `won / games`; None of none.
        ci95: The 95% interval of the win rate (Wilson 1927); None of no games.
        expected: How many wins the chances taken give on average: games less all chances of a mine taken. It is a
            fair forecast: over many games it comes to the wins, whatever the player's skill.
        luck: Wins beyond what was expected.
        luck_sd: About how far luck alone brings `won` from `expected`: one standard deviation.
        median_seconds: Of the games won.
        best_seconds: Of the games won.
        three_bv_per_second: The median of the games won.
        efficiency: The index of efficiency, 3BV a click: the median of the games won.
        guesses: In all.
        misreads: In all.
    """

    games: int
    won: int
    aborted: int
    win_rate: float | None
    ci95: tuple[float, float] | None
    expected: float
    luck: float
    luck_sd: float
    median_seconds: float | None
    best_seconds: float | None
    three_bv_per_second: float | None
    efficiency: float | None
    guesses: int
    misreads: int


@dataclass(frozen=True, slots=True)
class Stretch:
    """Some games in a row.

    Attributes:
        first: When the first of them ended.
        last: When the last did.
        games: How many were won or lost.
        won: How many were won.
        ci95: The 95% interval of their win rate.
        expected: As in `Stats`.
    """

    first: str
    last: str
    games: int
    won: int
    ci95: tuple[float, float]
    expected: float


def sum_up(games: Sequence[PlayedGame]) -> Stats:
    """Add up some games."""
    over = _over(games)
    wins = [game for game in over if game.result == "won"]
    expected = _expected(over)
    ioes = [game.three_bv / game.clicks for game in wins if game.three_bv and game.clicks]
    rates = [game.three_bv / game.seconds for game in wins if game.three_bv and game.seconds > 0]
    return Stats(
        games=len(over),
        won=len(wins),
        aborted=len(games) - len(over),
        win_rate=len(wins) / len(over) if over else None,
        ci95=wilson(len(wins), len(over)) if over else None,
        expected=expected,
        luck=len(wins) - expected,
        # Each game's wins less its forecast vary at most as a loss of the chances that it took does.
        luck_sd=math.sqrt(sum(game.risk for game in over)),
        median_seconds=median(game.seconds for game in wins) if wins else None,
        best_seconds=min((game.seconds for game in wins), default=None),
        three_bv_per_second=median(rates) if rates else None,
        efficiency=median(ioes) if ioes else None,
        guesses=sum(game.guesses for game in over),
        misreads=sum(game.misreads for game in over),
    )


def over_time(games: Sequence[PlayedGame], stretches: int = 20) -> list[Stretch]:
    """The games in a row, cut into at most so many stretches of as many games each, the earliest first."""
    over = _over(games)
    size = max(1, math.ceil(len(over) / stretches))
    found = []
    for part in (over[start : start + size] for start in range(0, len(over), size)):
        won = sum(game.result == "won" for game in part)
        found.append(Stretch(part[0].ended, part[-1].ended, len(part), won, wilson(won, len(part)), _expected(part)))
    return found


def _over(games: Sequence[PlayedGame]) -> list[PlayedGame]:
    return [game for game in games if game.result in ("won", "lost")]


def _expected(games: Sequence[PlayedGame]) -> float:
    """Losses less the chances of a mine taken are a fair game (a martingale), also where a game ends at its first loss.

    Products of the chances to survive would not be: a game that is lost early has taken few of its chances.
    """
    return len(games) - sum(game.risk for game in games)
