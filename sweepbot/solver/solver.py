"""The solver's public class: from a position to certain cells, chances and the best move."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from sweepbot.board import Board
from sweepbot.errors import UsageError
from sweepbot.geometry import Cell
from sweepbot.solver.decision import Decision
from sweepbot.solver.deduction import LADDERS
from sweepbot.solver.known_total import decide_known
from sweepbot.solver.unknown_total import by_numbers, decide_unknown

METHODS = ("best", *LADDERS, "walksat")
"""Every name that `Solver` takes, the default first."""


class Solver:
    """Decides positions.

    Args:
        method: `best` for the strongest play; `exact` to guess by the lowest exact chance; `walksat` by the lowest
            sampled chance; or a ladder of rules, which knows no chances and guesses in reading order.

    Raises:
        UsageError: There is no such method.
    """

    def __init__(self, method: str = "best") -> None:
        if method not in METHODS:
            raise UsageError(f"no method is called {method!r}", hint=f"give one of {', '.join(METHODS)}")
        self.method = method
        """The name of the method."""

    def probabilities(self, board: Board) -> NDArray[np.float64]:
        """Return the exact chance of a mine in each cell, shape (rows, columns); NaN if open, 1.0 or 0.0 if certain.

        If the total of mines is unknown, these are the chances for the most usual total, or, if the safe cells are safe
        for some totals only, the mean over all plausible ones.

        Raises:
            ImpossibleBoardError: No placement of mines gives this position.
        """
        return Solver("exact").decide(board).mine_probability

    def plainly_safe(self, board: Board) -> tuple[Cell, ...]:
        """Find the cells that single numbers and pairs of them prove safe for any total of mines; this is fast.

        Raises:
            ImpossibleBoardError: The numbers contradict each other.
        """
        return by_numbers(board).safe

    def decide(self, board: Board, time_is_up: Callable[[], bool] = lambda: False) -> Decision:
        """Find what is certain, the chances of the rest, and the best cell to open.

        If the total of mines is unknown, a cell counts as certain only if it is certain for every plausible total, and
        a guess is made for the most usual total that is possible.

        Args:
            board: The position.
            time_is_up: A safety net for live play, asked before layouts are counted, before `best` searches for a
                guess, and between the steps of that search. Once it returns True the rest is left out; layouts are
                still counted if the rules find nothing safe. Without it a decision depends on the position alone.

        Raises:
            ImpossibleBoardError: No placement of mines gives this position.
        """
        return (decide_unknown if board.mines is None else decide_known)(self.method, board, time_is_up)
