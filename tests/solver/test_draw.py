"""Sampled layouts, against enumeration."""

import numpy as np
import pytest

from sweepbot.board import Board, State, neighbours
from sweepbot.geometry import Cell
from sweepbot.level import FirstClick, Level
from sweepbot.simulate import SeededDeals
from sweepbot.solver import Solver
from sweepbot.solver.draw import draw_layout
from sweepbot.solver.flat_board import FlatBoard, flat_index

DRAWS = 3000
MAX_SIGMAS = 5.0
"""A frequency is farther from its mean by chance once in a million."""


def expert_position(seed: int) -> Board:
    """An expert position at its second guess or later, with a frontier of many boxes."""
    deal = SeededDeals(Level(30, 16, 99), FirstClick.OPEN, 1, seed).deal(0)
    game, solver = deal.game, Solver()
    game.open(deal.first)
    while not game.over:
        decision = solver.decide(game.board)
        if not decision.safe and np.count_nonzero(game.board.cells < State.HIDDEN) > 100:
            break
        for cell in decision.safe or [next(cell for cell in neighbours(16, 30) if safe_and_hidden(game, cell))]:
            game.open(cell)
    return game.board


def safe_and_hidden(game: object, cell: Cell) -> bool:
    return cell not in game.mines and game.board[cell] == State.HIDDEN  # type: ignore[attr-defined]


@pytest.mark.parametrize("seed", range(3))
def test_drawn_layouts_agree_with_the_board_and_with_the_exact_chances(seed: int) -> None:
    """Every layout fits the numbers and the total; mines are as frequent as their exact chances."""
    board = expert_position(seed)
    position, rng = FlatBoard.of(board), np.random.default_rng(seed)
    cells, table = position.cells, position.around
    drawn = np.array([draw_layout(position, -1, rng) for _ in range(DRAWS)])
    assert (drawn.sum(axis=1) == 99).all()
    for cell in np.flatnonzero(cells < State.HIDDEN):
        assert (drawn[:, table[cell, : table[cell, 8]]].sum(axis=1) == cells[cell]).all()
        assert not drawn[:, cell].any()
    chances = np.nan_to_num(Solver().probabilities(board).reshape(-1))
    error = np.sqrt(chances * (1 - chances) / DRAWS)
    assert (np.abs(drawn.mean(axis=0) - chances) <= MAX_SIGMAS * error + 1e-9).all()


def test_a_free_cell_holds_no_mine() -> None:
    """Layouts with a cell forced free are distributed like those in which it is free."""
    board = expert_position(7)
    position, rng = FlatBoard.of(board), np.random.default_rng(7)
    free = Solver().decide(board).best
    assert free is not None
    place = flat_index(board, free.cell)
    every = np.array([draw_layout(position, -1, rng) for _ in range(DRAWS)])
    freed = np.array([draw_layout(position, place, rng) for _ in range(DRAWS)])
    assert not freed[:, place].any()
    assert (position.cells == board.cells.reshape(-1)).all()
    without = every[~every[:, place]]
    share = (without.mean(axis=0) + freed.mean(axis=0)) / 2
    error = np.sqrt(share * (1 - share) * (1 / len(without) + 1 / DRAWS))
    assert (np.abs(without.mean(axis=0) - freed.mean(axis=0)) <= MAX_SIGMAS * error + 1e-9).all()
