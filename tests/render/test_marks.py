"""Marks: what is drawn over the client's own cells."""

import numpy as np

from sweepbot.board import Board
from sweepbot.geometry import Cell, Region
from sweepbot.render.heatmap import BEST, colour_of
from sweepbot.render.marks import marks

BOARD = Board.parse("#F#\n#1#\n###", mines=1)
CELLS = {Cell(0, column): Region(100 + 16 * column, 50, 16, 16) for column in range(3)}


def test_each_cell_gets_the_colour_of_its_chance() -> None:
    """Marks lie within their cells, and show their chance by colour; a flag on a certain mine gets none."""
    chances = np.array([[0.0, 1.0, 0.25], [0.0, np.nan, 0.0], [0.0, 0.0, 0.0]])
    drawn = marks(BOARD, chances, Cell(0, 0), CELLS)
    assert list(drawn) == [Cell(0, 0), Cell(0, 2)]
    for cell, mark in drawn.items():
        assert mark.region.intersection(CELLS[cell]) == mark.region
    safe, perhaps = (mark.image for mark in drawn.values())
    assert (safe == colour_of(0.0)).all(axis=2).any()
    assert (safe == BEST).all(axis=2).any()
    assert (perhaps == colour_of(0.25)).all(axis=2).any()
    assert not (perhaps == BEST).all(axis=2).any()


def test_a_flag_on_a_safe_cell_is_marked() -> None:
    """A wrong flag is worth a mark."""
    drawn = marks(BOARD, np.zeros((3, 3)), None, {Cell(0, 1): CELLS[Cell(0, 1)]})
    assert (drawn[Cell(0, 1)].image == colour_of(0.0)).all(axis=2).any()
