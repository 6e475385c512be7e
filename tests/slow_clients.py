"""Minesweepers in memory that show some things only for a while, or some time later, as pages do."""

import numpy as np

from sweepbot.board import State
from sweepbot.clock import VirtualClock
from sweepbot.desktop.screen import Frame
from sweepbot.geometry import Cell, Region
from sweepbot.level import Level
from tests.skins import Skin, SkinDesktop

LOADS_S = 0.4
"""Seconds for which a page is being loaded."""


class LoadingDesktop(SkinDesktop):
    """A page that its browser loads anew at a key: a sign beside it turns at once, its board comes some time later.

    Args:
        skin: The look.
        level: Size and mines of the board.
        clock: The time.
        shows_ground: Whether the board gives way to its ground meanwhile; else the old one stays.
    """

    def __init__(self, skin: Skin, level: Level, clock: VirtualClock, *, shows_ground: bool) -> None:
        super().__init__(skin, level)
        self.window = self.region
        """The pixels of its window."""
        self._clock = clock
        self._shows_ground = shows_ground
        self._loaded_s: float | None = None

    def grab(self, region: Region | None = None) -> Frame:
        region = region or self.region
        if self._loaded_s is not None and self._clock.now() >= self._loaded_s:
            self._loaded_s = None
            self._deal()
        whole = super().grab(None).image
        if self._loaded_s is not None:
            whole[4:12, 4:12] = 255
            if self._shows_ground:
                whole[self.area.y : self.area.bottom, self.area.x : self.area.right] = self.skin.ground
        return Frame(whole[region.y : region.bottom, region.x : region.right].copy(), region)

    def press(self, key: str) -> None:
        if key == "f5":
            self._loaded_s = self._clock.now() + LOADS_S


class HoveringDesktop(SkinDesktop):
    """A client that lights up the hidden cell under the pointer, and after a loss only darkens its board."""

    def shown(self) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
        """The state that each cell shows: no mine ever."""
        cells = super().shown()
        if self._is_lost:
            cells[cells > State.HIDDEN] = State.HIDDEN
        return cells

    @property
    def _is_lost(self) -> bool:
        return bool((self._game.board.cells == State.EXPLODED).any())

    def grab(self, region: Region | None = None) -> Frame:
        region = region or self.region
        whole = super().grab(None).image
        pitch, at = self.skin.pitch, self._position - self._board
        cell = Cell(at.y // pitch, at.x // pitch)
        if self._position in self.area and self.shown()[cell] == State.HIDDEN:
            top, left = self._board.y + cell.row * pitch, self._board.x + cell.column * pitch
            lit = whole[top + 2 : top + pitch - 2, left + 2 : left + pitch - 2]
            lit[:] = np.minimum(lit.astype(np.int16) + 40, 255)
        if self._is_lost:
            board = whole[self.area.y : self.area.bottom, self.area.x : self.area.right]
            board //= 3
        return Frame(whole[region.y : region.bottom, region.x : region.right].copy(), region)
