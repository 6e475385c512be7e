"""`sweepbot replay`: recorded screenshots again."""

from pathlib import Path

import click

from sweepbot.cli.output import json_option, print_json, results
from sweepbot.replay import compare_all, find_fixtures
from sweepbot.vision.comparison import Comparison


@click.command()
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path, exists=True))
@json_option
def command(*, paths: tuple[Path, ...], as_json: bool) -> int:
    """Read recorded screenshots again and compare them with their boards, cell by cell.

    PATHS are fixtures CLIENT/NAME.png, each with its board text in CLIENT/NAME.txt, or folders of them. Exits with 1
    where a cell differs.
    """
    comparisons = list(compare_all([fixture for path in paths for fixture in find_fixtures(path)]))
    if as_json:
        print_json([_as_json(comparison) for comparison in comparisons])
    else:
        for comparison in comparisons:
            _print(comparison)
        agreeing = sum(comparison.agrees for comparison in comparisons)
        cells = sum(comparison.cells for comparison in comparisons)
        results.print(f"{agreeing} of {len(comparisons)} fixtures agree with their boards, {cells:,} cells in all")
    return 0 if all(comparison.agrees for comparison in comparisons) else 1


def _print(comparison: Comparison) -> None:
    verdict = "agrees" if comparison.agrees else comparison.error or f"{len(comparison.differences)} cells differ"
    results.print(f"{comparison.file}: {verdict}", markup=False)
    for difference in comparison.differences:
        results.print(f"  {difference}", markup=False)


def _as_json(comparison: Comparison) -> dict[str, object]:
    return {
        "file": str(comparison.file),
        "client": comparison.client,
        "agrees": comparison.agrees,
        "cells": comparison.cells,
        "differences": [
            {"row": wrong.cell.row, "col": wrong.cell.column, "expected": wrong.expected, "got": wrong.got}
            for wrong in comparison.differences
        ],
        "error": comparison.error or None,
    }
