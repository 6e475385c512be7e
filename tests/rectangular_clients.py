"""Minesweepers in memory whose cells are not square."""

import cv2
import numpy as np

from sweepbot.board import State
from sweepbot.desktop.mouse import Button
from sweepbot.desktop.screen import Frame
from sweepbot.geometry import Cell, Point, Region
from sweepbot.level import Level
from tests.skins import Skin, SkinDesktop

GROUND = (120, 90, 60)


class RectangularDesktop(SkinDesktop):
    """A client whose cells are so many pixels wide and high; F2 begins a new game.

    Args:
        skin: The look, as of square cells.
        level: Size and mines of the board.
        cell: Width and height of a cell.
    """

    def __init__(self, skin: Skin, level: Level, cell: tuple[int, int]) -> None:
        super().__init__(skin, level)
        self._size = cell
        self.area = Region(self._board.x, self._board.y, level.columns * cell[0], level.rows * cell[1])
        self.region = Region(0, 0, self.area.right + 90, self.area.bottom + 80)

    def grab(self, region: Region | None = None) -> Frame:
        region = region or self.region
        image = np.full((self.region.height, self.region.width, 3), GROUND, dtype=np.uint8)
        (width, height), shown = self._size, self.shown()
        for place, state in np.ndenumerate(shown):
            cell = Cell(*place)
            picture = self.skin.cell(int(state), cell, shown.shape[0])
            left, top = self.area.x + cell.column * width, self.area.y + cell.row * height
            drawn = cv2.resize(picture, self._size, interpolation=cv2.INTER_AREA)
            image[top : top + height, left : left + width] = drawn
        return Frame(image[region.y : region.bottom, region.x : region.right].copy(), region)

    def click(self, at: Point, button: Button = "left") -> None:
        self.move(at)
        if at in self.area:
            inside, game = at - self._board, self._game
            cell = Cell(inside.y // self._size[1], inside.x // self._size[0])
            if not game.over:
                self._flagged = game.board.cells == State.FLAG
            {"left": game.open, "right": game.mark, "middle": game.chord}[button](cell)
