"""One game, played by a solver that sees only what a player sees."""

from dataclasses import dataclass
from time import perf_counter
from typing import Protocol

from sweepbot.board import Board, Phase
from sweepbot.errors import SweepbotError
from sweepbot.simulate.deals import Deal
from sweepbot.solver import Decision


class Decider(Protocol):
    """Anything that can choose a move, as `Solver` does."""

    def decide(self, board: Board) -> Decision:
        """What is certain on this board, and which cell to open next."""


@dataclass(frozen=True, slots=True)
class Record:
    """How one game went.

    Attributes:
        won: Whether every free cell was opened.
        guesses: How many cells were opened that the solver was not certain of; the first click is not one of them.
        lost_on_certain: Whether the mine that ended the game was a cell that the solver had called safe: a bug.
        milliseconds: Wall-clock time from the first click to the last.
        expected: The game's expected outcome, where that was asked for.
    """

    won: bool
    guesses: int
    lost_on_certain: bool
    milliseconds: float
    expected: float | None = None


def play(deal: Deal, solver: Decider) -> Record:
    """Play a game to its end: open everything that is certain, decide again, and guess only where nothing is.

    Raises:
        SweepbotError: The solver proposes no cell although the game is not over.
    """
    start = perf_counter()
    game = deal.game
    game.open(deal.first)
    guesses = 0
    certain = False
    while not game.over:
        decision = solver.decide(game.board)
        certain = bool(decision.safe)
        if certain:
            for cell in decision.safe:
                game.open(cell)
        elif decision.best is not None:
            guesses += 1
            game.open(decision.best.cell)
        else:
            raise SweepbotError(f"the solver proposes no cell on a board that is not finished:\n{game.board}")
    won = game.phase is Phase.WON
    return Record(won, guesses, certain and not won, (perf_counter() - start) * 1000)
