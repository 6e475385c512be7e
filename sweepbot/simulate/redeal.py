"""Dealing the rest of a game anew: other mines that give the same position."""

import random

from sweepbot.board import Board
from sweepbot.errors import SweepbotError
from sweepbot.game import Game
from sweepbot.geometry import Cell
from sweepbot.solver.chances import TOO_LARGE, count_chances
from sweepbot.solver.frontier import HIDDEN, MINE, WRONG_FLAG, Frontier, flat_cells, neighbour_table


def redeal(board: Board, free: Cell, rng: random.Random) -> Game:
    """A game that has come to this position, its mines drawn uniformly from all layouts with none in `free`.

    One frontier cell after the other is decided by its exact chance, given those before it; the interior holds the
    rest, each choice of its cells as likely.

    Args:
        board: Open and hidden cells, nothing else; its total of mines is known.
        free: A hidden cell that need not be a mine.
        rng: Where the layout comes from.

    Raises:
        SweepbotError: The position is too large for exact chances.
    """
    cells, table = flat_cells(board), neighbour_table(board.rows, board.columns)
    frontier, total = Frontier.of(board), board.mines or 0
    cells[free.row * board.columns + free.column] = WRONG_FLAG
    chances = None
    for place in frontier.unopened[frontier.box_of[frontier.unopened] >= 0].tolist():
        if cells[place] != HIDDEN:
            continue
        if chances is None:
            outcome, _, chances = count_chances(cells, table, total)
            if outcome == TOO_LARGE:
                raise SweepbotError("a position is too large to be dealt anew", hint="leave --expected out")
        chance = chances[place]
        cells[place] = MINE if rng.random() < chance else WRONG_FLAG
        if 0.0 < chance < 1.0:
            chances = None
    inside = [place for place in frontier.interior.tolist() if cells[place] == HIDDEN]
    cells[rng.sample(inside, total - int((cells == MINE).sum()))] = MINE
    return _reached(board, [Cell(*divmod(place, board.columns)) for place in (cells == MINE).nonzero()[0].tolist()])


def _reached(board: Board, mines: list[Cell]) -> Game:
    """A game with these mines in which the open cells of a position are open."""
    game = Game.with_mines(board.columns, board.rows, mines)
    for row, column in zip(*(board.cells < HIDDEN).nonzero(), strict=True):
        game.open(Cell(int(row), int(column)))
    return game
