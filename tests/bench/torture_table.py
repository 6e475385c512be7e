"""Reads known boards damaged in every way, and counts the cells by how they were read.

    python -m tests.bench.torture_table --cells 1000000

The table shows the rates for each kind of damage. If a cell or a size is read wrong, its picture is named by kind and
seed.
"""

import argparse
import itertools
import sys

import cv2
from rich.console import Console
from rich.table import Table

from sweepbot.errors import NoBoardFoundError
from sweepbot.vision.calibration import find_calibration
from sweepbot.vision.reader import Reader
from tests.drawing import torture

MAX_REFUSED_SHARE = 0.001
"""The largest share of uncovered cells that may be refused."""

_WIDTH = 130
_COLUMNS = ("damage", "boards", "wrong size", "cells", "wrong", "refused", "refused under cover", "not found")


def _row(name: str, tally: torture.Tally) -> list[str]:
    counts = (tally.wrong, tally.refused, tally.refused_covered, tally.missed)
    boards = f"{tally.pictures:,}", f"{tally.wrong_size:,}"
    return [name, *boards, f"{tally.cells:,}", *(f"{count:,} ({count / max(1, tally.cells):.4%})" for count in counts)]


def main() -> int:
    """Read pictures of all kinds of damage in turn until enough cells were read."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.torture_table", description=main.__doc__)
    parser.add_argument("--cells", type=int, default=200_000)
    parser.add_argument("--first-seed", type=int, default=1000)
    options = parser.parse_args()
    cv2.setNumThreads(1)
    console = Console(width=_WIDTH)
    reader = Reader(find_calibration("demo"))
    tallies = {kind: torture.Tally() for kind in torture.KINDS}
    for seed in itertools.count(options.first_seed):
        for kind, tally in tallies.items():
            wrong, wrong_size = tally.wrong, tally.wrong_size
            picture = torture.picture(kind, seed)
            try:
                tally.count(picture, reader.read(picture.image))
            except NoBoardFoundError:
                tally.count(picture, None)
            if tally.wrong > wrong:
                console.print(f"wrong: {tally.wrong - wrong} cells of {kind}, seed {seed}")
            if tally.wrong_size > wrong_size:
                console.print(f"trusted in a wrong size: {kind}, seed {seed}")
        if sum(tally.cells for tally in tallies.values()) >= options.cells:
            break
    table = Table(title=f"seeds {options.first_seed} to {seed}")
    for name in _COLUMNS:
        table.add_column(name, no_wrap=True)
    for kind, tally in tallies.items():
        table.add_row(*_row(kind, tally))
    total = sum(tallies.values(), torture.Tally())
    table.add_section()
    table.add_row(*_row("all", total))
    console.print(table)
    return int(total.wrong + total.wrong_size > 0 or total.refused > MAX_REFUSED_SHARE * total.cells)


if __name__ == "__main__":
    sys.exit(main())
