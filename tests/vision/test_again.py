from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from PIL import Image as Picture

from sweepbot.board import Board, State
from sweepbot.vision.calibration import find_calibration
from sweepbot.vision.pictures.image import load_image
from sweepbot.vision.reader import Reader
from tests.nightly import by_turns
from tools.places import FIXTURES

CLIENTS = ("demo", "gnome-mines", "kmines", "sgt-mines", "winemine", "xdemineur")
LOOKS = 3  # per client, in pictures of one size


def alike_in_size() -> Iterator[list[Path]]:
    """Up to four fixtures of a client with pictures of one size, so that one can serve as a later frame of another."""
    for client in CLIENTS:
        by_size: dict[tuple[int, int], list[Path]] = {}
        for path in sorted((FIXTURES / client).glob("*.png")):
            with Picture.open(path) as picture:  # its size is known before it is unpacked
                by_size.setdefault(picture.size, []).append(path)
        yield from (paths[:LOOKS] for paths in by_size.values() if len(paths) > 1)


@pytest.mark.parametrize(
    "paths", by_turns(alike_in_size(), one_in=5), ids=lambda paths: f"{paths[0].parent.name}/{paths[0].stem}"
)
def test_a_later_reading_is_right(paths: list[Path]) -> None:
    """Reading only the cells that changed gives no wrong cell."""
    reader, place = Reader(find_calibration(paths[0].parent.name)), None
    for earlier, later in pairwise(paths):
        before, now = load_image(earlier), load_image(later)
        place = place or reader.read_at(before, reader.read(before))
        again = reader.read_at(now, place)
        truth = Board.parse(later.with_suffix(".txt").read_text(encoding="utf-8"))
        read = again.board.cells
        if read.shape == truth.cells.shape:
            assert (read == truth.cells)[read != State.UNKNOWN].all()
        place = again if str(again.board) == str(truth) else None
