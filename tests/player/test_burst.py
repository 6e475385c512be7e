"""Following a burst of clicks: which cells have reacted and which have settled."""

from dataclasses import replace

import numpy as np
import pytest

from sweepbot.board import Board
from sweepbot.demo.drawing import Smiley, draw
from sweepbot.desktop.screen import Frame
from sweepbot.geometry import Cell, Region
from sweepbot.player.burst import Burst, RestingCells
from sweepbot.vision.calibration import find_calibration
from sweepbot.vision.grid import Grid
from sweepbot.vision.reader import Reader
from sweepbot.vision.reading import Reading

REGION = Region(100, 50, 42, 32)
GRID = Grid(tuple(range(101, 142, 10)), tuple(range(51, 82, 10)))
"""Four columns and three rows of 10 px, one pixel within the picture."""


def pictured(*cells: Cell) -> Frame:
    """The board with one pixel of some cells changed."""
    image = np.full((REGION.height, REGION.width, 3), 90, dtype=np.uint8)
    for row, column in cells:
        image[1 + 10 * row + 9, 1 + 10 * column + 9] = 91
    return Frame(image, REGION)


@pytest.fixture
def burst() -> Burst:
    """Clicks on two cells."""
    return Burst(GRID, pictured(), [Cell(0, 0), Cell(2, 3)])


def test_a_burst_shows_once_each_of_its_cells_has_changed(burst: Burst) -> None:
    """One pixel in a cell's corner suffices; changes in other cells do not count."""
    burst.see(pictured(Cell(0, 0), Cell(1, 1)), 1.0)
    assert not burst.is_shown
    burst.see(pictured(Cell(0, 0), Cell(1, 1), Cell(2, 3)), 2.0)
    assert burst.is_shown


def test_each_cell_rests_since_its_own_last_change(burst: Burst) -> None:
    """A cell's rest is not disturbed by others, and a cell that never changed has always rested."""
    burst.see(pictured(Cell(0, 0)), 1.0)
    burst.see(pictured(Cell(0, 0), Cell(2, 3)), 2.0)
    unrested = np.argwhere(~burst.rested(since_s=1.5)).tolist()
    assert unrested == [[2, 3]]
    assert not burst.is_done(burst.rested(since_s=1.5))
    assert burst.is_done(burst.rested(since_s=2.0))


def test_each_settled_change_is_reported_once(burst: Burst) -> None:
    """Only changed cells are reported: once they rest, and never again."""
    burst.see(pictured(Cell(0, 0)), 1.0)
    assert not burst.has_news(burst.rested(since_s=0.5))
    assert burst.has_news(burst.rested(since_s=1.0))
    assert not burst.has_news(burst.rested(since_s=1.0))
    burst.see(pictured(Cell(0, 0), Cell(1, 2)), 2.0)
    assert burst.has_news(burst.rested(since_s=2.0))


def reading_of(rows: str) -> Reading:
    """A reading of a board of four columns and three rows."""
    reader = Reader(find_calibration("demo"))
    board = Board.parse("\n".join(rows.split()))
    return replace(reader.read(draw(Board.hidden(9, 9), 10, 0, Smiley.SMILE)), board=board, grid=GRID)


def painted(**colours: int) -> Frame:
    """The board with some cells, named as r0c0, in one grey level each."""
    image = pictured().image.copy()
    for name, colour in colours.items():
        row, column = int(name[1]), int(name[3])
        image[1 + 10 * row : 11 + 10 * row, 1 + 10 * column : 11 + 10 * column] = colour
    return Frame(image, REGION)


def test_a_known_look_settles_at_once() -> None:
    """A number that was seen at rest settles at once where it comes up again; others do not."""
    resting = RestingCells()
    resting.learn(painted(r0c0=10), reading_of("1### #### ####"))
    again = painted(r1c1=10, r2c3=20)
    settled = resting.settled(again, reading_of("#### #1## ###2"), [Cell(1, 1), Cell(2, 3)])
    assert np.argwhere(settled).tolist() == [[1, 1]]
    as_another = resting.settled(again, reading_of("#### #2## ####"), [Cell(1, 1)])
    assert not as_another.any()


def test_an_empty_cell_beside_a_hidden_one_is_not_settled() -> None:
    """An empty-looking cell may be half drawn or held down, unless all its neighbours are open."""
    resting = RestingCells()
    resting.learn(painted(r0c0=10, r0c1=30, r1c0=30, r1c1=30), reading_of("01## 11## ####"))
    again = painted(r2c3=10, r1c2=30, r1c3=30, r2c2=30)
    cells = [Cell(2, 3)]
    assert resting.settled(again, reading_of("#### ##11 ##10"), cells).any()
    assert not resting.settled(again, reading_of("#### ##11 ###0"), cells).any()
    assert not resting.settled(again, reading_of("#### ##1F ##10"), cells).any()
    assert not resting.settled(again, reading_of("#### ##1. ##10"), cells).any()


def test_hidden_cells_held_down_side_by_side_are_not_settled() -> None:
    """Cells that are pressed together look empty beside each other: none of them is settled while one cannot be."""
    resting = RestingCells()
    resting.learn(painted(r0c0=10, r0c1=30, r1c0=30, r1c1=30), reading_of("01## 11## ####"))
    held = painted(r1c3=10, r2c3=10, r0c2=30, r0c3=30, r1c2=30, r2c2=30)
    assert not resting.settled(held, reading_of("##11 #100 #.00"), [Cell(1, 3), Cell(2, 3)]).any()
    assert not resting.settled(held, reading_of("##11 ##10 ##00"), [Cell(1, 3), Cell(2, 3)]).any()
    assert resting.settled(held, reading_of("##11 ##10 ##10"), [Cell(1, 3), Cell(2, 3)]).sum() == 2
