"""Reads known boards that are damaged in every way, or have cells of every size, and counts how their cells are read.

    python -m tools.bench.reading_table damage --cells 1000000
    python -m tools.bench.reading_table sizes --boards 2 --client kmines

Boards of GNOME Mines, KMines and sgt-mines are the recorded fixtures whose cells are nearest in size, rescaled as by a
scaled desktop or a zoomed page; those of clients that cannot run here are drawn at each size, in a font that no
template has. Where a cell is misread, or a wrong size is trusted, the picture is named.
"""

import argparse
import itertools
import math
import sys
from collections import defaultdict
from collections.abc import Iterator

import cv2
import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from sweepbot.board import Board
from sweepbot.errors import NoBoardFoundError
from sweepbot.geometry import Image
from sweepbot.vision.calibration import find_calibration
from sweepbot.vision.pictures.image import load_image
from sweepbot.vision.reader import Reader
from tools.drawing import torture
from tools.drawing.client_skins import SKINS, draw_board
from tools.drawing.positions import page, position
from tools.places import FIXTURES

MAX_REFUSED_SHARE = 0.001
"""The largest share of uncovered cells of damaged boards that may be refused."""

SIZES = 12, 14, 16, 18, 20, 23, 27, 33, 40, 50, 60, 80, 100, 130, 160
"""Cell sizes in pixels."""

RECORDED = "gnome-mines", "kmines", "sgt-mines"

_MARGIN_PX = 60  # of the window kept around a board
_MAX_SIDE_PX = 4000  # larger pictures are left out, as no screen shows them
_FONT = "DejaVuSerif-Bold"
_MAX_KNOWN_NUMBER = {"microsoft": 5}  # the numbers whose colours are known
_WIDTH = 130
_COLUMNS = ("of", "boards", "wrong size", "cells", "wrong", "refused", "refused under cover", "not found")

Case = tuple[str, int, str, torture.Picture]
"""The client, a number that names the picture, the row that counts it, and the picture."""


def damaged(cells: int, first_seed: int) -> Iterator[Case]:
    """The demo's boards with all kinds of damage in turn, until there are so many cells."""
    for seed in itertools.count(first_seed):
        for kind in torture.KINDS:
            picture = torture.picture(kind, seed)
            cells -= picture.board.cells.size
            yield "demo", seed, kind, picture
        if cells <= 0:
            return


def of_all_sizes(client: str, count: int) -> Iterator[Case]:
    """So many boards of a client with cells of each size."""
    pictures = _rescaled(client, count) if client in RECORDED else _drawn(client, count)
    for size, image, truth in pictures:
        if max(image.shape) <= _MAX_SIDE_PX:
            uncovered = np.zeros(truth.shape, np.bool_)
            yield client, size, f"{client}, {size} px", torture.Picture(image, Board(truth), (0, 0), size, uncovered)


def _rescaled(client: str, count: int) -> Iterator[tuple[int, Image, NDArray[np.uint8]]]:
    """Fixtures, cropped to the board and a margin, brought to each size, with their true boards."""
    reader, recorded = Reader(find_calibration(client)), []
    for path in sorted((FIXTURES / client).glob("*.png")):
        truth = Board.parse(path.with_suffix(".txt").read_text(encoding="utf-8")).cells
        image = load_image(path)
        reading = reader.read(image)
        if reading.board.cells.shape == truth.shape and len(np.unique(truth)) >= 5:
            region = reading.grid.region.grown(_MARGIN_PX)
            part = image[max(0, region.y) : region.bottom, max(0, region.x) : region.right]
            recorded.append((np.ascontiguousarray(part), truth, reading.grid.pitch[0]))
    for size in SIZES:
        for image, truth, pitch in sorted(recorded, key=lambda one: abs(math.log(size / one[2])))[:count]:
            by = size / pitch
            method = cv2.INTER_AREA if by < 1 else cv2.INTER_LINEAR
            yield size, np.asarray(cv2.resize(image, None, fx=by, fy=by, interpolation=method), np.uint8), truth


def _drawn(client: str, count: int) -> Iterator[tuple[int, Image, NDArray[np.uint8]]]:
    for seed, size in itertools.product(range(count), SIZES):
        truth = position(9, 9, seed, largest=_MAX_KNOWN_NUMBER.get(client, 8))
        yield size, page(draw_board(SKINS[client], truth, size, _FONT)), truth


def _row(name: str, tally: torture.Tally) -> list[str]:
    counts = (tally.wrong, tally.refused, tally.refused_covered, tally.missed)
    boards = f"{tally.pictures:,}", f"{tally.wrong_size:,}"
    return [name, *boards, f"{tally.cells:,}", *(f"{count:,} ({count / max(1, tally.cells):.4%})" for count in counts)]


def main() -> int:
    """Print the table; return 1 if a cell is misread, a wrong size trusted, or too much of damaged boards refused."""
    parser = argparse.ArgumentParser(prog="python -m tools.bench.reading_table", description=main.__doc__)
    parser.add_argument("what", choices=("damage", "sizes"))
    parser.add_argument("--cells", type=int, default=200_000, help="of damaged boards")
    parser.add_argument("--first-seed", type=int, default=1000, help="of damaged boards")
    parser.add_argument("--client", action="append", choices=[*RECORDED, *SKINS], help="all by default")
    parser.add_argument("--boards", type=int, default=2, help="boards of each client at each size")
    asked = parser.parse_args()
    cv2.setNumThreads(1)
    console, readers, tallies = (
        Console(width=_WIDTH),
        dict[str, Reader](),
        defaultdict[str, torture.Tally](torture.Tally),
    )
    if asked.what == "damage":
        cases = damaged(asked.cells, asked.first_seed)
    else:
        clients = asked.client or (*RECORDED, *SKINS)
        cases = itertools.chain.from_iterable(of_all_sizes(client, asked.boards) for client in clients)
    for client, number, row, picture in cases:
        reader = readers.setdefault(client, Reader(find_calibration(client)))
        tally = tallies[row]
        wrong = tally.wrong, tally.wrong_size
        try:
            tally.count(picture, reader.read(picture.image))
        except NoBoardFoundError:
            tally.count(picture, None)
        if (tally.wrong, tally.wrong_size) > wrong:
            console.print(
                f"wrong: {tally.wrong - wrong[0]} cells, {tally.wrong_size - wrong[1]} sizes: {row}, {number}"
            )
    table = Table(*_COLUMNS)
    for row, tally in tallies.items():
        table.add_row(*_row(row, tally))
    total = sum(tallies.values(), torture.Tally())
    table.add_section()
    table.add_row(*_row("all", total))
    console.print(table)
    is_much = asked.what == "damage" and total.refused > MAX_REFUSED_SHARE * total.cells
    return int(total.wrong + total.wrong_size > 0 or is_much)


if __name__ == "__main__":
    sys.exit(main())
