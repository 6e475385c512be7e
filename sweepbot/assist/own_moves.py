"""What the bot thinks, marked on the board that it plays, at a pace that an eye can follow."""

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sweepbot.assist.board_marks import BoardMarks
from sweepbot.board import Board
from sweepbot.desktop.desk import Desk
from sweepbot.desktop.mouse import Button, Mouse
from sweepbot.explaining import chances_to_show
from sweepbot.geometry import Cell, Point, Region, same_pixels
from sweepbot.trace.events import Decided, Ended, Event, FollowUp, Found, Read
from sweepbot.vision.grid import Grid

if TYPE_CHECKING:
    from sweepbot.desktop.screen import Frame

_SEEN_S = 0.25  # for which marks are shown before the next click, as long as an eye takes to find what is new
_GUESS_S = 0.9  # for which the chance of a guess is shown: it has to be read
_DRAWN_S = 0.06  # within which the client has drawn what a click did: some frames


class ShownMouse:
    """A mouse that tells where it has clicked. See `Mouse`."""

    def __init__(self, mouse: Mouse, clicked: Callable[[Point], None]) -> None:
        self._mouse = mouse
        self._clicked = clicked

    def position(self) -> Point:
        """See `Mouse.position`."""
        return self._mouse.position()

    def move(self, to: Point) -> None:
        """See `Mouse.move`."""
        self._mouse.move(to)

    def click(self, at: Point, button: Button = "left", hold_s: float = 0.0) -> None:
        """See `Mouse.click`."""
        self._mouse.click(at, button, hold_s)
        self._clicked(at)

    def press(self, key: str) -> None:
        """See `Mouse.press`."""
        self._mouse.press(key)


class OwnMoves:
    """Marks the board with each decision of the bot, as long as its cells look as they did, and waits a moment.

    Args:
        desk: The desk, whose pictures do not show the marks; its clicks are to be told to `clicked`.
        marks: Marks the board; None if nothing can, and decisions are only waited for.
    """

    def __init__(self, desk: Desk, marks: BoardMarks | None) -> None:
        self._desk = desk
        self._marks = marks
        self._board: Board | None = None
        self._grid: Grid | None = None
        self._before: Frame | None = None  # the board as it was marked

    def observe(self, event: Event) -> None:
        """Show a decision; take the marks away where the board has changed, and once the game is over."""
        if isinstance(event, Found | Read):
            self._board, self._grid = Board.parse(event.rows, event.mines), Grid(event.xs, event.ys)
        if self._marks is not None:
            self._marks.observe(event)
        if isinstance(event, Decided):
            self._show(np.array(event.chances, dtype=np.float64), event.best)
            time.sleep(_SEEN_S if event.safe else _GUESS_S)
        elif isinstance(event, FollowUp) and self._marks is not None and self._board is not None:
            self._board = Board.parse(event.rows, self._board.mines)
            self._show(chances_to_show(self._board), event.safe[0])  # none were counted for it
        elif isinstance(event, Ended) and self._marks is not None:
            self._marks.clear()

    def _show(self, chances: NDArray[np.float64], best: Cell | None) -> None:
        windows, grid = self._desk.windows, self._grid
        assert self._board is not None and grid is not None  # noqa: PT018, S101  (a board is read before it is decided on)
        if self._marks is not None and windows is not None and (under := windows.under(grid.region.centre)) is not None:
            self._before = self._desk.screen.grab(grid.region)
            self._marks.mark(self._board, chances, best, grid, under.id)

    def clicked(self, at: Point) -> None:
        """Take the marks away that are over cells which a click at a pixel has changed, once that is drawn."""
        before, grid, marks = self._before, self._grid, self._marks
        if before is None or grid is None or marks is None or at not in grid.region:
            return
        end = time.monotonic() + _DRAWN_S
        spot = Region.around(at, 1)
        while time.monotonic() < end and same_pixels(self._desk.screen.grab(spot).image, before.part(spot)):
            time.sleep(_DRAWN_S / 10)
        now = self._desk.screen.grab(grid.region)

        def is_same(cell: Cell) -> bool:
            return same_pixels(now.part(grid.region_of(cell)), before.part(grid.region_of(cell)))

        marks.keep(is_same)
