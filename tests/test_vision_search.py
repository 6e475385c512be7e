"""Choosing the look of a lattice's cells by these cells alone."""

from pathlib import Path

import numpy as np

from sweepbot.vision.calibration import find_calibration
from sweepbot.vision.detect.looks import looks_of
from sweepbot.vision.detect.search import Effort, search
from sweepbot.vision.grid import Grid
from sweepbot.vision.lattices.lattice import Lattice
from sweepbot.vision.pictures.image import load_image
from sweepbot.vision.reader import Reader

FRESH = Path(__file__).parent.parent / "fixtures" / "demo" / "beginner_fresh.png"


def test_a_tiny_board_is_found_on_a_wide_page() -> None:
    """Four by four cells are not outvoted by a large page with a look of its own."""
    image, calibration = load_image(FRESH), find_calibration("demo")
    part = Reader(calibration).read(image).grid.part(range(4), range(4))
    page = np.full((500, 500, 3), 230, dtype=np.uint8)
    page[200:264, 200:264] = image[part.region.slices]
    lines = tuple(float(line) for line in range(200, 280, 16))
    (found,) = search(page, [Lattice(Grid(lines, lines), 1.0, exact=True)], looks_of(calibration), Effort())
    assert found.is_board
    assert (found.fitted.grid.xs, found.fitted.grid.ys) == (lines, lines)
