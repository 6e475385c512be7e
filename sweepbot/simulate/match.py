"""One game, played by a solver that sees only what a player sees."""

from collections.abc import Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Protocol

from sweepbot.board import Board, Phase, State
from sweepbot.errors import SweepbotError
from sweepbot.game import Game
from sweepbot.plan import Action, PlannedClick, Style, clicks_for
from sweepbot.simulate.deals import Deal
from sweepbot.solver import Decision
from sweepbot.solver.measures import measure


class Decider(Protocol):
    """Anything that decides positions, as `Solver` does."""

    def decide(self, board: Board) -> Decision:
        """Find what is certain on a board, and which cell to open next."""


@dataclass(frozen=True, slots=True)
class Record:
    """How one game went.

    Attributes:
        won: Whether every free cell was opened.
        guesses: How many guesses were made, not counting the first click.
        lost_on_certain: Whether the mine that ended the game was a cell that the solver had called safe: a bug.
        milliseconds: Wall-clock time from the first click to the last.
        expected: The game's expected outcome, if asked for.
        clicks: The mouse clicks, if a style of play was asked for.
        three_bv: The board's 3BV, if it was won in a style of play.
    """

    won: bool
    guesses: int
    lost_on_certain: bool
    milliseconds: float
    expected: float | None = None
    clicks: int = 0
    three_bv: int | None = None


def play(deal: Deal, solver: Decider, style: Style | None = None) -> Record:
    """Play a game to its end: open everything that is safe, decide again, and guess only if nothing is.

    With a style of play, clicks are made and counted as `sweepbot play` would make them.

    Raises:
        SweepbotError: The solver proposes no cell although the game is not over.
    """
    start = perf_counter()
    game = deal.game
    game.open(deal.first)
    guesses, clicks = 0, int(style is not None)
    certain = False
    while not game.over:
        decision = solver.decide(game.board)
        certain = bool(decision.safe)
        if style is not None and decision.best is not None:
            guesses += not certain
            clicks += _click(game, clicks_for(game.board, decision, style, flags_to_win=False))
        elif certain:
            for cell in decision.safe:
                game.open(cell)
        elif decision.best is not None:
            guesses += 1
            game.open(decision.best.cell)
        else:
            raise SweepbotError(f"the solver proposes no cell on an unfinished board:\n{game.board}")
    won = game.phase is Phase.WON
    milliseconds = (perf_counter() - start) * 1000
    three_bv = measure(game.board.cells >= State.HIDDEN).three_bv if won and style is not None else None
    return Record(won, guesses, certain and not won, milliseconds, clicks=clicks, three_bv=three_bv)


def _click(game: Game, clicks: Sequence[PlannedClick]) -> int:
    """Make all clicks of a round in one burst, and return how many there were."""
    for click in clicks:
        if click.action is Action.OPEN:
            game.open(click.at)
        elif click.action is Action.MARK:
            game.mark(click.at)
        else:
            game.chord(click.at)
    return len(clicks)
