"""Measures of a board whose mines are known: 3BV, openings, and the clicks of a greedy player, ZiNi.

ZiNi (Zimmermann and Nikolaus, minesweepergame.com) always takes the cell that saves most: it opens it, flags the mines
around it and chords. The premium of a cell is the clicks that this saves minus the clicks that it takes; if no cell is
worth it, the next cell is simply opened.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sweepbot.board import Board, Phase, State
from sweepbot.solver.compiled import FORMS, helper, kernel
from sweepbot.solver.flat_board import neighbour_table

_ZINI_S_PER_CELL = 2e-4
"""About how long a greedy game takes in plain Python, in seconds per cell of the board."""

_ISOLATED = 0
_NEEDLESS = -1
"""Entries of `openings_of` for a cell that takes a click of its own, and for one that takes none: a mine, or beside a
0."""


class Measures(NamedTuple):
    """The measures of a board."""

    three_bv: int
    """The fewest left clicks: one per opening, one per number beside none (Bechtel's Board Benchmark Value)."""
    openings: int
    """The number of openings."""
    zini: int
    """The clicks of greedy ZiNi; of equal premiums the leftmost cell is taken, then the topmost."""
    human_zini: int
    """The same as a person can play it: all openings first, then chords at open cells only."""


def measure(mine: NDArray[np.bool_]) -> Measures:
    """Measure a board, given its mines as bool of shape (rows, columns)."""
    FORMS.expect(2 * _ZINI_S_PER_CELL * mine.size)
    around, flat = neighbour_table(*mine.shape), mine.reshape(-1)
    by_columns = np.arange(mine.size, dtype=np.int32).reshape(mine.shape).T.flatten()
    nothing = np.zeros(mine.size, np.bool_)
    opening, openings = openings_of(flat, around)
    greedy, human = (
        clicks_left(flat, opening, nothing.copy(), nothing.copy(), around, by_columns, human=human)
        for human in (False, True)
    )
    return Measures(int(openings + np.count_nonzero(opening == _ISOLATED)), int(openings), int(greedy), int(human))


def shown_mines(last: Board) -> NDArray[np.bool_] | None:
    """Return where all mines are, bool of shape (rows, columns); None if a game's last position does not show it."""
    phase = last.phase()
    if last.mines is None or phase not in (Phase.WON, Phase.LOST):
        return None
    shown = (State.MINE, State.EXPLODED, State.FLAG) if phase is Phase.LOST else ()
    mine = np.isin(last.cells, shown) if shown else last.cells >= State.HIDDEN
    return mine if int(mine.sum()) == last.mines else None


@kernel
def openings_of(mine: NDArray[np.bool_], around: NDArray[np.int32]) -> tuple[NDArray[np.int32], int]:
    """Return each flat cell's opening, from 1 up if it is a 0, else `_ISOLATED` or `_NEEDLESS`; and their number."""
    opening, count, stack = np.full(mine.size, _NEEDLESS, np.int32), 0, np.empty(mine.size, np.int32)
    is_zero = ~mine & ~_beside(mine, around)
    for start in range(mine.size):
        if is_zero[start] and opening[start] == _NEEDLESS:
            count += 1
            stack[0], size, opening[start] = start, 1, count
            while size > 0:
                size -= 1
                zero = stack[size]
                for i in range(around[zero, 8]):
                    other = around[zero, i]
                    if is_zero[other] and opening[other] == _NEEDLESS:
                        opening[other] = count
                        stack[size] = other
                        size += 1
    isolated = ~mine & ~is_zero & ~_beside(is_zero, around)
    for cell in range(mine.size):
        if isolated[cell]:
            opening[cell] = _ISOLATED
    return opening, count


@helper
def _beside(cells: NDArray[np.bool_], around: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Return which flat cells have a neighbour among `cells`."""
    beside = np.zeros(cells.size, np.bool_)
    for cell in range(cells.size):
        for i in range(around[cell, 8]):
            beside[cell] |= cells[around[cell, i]]
    return beside


@kernel
def clicks_left(  # noqa: PLR0917  (compiled functions are called by position)
    mine: NDArray[np.bool_],
    opening: NDArray[np.int32],
    is_open: NDArray[np.bool_],
    flagged: NDArray[np.bool_],
    around: NDArray[np.int32],
    order: NDArray[np.int32],
    human: bool | np.bool_,  # noqa: FBT001  (as above)
) -> int:
    """Count the clicks of greedy ZiNi from a position to the end.

    Args:
        mine: Whether each flat cell holds a mine.
        opening: As `openings_of` returns it.
        is_open: Whether each flat cell is open, along with everything beside an open 0; written to.
        flagged: Whether it has a flag, on mines only; written to.
        around: The `neighbour_table` of the board's size.
        order: The flat cells that are not open, or beside such a cell: of equal premiums the first is taken.
        human: Whether all zeros are opened first, and only open cells are chorded.
    """
    game = _Greedy(
        mine, is_open, flagged, around, opening, np.zeros(mine.size, np.int32), np.zeros(mine.size, np.int32)
    )
    left = _begin(game)
    clicks = 0
    if human:
        for cell in order:
            if opening[cell] > 0 and not is_open[cell]:
                left -= _open(game, cell)
                clicks += 1
    while left > 0:
        best, alone = _next(game, order, human)
        if not is_open[alone if best < 0 else best]:
            left -= _open(game, alone if best < 0 else best)
            clicks += 1
        if best >= 0:
            clicks += _flag_around(game, best) + 1
            for i in range(around[best, 8]):
                other = around[best, i]
                if not mine[other] and not is_open[other]:
                    left -= _open(game, other)
    return clicks


class _Greedy(NamedTuple):
    """A greedy game under way; the arrays have one entry per flat cell."""

    mine: NDArray[np.bool_]
    is_open: NDArray[np.bool_]
    flagged: NDArray[np.bool_]
    around: NDArray[np.int32]
    opening: NDArray[np.int32]
    """As `openings_of` returns it."""
    premium: NDArray[np.int32]
    """The clicks saved by opening the cell, flagging the mines around it, and chording."""
    stamp: NDArray[np.int32]
    """The opening that last changed the premium."""


@helper
def _begin(game: _Greedy) -> int:
    """Work out the premiums; return how many cells are still to be opened."""
    left, done = 0, np.zeros(game.mine.size + 1, np.bool_)
    for cell in range(game.mine.size):
        game.premium[cell] -= 1 if game.is_open[cell] else 2
        if game.mine[cell]:
            if not game.flagged[cell]:
                _add_around(game, cell, -1)
        elif not game.is_open[cell]:
            left += 1
            if game.opening[cell] == _ISOLATED:
                game.premium[cell] += 1
                _add_around(game, cell, 1)
            elif game.opening[cell] > 0 and not done[game.opening[cell]]:
                done[game.opening[cell]] = True
                _add_to_opening(game, game.opening[cell], 1)
    for cell in range(game.stamp.size):
        game.stamp[cell] = 0
    return left


@helper
def _next(game: _Greedy, order: NDArray[np.int32], human: bool | np.bool_) -> tuple[int, int]:  # noqa: FBT001
    """Return the cell to chord at, -1 if none is worth it; and the first cell to open if so."""
    best, alone = -1, -1
    for cell in order:
        if game.mine[cell]:
            continue
        if game.premium[cell] >= 0 and (game.is_open[cell] or not human):
            if best < 0 or game.premium[cell] > game.premium[best]:
                best = cell
        elif alone < 0 and not game.is_open[cell] and game.opening[cell] != _NEEDLESS:
            alone = cell
    return best, alone


@helper
def _add_around(game: _Greedy, cell: int, change: int) -> None:
    """Change the premiums of a cell's neighbours."""
    for i in range(game.around[cell, 8]):
        game.premium[game.around[cell, i]] += change


@helper
def _add_to_opening(game: _Greedy, opening: int, change: int) -> None:
    """Change the premiums of an opening's zeros and the numbers beside them."""
    for zero in range(game.mine.size):
        if game.opening[zero] == opening:
            game.premium[zero] += change
            for i in range(game.around[zero, 8]):
                other = game.around[zero, i]
                if game.opening[other] != opening and game.stamp[other] != opening:
                    game.stamp[other] = opening
                    game.premium[other] += change


@helper
def open_in(opening: NDArray[np.int32], is_open: NDArray[np.bool_], around: NDArray[np.int32], cell: int) -> None:
    """Open a cell without a mine; if it is a 0, open all of its opening and the numbers beside it."""
    is_open[cell] = True
    if opening[cell] > 0:
        for zero in range(opening.size):
            if opening[zero] == opening[cell]:
                is_open[zero] = True
                for i in range(around[zero, 8]):
                    is_open[around[zero, i]] = True


@helper
def _open(game: _Greedy, cell: int) -> int:
    """Open a cell in a greedy game; return how many cells that opens."""
    if game.opening[cell] <= 0:
        game.is_open[cell] = True
        game.premium[cell] += 1
        if game.opening[cell] == _ISOLATED:
            game.premium[cell] -= 1
            _add_around(game, cell, -1)
        return 1
    before, opened = game.is_open.copy(), 0
    open_in(game.opening, game.is_open, game.around, cell)
    _add_to_opening(game, game.opening[cell], -1)
    for other in range(before.size):
        if game.is_open[other] and not before[other]:
            game.premium[other] += 1
            opened += 1
    return opened


@helper
def _flag_around(game: _Greedy, cell: int) -> int:
    """Flag the mines around a cell; return how many flags that takes."""
    flags = 0
    for i in range(game.around[cell, 8]):
        other = game.around[cell, i]
        if game.mine[other] and not game.flagged[other]:
            game.flagged[other] = True
            _add_around(game, other, 1)
            flags += 1
    return flags
