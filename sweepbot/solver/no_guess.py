"""No-guess boards: which layouts deduction solves, and the chances in a position if the board is one of them.

Deduction here is exact counting, the total of mines included: a cell may be opened if it is safe in every layout of the
position. No solver can deduce more, so every board that a client's own, weaker solver gets through is one of these.
Open cells never make deduction weaker: a layout solved from the first click is solved from every later position too. So
the position alone tells which layouts are left, without the first click; and if plain counting finds nothing safe, none
is left, as deduction is stuck in all of them.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from sweepbot.board import Board, State, cells_in
from sweepbot.errors import ImpossibleBoardError
from sweepbot.geometry import Cell
from sweepbot.solver.chances import COUNTED, count_chances, count_layouts
from sweepbot.solver.compiled import FORMS, helper, kernel
from sweepbot.solver.decision import Decision, KnownGrounds, safest_choice
from sweepbot.solver.draw import NOWHERE, draw_layout
from sweepbot.solver.endgame import list_layouts
from sweepbot.solver.flat_board import HIDDEN, FlatBoard, neighbour_table
from sweepbot.solver.frontier import read_frontier

LISTED_LAYOUTS = 1_000
"""Up to this many layouts all are looked at, else this many are drawn: a second or two on expert boards."""

_DEDUCTION_S = 0.5
"""About how long solving a board by deduction takes in plain Python."""

_SEED = 1  # the same position always gives the same chances


def is_deducible(mine: NDArray[np.bool_], first: Cell) -> bool:
    """Whether deduction solves a board, mines as bool of shape (rows, columns), once the safe cell `first` is open."""
    FORMS.expect(_DEDUCTION_S)
    fresh = np.full(mine.size, HIDDEN, np.uint8)
    position = FlatBoard(fresh, neighbour_table(*mine.shape), int(np.count_nonzero(mine)))
    place = np.array([first.row * mine.shape[1] + first.column])
    return bool(solves(position, mine.reshape(-1), place))


def among_deducible(board: Board, decision: Decision) -> Decision:
    """Return the decision on a no-guess board: layouts that deduction does not solve are left out.

    Args:
        board: The position; its total of mines is known.
        decision: The decision by plain counting.

    Returns:
        The same decision if nothing is open yet, or the layouts could not be counted. With at most `LISTED_LAYOUTS`
        layouts, exact chances, and the cells that are certain by them. Otherwise chances from random layouts, with
        standard errors, and only the cells that are certain without the promise.

    Raises:
        ImpossibleBoardError: Deduction solves none of the layouts, or none of those drawn.
    """
    if not decision.exact or decision.layouts is None or board.count(*_UNFIT) or not board.count(*range(9)):
        return decision
    FORMS.expect(LISTED_LAYOUTS * _DEDUCTION_S)
    position = FlatBoard.of(board)
    position.cells[position.cells > HIDDEN] = HIDDEN  # marks are only a player's claims
    is_listed = decision.layouts <= LISTED_LAYOUTS
    rng = np.random.default_rng(_SEED)
    # Without a safe cell deduction solves no layout, so that none has to be looked at.
    mines, kept = np.zeros(0, np.int64), 0
    if decision.safe or not (position.cells == HIDDEN).any():
        number = int(decision.layouts) if is_listed else LISTED_LAYOUTS
        mines, kept = count_deducible(position, number, not is_listed, rng)
    if not kept:
        looked_at = "no layout" if is_listed or not decision.safe else f"none of {LISTED_LAYOUTS} layouts"
        raise ImpossibleBoardError(
            f"{looked_at} of mines that gives this position can be solved without a guess",
            hint="leave --no-guess out, or check the numbers and the total of mines",
        )
    shares = (mines / kept).reshape(board.cells.shape)
    if is_listed:
        return _decide_exactly(board, shares, kept)
    chances = np.where(
        (decision.mine_probability > 0.0) & (decision.mine_probability < 1.0),
        np.clip(shares, 0.5 / kept, 1 - 0.5 / kept),  # what no sample shows is still possible
        decision.mine_probability,
    )
    errors = np.sqrt(chances * (1 - chances) / kept)
    return replace(decision, mine_probability=chances, exact=False, standard_error=errors)


_UNFIT = (State.UNKNOWN, State.MINE, State.EXPLODED, State.WRONG_FLAG)
"""States that the position of a game under way does not have."""


def _decide_exactly(board: Board, chances: NDArray[np.float64], kept: int) -> Decision:
    """Return the decision by the exact chances over the `kept` layouts."""
    chances = np.where(board.cells < State.HIDDEN, np.nan, chances)
    safe, mines = (tuple(cells_in(chances == value)) for value in (0.0, 1.0))
    rules = dict.fromkeys(safe, f"no guess: 0 of {kept:,} layouts that need none")
    rules |= dict.fromkeys(mines, f"no guess: {kept:,} of {kept:,} layouts that need none")
    guess = None if safe else safest_choice(board, np.flatnonzero(board.cells >= HIDDEN), chances.reshape(-1))
    return Decision(safe, mines, guess, chances, exact=True, grounds=KnownGrounds(rules, kept))


@kernel
def count_deducible(
    position: FlatBoard,
    number: int,
    is_sample: bool,  # noqa: FBT001  (compiled functions are called by position)
    rng: np.random.Generator,
) -> tuple[NDArray[np.int64], int]:
    """Count, over the layouts that deduction solves, how often each flat cell is a mine; and count these layouts.

    Args:
        position: The position, all cells open or hidden; unchanged when this returns.
        number: How many layouts to look at.
        is_sample: Whether they are drawn at random; otherwise there are no others.
        rng: The source of randomness.
    """
    mines, kept, none = np.zeros(position.cells.size, np.int64), 0, np.zeros(0, np.int64)
    listed = np.zeros((0, mines.size), np.bool_)
    if not is_sample:
        listed = list_layouts(count_layouts(read_frontier(position)), number)
    for i in range(number):
        mine = draw_layout(position, NOWHERE, rng) if is_sample else listed[i]
        if solves(FlatBoard(position.cells.copy(), position.around, position.mines), mine, none):
            kept += 1
            for cell in range(mines.size):
                mines[cell] += mine[cell]
    return mines, kept


@kernel
def solves(position: FlatBoard, mine: NDArray[np.bool_], first: NDArray[np.int64]) -> bool:
    """Whether deduction solves a layout of a position once the cells `first` are open; the position is written to."""
    cells = position.cells
    for cell in first:
        open_flood(position, mine, cell)
    left = int(np.count_nonzero(cells >= HIDDEN)) - position.mines
    while left > 0:
        outcome, _, chances = count_chances(position)
        opened = 0
        if outcome == COUNTED:
            for cell in range(cells.size):
                if cells[cell] >= HIDDEN and chances[cell] == 0.0:
                    opened += open_flood(position, mine, cell)
        if opened == 0:
            return False
        left -= opened
    return True


@helper
def open_flood(position: FlatBoard, mine: NDArray[np.bool_], start: int) -> int:
    """Open a cell without a mine and flood from every 0; return how many cells are opened."""
    cells, around = position.cells, position.around
    stack, size, opened = np.empty(9 * cells.size, np.int32), 1, 0
    stack[0] = start
    while size > 0:
        size -= 1
        cell = stack[size]
        if cells[cell] < HIDDEN:
            continue
        number = 0
        for i in range(around[cell, 8]):
            number += mine[around[cell, i]]
        cells[cell] = number
        opened += 1
        if number == 0:
            for i in range(around[cell, 8]):
                stack[size] = around[cell, i]
                size += 1
    return opened
