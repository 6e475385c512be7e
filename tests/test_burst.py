"""Following a burst of clicks: which cells show it, and which have come to rest."""

import numpy as np
import pytest

from sweepbot.desktop.screen import Frame
from sweepbot.geometry import Cell, Region
from sweepbot.player.burst import Burst
from sweepbot.vision.grid import Grid

REGION = Region(100, 50, 42, 32)
GRID = Grid(tuple(range(101, 142, 10)), tuple(range(51, 82, 10)))
"""Four columns and three rows of 10 px, one pixel within the picture."""


def pictured(*cells: Cell) -> Frame:
    """The board with one pixel of some cells other than before."""
    image = np.full((REGION.height, REGION.width, 3), 90, dtype=np.uint8)
    for row, column in cells:
        image[1 + 10 * row + 9, 1 + 10 * column + 9] = 91
    return Frame(image, REGION)


@pytest.fixture
def burst() -> Burst:
    """Clicks on two cells."""
    return Burst(GRID, pictured(), [Cell(0, 0), Cell(2, 3)])


def test_a_burst_is_shown_once_each_of_its_cells_looks_other(burst: Burst) -> None:
    """One pixel in the last corner of a cell suffices, and no other cell's does."""
    burst.see(pictured(Cell(0, 0), Cell(1, 1)), 1.0)
    assert not burst.is_shown
    burst.see(pictured(Cell(0, 0), Cell(1, 1), Cell(2, 3)), 2.0)
    assert burst.is_shown


def test_each_cell_rests_since_its_own_last_change(burst: Burst) -> None:
    """What changes elsewhere disturbs no cell's rest, and what has never changed has always rested."""
    burst.see(pictured(Cell(0, 0)), 1.0)
    burst.see(pictured(Cell(0, 0), Cell(2, 3)), 2.0)
    unrested = np.argwhere(~burst.rested(since_s=1.5)).tolist()
    assert unrested == [[2, 3]]
    assert burst.is_moving(since_s=1.5)
    assert not burst.is_moving(since_s=2.0)


def test_what_has_come_to_rest_is_news_once(burst: Burst) -> None:
    """Only cells that look other than before are news: when they rest, and never again."""
    burst.see(pictured(Cell(0, 0)), 1.0)
    assert not burst.has_news(since_s=0.5)
    assert burst.has_news(since_s=1.0)
    assert not burst.has_news(since_s=1.0)
    burst.see(pictured(Cell(0, 0), Cell(1, 2)), 2.0)
    assert burst.has_news(since_s=2.0)
