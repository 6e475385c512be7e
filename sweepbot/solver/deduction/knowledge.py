"""What is certain about a position so far: the rules of the ladder read it and add to it."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sweepbot.board import Board
from sweepbot.errors import ImpossibleBoardError
from sweepbot.solver.frontier import Frontier, Neighbourhoods
from sweepbot.solver.position import cell_at

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

    def undecided(self) -> list[int]:
        """Return the undecided cells, in reading order."""
        unopened = self.frontier.unopened
        cells: list[int] = unopened[self.mine[unopened] == UNDECIDED].tolist()
        return cells

    def undecided_boxes(self) -> dict[int, list[int]]:
        """Return the undecided cells of each box; those off the frontier are box -1."""
        boxes: dict[int, list[int]] = {}
        for cell in self.undecided():
            boxes.setdefault(int(self.frontier.box_of[cell]), []).append(cell)
        return boxes

    def mines_left(self) -> int:
        """Return how many of the undecided cells hold a mine."""
        return self.frontier.mines_left - int(np.count_nonzero(self.mine[self.frontier.unopened] == MINE))

    def equations(self) -> list[tuple[list[int], int, int]]:
        """Return, for each number with undecided cells, these cells, how many are mines, and the number's place."""
        near, mine = self.neighbourhoods, self.mine.tolist()
        found = []
        for number, (missing, around) in enumerate(zip(near.missing, near.around, strict=True)):
            cells = [cell for cell in around if mine[cell] == UNDECIDED]
            if cells:
                found.append((cells, missing - sum(mine[cell] == MINE for cell in around), number))
        return found

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
