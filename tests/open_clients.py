"""Minesweepers in memory whose boards begin with an open region."""

import numpy as np
from numpy.typing import NDArray

from sweepbot.board import State
from sweepbot.clock import VirtualClock
from sweepbot.desktop.mouse import Button
from sweepbot.geometry import Cell, Point
from sweepbot.level import Level
from tests.skins import Skin, SkinDesktop

OPENS_S = 0.4
"""Seconds after which a busy client draws an open region: longer than a picture rests that is taken for the last."""

MOST_DEALS = 2000
"""How many boards are dealt at most to find one that repeats a number."""


class OpenDesktop(SkinDesktop):
    """A client whose boards have an open region from the start, at first one of more zeros than hidden cells."""

    dealt = 0
    """How many games were begun."""

    def _deal(self) -> None:
        self.dealt += 1
        while True:
            super()._deal()
            cells = self._game.board.cells
            self._game.open(Cell(self._rng.randrange(cells.shape[0]), self._rng.randrange(cells.shape[1])))
            cells = self._game.board.cells
            zeros, hidden = ((cells == state).sum() for state in (0, State.HIDDEN))
            if not self._game.over and zeros > (0 if self.clicks else hidden):
                break


class LateOpeningDesktop(OpenDesktop):
    """One that draws the open region of its third board `OPENS_S` seconds after the board.

    Args:
        skin: The look.
        level: Size and mines of the board.
        clock: The time.
    """

    def __init__(self, skin: Skin, level: Level, clock: VirtualClock) -> None:
        self._clock = clock
        self._opens_s = 0.0
        super().__init__(skin, level)

    def shown(self) -> NDArray[np.uint8]:
        """The state that each cell shows."""
        cells = super().shown()
        if self._clock.now() < self._opens_s:
            cells[:] = State.HIDDEN
        return cells

    def _deal(self) -> None:
        super()._deal()
        if self.dealt == 3:
            self._opens_s = self._clock.now() + OPENS_S


class RepeatingDesktop(OpenDesktop):
    """One on whose new boards the cell that was clicked last shows the number that it showed before, where it can."""

    _clicked: Cell | None = None

    def click(self, at: Point, button: Button = "left") -> None:
        inside, pitch = at - self._board, self.skin.pitch
        self._clicked = Cell(inside.y // pitch, inside.x // pitch) if at in self.area else self._clicked
        super().click(at, button)

    def _deal(self) -> None:
        clicked, dealt = self._clicked, self.dealt + 1
        before = None if clicked is None else self.shown()[clicked]
        for _ in range(MOST_DEALS):
            super()._deal()
            if clicked is None or self.shown()[clicked] == before:
                break
        self.dealt = dealt
