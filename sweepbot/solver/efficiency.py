"""The efficient style: which safe opening or chord leads to the end in the fewest clicks, averaged over layouts.

Random layouts of the position are drawn. In each of them every candidate is clicked, and greedy ZiNi plays on from
there knowing the mines: its clicks are those that a player who is never in doubt would still make. So a safe cell that
a flood or a chord will probably open for free is left for later. All safe cells are opened before anything is guessed,
so the guesses, and the games won, are those of any other style.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sweepbot.board import Board, State
from sweepbot.geometry import Cell
from sweepbot.solver.compiled import FORMS, kernel
from sweepbot.solver.decision import Decision
from sweepbot.solver.draw import NOWHERE, draw_layout
from sweepbot.solver.flat_board import FLAG, HIDDEN, FlatBoard, flat_index
from sweepbot.solver.measures import clicks_left, open_in, openings_of

DRAWN_LAYOUTS = (8, 24)
"""Layouts in which all candidates are weighed, and then the best of them."""

KEPT_CANDIDATES = 6
"""How many candidates are weighed in the second round."""

_NOT_HUMAN = np.bool_(False)  # noqa: FBT003  (of numpy's type, as `NOWHERE`)
_SEED = 1  # the same position always gives the same click
_PLAIN_S = 10.0  # about how long a choice takes in plain Python


class Efficient(NamedTuple):
    """A safe opening or chord."""

    cell: Cell
    flags: tuple[Cell, ...]
    """The mines to flag first."""
    opens: tuple[Cell, ...]
    """The safe cells that it opens, not counting what floods from them."""
    is_chord: bool
    clicks_to_end: float | None = None
    """The estimated clicks to the end, this one and its flags included; None if there was no choice."""


def most_efficient(board: Board, decision: Decision, *, may_take_seconds: bool = True) -> Efficient | None:
    """Return the safe opening or chord that leads to the end in the fewest clicks.

    Args:
        board: The position.
        decision: The decision on it.
        may_take_seconds: Whether to weigh candidates even if the solver is not compiled yet; compiling begins anyway.

    Returns:
        None if no cell is safe, a flag may be wrong, layouts cannot be drawn, or it would take too long.
    """
    if not decision.safe or not decision.exact or board.mines is None:
        return None
    if any(flag not in decision.mines for flag in board.where(State.FLAG)):
        return None
    # Among equals the first is taken: the flags for a chord also serve later chords.
    candidates = chords(board, decision)
    candidates += [Efficient(cell, (), (cell,), is_chord=False) for cell in decision.safe]
    if len(candidates) == 1:
        return candidates[0]
    FORMS.expect(_PLAIN_S)
    if not may_take_seconds and not FORMS.is_compiled:
        return None
    position, rng = FlatBoard.of(board), np.random.default_rng(_SEED)
    for draws in DRAWN_LAYOUTS:
        places = np.array([flat_index(board, cell) for cell, *_ in candidates])
        samples, clicks = weigh_clicks(position, places, draws, rng)
        if not samples:
            return None
        order = np.argsort(clicks, kind="stable")[:KEPT_CANDIDATES]
        candidates = [candidates[i]._replace(clicks_to_end=float(clicks[i] / samples)) for i in order.tolist()]
    return candidates[0]


def chords(board: Board, decision: Decision) -> list[Efficient]:
    """Return the chords at numbers whose neighbours are all certain and some are safe, in reading order.

    Numbers beside a safe cell with a mark are left out: a client would leave that cell closed.
    """
    safe, mines = set(decision.safe), set(decision.mines)
    found = []
    for number in sorted({near for cell in safe for near in board.neighbours(cell) if board[near] < State.HIDDEN}):
        around = board.neighbours(number)
        opens = tuple(cell for cell in around if cell in safe)
        unsure = [cell for cell in around if board[cell] >= State.HIDDEN and cell not in safe and cell not in mines]
        is_marked = any(board[cell] != State.HIDDEN for cell in opens)
        if not unsure and not is_marked:
            flags = tuple(cell for cell in around if cell in mines and board[cell] != State.FLAG)
            found.append(Efficient(number, flags, opens, is_chord=True))
    return found


@kernel
def weigh_clicks(
    position: FlatBoard, places: NDArray[np.int64], draws: int, rng: np.random.Generator
) -> tuple[int, NDArray[np.float64]]:
    """Draw layouts of a position and add up, over them, the clicks to the end with each candidate.

    Args:
        position: The position.
        places: The flat cells of the candidates: a chord is at an open one.
        draws: How many layouts to draw.
        rng: The source of randomness.

    Returns:
        How many layouts were drawn, and the sum of clicks for each candidate.
    """
    cells, around = position.cells, position.around
    clicks, is_live = np.zeros(places.size), cells >= HIDDEN
    for cell in np.flatnonzero(cells >= HIDDEN):
        for j in range(around[cell, 8]):
            is_live[around[cell, j]] = True
    order = np.flatnonzero(is_live).astype(np.int32)
    for drawn in range(draws):
        mine = draw_layout(position, NOWHERE, rng)
        if mine.size == 0:
            return drawn, clicks
        opening, _ = openings_of(mine, around)
        for i in range(places.size):
            cell, is_open, flagged = places[i], cells < HIDDEN, cells == FLAG
            clicks[i] += 1
            if cells[cell] < HIDDEN:
                for j in range(around[cell, 8]):
                    other = around[cell, j]
                    if mine[other]:
                        clicks[i] += not flagged[other]
                        flagged[other] = True
                    else:
                        open_in(opening, is_open, around, other)
            else:
                open_in(opening, is_open, around, cell)
            clicks[i] += clicks_left(mine, opening, is_open, flagged, around, order, human=_NOT_HUMAN)
    return draws, clicks
