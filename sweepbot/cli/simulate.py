"""`sweepbot simulate`: win rates, with no screen."""

from pathlib import Path

import click
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from sweepbot.cli.output import announce, json_option, print_json, results, talk
from sweepbot.errors import UsageError
from sweepbot.game import LEVELS, FirstClick, Level
from sweepbot.simulate import Deals, ListedDeals, Record, SeededDeals, Summary, simulate, summarise
from sweepbot.solver import METHODS, warm_up

_DEFAULT_GAMES = 1000


@click.command()
@click.option("--level", "level_name", metavar="L", help=f"{', '.join(LEVELS)}, or COLUMNSxROWS/MINES.")
@click.option(
    "--rule",
    type=click.Choice([rule.value for rule in FirstClick]),
    default=FirstClick.SAFE.value,
    show_default=True,
    help="What is promised of the first cell: never a mine, or always a zero.",
)
@click.option("--games", type=click.IntRange(min=1), help=f"How many games; {_DEFAULT_GAMES} unless told.")
@click.option("--seed", type=int, default=0, show_default=True, help="Other seeds deal other mines.")
@click.option("--boards", type=click.Path(path_type=Path), help='Play the boards of a file: {"w","h","mines","first"}.')
@click.option("--method", type=click.Choice(METHODS), default=METHODS[0], show_default=True, help="How to decide.")
@click.option("--workers", type=click.IntRange(min=1), default=1, show_default=True, help="How many processes play.")
@json_option
def command(
    *,
    level_name: str | None,
    rule: str,
    games: int | None,
    seed: int,
    boards: Path | None,
    method: str,
    workers: int,
    as_json: bool,
) -> None:
    """Play many games with no screen and give the win rate with its 95% interval.

    The same seed deals the same games on every machine, to any number of workers.
    """
    deals = _deals(boards, level_name, FirstClick(rule), games, seed)
    warm_up(announce)
    summary = summarise(_play(deals, method, workers))
    if as_json:
        print_json(summary)
    else:
        _print(summary)


def _deals(boards: Path | None, level: str | None, rule: FirstClick, games: int | None, seed: int) -> Deals:
    if boards is None:
        if level is None:
            raise UsageError("which games? neither --level nor --boards is given", hint="for example --level expert")
        return SeededDeals(Level.parse(level), rule, games or _DEFAULT_GAMES, seed)
    if level is not None:
        raise UsageError("--boards brings its own sizes", hint="leave --level out")
    return ListedDeals(ListedDeals.read(boards).boards[:games])


def _play(deals: Deals, method: str, workers: int) -> list[Record]:
    records: list[Record] = []
    won = 0
    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    with Progress(*columns, console=talk, transient=True) as progress:
        task = progress.add_task("playing", total=len(deals))
        for record in simulate(deals, method, workers=workers):
            records.append(record)
            won += record.won
            progress.update(task, advance=1, description=f"{won / len(records):.1%} won")
    return records


def _print(summary: Summary) -> None:
    low, high = summary.ci95
    results.print(f"won      {summary.won:,} of {summary.games:,}: {summary.win_rate:.2%}")
    results.print(f"         95% interval {low:.2%} to {high:.2%}")
    results.print(f"no guess {summary.no_guess_rate:.2%} of the games were won without one")
    times = summary.ms_per_game
    results.print(f"time     {times.mean:.1f} ms a game; median {times.p50:.1f}, 99th percentile {times.p99:.1f}")
    if summary.lost_on_certain:
        results.print(f"BUG      {summary.lost_on_certain} games were lost on a cell that the solver called certain")
