"""A desktop that shows a story: picture after picture, each until the player has done what is expected."""

import re
from collections.abc import Iterable, Sequence

import numpy as np

from sweepbot.board import Board
from sweepbot.clock import VirtualClock
from sweepbot.demo.drawing import Layout, Smiley, draw
from sweepbot.desktop.mouse import Button
from sweepbot.desktop.screen import Frame
from sweepbot.geometry import Cell, Image, Point, Region

_AT = Point(83, 57)  # of the demo's window on the desktop
_MARGIN = 120  # pixels of desktop right of the window and below it
_GROUND = (165, 110, 58)
_WAIT = re.compile(r"([\d.]+) s")


def shown(rows: str, mines_left: int, face: Smiley = Smiley.SMILE) -> Image:
    """The demo's window on a desktop, with this board: rows of board text separated by spaces."""
    board = Board.parse("\n".join(rows.split()))
    window = draw(board, mines_left, 0, face)
    height, width = window.shape[:2]
    image = np.full((_AT.y + height + _MARGIN, _AT.x + width + _MARGIN, 3), _GROUND, dtype=np.uint8)
    image[_AT.y : _AT.y + height, _AT.x : _AT.x + width] = window
    return image


def covered(image: Image, region: Region | None = None) -> Image:
    """The same with random pixels over a region, or over all of it."""
    region = region or Region(0, 0, image.shape[1], image.shape[0])
    image = image.copy()
    noise = np.random.default_rng(1).integers(0, 256, (region.height, region.width, 3), dtype=np.uint8)
    image[region.slices] = noise
    return image


def clicks(button: Button, cells: Iterable[tuple[int, int]]) -> str:
    """The expectation that these cells are clicked, in any order."""
    return "; ".join(f"{button} {row},{column}" for row, column in cells)


class ScriptedDesktop:
    """Shows the first picture, and the next ones as the expectations between them come true.

    Args:
        size: Columns and rows of the board.
        frames: The pictures, all of one size.
        expect: What leads to each next picture. Either seconds, as `0.5 s`, or the player's actions in any order,
            separated by `; `: `left 3,0` on the cell in row 3 and column 0, `left at 166,84` on that pixel beside the
            board, `over 3,0` with the pointer alone, `key f2`. Any other click or key is an error.
    """

    def __init__(self, size: tuple[int, int], frames: Sequence[Image], expect: Sequence[str] = ()) -> None:
        assert len(expect) == len(frames) - 1, "each picture but the first needs an expectation"
        self._layout = Layout(*size)
        self._frames, self._expect = list(frames), [*expect, ""]
        self.window = Region(_AT.x, 0, frames[0].shape[1] - _AT.x, frames[0].shape[0])
        """The client's window."""
        self.clock = VirtualClock()
        self._pointer = self.region.centre
        self._turn()

    @property
    def region(self) -> Region:
        height, width = self._frames[0].shape[:2]
        return Region(0, 0, width, height)

    @property
    def is_over(self) -> bool:
        """Whether everything expected has happened."""
        return len(self._frames) == 1

    def cell(self, row: int, column: int) -> Region:
        return self._layout.region_of(Cell(row, column)).moved(_AT)

    @property
    def board(self) -> Region:
        return self._layout.board.moved(_AT)

    def grab(self, region: Region | None = None) -> Frame:
        """Show the story's current picture."""
        if self._until is not None and self.clock.now() >= self._until:
            self._next()
        region = region or self.region
        return Frame(self._frames[0][region.slices].copy(), region)

    def position(self) -> Point:
        return self._pointer

    def move(self, to: Point) -> None:
        self._pointer = to
        cell = self._layout.cell_at(to - _AT)
        if cell is not None and f"over {cell.row},{cell.column}" in self._awaited:
            self._done(f"over {cell.row},{cell.column}")

    def click(self, at: Point, button: Button = "left", hold_s: float = 0.0) -> None:  # noqa: ARG002
        """Take a click, which must be expected."""
        self._pointer = at
        cell = self._layout.cell_at(at - _AT)
        self._done(f"{button} at {at}" if cell is None else f"{button} {cell.row},{cell.column}")

    def press(self, key: str) -> None:
        """Take a key, which must be expected."""
        self._done(f"key {key}")

    def _done(self, what: str) -> None:
        assert what in self._awaited, f"{what} was not expected, but {self._awaited or 'nothing'}"
        self._awaited.remove(what)
        if not self._awaited:
            self._next()

    def _next(self) -> None:
        del self._frames[0], self._expect[0]
        self._turn()

    def _turn(self) -> None:
        wait = _WAIT.fullmatch(self._expect[0])
        self._until = self.clock.now() + float(wait[1]) if wait else None
        self._awaited = [] if wait or not self._expect[0] else self._expect[0].split("; ")
