"""Measures win rate and time of every method on every level, as a table for measurements.md.

python tools/bench/win_rates.py --games 1000 --workers 2 --journals win-rates
"""

import argparse
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from sweepbot.level import LEVELS, FirstClick
from sweepbot.simulate import SeededDeals, Summary, resume, simulate, summarise
from sweepbot.solver import METHODS


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


def main() -> None:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=1000, help="games per method, level and rule")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument(
        "--journals", type=Path, required=True, help="a folder for journals, from which an interrupted run continues"
    )
    parser.add_argument("--method", action="append", choices=METHODS, help="only this method; may be repeated")
    words = parser.parse_args()
    results = measure(words.method or list(METHODS), words.games, words.seed, words.workers, words.journals)
    for line in table(results):
        print(line)


if __name__ == "__main__":
    main()
