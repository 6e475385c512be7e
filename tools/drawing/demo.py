"""The demo's cells as its window shows them."""

import numpy as np

from sweepbot.board import Board, State
from sweepbot.demo.drawing import Layout, Smiley, draw
from sweepbot.geometry import Cell, Image


def draw_cell(state: int, *, pressed: bool = False) -> Image:
    """A cell in a state, pressed or not: uint8 (16, 16, 3)."""
    cell, board = Cell(0, 0), Board(np.full((1, 9), state, np.uint8))
    window = draw(board, 0, 0, Smiley.SMILE, [cell] if pressed else ())
    return window[Layout(board.columns, board.rows).region_of(cell).slices].copy()


def templates() -> dict[str, Image]:
    """The picture of each state by name: `0` to `8`, `hidden`, `flag`, `question`, `mine`, ..."""
    numbers = {str(number): draw_cell(number) for number in range(9)}
    others = {state.name.lower(): draw_cell(state) for state in State if state is not State.UNKNOWN}
    return numbers | others
