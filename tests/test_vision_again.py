from dataclasses import replace
from itertools import islice, pairwise
from pathlib import Path

import cv2
import numpy as np
import pytest

from sweepbot.vision.calibration import find_calibration
from sweepbot.vision.reader import Reader

FIXTURES = Path(__file__).parent.parent / "fixtures"
CLIENTS = ("demo", "gnome-mines", "kmines", "sgt-mines", "winemine", "xdemineur")
PAIRS = 2  # of one size: each picture is searched as a whole first, which takes a second


def neighbours_in_size(client: str) -> list[tuple[Path, Path]]:
    """Pairs of a client's fixtures whose pictures have one size, so that the one may be a later look at the other."""
    by_size: dict[tuple[int, ...], list[Path]] = {}
    for path in sorted((FIXTURES / client).glob("*.png")):
        picture = cv2.imread(str(path))
        assert picture is not None
        by_size.setdefault(picture.shape, []).append(path)
    return [pair for paths in by_size.values() for pair in islice(pairwise(paths), PAIRS)]


@pytest.mark.parametrize("client", CLIENTS)
def test_a_later_look_reads_what_a_first_one_would(client: str) -> None:
    """Where only the cells that changed are told anew, all of them come out as if the board had never been seen."""
    reader = Reader(find_calibration(client))
    pairs = neighbours_in_size(client)
    assert pairs
    for earlier, later in pairs:
        before, now = cv2.imread(str(earlier)), cv2.imread(str(later))
        assert before is not None
        assert now is not None
        place = reader.read_at(before.astype(np.uint8), reader.read(before.astype(np.uint8)))
        again = reader.read_at(now.astype(np.uint8), place)
        first = reader.read_at(now.astype(np.uint8), replace(place, seen=None))
        assert str(again.board) == str(first.board)
        assert np.array_equal(again.classified.scores, first.classified.scores)
