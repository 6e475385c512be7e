"""Boards for tests of the solver, and the move that it chooses on one."""

from hypothesis import strategies as st

from sweepbot.board import Board, State
from sweepbot.geometry import Cell
from sweepbot.solver import Choice, Solver

MAX_HIDDEN_CELLS = 12


def best_move(board: Board) -> Choice:
    """The best move, where there is one."""
    best = Solver().decide(board).best
    assert best is not None
    return best


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
