"""Measures win rate and time of every method on every level, as a table for measurements.md and as a plot.

python tests/bench/win_rates.py --games 1000 --workers 2 --journals win-rates --plot win-rates.png
"""

import argparse
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path

from sweepbot.errors import SweepbotError
from sweepbot.extras import load
from sweepbot.level import LEVELS, FirstClick
from sweepbot.simulate import SeededDeals, Summary, resume, simulate, summarise
from sweepbot.solver import METHODS

_COLOURS = ("#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9", "#000000")
"""Colours that colour-blind people can tell apart, too (Okabe and Ito 2008)."""
_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")


def measure(methods: list[str], games: int, seed: int, workers: int, journals: Path) -> dict[str, dict[str, Summary]]:
    """The summary of each method, for each level and rule; games in the journals are not played again."""
    journals.mkdir(parents=True, exist_ok=True)
    results: dict[str, dict[str, Summary]] = {}
    for name, level in LEVELS.items():
        for rule in FirstClick:
            deals = SeededDeals(level, rule, games, seed)
            for method in methods:
                journal = journals / f"{name}-{rule.value}-{method}.jsonl"
                play = partial(simulate, method=method, workers=workers)
                summary = summarise(resume(journal, deals, method, play))
                results.setdefault(f"{name}\n{rule.value}", {})[method] = summary
    return results


def table(results: dict[str, dict[str, Summary]]) -> Iterator[str]:
    """A Markdown table, one method per row: win rates in percent, and the milliseconds per game of the last column."""
    levels = [level.replace("\n", ", ") for level in results]
    yield f"| method | {' | '.join(levels)} | ms a game ({levels[-1]}) |"
    yield f"|---|{'---|' * len(levels)}---|"
    for method in next(iter(results.values())):
        summaries = [of_level[method] for of_level in results.values()]
        rates = [f"{100 * each.win_rate:.1f} ±{50 * (each.ci95[1] - each.ci95[0]):.1f}" for each in summaries]
        yield f"| `{method}` | {' | '.join(rates)} | {summaries[-1].ms_per_game.mean:.1f} |"


def plot_win_rates(results: Mapping[str, Mapping[str, Summary]], picture: Path) -> None:
    """Draw the win rate of each method on each level, with its 95% interval.

    Args:
        results: For each level (any text, such as `expert, safe`) the summary of each method.
        picture: The file to write; its suffix, such as .png or .svg, gives the format.

    Raises:
        SweepbotError: matplotlib is not installed, or the file cannot be written.
    """
    methods = list(dict.fromkeys(method for of_level in results.values() for method in of_level))
    figure = load("matplotlib.figure", "bench").Figure(figsize=(2 + 1.6 * len(results), 4.5), layout="constrained")
    axes = figure.add_subplot()
    for place, method in enumerate(methods):
        levels = [level for level, of_level in results.items() if method in of_level]
        summaries = [results[level][method] for level in levels]
        shift = (place - (len(methods) - 1) / 2) * 0.7 / len(methods)
        rates = [100 * summary.win_rate for summary in summaries]
        axes.errorbar(
            [list(results).index(level) + shift for level in levels],
            rates,
            yerr=[
                [rate - 100 * summary.ci95[0] for rate, summary in zip(rates, summaries, strict=True)],
                [100 * summary.ci95[1] - rate for rate, summary in zip(rates, summaries, strict=True)],
            ],
            fmt=_MARKERS[place % len(_MARKERS)],
            color=_COLOURS[place % len(_COLOURS)],
            capsize=3,
            label=method,
        )
    axes.set_xticks(range(len(results)), list(results))
    axes.set_xlim(-0.5, len(results) - 0.5)
    axes.set_ylim(0, 100)
    axes.set_ylabel("games won, % (bars: 95% interval)")
    axes.grid(axis="y", alpha=0.3)
    figure.legend(loc="outside upper center", ncols=4, frameon=False)
    try:
        figure.savefig(picture, dpi=150)
    except (OSError, ValueError) as error:
        raise SweepbotError(f"{picture}: cannot be written: {error}") from error


def main() -> None:
    """Measure, print the table, draw the plot."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=1000, help="games per method, level and rule")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument(
        "--journals", type=Path, required=True, help="a folder for journals, from which an interrupted run continues"
    )
    parser.add_argument("--plot", type=Path, help="the file for the plot")
    parser.add_argument("--method", action="append", choices=METHODS, help="only this method; may be repeated")
    words = parser.parse_args()
    results = measure(words.method or list(METHODS), words.games, words.seed, words.workers, words.journals)
    for line in table(results):
        print(line)  # noqa: T201  (the result)
    if words.plot is not None:
        plot_win_rates(results, words.plot)


if __name__ == "__main__":
    main()
