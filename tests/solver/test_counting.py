"""Exact counting against a brute force that shares no code with it."""

import math

import numpy as np
import pytest
from hypothesis import given, settings

from sweepbot.board import MAY_BE_CLOSED, Board, State
from sweepbot.errors import ImpossibleBoardError
from sweepbot.geometry import Cell
from sweepbot.solver import Solver
from tests.brute_force import layouts_of
from tests.solver.boards import positions


@given(positions())
@settings(max_examples=400)
def test_chances_and_layouts_equal_a_brute_force_count(board: Board) -> None:
    """Chances, the number of layouts and certain cells are those found by trying all placements."""
    unopened, layouts = board.where(*MAY_BE_CLOSED), layouts_of(board)
    if not layouts:
        with pytest.raises(ImpossibleBoardError):
            Solver().decide(board)
        with pytest.raises(ImpossibleBoardError):
            Solver().probabilities(board)
        return
    decision = Solver().decide(board)
    assert decision.exact
    assert decision.layouts == len(layouts)
    expected = np.full(board.cells.shape, np.nan)
    expected[np.isin(board.cells, (State.MINE, State.EXPLODED))] = 1.0
    expected[board.cells == State.WRONG_FLAG] = 0.0
    for cell in unopened:
        expected[cell] = sum(cell in layout for layout in layouts) / len(layouts)
    np.testing.assert_allclose(decision.mine_probability, expected, rtol=0, atol=1e-14)
    np.testing.assert_allclose(Solver().probabilities(board), expected, rtol=0, atol=1e-14)
    certain = {cell: board[cell] != State.UNKNOWN for cell in unopened}
    assert decision.safe == tuple(cell for cell in unopened if expected[cell] == 0.0 and certain[cell])
    assert decision.mines == tuple(cell for cell in unopened if expected[cell] == 1.0)
    np.testing.assert_array_equal(np.isin(decision.mine_probability, (0.0, 1.0)), np.isin(expected, (0.0, 1.0)))


@pytest.mark.parametrize("mines", [1, 2500, 5000, 9999])
def test_a_board_without_numbers_is_the_same_everywhere(mines: int) -> None:
    """On a hidden 100x100 board every chance is the density, and the layouts are a binomial."""
    decision = Solver().decide(Board.hidden(100, 100, mines))
    assert decision.layouts == math.comb(10000, mines)
    np.testing.assert_allclose(decision.mine_probability, mines / 10000, rtol=1e-14)


def test_thousands_of_linked_cells_neither_overflow_nor_vanish() -> None:
    """The layouts of a 100x100 lattice of numbers are the product of its independent parts'."""
    cells = Board.hidden(99, 99).cells.copy()
    cells[1::3, 1::3] = 4
    decision = Solver().decide(Board(cells, 4 * 33 * 33))
    assert decision.layouts == 70 ** (33 * 33)
    np.testing.assert_allclose(decision.mine_probability[cells == State.HIDDEN], 0.5, rtol=1e-14)


@pytest.mark.parametrize(
    ("text", "mines", "words"),
    [
        ("4#\n##", 3, "row 0, column 0"),
        ("##\n1#", 4, "mines"),
        ("1#0", 1, "row 0, column"),
        ("*1#1", 2, "row 0, column"),
        ("1##1\n####", 0, "mines"),
    ],
)
def test_a_contradiction_says_where_it_is(text: str, mines: int, words: str) -> None:
    """A position without a layout is an error that names a cell, or the mines where no cell is at fault."""
    with pytest.raises(ImpossibleBoardError, match=words):
        Solver().decide(Board.parse(text, mines))


def test_without_a_total_only_what_numbers_prove_is_certain() -> None:
    """Without a total, chances are 0 or 1 only where the numbers alone decide."""
    chances = Solver().probabilities(Board.parse("1#\n11\n11\n##"))
    assert chances[0, 1] == 1.0
    assert 0.0 < chances[3, 0] < 1.0
    decision = Solver().decide(Board.parse("#1##\n11##"))
    assert decision.mines == (Cell(0, 0),)
    assert decision.layouts is None
    assert not decision.exact
