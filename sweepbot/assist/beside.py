"""Advice in words, and in the small window beside the client."""

from collections.abc import Callable

import numpy as np

from sweepbot.assist.onlooker import Advice
from sweepbot.assist.side_window import SideWindow
from sweepbot.explaining import certain_in_words, move_in_words, proof_in_words
from sweepbot.player.finding import FoundClient
from sweepbot.render.heatmap import heatmap
from sweepbot.trace.events import Event

_HEADER_CELLS = 4  # height of counters and menus above a board, if the client's window is not known


def advice_in_words(advice: Advice) -> list[str]:
    """Return advice as lines of text, without the board: the cell to open next and why, and what is left to find."""
    event = advice.event
    if event is None:
        return [f"the game is {advice.reading.phase.value}"]
    what, left = move_in_words(event, advice.reading.board)
    if event.safe:
        best = advice.hints[0]
        proof = best.proof and proof_in_words(advice.reading.board, best.proof)
        what = proof or certain_in_words(best.cell, is_mine=best.is_mine)
    return [what, left]


class Beside:
    """Shows the board, its chances and the reason for the best cell in a window beside the client's.

    Args:
        window: The window.
        tell: Called with words once there is no room for it.
    """

    def __init__(self, window: SideWindow, tell: Callable[[str], None]) -> None:
        self._window = window
        self._tell = tell
        self._has_warned = False

    def observe(self, event: Event) -> None:
        """Take no note of it: only advice is shown."""

    def show(self, advice: Advice, client: FoundClient) -> None:
        """Show advice for the board of a client."""
        reading, decision = advice.reading, advice.decision
        chances = np.full(reading.board.cells.shape, np.nan) if decision is None else decision.mine_probability
        best = None if decision is None or decision.best is None else decision.best.cell
        picture, grid = heatmap(reading.board, chances, best), reading.grid
        around = client.window.region or grid.region.grown(round(_HEADER_CELLS * max(grid.pitch)))
        words = "\n".join(advice_in_words(advice))
        has_room = self._window.show(picture, words, around, client.window.room())
        if not has_room and not self._has_warned:
            self._has_warned = True
            self._tell("no room for the small window: move or shrink the client's to make room beside it")
