"""Positions for the solver, opened from seeds."""

import random
from collections.abc import Collection, Iterable

from sweepbot.board import Board
from sweepbot.game import Game
from sweepbot.geometry import Cell
from sweepbot.level import LEVELS, FirstClick
from sweepbot.solver.deduction import LADDERS, deduce
from sweepbot.solver.frontier import Frontier


def opened(hidden: Board, mines: Collection[Cell], cells: Iterable[Cell]) -> Board:
    """A board on which these cells are open, with mines in these places."""
    shown = hidden.cells.copy()
    for cell in cells:
        shown[cell] = sum(other in mines for other in hidden.neighbours(cell))
    return Board(shown, len(mines))


def opened_at_random(rows: int, columns: int, mines: int, number: int, rng: random.Random) -> tuple[Board, set[Cell]]:
    """A board with some of its safe cells open, whichever they are, and its mines."""
    board = Board.hidden(rows, columns, mines)
    placed = set(rng.sample(list(board), mines))
    return opened(board, placed, rng.sample([cell for cell in board if cell not in placed], number)), placed


def stuck_positions(games: int) -> list[Board]:
    """Expert positions in which the linear rule finds no safe cell, one of each game that gets to one."""
    found = []
    for seed in range(games):
        game = Game(LEVELS["expert"], FirstClick.OPEN, random.Random(seed))
        game.open(Cell(3, 3))
        while safe := deduce(game.board, Frontier.of(game.board), LADDERS["linear"]).safe:
            for cell in safe:
                game.open(cell)
        if not game.over:
            found.append(game.board)
    return found
