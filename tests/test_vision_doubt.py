"""Cells that break the rules are found for the whole board at once, with the same result as cell by cell."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from sweepbot.board import Board, State
from sweepbot.vision.cells.classified import Classified
from sweepbot.vision.cells.doubt import doubtful_cells, only_certain_zeros, without_odd_blanks

positions = st.tuples(st.integers(1, 9), st.integers(1, 9)).flatmap(
    lambda shape: arrays(np.uint8, shape, elements=st.integers(0, 15))
)


@given(positions)
def test_every_cell_that_breaks_a_rule_is_doubtful(cells: np.ndarray) -> None:
    """Each cell that `Board.problems` names is doubtful, and so are all cells around it."""
    board = Board(cells)
    wrong = [problem.cell for problem in board.problems() if problem.cell]
    expected = {cell for one in wrong for cell in (one, *board.neighbours(one))}
    assert {divmod(int(number), board.columns) for number in doubtful_cells(cells)} == expected


@pytest.mark.parametrize(
    ("state", "usual", "odd"),
    [(0, 1.0, 0.87), (0, 0.9, 0.65), (State.HIDDEN, 1.0, 0.7)],
    ids=["zero", "blurred zero", "hidden"],
)
def test_a_blank_cell_with_an_outlying_score_is_unread(state: int, usual: float, odd: float) -> None:
    """Among zeros or hidden cells with similar scores, a cell with a much lower score is unread."""
    states = np.array([[state, state, state, state], [state, 1, state, 2]], dtype=np.uint8)
    near = usual - (1 - usual) / 3
    scores = np.array([[usual, near, near, odd], [usual, 0.6, usual, 0.6]], dtype=np.float32)
    best = np.zeros(states.shape, dtype=np.intp)
    found = without_odd_blanks(Classified(states, best, scores, states, scores, scores, scores))
    assert (found.states == [[state, state, state, State.UNKNOWN], [state, 1, state, 2]]).all()


def test_flags_are_not_the_edge_of_an_opening() -> None:
    """A flat cell between flags at a window's corner is no zero; one beside a single wrong flag is."""
    board = Board.parse("0122F1\n00F..1\n000..1\n1111.1\n000111\nF00000")
    doubtful = Board.parse("0122F1\n00F..1\n00...1\n1111.1\n000111\nF00000")
    assert (only_certain_zeros(board.cells) == doubtful.cells).all()


def test_held_cells_are_not_zeros() -> None:
    """As many flat cells as a chord holds down are unread; larger flat areas stay as read."""
    held = Board.parse("#####\n#000#\n#000#\n#000#\n#####\n11111\n00000")
    unread = Board.parse("#####\n#...#\n#...#\n#...#\n#####\n11111\n00000")
    assert (only_certain_zeros(held.cells) == unread.cells).all()
    more = Board.parse("#####\n0000#\n0000#\n0000#\n0000#\n#####\n11111")
    assert (only_certain_zeros(more.cells) == more.cells).all()


def test_flat_cells_under_a_window_are_not_part_of_an_opening() -> None:
    """Flat cells beyond a window's edge are unread, though an opening of the board leads up to them."""
    left = "1F1001###\n11111212F\n0001F1.22\n11011....\n"
    board = Board.parse(left + "F10000000\n110110000\n1101#0000\nF113#0000\n111F#0000")
    found = only_certain_zeros(board.cells)
    assert (found[4:, 5:] == State.UNKNOWN).all()
    assert (found[2:7, 2] == 0).all()
