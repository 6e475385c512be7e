"""A game scored by its expected outcome: what only luck decides is left out.

The score is the product of the chances that each guess is safe, up to where the solver knows its exact chance to win. A
guess that hits a mine does not end the game: the mines are dealt anew, so that it is safe. The mean over games is the
win rate, and varies less than that of wins and losses (conditional Monte Carlo; Hammersley and Handscomb 1964). Two
solvers that choose alike on a board score alike there, so what they differ by shows on fewer boards still.
"""

import numpy as np

from sweepbot.board import Phase
from sweepbot.errors import SweepbotError
from sweepbot.simulate.deals import Deal
from sweepbot.simulate.match import Decider
from sweepbot.simulate.redeal import redeal
from sweepbot.solver import Solver


def expected_outcome(deal: Deal, solver: Decider) -> float:
    """The chance to win, from 0 to 1, given the guesses of one game; it depends on deal and solver alone.

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
            raise SweepbotError(f"the solver proposes no cell on a board that is not finished:\n{game.board}")
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
