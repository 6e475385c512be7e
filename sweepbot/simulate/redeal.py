"""Dealing the rest of a game again: other mines that give the same position."""

import numpy as np

from sweepbot.board import Board
from sweepbot.errors import SweepbotError
from sweepbot.game import Game
from sweepbot.geometry import Cell
from sweepbot.solver.draw import draw_layout
from sweepbot.solver.frontier import HIDDEN, flat_cells, neighbour_table


def redeal(board: Board, free: Cell, rng: np.random.Generator) -> Game:
    """A game that has come to this position, its mines drawn uniformly from all layouts with none in `free`.

    Args:
        board: Open and hidden cells, nothing else; its total of mines is known.
        free: A hidden cell that need not be a mine.
        rng: Where the layout comes from.

    Raises:
        SweepbotError: The position is too large for exact chances.
    """
    place, table = free.row * board.columns + free.column, neighbour_table(board.rows, board.columns)
    mine = draw_layout(flat_cells(board), table, board.mines or 0, place, rng)
    if not mine.size:
        raise SweepbotError("a position is too large to be dealt anew", hint="leave --expected out")
    return _reached(board, [Cell(*divmod(place, board.columns)) for place in mine.nonzero()[0].tolist()])


def _reached(board: Board, mines: list[Cell]) -> Game:
    """A game with these mines in which the open cells of a position are open."""
    game = Game.with_mines(board.columns, board.rows, mines)
    for row, column in zip(*(board.cells < HIDDEN).nonzero(), strict=True):
        game.open(Cell(int(row), int(column)))
    return game
