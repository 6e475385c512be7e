"""Scores a game by its expected outcome, which leaves out what luck alone decides.

The score is the product of the chances that each guess is safe, up to the point where the solver knows its exact chance
to win. A guess that hits a mine does not end the game: the mines are redealt so that it is safe. The mean over games is
the win rate, and varies less than that of wins and losses (conditional Monte Carlo; Hammersley and Handscomb 1964). Two
solvers that choose alike on a board score alike on it, so that a difference shows on even fewer boards.
"""

import numpy as np

from sweepbot.board import Board, Phase
from sweepbot.errors import SweepbotError
from sweepbot.game import Game
from sweepbot.geometry import Cell
from sweepbot.simulate.deals import Deal
from sweepbot.simulate.match import Decider
from sweepbot.solver import Solver
from sweepbot.solver.draw import draw_layout
from sweepbot.solver.flat_board import HIDDEN, FlatBoard, flat_index


def expected_outcome(deal: Deal, solver: Decider) -> float:
    """Return the chance to win, from 0 to 1, with the guesses of one game; it depends only on deal and solver.

    Raises:
        SweepbotError: The solver proposes no cell although the game is not over, or the board is too large for exact
            chances.
    """
    exact = Solver("exact")
    game, chance = deal.game, 1.0
    game.open(deal.first)
    while not game.over:
        decision = solver.decide(game.board)
        if decision.safe:
            for cell in decision.safe:
                game.open(cell)
            continue
        if decision.best is None:
            raise SweepbotError(f"the solver proposes no cell on an unfinished board:\n{game.board}")
        if decision.best.win_probability is not None:
            return chance * decision.best.win_probability
        guess = decision.best.cell
        chance *= 1.0 - float(exact.probabilities(game.board)[guess])
        if chance == 0.0:
            break
        if guess in game.mines:
            seed = [row * game.board.columns + column for row, column in (guess, *sorted(game.mines))]
            game = redeal(game.board, guess, np.random.default_rng(seed))
        game.open(guess)
    return chance if game.phase is Phase.WON else 0.0


def redeal(board: Board, free: Cell, rng: np.random.Generator) -> Game:
    """Return a game at this position, its mines drawn uniformly from all layouts without a mine in `free`.

    Args:
        board: Open and hidden cells only; its total of mines is known.
        free: A hidden cell that is not certainly a mine.
        rng: The source of randomness.

    Raises:
        SweepbotError: The position is too large for exact chances.
    """
    mine = draw_layout(FlatBoard.of(board), flat_index(board, free), rng)
    if not mine.size:
        raise SweepbotError("a position is too large to be redealt", hint="leave out --expected")
    mines = [Cell(*divmod(place, board.columns)) for place in mine.nonzero()[0].tolist()]
    game = Game.with_mines(board.columns, board.rows, mines)
    for row, column in zip(*(board.cells < HIDDEN).nonzero(), strict=True):
        game.open(Cell(int(row), int(column)))
    return game
