"""What the rules speak against is found among all cells at once, the same as cell by cell."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from sweepbot.board import Board, Status
from sweepbot.vision.doubt import doubtful_cells

positions = st.tuples(st.integers(1, 9), st.integers(1, 9)).flatmap(
    lambda shape: arrays(np.uint8, shape, elements=st.integers(0, 15))
)


@given(positions)
def test_every_cell_that_breaks_a_rule_is_doubtful(cells: np.ndarray) -> None:
    """Each cell that `Board.problems` names is among the doubtful ones, and so are all cells around it."""
    board = Board(cells)
    wrong = [problem.cell for problem in board.problems() if problem.cell and problem.status is not Status.UNREADABLE]
    expected = {cell for one in wrong for cell in (one, *board.neighbours(one))}
    assert {divmod(int(number), board.columns) for number in doubtful_cells(cells)} == expected
