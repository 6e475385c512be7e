"""Why one cell was not read: the check that refused it is named."""

from pathlib import Path

import numpy as np
import pytest

from sweepbot.errors import UsageError
from sweepbot.geometry import Cell, Image
from sweepbot.vision.calibration import find_calibration
from sweepbot.vision.explain import explain
from sweepbot.vision.pictures.image import load_image
from sweepbot.vision.reader import Reader

PICTURE = Path(__file__).parent.parent / "fixtures" / "demo" / "beginner_middle.png"
SIDE = 16
NOISE = np.random.default_rng(0).integers(0, 256, (SIDE, SIDE, 3))
Part = slice | tuple[slice, slice]
HIDDEN, ZERO = Cell(0, 0), Cell(4, 4)


def _covered(cell: Cell, part: Part, by: int | Image) -> Image:
    """The picture with a part of a cell painted over."""
    image = load_image(PICTURE)
    left, top = 95 + SIDE * cell.column, 112 + SIDE * cell.row
    image[top : top + SIDE, left : left + SIDE][part] = by
    return image


@pytest.mark.parametrize(
    ("cell", "part", "by", "best", "refused"),
    [
        (ZERO, slice(None), NOISE, "8", "score is below 0.5"),
        (ZERO, slice(None), 192, "0", "flat as a patch of a single colour"),
        (ZERO, slice(7, 9), 0, "0", "drawn in its middle"),
        (ZERO, (slice(5, 11), slice(5, 11)), 0, "0", "leads its rival by less than 0.35"),
        (HIDDEN, slice(6, 10), 0, "hidden", "much lower than those of the other cells"),
        (HIDDEN, slice(None), 192, "0", "may be a hidden cell held down"),
    ],
    ids=[
        "noise",
        "plain patch",
        "line over a zero",
        "dot on a zero",
        "bar over a hidden cell",
        "hidden cell held down",
    ],
)
def test_the_check_that_refused_a_cell_is_named(
    cell: Cell, part: Part, by: int | Image, best: str, refused: str
) -> None:
    """A cell painted over is not read, and is told what it still looks like and which check refused it."""
    image = _covered(cell, part, by)
    match = explain(image, Reader(find_calibration("demo")).read(image), cell)
    assert match.best == best
    assert refused in (match.refused or "")


def test_the_rules_refuse_a_cell_with_a_small_lead() -> None:
    """A hidden cell that is so faint that it is taken for a zero breaks the rules, and they are named."""
    image = load_image(PICTURE)
    faint = image[112 : 112 + SIDE, 95 : 95 + SIDE]
    faint[:] = faint // 2 + 96
    match = explain(image, Reader(find_calibration("demo")).read(image), HIDDEN)
    assert match.rival == "0"
    assert "breaks the rules of the game" in (match.refused or "")


def test_nothing_refuses_a_cell_that_was_read() -> None:
    """A cell that was read leads its rival, and nothing refused it; a cell off the board is an error."""
    image = load_image(PICTURE)
    reading = Reader(find_calibration("demo")).read(image)
    match = explain(image, reading, ZERO)
    assert (match.best, match.refused) == ("0", None)
    assert match.lead >= 0.35
    with pytest.raises(UsageError, match="not on this board of 9 rows"):
        explain(image, reading, Cell(9, 0))
