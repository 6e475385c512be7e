"""Marks on the client's own board: what is safe, where the mines are, and the chances of the rest."""

from collections.abc import Iterable

import numpy as np

from sweepbot.assist.onlooker import Advice
from sweepbot.board import CHARACTERS, State
from sweepbot.desktop.overlay import Overlay
from sweepbot.geometry import Cell
from sweepbot.player.finding import FoundClient
from sweepbot.render.marks import marks
from sweepbot.trace.events import Event, Read, Waiting
from sweepbot.vision.grid import Grid


class BoardMarks:
    """Keeps marks on a board, each as long as its cell shows what it did when the advice was given.

    Args:
        overlay: Where the marks are drawn.
    """

    def __init__(self, overlay: Overlay) -> None:
        self._overlay = overlay
        self._shown: tuple[Advice, FoundClient] | None = None

    def show(self, advice: Advice, client: FoundClient) -> None:
        """Mark the board of a client; if the game is over, or its window unknown, nothing is marked."""
        self._shown = advice, client
        self._draw(advice, client, advice.reading.grid, advice.reading.board)

    def observe(self, event: Event) -> None:
        """Follow the board as it is read, and take the marks away while it cannot be seen."""
        if isinstance(event, Waiting):
            self._overlay.hide()
        elif isinstance(event, Read) and self._shown is not None:
            advice, client = self._shown
            board = advice.reading.board
            if (len(event.rows), len(event.rows[0])) != board.cells.shape:
                self._overlay.hide()
                return
            unread = CHARACTERS[State.UNKNOWN]  # as under the pointer
            same = [it for it in board if event.rows[it.row][it.column] in (CHARACTERS[board[it]], unread)]
            self._draw(advice, client, Grid(event.xs, event.ys), same)

    def _draw(self, advice: Advice, client: FoundClient, grid: Grid, cells: Iterable[Cell]) -> None:
        """Mark some cells of a board with these lines."""
        if advice.decision is None or client.window.id is None:
            self._overlay.hide()
            return
        chances = advice.decision.mine_probability.copy()
        for hint in advice.hints:  # known even if the chances were not asked for
            chances[hint.cell] = float(hint.is_mine)
        best = advice.decision.best
        places = {cell: grid.region_of(cell) for cell in cells if not np.isnan(chances[cell])}
        drawn = marks(advice.reading.board, chances, None if best is None else best.cell, places)
        self._overlay.show(drawn, client.window.id)
