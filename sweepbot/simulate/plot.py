"""A picture of win rates."""

from collections.abc import Mapping
from pathlib import Path

from sweepbot.errors import SweepbotError
from sweepbot.extras import load
from sweepbot.simulate.summary import Summary


def plot_win_rates(results: Mapping[str, Mapping[str, Summary]], picture: Path) -> None:
    """Draw the win rate of each method on each level, with its 95% interval.

    Args:
        results: For each level (any words, such as `expert, safe`) the summary of each method.
        picture: The file to write; its ending says the format, such as .png or .svg.

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


_COLOURS = ("#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9", "#000000")
"""Told apart by people who are colour-blind too (Okabe and Ito 2008)."""
_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
