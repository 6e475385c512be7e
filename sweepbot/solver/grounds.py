"""Why cells are certain where layouts were counted: rules that find them too, else the count itself."""

from collections.abc import Mapping
from decimal import Decimal
from functools import cached_property

from sweepbot.board import Board
from sweepbot.geometry import Cell
from sweepbot.solver.chances import count_layouts
from sweepbot.solver.counting import exact_layouts
from sweepbot.solver.deduction import LADDERS, deduce
from sweepbot.solver.frontier import Frontier, flat_cells


class Counted:
    """The grounds of a decision by count; each is worked out when it is first asked for.

    Args:
        board: The position.
        safe: Its safe cells.
        mines: Its certain mines.
    """

    def __init__(self, board: Board, safe: tuple[Cell, ...], mines: tuple[Cell, ...]) -> None:
        self._board = board
        self._safe = safe
        self._mines = mines

    @cached_property
    def _frontier(self) -> Frontier:
        return Frontier.of(self._board)

    @cached_property
    def rules(self) -> Mapping[Cell, str]:
        """For each certain cell the name of the cheapest rule that finds it, else how many layouts say so."""
        by_rules = deduce(self._board, self._frontier, LADDERS["exact"]).rules
        found = {cell: by_rules[cell] for cell in (*self._safe, *self._mines) if cell in by_rules}
        if len(found) < len(self._safe) + len(self._mines):
            counted = _in_words(self.layouts)
            found |= {cell: f"exact count: 0 of {counted} layouts" for cell in self._safe if cell not in found}
            found |= {cell: f"exact count: {counted} of {counted} layouts" for cell in self._mines if cell not in found}
        return found

    @cached_property
    def layouts(self) -> int:
        """The number of layouts, exactly."""
        count = count_layouts(flat_cells(self._board), self._frontier)
        return exact_layouts(self._frontier, count.trellis, count.plan)


def _in_words(layouts: int) -> str:
    """A count in a form that a person can read: large boards have layouts with thousands of digits."""
    return f"{layouts:,}" if layouts < 10**15 else f"{Decimal(layouts):.1e}"
