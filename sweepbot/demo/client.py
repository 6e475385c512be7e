"""The client's behaviour: what buttons and keys do to a game, and what the window then shows.

A pure state machine: it knows no window system, and the clock is passed in.
"""

import time
from collections.abc import Callable
from enum import Enum, auto

from sweepbot.board import Phase
from sweepbot.demo.drawing import Layout, Smiley, draw
from sweepbot.desktop.mouse import Button
from sweepbot.game import Game
from sweepbot.geometry import Cell, Image, Point

RESTART_KEY = "f2"


class _Grip(Enum):
    """What the buttons that are held down will do when released."""

    NOTHING = auto()
    RESTART = auto()
    OPEN = auto()
    CHORD = auto()


class Client:
    """A Minesweeper client without its window, which behaves like that of Windows XP except for drags.

    The left button opens the cell over which it is pressed and released; the middle button, or left and right together,
    chord there; the right button changes the cell's mark when it is pressed. The face, pressed and released, and F2
    start a new game. The clock shows 1 as soon as the first cell opens.

    A button dragged off its cell does nothing, while XP's acts on the cell under the release: a window manager may
    report the release of a quick click only where the pointer has moved next, and that cell was not meant.

    Args:
        deal: Deals a new game; all are of one size.
        clock: Returns seconds, from any origin.
    """

    def __init__(self, deal: Callable[[], Game], clock: Callable[[], float] = time.monotonic) -> None:
        self._deal = deal
        self._clock = clock
        self._held: set[Button] = set()
        self._pointer = Point(0, 0)
        self._gripped: Cell | None = None
        self._restart()
        self.layout = Layout(self.game.level.columns, self.game.level.rows)

    @property
    def seconds(self) -> int:
        """What the clock shows: 0 before the first opening, then from 1 up until the game is over, 999 at most."""
        if self._started is None:
            return 0
        until = self._clock() if self._ended is None else self._ended
        return min(1 + int(until - self._started), 999)

    @property
    def face(self) -> Smiley:
        """What the button above the board shows."""
        if self._grip is _Grip.RESTART and self._pointer in self.layout.face:
            return Smiley.PRESSED
        if self._grip in (_Grip.OPEN, _Grip.CHORD):
            return Smiley.OH
        return {Phase.LOST: Smiley.DEAD, Phase.WON: Smiley.COOL}.get(self.game.phase, Smiley.SMILE)

    @property
    def pressed(self) -> tuple[Cell, ...]:
        """The cells that look pressed: a release would open them, or try to."""
        cell = self.layout.cell_at(self._pointer)
        if cell is None or cell != self._gripped or self._grip not in (_Grip.OPEN, _Grip.CHORD):
            return ()
        return (cell, *self.game.board.neighbours(cell)) if self._grip is _Grip.CHORD else (cell,)

    def press(self, point: Point, button: Button) -> None:
        """Hold `button` down with the pointer at `point`."""
        self._pointer = point
        self._held.add(button)
        if point in self.layout.face and button == "left":
            self._grip = _Grip.RESTART
            return
        self._gripped = cell = self.layout.cell_at(point)
        if cell is None or self.game.over:
            return
        if button == "middle" or self._held >= {"left", "right"}:
            self._grip = _Grip.CHORD
        elif button == "left":
            self._grip = _Grip.OPEN
        else:
            self.game.mark(cell)

    def move(self, point: Point) -> None:
        """Move the pointer."""
        self._pointer = point

    def release(self, point: Point, button: Button) -> None:
        """Release `button` with the pointer at `point`. With two buttons held, the first release chords."""
        self._pointer = point
        self._held.discard(button)
        grip, self._grip = self._grip, _Grip.NOTHING
        cell = self.layout.cell_at(point)
        if grip is _Grip.RESTART and point in self.layout.face:
            self._restart()
        elif cell is not None and cell == self._gripped:
            if grip is _Grip.OPEN:
                self.game.open(cell)
            elif grip is _Grip.CHORD:
                self.game.chord(cell)
            self._update_clock()

    def key(self, name: str) -> None:
        """Press a key, named as in `Mouse.press`; all but F2 are ignored."""
        if name == RESTART_KEY:
            self._restart()

    def image(self) -> Image:
        """Return the inside of the window as it looks now, as a new array."""
        return draw(self.game.board, self.game.mines_left, self.seconds, self.face, self.pressed)

    def _restart(self) -> None:
        self.game = self._deal()
        """The current game."""
        self._grip = _Grip.NOTHING
        self._started: float | None = None
        self._ended: float | None = None

    def _update_clock(self) -> None:
        if self._started is None and self.game.phase is not Phase.FRESH:
            self._started = self._clock()
        if self._ended is None and self.game.over:
            self._ended = self._clock()
