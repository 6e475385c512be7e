"""Marks on the client's own board: what is safe, where the mines are, and the chances of the rest."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sweepbot.assist.onlooker import Advice
from sweepbot.board import CHARACTERS, Board, Phase, State
from sweepbot.desktop.overlay import Overlay
from sweepbot.desktop.screen import Frame
from sweepbot.desktop.windows import WindowId
from sweepbot.geometry import Cell
from sweepbot.player.finding import FoundClient
from sweepbot.render.marks import marks
from sweepbot.trace.events import Event, Read, Waiting
from sweepbot.vision.grid import Grid


@dataclass(frozen=True, slots=True)
class _Marked:
    """What is marked: the board with its chances, shape (rows, columns), its best cell, and its window."""

    board: Board
    chances: NDArray[np.float64]
    best: Cell | None
    window: WindowId


class BoardMarks:
    """Keeps marks on a board, each as long as its cell shows what it did when the advice was given.

    Args:
        overlay: Where the marks are drawn.
    """

    def __init__(self, overlay: Overlay) -> None:
        self._overlay = overlay
        self._marked: _Marked | None = None
        self._drawn = dict[Cell, Frame]()

    def show(self, advice: Advice, client: FoundClient) -> None:
        """Mark the board of a client; if the game is over, or its window unknown, nothing is marked."""
        if advice.decision is None or client.window.id is None:
            self.clear()
            return
        chances, best = advice.decision.mine_probability.copy(), advice.decision.best
        for hint in advice.hints:  # known even if the chances were not asked for
            chances[hint.cell] = float(hint.is_mine)
        reading = advice.reading
        self.mark(reading.board, chances, None if best is None else best.cell, reading.grid, client.window.id)

    def mark(self, board: Board, chances: NDArray[np.float64], best: Cell | None, grid: Grid, window: WindowId) -> None:
        """Mark a board: chances of shape (rows, columns), 0 to 1, NaN for a cell that gets none; and its best cell."""
        self._marked = marked = _Marked(board, chances, best, window)
        self._draw(marked, grid, board)

    def clear(self) -> None:
        """Take the marks away, until others are shown."""
        self._marked, self._drawn = None, {}
        self._overlay.hide()

    def keep(self, is_same: Callable[[Cell], bool]) -> None:
        """Take the marks away from the cells that are not the same any more."""
        kept = {cell: drawn for cell, drawn in self._drawn.items() if is_same(cell)}
        if self._marked is not None and len(kept) < len(self._drawn):
            self._drawn = kept
            self._overlay.show(list(kept.values()), self._marked.window)

    def observe(self, event: Event) -> None:
        """Follow the board as it is read; take the marks away while it cannot be seen, and once the game is over."""
        if isinstance(event, Waiting):
            self._overlay.hide()
        elif isinstance(event, Read) and self._marked is not None:
            board = self._marked.board
            is_over = event.phase in (Phase.WON.value, Phase.LOST.value)
            if is_over or (len(event.rows), len(event.rows[0])) != board.cells.shape:
                self._overlay.hide()
                return
            unread = CHARACTERS[State.UNKNOWN]  # as under the pointer
            same = [it for it in board if event.rows[it.row][it.column] in (CHARACTERS[board[it]], unread)]
            self._draw(self._marked, Grid(event.xs, event.ys), same)

    def _draw(self, marked: _Marked, grid: Grid, cells: Iterable[Cell]) -> None:
        """Mark some cells of a board with these lines."""
        places = {cell: grid.region_of(cell) for cell in cells if not np.isnan(marked.chances[cell])}
        self._drawn = marks(marked.board, marked.chances, marked.best, places)
        self._overlay.show(list(self._drawn.values()), marked.window)
