"""The solver's answer for a position."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sweepbot.board import Board
from sweepbot.geometry import Cell
from sweepbot.solver.chances import count_layouts, exact_layouts
from sweepbot.solver.deduction import LADDERS, deduce
from sweepbot.solver.flat_board import cell_at
from sweepbot.solver.frontier import Frontier


@dataclass(frozen=True, slots=True)
class Choice:
    """A cell to open next.

    Attributes:
        cell: Where.
        reason: Why, in words.
        mine_probability: The chance that it is a mine; 0.0 only if it is certainly safe. Never NaN: a method that knows
            no chances gives the mines' share of the undecided cells.
        win_probability: The chance to win the game from here with best play, if that was worked out.
    """

    cell: Cell
    reason: str
    mine_probability: float
    win_probability: float | None = None


def safest_choice(
    board: Board, cells: NDArray[np.int32] | NDArray[np.intp], chances: NDArray[np.float64]
) -> Choice | None:
    """Return the first of some flat cells that has the lowest chance of a mine; None if all are certainly mines."""
    if not (chances[cells] < 1.0).any():
        return None
    flat = int(cells[np.argmin(chances[cells])])
    return Choice(cell_at(board, flat), "lowest chance of a mine", float(chances[flat]))


@dataclass(frozen=True, slots=True)
class KnownGrounds:
    """The grounds of a decision, known from the start."""

    rules: Mapping[Cell, str]
    layouts: int | None = None

    @property
    def log_layouts(self) -> float | None:
        """The natural logarithm of the number of layouts; None if they were not counted."""
        return math.log(self.layouts) if self.layouts else None

    def rule(self, cell: Cell) -> str:
        """Return the name of the rule that found a certain cell."""
        return self.rules[cell]


class CountedGrounds:
    """The grounds of a decision by exact counting, each worked out when it is first asked for.

    Args:
        board: The position.
        safe: Its safe cells.
        mines: Its certain mines.
        log_layouts: The natural logarithm of the number of its layouts.
    """

    def __init__(self, board: Board, safe: tuple[Cell, ...], mines: tuple[Cell, ...], log_layouts: float) -> None:
        self._board = board
        self._safe = safe
        self._mines = mines
        self._asked: dict[Cell, str] = {}
        self.log_layouts = log_layouts

    @cached_property
    def _frontier(self) -> Frontier:
        return Frontier.of(self._board)

    @cached_property
    def rules(self) -> Mapping[Cell, str]:
        """For each certain cell, the name of the cheapest rule that finds it, else how many layouts agree on it."""
        by_rules = deduce(self._board, self._frontier, LADDERS["exact"]).rules
        found = {cell: by_rules[cell] for cell in (*self._safe, *self._mines) if cell in by_rules}
        if len(found) < len(self._safe) + len(self._mines):
            # Large boards have layouts with thousands of digits.
            counted = f"{self.layouts:,}" if self.layouts < 10**15 else f"{Decimal(self.layouts):.1e}"
            found |= {cell: f"exact count: 0 of {counted} layouts" for cell in self._safe if cell not in found}
            found |= {cell: f"exact count: {counted} of {counted} layouts" for cell in self._mines if cell not in found}
        return found

    def rule(self, cell: Cell) -> str:
        """Return what `rules` has for a cell; for one cell that takes less than half the time."""
        if cell not in self._asked:
            by_rule = deduce(self._board, self._frontier, LADDERS["exact"], until=cell).rules
            self._asked[cell] = by_rule[cell] if cell in by_rule else self.rules[cell]
        return self._asked[cell]

    @cached_property
    def layouts(self) -> int:
        """The exact number of layouts."""
        return exact_layouts(count_layouts(self._frontier))


@dataclass(frozen=True, slots=True, eq=False)
class Decision:
    """The decision on a position.

    Attributes:
        safe: The cells that cannot be mines, in reading order; unreadable cells are left out.
        mines: The unopened cells that are certainly mines, in reading order.
        guess: The uncertain cell to open; None if a cell is safe or nothing is left to open.
        mine_probability: float64 array of shape (rows, columns): the chance of a mine; NaN where open and where the
            method does not know. 1.0 and 0.0 only where certain.
        exact: Whether the chances are exact.
        grounds: Why `safe` and `mines` are certain.
        standard_error: The standard error of each of `mine_probability`; None unless they were sampled.
        cut_short: Whether the method ran out of time: another guess may be better, and more cells may be certain.
    """

    safe: tuple[Cell, ...]
    mines: tuple[Cell, ...]
    guess: Choice | None
    mine_probability: NDArray[np.float64]
    exact: bool
    grounds: KnownGrounds | CountedGrounds
    standard_error: NDArray[np.float64] | None = None
    cut_short: bool = False

    @property
    def best(self) -> Choice | None:
        """The cell to open next: the first safe one, else the guess; None if nothing is left to open."""
        return Choice(self.safe[0], self.grounds.rule(self.safe[0]), 0.0) if self.safe else self.guess

    @property
    def rules(self) -> Mapping[Cell, str]:
        """For each cell of `safe` and `mines`, the name of the rule that found it."""
        return self.grounds.rules

    @property
    def layouts(self) -> int | None:
        """The exact number of mine layouts; None if they were not counted."""
        return self.grounds.layouts

    @property
    def log_layouts(self) -> float | None:
        """The natural logarithm of that number, known without counting again; None if they were not counted."""
        return self.grounds.log_layouts
