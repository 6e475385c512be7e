"""`sweepbot replay`: recorded runs and screenshots again."""

from pathlib import Path

import click

from sweepbot.cli.output import json_option, print_json, results
from sweepbot.errors import UsageError
from sweepbot.replay.by_step import replay_by_step
from sweepbot.replay.fixtures import compare_all, find_fixtures
from sweepbot.replay.result import Replayed
from sweepbot.replay.strict import replay_strictly
from sweepbot.trace.trace import Trace, is_trace, open_trace
from sweepbot.vision.comparison import Comparison


@click.command()
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path, exists=True))
@click.option("--by-step", is_flag=True, help="Read and decide each picture again, whatever was clicked then.")
@json_option
def command(*, paths: tuple[Path, ...], by_step: bool, as_json: bool) -> int:
    """Run recorded games again, with no screen, and list what differs.

    PATHS are traces, as `play --trace DIR` writes them: the whole run is repeated on what was seen then, up to the
    first look or click that differs. A trace of a run's last minute is always replayed --by-step. Or PATHS are fixtures
    CLIENT/NAME.png, each with its board text in CLIENT/NAME.txt, or folders of them. Exits with 1 where anything
    differs.
    """
    traces = [path for path in paths if path.is_dir() and is_trace(path)]
    if not traces:
        if by_step:
            raise UsageError("--by-step is for traces", hint="name the folder of a trace, with run.json in it")
        return _fixtures(paths, as_json=as_json)
    if len(traces) < len(paths):
        other = next(path for path in paths if path not in traces)
        raise UsageError(f"{other} is no trace, the others are", hint="replay traces and fixtures one after the other")
    replayed = [_replay(open_trace(path), by_step=by_step) for path in traces]
    if as_json:
        print_json(replayed[0] if len(replayed) == 1 else replayed)
    else:
        for path, of in zip(traces, replayed, strict=True):
            _report(path, of)
    return 1 if any(of.differences for of in replayed) else 0


def _replay(trace: Trace, *, by_step: bool) -> Replayed:
    return replay_by_step(trace) if by_step or not trace.run.complete else replay_strictly(trace)


def _report(path: Path, replayed: Replayed) -> None:
    for difference in replayed.differences:
        results.print(f"step {difference.step}, {difference.kind}", markup=False)
        results.print(f"  was: {difference.was or 'nothing'}", markup=False)
        results.print(f"  now: {difference.now or 'nothing'}", markup=False)
    steps, count = replayed.steps, len(replayed.differences)
    found = "no difference" if not count else "1 difference" if count == 1 else f"{count} differences"
    results.print(f"{path}: {steps} {'step' if steps == 1 else 'steps'}, {found}", markup=False)


def _fixtures(paths: tuple[Path, ...], *, as_json: bool) -> int:
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
