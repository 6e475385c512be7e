"""`sweepbot stats`: sums up the games played so far."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import click

from sweepbot.cli.output import PATH, json_option, print_json, results, talk
from sweepbot.history import MIN_STRETCH_GAMES, PastGame, Stats, games, history_file, over_time, sum_up
from sweepbot.render.text import counted

_HEAD = ["player", "client", "level", "games", "won", "95%", "expected", "luck", "median", "best", "3BV/s", "IOE"]
_LEFT_OUT = ["IOE", "luck", "best", "95%", "3BV/s"]
"""What a narrow terminal does not show, the first of them first; `--json` has it all."""
_NAMES = 3
"""How many columns are words; the others are figures."""


@click.command()
@click.option("--client", metavar="NAME", help="Only the games of this client.")
@click.option("--plot", type=PATH, metavar="OUT.png", help="Draw the win rate over time, from 10 games on.")
@json_option
def command(*, client: str | None, plot: Path | None, as_json: bool) -> None:
    """Sum up the games that `play` has played, and yours that `assist` has seen: wins, luck, skill, times.

    `expected` is how many wins the risks taken give on average; `luck` is how many more were won, with its standard
    deviation by chance alone. `IOE`, the index of efficiency, is the median 3BV per click of the games won.
    """
    played = games(client)
    if client is not None and not played:
        from sweepbot.vision.calibration import find_calibration  # noqa: PLC0415  (slow to load, as OpenCV below)

        find_calibration(client)  # a name that nobody knows is a slip
    bots, yours = ([game for game in played if (game.player == "you") is is_yours] for is_yours in (False, True))
    if plot is not None and bots:
        _draw(bots, client, plot)
    by_level = _by_level(played)
    if as_json:
        groups = [
            {"player": player, "client": name, "level": level, **asdict(sum_up(group))}
            for (player, name, level), group in by_level.items()
        ]
        print_json(
            {
                "file": str(history_file()),
                "all": sum_up(bots) if bots else None,
                "yours": sum_up(yours) if yours else None,
                "groups": groups,
                "over_time": over_time(bots),
            }
        )
        return
    if not played:
        which = "" if client is None else f" of {client}"
        talk.print(f"no game{which} has been played yet; `sweepbot play` keeps them in {history_file()}")
        return
    results.print(f"{counted(len(played), 'game')}, {played[0].ended[:10]} to {played[-1].ended[:10]}")
    rows = [_HEAD, *([*names, *_row(sum_up(group))] for names, group in by_level.items())]
    for player in sorted({game.player for game in played}):
        own = [game for game in played if game.player == player]
        if len(_by_level(own)) > 1:
            rows.append([player, "all", "", *_row(sum_up(own))])
    if results.is_terminal:
        rows = _narrowed(rows, results.width)
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = [
            cell.ljust(width) if place < _NAMES else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        results.print("  ".join(cells).rstrip())


def _narrowed(rows: list[list[str]], width: int) -> list[list[str]]:
    """Leave out columns, those first that tell the least, until the rows are no wider than this."""
    for name in _LEFT_OUT:
        if sum(max(map(len, column)) + 2 for column in zip(*rows, strict=True)) - 2 > width:
            place = rows[0].index(name)
            rows = [[*row[:place], *row[place + 1 :]] for row in rows]
    return rows


def _by_level(played: Sequence[PastGame]) -> dict[tuple[str, str, str], list[PastGame]]:
    """Group the games by player, client and level, in order."""
    groups: dict[tuple[str, str, str], list[PastGame]] = {}
    for game in sorted(played, key=lambda game: (game.player, game.client, game.columns * game.rows)):
        groups.setdefault((game.player, game.client, game.level), []).append(game)
    return groups


def _row(stats: Stats) -> list[str]:
    if stats.win_rate is None or stats.ci95 is None:
        return ["0", *[""] * 8]
    low, high = stats.ci95
    return [
        f"{stats.games:,}",
        f"{stats.won:,} {stats.win_rate:.1%}",
        f"{100 * low:.1f}-{100 * high:.1f}",
        f"{max(0.0, stats.expected):.1f}",
        f"{stats.luck:+.1f} ±{stats.luck_sd:.1f}",
        _figure(stats.median_seconds, " s"),
        _figure(stats.best_seconds, " s"),
        _figure(stats.three_bv_per_second),
        "" if stats.efficiency is None else f"{stats.efficiency:.2f}",
    ]


def _figure(value: float | None, unit: str = "") -> str:
    return "" if value is None else f"{value:.1f}{unit}"


def _draw(played: Sequence[PastGame], client: str | None, picture: Path) -> None:
    # OpenCV is slow to load, and the table does not need it.
    from sweepbot.render.chart import rates_chart  # noqa: PLC0415
    from sweepbot.render.files import save_image  # noqa: PLC0415

    parts = over_time(played)
    ended = sum(part.games for part in parts)
    if ended < MIN_STRETCH_GAMES:
        talk.print(f"not drawn: {counted(ended, 'game')} ended so far, and it takes {MIN_STRETCH_GAMES}")
        return
    each = "" if len(parts) == 1 else f", about {ended // len(parts)} a point"
    title = f"{client or 'all clients'}: {counted(ended, 'game')}{each}"
    save_image(rates_chart(title, parts), picture)
    talk.print(f"written: {picture}")
