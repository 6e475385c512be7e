"""`best` against perfect play, on boards small enough to compute it.

A set of layouts is one integer with a bit per layout; the optimum is found by trying every cell in every position.
"""

from itertools import combinations

import numpy as np
import pytest

from sweepbot import Board
from sweepbot.board import State, neighbours
from sweepbot.geometry import Cell
from tests.nightly import at_night
from tests.solver.boards import best_move

FIRST = Cell(0, 0)


class SmallGame:
    """Every layout of a small board with a safe first cell, and what each cell shows in each."""

    def __init__(self, rows: int, columns: int, mines: int) -> None:
        self.rows, self.columns, self.mines = rows, columns, mines
        self.cells = list(neighbours(rows, columns))
        layouts = [frozenset(placed) for placed in combinations(self.cells[1:], mines)]
        self.every = (1 << len(layouts)) - 1
        self.showing: dict[Cell, dict[int, int]] = {cell: {} for cell in self.cells}
        for bit, layout in enumerate(layouts):
            for cell in self.cells:
                if cell not in layout:
                    number = sum(other in layout for other in neighbours(rows, columns)[cell])
                    self.showing[cell][number] = self.showing[cell].get(number, 0) | 1 << bit
        self._optimum: dict[int, int] = {}

    def split(self, layouts: int, cell: Cell) -> list[tuple[int, int]]:
        """What the cell may show, and the layouts in which it does."""
        parts = [(number, layouts & mask) for number, mask in self.showing[cell].items()]
        return [(number, part) for number, part in parts if part]

    def optimum(self, layouts: int) -> int:
        """How many of `layouts` perfect play wins.

        The set of layouts is the whole state: an open cell shows the same in all of them, so opening it again splits
        nothing.
        """
        if layouts.bit_count() == 1:
            return 1
        if layouts not in self._optimum:
            best = 1
            for cell in self.cells:
                parts = self.split(layouts, cell)
                # An opening that splits nothing only loses layouts: waiting is never worse.
                if len(parts) > 1 and sum(part.bit_count() for _, part in parts) > best:
                    best = max(best, sum(self.optimum(part) for _, part in parts))
            self._optimum[layouts] = best
        return self._optimum[layouts]

    def won_by(self, layouts: int, shown: dict[Cell, int]) -> int:
        """How many of `layouts` the solver wins from the position with `shown` open."""
        if len(shown) == len(self.cells) - self.mines:
            return layouts.bit_count()
        board = np.full((self.rows, self.columns), State.HIDDEN, dtype=np.uint8)
        for cell, number in shown.items():
            board[cell] = number
        best = best_move(Board(board, self.mines))
        return sum(self.won_by(part, shown | {best.cell: number}) for number, part in self.split(layouts, best.cell))


@pytest.mark.parametrize(
    ("rows", "columns", "mines"),
    [
        *((4, 4, 4), (2, 8, 5)),
        *at_night((4, 4, 3), (5, 4, 3), (3, 7, 3), (4, 4, 5), (4, 4, 6)),
    ],
)
def test_best_reaches_the_optimum_of_small_boards(rows: int, columns: int, mines: int) -> None:
    """Over all layouts with the corner opened, `best` wins within 0.2 points of perfect play."""
    game = SmallGame(rows, columns, mines)
    best_possible = won = 0
    for number, layouts in game.split(game.every, FIRST):
        best_possible += game.optimum(layouts)
        won += game.won_by(layouts, {FIRST: number})
    assert won <= best_possible
    assert (best_possible - won) / game.every.bit_count() <= 0.002


@pytest.mark.parametrize("mines", [3, 4])
def test_the_chance_to_win_is_that_of_perfect_play(mines: int) -> None:
    """The chance to win of a played-out move is the share of layouts won."""
    game = SmallGame(4, 4, mines)
    checked = 0
    for number, layouts in game.split(game.every, FIRST):
        board = np.full((4, 4), State.HIDDEN, dtype=np.uint8)
        board[FIRST] = number
        best = best_move(Board(board, mines))
        if best.win_probability is not None:
            assert best.win_probability == game.optimum(layouts) / layouts.bit_count()
            checked += 1
    assert checked > 0
