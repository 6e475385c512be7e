"""Whether the board still shows the game that was read, click by click of a burst."""

from collections.abc import Collection

import numpy as np

from sweepbot.board import State
from sweepbot.desktop.glances import Glances
from sweepbot.geometry import Cell, Region
from sweepbot.player.states import Position

_EDGE_PART = 4  # a quarter of a cell at each side is left out: what happens in its neighbours may show there


class SameGame:
    """Glances at the cells about to be clicked, and at cells that were open before, which stay as they are in a game.

    Args:
        glances: Tells what has changed.
        seen: The position before the burst.
        clicked: All cells of the burst.
    """

    def __init__(self, glances: Glances, seen: Position, clicked: Collection[Cell]) -> None:
        self._glances = glances
        self._seen = seen
        is_open = seen.reading.board.cells < State.HIDDEN
        for cell in clicked:
            is_open[cell] = False  # the pointer, or a chord, may change how an open cell looks
        self._open = np.argwhere(is_open)

    def glance(self, cell: Cell) -> tuple[bool, bool]:
        """Return whether a cell looks as it did, and whether the open cell nearest to it does."""
        if not self._open.size:
            return True, True
        nearest = self._open[np.abs(self._open - cell).max(axis=1).argmin()]
        parts = [self._inside(cell), self._inside(Cell(int(nearest[0]), int(nearest[1])))]
        cell_changed, open_changed = self._glances.changed(self._seen.frame, parts)
        return not cell_changed, not open_changed

    def _inside(self, cell: Cell) -> Region:
        region = self._seen.reading.grid.region_of(cell)
        return region.grown(-(min(region.width, region.height) // _EDGE_PART))
