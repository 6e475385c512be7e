"""`sweepbot simulate`: measures win rates, without a screen."""

from collections.abc import Iterator
from dataclasses import asdict
from functools import partial
from pathlib import Path

import click
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from sweepbot.cli.output import PATH, json_option, print_json, results, talk
from sweepbot.errors import SweepbotError, UsageError, refused_as
from sweepbot.level import LEVEL_FORMS, FirstClick, Level
from sweepbot.plan import Style
from sweepbot.simulate import Deals, ListedDeals, Record, SeededDeals, Summary, compare, resume, simulate, summarise
from sweepbot.solver import METHODS

_DEFAULT_GAMES = 1000  # without `--games`: the interval is then 3 percentage points to each side
_NO_GUESS = "no-guess"
_BOARDS_HELP = 'Play the boards in a file of lines {"w","h","mines","first"}, an MBF file, or a folder of these.'


@click.command()
@click.option("--level", "level_name", metavar="L", help=f"{LEVEL_FORMS}.")
@click.option(
    "--rule",
    type=click.Choice([*(rule.value for rule in FirstClick), _NO_GUESS]),
    default=FirstClick.SAFE.value,
    help="The first cell is never a mine, is always a zero, or may be a mine; or it is a zero, and no guess is needed "
    "from there.",
)
@click.option("--games", type=click.IntRange(min=1), help=f"How many games; {_DEFAULT_GAMES} by default.")
@click.option("--seed", type=int, default=0, help="Other seeds deal other mines.")
@click.option("--boards", type=PATH, help=_BOARDS_HELP)
@click.option(
    "--method",
    "methods",
    type=click.Choice(METHODS),
    multiple=True,
    default=METHODS[:1],
    help="How to decide. If given several times, the methods play the same boards and are compared with the first.",
)
@click.option(
    "--style",
    type=click.Choice([style.value for style in Style]),
    help="Also count the clicks that `play` makes in this style; games take longer.",
)
@click.option("--workers", type=click.IntRange(min=1), default=1, help="How many processes to use.")
@click.option("--cluster", metavar="ADDRESS", help="Play on the Dask cluster with this scheduler instead.")
@click.option(
    "--expected",
    is_flag=True,
    help="Play each game once more and score it by its expected outcome: the same mean, a narrower interval.",
)
@click.option(
    "--journal",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Keep every game in a file per method in DIR, and resume an interrupted run.",
)
@json_option
def command(
    *,
    level_name: str | None,
    rule: str,
    games: int | None,
    seed: int,
    boards: Path | None,
    methods: tuple[str, ...],
    style: str | None,
    workers: int,
    cluster: str | None,
    expected: bool,
    journal: Path | None,
    as_json: bool,
) -> None:
    """Play many games without a screen and report the win rate with its 95% interval.

    The same seed deals the same games on every machine, with any number of workers.
    """
    deals = _deals(boards, level_name, rule, games, seed)
    if journal is not None:
        with refused_as(SweepbotError, f"{journal}: cannot be created", "choose another folder"):
            journal.mkdir(parents=True, exist_ok=True)
    summaries: dict[str, Summary] = {}
    in_style = None if style is None else Style(style)
    for method in dict.fromkeys(methods):
        play = partial(simulate, method=method, workers=workers, cluster=cluster, expected=expected, style=in_style)
        name = "-".join(filter(None, (method, style, "expected" if expected else None)))
        games_of_method = play(deals) if journal is None else resume(journal / f"{name}.jsonl", deals, name, play)
        summaries[method] = summarise(_with_progress(games_of_method, len(deals), method))
    if as_json:
        (first, summary), *others = summaries.items()
        print_json(
            {
                "method": first,
                **asdict(summary),
                "compared": [
                    {"method": method, **asdict(other), "against_first": compare(other, summary)}
                    for method, other in others
                ],
            }
        )
    else:
        _print(summaries)


def _deals(boards: Path | None, level: str | None, rule: str, games: int | None, seed: int) -> Deals:
    if boards is None:
        if level is None:
            raise UsageError("neither --level nor --boards is given", hint="for example --level expert")
        no_guess = rule == _NO_GUESS
        promise = FirstClick.OPEN if no_guess else FirstClick(rule)
        return SeededDeals(Level.parse(level), promise, games or _DEFAULT_GAMES, seed, no_guess=no_guess)
    if level is not None:
        raise UsageError("--boards has sizes of its own", hint="leave out --level")
    return ListedDeals(ListedDeals.read(boards).boards[:games])


def _with_progress(records: Iterator[Record], games: int, method: str) -> Iterator[Record]:
    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    with Progress(*columns, console=talk, transient=True) as progress:
        task = progress.add_task(method, total=games)
        won = 0
        for played, record in enumerate(records, 1):
            won += record.won
            progress.update(task, advance=1, description=f"{method}: {won / played:.1%} won")
            yield record


def _print(summaries: dict[str, Summary]) -> None:
    first = next(iter(summaries))
    for method, summary in summaries.items():
        expected, clicks, times = summary.expected, summary.clicks_per_3bv, summary.ms_per_game
        results.print(f"{method}: {summary.won:,} of {summary.games:,} won, {summary.win_rate:.2%}")
        results.print(f"  95% interval  {_interval(summary.ci95)}")
        if expected is not None:
            results.print(f"  expected      {expected.win_rate:.2%} (95% interval {_interval(expected.ci95)})")
        if clicks is not None:
            interval = _interval(clicks.ci95, ".3f")
            results.print(f"  clicks/3BV    {clicks.mean:.3f} in the games won (95% interval {interval})")
        results.print(f"  no guess      {summary.no_guess_rate:.2%} of the games were won without one")
        results.print(f"  time          {times.mean:.1f} ms per game; median {times.p50:.1f}, p99 {times.p99:.1f}")
        if summary.lost_on_certain:
            results.print(f"  BUG           {summary.lost_on_certain} games were lost on a cell said to be safe")
        if method != first:
            pairs = compare(summary, summaries[first])
            interval = _interval(pairs.ci95, "+.2%")
            results.print(f"  against {first}: {pairs.difference:+.2%} (95% interval {interval})")
            if pairs.expected_difference is not None and pairs.expected_ci95 is not None:
                interval = _interval(pairs.expected_ci95, "+.2%")
                results.print(f"    expected {pairs.expected_difference:+.2%} (95% interval {interval})")


def _interval(ends: tuple[float, float], form: str = ".2%") -> str:
    return f"{ends[0]:{form}} to {ends[1]:{form}}"
