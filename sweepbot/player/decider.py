"""What to do in a position: the solver, with a limit to how long it may think."""

import logging
from dataclasses import dataclass

from sweepbot.board import Board, State
from sweepbot.clock import Clock
from sweepbot.errors import ImpossibleBoardError
from sweepbot.geometry import Cell
from sweepbot.solver import Decision, Solver

_log = logging.getLogger("sweepbot.player")

THINKING_S = 3.0
"""Seconds after which the search for a guess is given up; on expert boards it takes tens of milliseconds."""


@dataclass(frozen=True, slots=True)
class Decider:
    """Decides by a solver whose search a clock measures, and looks at no screen."""

    solver: Solver
    clock: Clock

    def decide(self, board: Board) -> Decision | ImpossibleBoardError:
        """Decide a position; return the error if no layout of mines explains it."""
        try:
            return self.solver.decide(board, self.clock.deadline(THINKING_S))
        except ImpossibleBoardError as error:
            return error

    def plainly_safe(self, board: Board) -> tuple[Cell, ...]:
        """The hidden cells that single numbers and pairs of them prove safe; none if the numbers conflict."""
        try:
            safe = self.solver.plainly_safe(board)
        except ImpossibleBoardError as error:  # the board at rest will show what is wrong with it
            _log.info("not gone on: %s", error)
            return ()
        return tuple(cell for cell in safe if board[cell] == State.HIDDEN)
