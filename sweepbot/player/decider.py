"""What to do in a position: the solver, with a limit to how long it may think."""

import logging

from sweepbot.board import Board, State
from sweepbot.clock import Clock
from sweepbot.errors import ImpossibleBoardError
from sweepbot.geometry import Cell
from sweepbot.solver import Decision, Solver

_log = logging.getLogger("sweepbot.player")

THINKING_S = 3.0
"""Seconds after which the search for a guess is given up; on expert boards it takes tens of milliseconds."""


class Decider:
    """Decides, and looks at no screen.

    Args:
        solver: What works out what is certain and what is best.
        clock: Measures how long it has searched.
    """

    def __init__(self, solver: Solver, clock: Clock) -> None:
        self._solver = solver
        self._clock = clock

    def decide(self, board: Board) -> Decision | ImpossibleBoardError:
        """Decide a position; return the error if no layout of mines explains it."""
        try:
            return self._solver.decide(board, self._clock.deadline(THINKING_S))
        except ImpossibleBoardError as error:
            return error

    def plainly_safe(self, board: Board) -> tuple[Cell, ...]:
        """The hidden cells that single numbers and pairs of them prove safe; none if the numbers conflict."""
        try:
            safe = self._solver.plainly_safe(board)
        except ImpossibleBoardError as error:  # the board at rest will show what is wrong with it
            _log.info("not gone on: %s", error)
            return ()
        return tuple(cell for cell in safe if board[cell] == State.HIDDEN)
