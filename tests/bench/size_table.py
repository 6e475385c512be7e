"""Reads known boards of scalable clients with cells from 12 to 160 pixels, and counts what was found and read.

    python -m tests.bench.size_table --boards 2 --client kmines

Boards of GNOME Mines, KMines and sgt-mines are the recorded fixtures whose cells are nearest in size, rescaled as by a
scaled desktop or a zoomed page; those of clients that cannot run here are drawn at each size, in a font that no
template has.
"""

import argparse
import math
import sys
from collections import Counter
from collections.abc import Iterator

import cv2
import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from sweepbot.board import Board, State
from sweepbot.errors import NoBoardFoundError
from sweepbot.geometry import Image
from sweepbot.vision.calibration import find_calibration
from sweepbot.vision.pictures.image import load_image
from sweepbot.vision.reader import Reader
from tests.drawing.client_skins import SKINS, draw_board
from tests.places import FIXTURES
from tests.vision.test_grounds import page, position

SIZES = 12, 14, 16, 18, 20, 23, 27, 33, 40, 50, 60, 80, 100, 130, 160
"""Cell sizes in pixels."""

RECORDED = "gnome-mines", "kmines", "sgt-mines"

_MARGIN = 60  # pixels of the window kept around a board
_MAX_SIDE_PX = 4000  # pixels: larger pictures are left out, as no screen shows them
_FONT = "DejaVuSerif-Bold"
_MAX_KNOWN_NUMBER = {"microsoft": 5}  # the numbers whose colours are known


def _recorded(client: str, reader: Reader) -> list[tuple[Image, NDArray[np.uint8], float]]:
    """The fixtures, cropped to the board and a margin, with the true board and the cell size in pixels."""
    found = []
    for path in sorted((FIXTURES / client).glob("*.png")):
        truth = Board.parse(path.with_suffix(".txt").read_text(encoding="utf-8")).cells
        image = load_image(path)
        reading = reader.read(image)
        if reading.board.cells.shape == truth.shape and len(np.unique(truth)) >= 5:
            region = reading.grid.region.grown(_MARGIN)
            part = image[max(0, region.y) : region.bottom, max(0, region.x) : region.right]
            found.append((np.ascontiguousarray(part), truth, reading.grid.pitch[0]))
    return found


def _boards(client: str, reader: Reader, count: int) -> Iterator[tuple[int, Image, NDArray[np.uint8]]]:
    """Pictures of boards in all sizes, each with its size and its true board."""
    if client in RECORDED:
        recorded = _recorded(client, reader)
        for size in SIZES:
            for image, truth, pitch in sorted(recorded, key=lambda one: abs(math.log(size / one[2])))[:count]:
                by = size / pitch
                method = cv2.INTER_AREA if by < 1 else cv2.INTER_LINEAR
                yield size, np.asarray(cv2.resize(image, None, fx=by, fy=by, interpolation=method), np.uint8), truth
        return
    for seed in range(count):
        truth = position(9, 9, seed, largest=_MAX_KNOWN_NUMBER.get(client, 8))
        for size in SIZES:
            yield size, page(draw_board(SKINS[client], truth, size, _FONT)), truth


def _counted(client: str, count: int, console: Console) -> dict[int, Counter[str]]:
    reader = Reader(find_calibration(client))
    tallies: dict[int, Counter[str]] = {size: Counter() for size in SIZES}
    for size, image, truth in _boards(client, reader, count):
        tally = tallies[size]
        if max(image.shape) > _MAX_SIDE_PX:
            continue
        tally["boards"] += 1
        try:
            reading = reader.read(image)
        except NoBoardFoundError:
            continue
        cells = reading.board.cells
        if cells.shape != truth.shape:
            tally["wrong size, trusted" if not reading.problems else "wrong size, refused"] += 1
            console.print(
                f"{client} at {size} px: {cells.shape[1]}x{cells.shape[0]}, {reading.problems[:1]}", markup=False
            )
            continue
        unread = cells == State.UNKNOWN
        tally["found"] += 1
        tally["read"] += int((cells == truth).sum())
        tally["refused"] += int(unread.sum())
        tally["wrong"] += int((~unread & (cells != truth)).sum())
    return tallies


def main() -> int:
    """Print a table for each client; return 1 if a cell is wrong, or a wrong size was trusted."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.size_table", description=main.__doc__)
    parser.add_argument("--client", action="append", choices=[*RECORDED, *SKINS], help="all by default")
    parser.add_argument("--boards", type=int, default=2, help="boards of each client at each size")
    options = parser.parse_args()
    cv2.setNumThreads(1)
    console = Console(width=110)
    wrong = 0
    for client in options.client or (*RECORDED, *SKINS):
        columns = "boards", "found", "read", "refused", "wrong", "wrong size, refused", "wrong size, trusted"
        table = Table("px a cell", *columns, title=client)
        for size, tally in _counted(client, options.boards, console).items():
            table.add_row(str(size), *(str(tally[column]) for column in columns))
            wrong += tally["wrong"] + tally["wrong size, trusted"]
        console.print(table)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
