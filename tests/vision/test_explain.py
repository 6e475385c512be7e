"""Why one cell was read as it was, or not read."""

import numpy as np
import pytest

from sweepbot.errors import UsageError
from sweepbot.geometry import Cell
from sweepbot.vision.calibration import find_calibration
from sweepbot.vision.explain import explain
from sweepbot.vision.pictures.image import load_image
from sweepbot.vision.reader import UNKNOWN_CLIENT, Reader
from tests.places import FIXTURES

PICTURE = FIXTURES / "demo" / "beginner_middle.png"
SIDE = 16
HIDDEN, ZERO = Cell(0, 0), Cell(4, 4)


def test_a_cell_that_nothing_known_equals_is_refused_with_a_reason() -> None:
    """Noise over a cell is not read; both ways to know a cell say what it looks like to them, and why it is refused."""
    image = load_image(PICTURE)
    left, top = 95 + SIDE * ZERO.column, 112 + SIDE * ZERO.row
    image[top : top + SIDE, left : left + SIDE] = np.random.default_rng(0).integers(0, 256, (SIDE, SIDE, 3))
    told = explain(Reader(find_calibration("demo")).read(image), ZERO)
    assert told.templates is not None
    assert not told.templates.near
    assert told.refused


def test_a_cell_that_was_read_is_explained_by_its_template() -> None:
    """The nearest template is that of the state that was read, clearly nearer than any other; nothing refused it."""
    told = explain(Reader(find_calibration("demo")).read(load_image(PICTURE)), ZERO)
    assert told.templates is not None
    assert (told.templates.best, told.templates.near, told.refused) == ("0", True, None)
    assert told.templates.apart < told.templates.rival_apart


def test_without_a_known_look_first_sight_explains_a_cell() -> None:
    """A board read at first sight has no templates; the network's likeliest state is the one that was told."""
    told = explain(Reader(UNKNOWN_CLIENT).read(load_image(PICTURE)), HIDDEN)
    assert told.templates is None
    assert told.first_sight is not None
    assert told.first_sight.likeliest[0][0] == told.first_sight.told == "#"


def test_a_cell_off_the_board_is_an_error() -> None:
    """Only cells of the board can be asked about."""
    with pytest.raises(UsageError, match="not on this board of 9 rows"):
        explain(Reader(find_calibration("demo")).read(load_image(PICTURE)), Cell(9, 0))
