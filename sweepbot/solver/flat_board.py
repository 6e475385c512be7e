"""Positions as flat arrays, for kernels; and what is left of one once the certain mines are taken out.

A flat cell is the index `row * columns + column`. Lists of at most eight members are kept in a *table*, an int32 array
of shape (lists, 9): the members of list `k` are `table[k, :table[k, 8]]`.
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sweepbot.board import Board, State
from sweepbot.errors import UsageError
from sweepbot.geometry import Cell
from sweepbot.solver.compiled import helper, kernel, listed

HIDDEN, FLAG, QUESTION, MINE, EXPLODED, WRONG_FLAG, UNKNOWN = map(int, State)


class FlatBoard(NamedTuple):
    """A position as kernels take it; its total of mines is known."""

    cells: NDArray[np.uint8]
    """The state of each flat cell."""
    around: NDArray[np.int32]
    """A table: the neighbours of each flat cell, in reading order."""
    mines: int
    """The total of mines, shown ones included."""

    @classmethod
    def of(cls, board: Board) -> "FlatBoard":
        """Return a copy of the position on a board.

        Raises:
            UsageError: The board's total of mines is not known.
        """
        if board.mines is None:
            raise UsageError("the chances of a board need its number of mines", hint="give the total, shown mines too")
        return cls(board.cells.flatten(), neighbour_table(board.rows, board.columns), board.mines)


def lists_of(table: NDArray[np.int32]) -> list[list[int]]:
    """Return the lists in a table."""
    return [row[: row[8]] for row in table.tolist()]


def flat_index(board: Board, cell: Cell) -> int:
    """Return the flat cell at a row and column."""
    return cell.row * board.columns + cell.column


def cell_at(board: Board, flat: int) -> Cell:
    """Return the row and column of a flat cell."""
    return Cell(*divmod(flat, board.columns))


@lru_cache(maxsize=64)
def neighbour_table(rows: int, columns: int) -> NDArray[np.int32]:
    """Return the table of each flat cell's neighbours in reading order."""
    table = np.full((rows * columns, 9), -1, dtype=np.int32)
    table[:, 8] = 0
    grid = np.arange(rows * columns, dtype=np.int32).reshape(rows, columns)
    for down in (-1, 0, 1):
        for right in (-1, 0, 1):
            if (down, right) == (0, 0):
                continue
            here = grid[max(-down, 0) : rows - max(down, 0), max(-right, 0) : columns - max(right, 0)].reshape(-1)
            table[here, table[here, 8]] = here + down * columns + right
            table[here, 8] += 1
    return table


@helper
def may_be_mine(state: int) -> bool:
    """Whether a cell in this state is unopened; marks are only a player's claims."""
    return state in (HIDDEN, FLAG, QUESTION, UNKNOWN)


@helper
def is_mine(state: int) -> bool:
    """Whether a cell in this state is a mine that is shown."""
    return state in (MINE, EXPLODED)


@helper
def shown_chances(cells: NDArray[np.uint8]) -> NDArray[np.float64]:
    """Return the chance of a mine in each flat cell that shows it: mines and wrong flags; NaN elsewhere."""
    states, chances = listed(cells), np.full(cells.size, np.nan)
    for cell in range(cells.size):
        if is_mine(states[cell]):
            chances[cell] = 1.0
        elif states[cell] == WRONG_FLAG:
            chances[cell] = 0.0
    return chances


class Puzzle(NamedTuple):
    """The undecided part of a position whose layouts have been counted."""

    position: FlatBoard
    """The undecided cells and the numbers beside them, in reading order: certain mines are removed, and numbers reduced
    by them. `around` only lists undecided cells."""
    place: NDArray[np.int32]
    """The flat cell of the board for each cell of the puzzle."""
    log_layouts: float
    """The natural logarithm of the number of layouts."""
    chances: NDArray[np.float64]
    """The chance of a mine in each cell of the puzzle; NaN where open."""


@kernel
def reduce_position(position: FlatBoard, log_layouts: float, chances: NDArray[np.float64]) -> Puzzle:
    """Return the puzzle that is left of a position without safe cells, given what `count_chances` returns."""
    cells, around = position.cells, position.around
    name, place = np.full(cells.size, -1, np.int32), np.empty(cells.size, np.int32)
    count, certain = 0, 0
    for cell in range(cells.size):
        certain += chances[cell] == 1.0
        undecided = may_be_mine(cells[cell]) and chances[cell] < 1.0
        if cells[cell] < HIDDEN:
            for i in range(around[cell, 8]):
                other = around[cell, i]
                undecided = undecided or (may_be_mine(cells[other]) and chances[other] < 1.0)
        if undecided:
            name[cell] = count
            place[count] = cell
            count += 1
    states, beside, chances_left = np.empty(count, np.uint8), np.empty((count, 9), np.int32), np.empty(count)
    for i in range(count):
        beside[i, 8], chances_left[i] = 0, chances[place[i]]
        state = cells[place[i]]
        states[i] = HIDDEN if may_be_mine(state) and state != UNKNOWN else state
        for j in range(around[place[i], 8]):
            other = around[place[i], j]
            if chances[other] == 1.0:
                states[i] -= state < HIDDEN
            elif may_be_mine(cells[other]):
                beside[i, beside[i, 8]] = name[other]
                beside[i, 8] += 1
    return Puzzle(FlatBoard(states, beside, position.mines - certain), place[:count], log_layouts, chances_left)
