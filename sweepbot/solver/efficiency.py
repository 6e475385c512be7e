"""The fewest clicks: which certain opening or chord leads to the end in the fewest, weighed over layouts.

Layouts of the position are drawn by lot. In each of them every candidate is clicked, and greedy ZiNi plays on from
there with the mines known: that is what a player who is never in doubt would still click. So a safe cell that will most
likely be opened for nothing, by a flood or by a chord, is left for later. All safe cells are opened before anything is
guessed, so the guesses, and the games won, are those of any other style.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sweepbot.board import Board, State
from sweepbot.geometry import Cell
from sweepbot.solver.compiled import FORMS, kernel
from sweepbot.solver.decision import Decision
from sweepbot.solver.draw import draw_layout
from sweepbot.solver.frontier import FLAG, HIDDEN, flat_cells, neighbour_table
from sweepbot.solver.measures import clicks_left, open_in, openings_of

DRAWS = (8, 24)
"""Layouts drawn to weigh all candidates in, and then the best of them."""

KEPT = 6
"""How many candidates are weighed in the second lot."""

_SEED = 1  # the same position always gives the same click
_PLAIN_S = 10.0  # about what a choice takes in plain Python, in seconds


class Efficient(NamedTuple):
    """A certain opening or chord."""

    cell: Cell
    flags: tuple[Cell, ...]
    """The mines to be flagged before."""
    opens: tuple[Cell, ...]
    """The safe cells that it opens, what these flood left out."""
    is_chord: bool
    clicks_to_end: float | None = None
    """From here on, this and its flags included, by the estimate; None where there was no choice."""


def most_efficient(board: Board, decision: Decision, *, may_take_seconds: bool = True) -> Efficient | None:
    """The certain click that leads to the end in the fewest.

    Args:
        board: The position.
        decision: What was decided on it.
        may_take_seconds: Whether to weigh candidates also before the solver is compiled, which this begins.

    Returns:
        None where no cell is safe, a flag is not known to be right, layouts cannot be drawn, or it takes too long.
    """
    if not decision.safe or not decision.exact or board.mines is None:
        return None
    if any(flag not in decision.mines for flag in board.where(State.FLAG)):
        return None
    # Of equals the first is taken: flags that a chord lays are there for others.
    candidates = chords(board, decision)
    candidates += [Efficient(cell, (), (cell,), is_chord=False) for cell in decision.safe]
    if len(candidates) == 1:
        return candidates[0]
    FORMS.expect(_PLAIN_S)
    if not may_take_seconds and not FORMS.is_compiled:
        return None
    cells, around, rng = flat_cells(board), neighbour_table(board.rows, board.columns), np.random.default_rng(_SEED)
    for draws in DRAWS:
        places = np.array([cell.row * board.columns + cell.column for cell, *_ in candidates])
        are_chords = np.array([candidate.is_chord for candidate in candidates])
        drawn, clicks = weigh_clicks(cells, around, board.mines, places, are_chords, draws, rng)
        if not drawn:
            return None
        order = np.argsort(clicks, kind="stable")[:KEPT]
        candidates = [candidates[i]._replace(clicks_to_end=float(clicks[i] / drawn)) for i in order.tolist()]
    return candidates[0]


def chords(board: Board, decision: Decision) -> list[Efficient]:
    """The chords at numbers around which all is certain and something is safe, in reading order.

    There is none where a safe cell is marked: a client would leave it closed.
    """
    safe, mines = set(decision.safe), set(decision.mines)
    found = []
    for number in sorted({cell for of in safe for cell in board.neighbours(of) if board[cell] < State.HIDDEN}):
        around = board.neighbours(number)
        opens = tuple(cell for cell in around if cell in safe)
        unsure = [cell for cell in around if board[cell] >= State.HIDDEN and cell not in safe and cell not in mines]
        is_marked = any(board[cell] != State.HIDDEN for cell in opens)
        if not unsure and not is_marked:
            flags = tuple(cell for cell in around if cell in mines and board[cell] != State.FLAG)
            found.append(Efficient(number, flags, opens, is_chord=True))
    return found


@kernel
def weigh_clicks(  # noqa: PLR0917  (compiled functions are called by position)
    cells: NDArray[np.uint8],
    around: NDArray[np.int32],
    total: int,
    places: NDArray[np.int64],
    are_chords: NDArray[np.bool_],
    draws: int,
    rng: np.random.Generator,
) -> tuple[int, NDArray[np.float64]]:
    """Draw layouts of a position: how many were drawn, and the clicks to the end by each candidate, added up over them.

    Args:
        cells: The flat cells of the position.
        around: The `neighbour_table` of its size.
        total: Its mines.
        places: The flat cells of the candidates.
        are_chords: Which of them are chords.
        draws: How many layouts are drawn.
        rng: Where they come from.
    """
    clicks, is_live = np.zeros(places.size), cells >= HIDDEN
    for cell in np.flatnonzero(cells >= HIDDEN):
        for j in range(around[cell, 8]):
            is_live[around[cell, j]] = True
    order = np.flatnonzero(is_live).astype(np.int32)
    for drawn in range(draws):
        mine = draw_layout(cells, around, total, -1, rng)
        if mine.size == 0:
            return drawn, clicks
        opening, _ = openings_of(mine, around)
        for i in range(places.size):
            cell, is_open, flagged = places[i], cells < HIDDEN, cells == FLAG
            clicks[i] += 1
            if are_chords[i]:
                for j in range(around[cell, 8]):
                    other = around[cell, j]
                    if mine[other]:
                        clicks[i] += not flagged[other]
                        flagged[other] = True
                    else:
                        open_in(opening, is_open, around, other)
            else:
                open_in(opening, is_open, around, cell)
            clicks[i] += clicks_left(mine, opening, is_open, flagged, around, order, human=False)
    return draws, clicks
