"""Why a client that is read at first sight cannot be played, as far as its cells show it."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from sweepbot.board import Board, State
from sweepbot.geometry import Cell
from sweepbot.player.judging import unlike_hidden
from sweepbot.vision.reading import Reading

_SURE_CHANCE = 0.99  # from which on the network alone is sure of a cell
_MAX_UNREAD_SHARE = 0.2  # of a board: if more cannot be read, something is in front of it
_MAX_UNSEEN_GUESSES = 2  # of a game: one may be a number that is never met again
_COUNTS = "does this client count as Minesweeper does?"
_SIDES: dict[str, tuple[slice | int, slice | int]] = {
    "at the top": (0, slice(None)),
    "at the bottom": (-1, slice(None)),
    "at the left": (slice(None), 0),
    "at the right": (slice(None), -1),
}


def contradiction(reading: Reading, is_impossible: Callable[[Board], bool]) -> str:
    """Return what a board that cannot be trusted may be, if its cells, each as it is seen, contradict the rules.

    Empty if they do not, or if too little of it can be read to say so.
    """
    cells, chances = reading.board.cells, reading.seen.chances
    if reading.unread > _MAX_UNREAD_SHARE * cells.size:
        return ""
    if chances is not None:  # what the network alone is sure of; it is not of what lies under something else
        is_seen = (cells == State.UNKNOWN) & (chances.max(axis=2) >= _SURE_CHANCE)
        cells = np.where(is_seen, chances.argmax(axis=2).astype(np.uint8), cells)

    def is_wrong(cells: NDArray[np.uint8]) -> bool:
        board = Board(cells)
        return any(problem.cell is not None for problem in board.problems()) or is_impossible(board)

    if not is_wrong(cells):
        return ""
    for side, line in _SIDES.items():
        others = cells.copy()
        others[line] = State.UNKNOWN
        if not is_wrong(others):
            size = f"{cells.shape[1]}x{cells.shape[0]} cells"
            return f"only cells {side} contradict the rules: does the board of {size} go on there? else {_COUNTS}"
    return f"its numbers, as they are seen, contradict each other: {_COUNTS}"


def unfinished_opening(now: Reading, clicked: Cell) -> str:
    """Return what a board may be that a click has not changed, if the cell looks otherwise and is read as hidden."""
    unlike = unlike_hidden(now)
    if clicked not in unlike:
        return ""
    if len(unlike) > 1:
        return f"{len(unlike)} cells look otherwise than hidden ones, but show no number: does this client show any?"
    return _opens_none(clicked)


def unseen_guesses(now: Reading, guessed: Sequence[Cell]) -> str:
    """Return why no further guess is made: what was guessed cannot be read, nor most of what is open; empty if not."""
    board, chances = now.board, now.seen.chances
    unseen = [cell for cell in guessed if board[cell] == State.UNKNOWN]
    if len(unseen) < _MAX_UNSEEN_GUESSES or board.count(State.UNKNOWN) <= board.count(*range(State.HIDDEN)):
        return ""
    zeros = [cell for cell in unseen if chances is not None and chances[cell][: State.HIDDEN].argmax() == 0]
    return _opens_none(zeros[-1]) if zeros else "its open cells have looks that first sight does not know"


def _opens_none(zero: Cell) -> str:
    return f"the cell at {zero} looks otherwise, but opens no others: does a zero do so in this client?"
