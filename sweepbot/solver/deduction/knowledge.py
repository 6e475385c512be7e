"""What is certain about a position so far: the rules of the ladder read it and add to it."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sweepbot.board import Board, State
from sweepbot.errors import ImpossibleBoardError
from sweepbot.solver.flat_board import FlatBoard, cell_at
from sweepbot.solver.frontier import Frontier, Neighbourhoods, read_frontier

UNDECIDED, SAFE, MINE = -1, 0, 1


@dataclass(frozen=True, eq=False)
class Knowledge:
    """A position and what has been found out about its unopened cells.

    Attributes:
        board: The position.
        frontier: Its numbers and unopened cells.
        mine: int8 array of `UNDECIDED`, `SAFE` or `MINE` for each flat cell. Rules fill it in and never take anything
            back. Only the values of unopened cells mean anything.
    """

    board: Board
    frontier: Frontier
    mine: NDArray[np.int8]

    @cached_property
    def neighbourhoods(self) -> Neighbourhoods:
        """The numbers and their unopened cells, as lists."""
        return Neighbourhoods.of(self.frontier)

    def rest(self) -> Frontier:
        """Return the frontier of the undecided cells: it counts the mines that were found as shown."""
        cells, unopened = self.frontier.cells.copy(), self.frontier.unopened
        for value, state in ((SAFE, State.WRONG_FLAG), (MINE, State.MINE)):
            cells[unopened[self.mine[unopened] == value]] = state
        return read_frontier(FlatBoard.of(self.board)._replace(cells=cells))

    def impossible(self, number: int) -> ImpossibleBoardError:
        """Make the error for a number, by its place in `frontier.numbers`, that no placement of mines satisfies."""
        cell = cell_at(self.board, int(self.frontier.numbers[number]))
        return ImpossibleBoardError(
            f"{cell}: no placement of mines gives this cell the number {self.board[cell]} and its neighbours theirs",
            hint="check the cells around it and the total of mines",
        )


def contradictory() -> ImpossibleBoardError:
    """Make the error for numbers that contradict each other when no single one is at fault."""
    return ImpossibleBoardError(
        "no placement of mines satisfies all numbers at once", hint="check the numbers and the total of mines"
    )
