"""Exact counting against a brute force that shares no code with it."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sweepbot.board import Board, State
from sweepbot.errors import ImpossibleBoardError
from sweepbot.geometry import Cell
from sweepbot.solver import Solver
from tests.brute_force import UNOPENED, layouts_of

MAX_HIDDEN_CELLS = 12


@st.composite
def positions(draw: st.DrawFn) -> Board:
    """Small boards with every state; the numbers belong to some placement, or one of them is altered."""
    rows, columns = draw(st.integers(1, 6)), draw(st.integers(1, 6))
    everywhere = [Cell(row, column) for row in range(rows) for column in range(columns)]
    mines = draw(st.sets(st.sampled_from(everywhere), max_size=len(everywhere)))
    hidden = draw(st.sets(st.sampled_from(everywhere), max_size=MAX_HIDDEN_CELLS))
    board = Board.hidden(rows, columns)
    cells = board.cells.copy()
    for cell in everywhere:
        if cell in hidden:
            cells[cell] = draw(st.sampled_from([State.HIDDEN] * 5 + [State.FLAG, State.QUESTION, State.UNKNOWN]))
        elif cell in mines:
            cells[cell] = draw(st.sampled_from([State.MINE, State.EXPLODED]))
        elif draw(st.integers(0, 19)) == 0:
            cells[cell] = State.WRONG_FLAG
        else:
            cells[cell] = sum(other in mines for other in board.neighbours(cell))
    numbers = [cell for cell in everywhere if cells[cell] < State.HIDDEN]
    if numbers and draw(st.integers(0, 9)) == 0:
        cells[draw(st.sampled_from(numbers))] = draw(st.integers(0, 8))
    return Board(cells, len(mines))


@given(positions())
@settings(max_examples=400)
def test_chances_and_layouts_equal_a_brute_force_count(board: Board) -> None:
    """Chances, the number of layouts and certain cells are those found by trying all placements."""
    unopened, layouts = board.where(*UNOPENED), layouts_of(board)
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
