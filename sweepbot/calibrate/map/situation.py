"""What a client shows after a game, or under what may cover its board: its situation, as far as its cells tell it."""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace

import numpy as np

from sweepbot.board import Board, Phase, State, shows
from sweepbot.calibrate.map.touch import Touch
from sweepbot.calibrate.thresholds import CHANGE
from sweepbot.errors import NoBoardFoundError
from sweepbot.vision.grid import Grid
from sweepbot.vision.pictures.board import changed
from sweepbot.vision.reader import Reader
from sweepbot.vision.reading import Reading

_MAX_UNREAD_SHARE = 0.1  # of the cells of a board that is a new one
_CLOSED = (State.HIDDEN, State.FLAG, State.QUESTION)


class Situation:
    """A board as it is read now, compared with its last reading: of a game that is over, or from before a box came up.

    Attributes:
        touch: Looks and clicks.
        now: The reading.
    """

    def __init__(self, touch: Touch, reader: Reader, last: Reading) -> None:
        self.touch = touch
        self._reader = reader
        self.compare_with(last)

    def compare_with(self, last: Reading) -> None:
        """Compare with another reading from now on."""
        self._last, self._was_open = last, last.board.cells < State.HIDDEN
        self.move_to(last.grid)
        cells, now = last.board.cells, self.now.board.cells  # the end may not have been read in full
        self._last = replace(last, board=Board(np.where(shows(cells, *_CLOSED), now, cells), last.board.mines))

    def move_to(self, place: Grid) -> None:
        """Look at the board in another place from now on."""
        self._last = replace(self._last, grid=place)
        self.touch.watch(place.region)
        self._read()

    def look(self, *, patiently: bool = False) -> None:
        """Look again once the picture is at rest; if `patiently`, once even flashing has ended."""
        self.touch.look(patiently=patiently)
        self._read()

    def _read(self) -> None:
        seen, last = self.touch.seen, self._last
        origin = seen.region.origin
        now = self._reader.read_at(seen.image, last.moved(-origin)).moved(origin)
        if now.seen.picture.shape == last.seen.picture.shape:
            # A zero may look so much like a hidden cell that only the change has told it: without one it is still open.
            stayed = ~changed(now.seen.picture, last.seen.picture) & self._was_open
            board = Board(np.where(stayed, last.board.cells, now.board.cells), now.board.mines)
            now = replace(now, board=board)
        self.now = now

    @property
    def place(self) -> Grid:
        """Where the board is."""
        return self._last.grid

    @property
    def is_legible(self) -> bool:
        """Whether it shows a board of the game."""
        now = self.now
        return now.unread <= _MAX_UNREAD_SHARE * now.board.cells.size and not now.board.problems()

    @property
    def is_fresh(self) -> bool:
        """Whether all cells are hidden."""
        return self.is_legible and self.now.phase is Phase.FRESH

    @property
    def is_covered(self) -> bool:
        """Whether something is in front of cells that were open."""
        gone = (self._last.board.cells < State.HIDDEN) & (self.now.board.cells == State.UNKNOWN)
        return int(gone.sum()) >= CHANGE.hidden_again

    @property
    def has_begun_anew(self) -> bool:
        """Whether there is another game: what was open, or shown as a mine, is hidden again.

        Where all cells can be read now, what nobody could read counts as well: the end may have shown mines only.
        It may be lost already, where the click that deals opens a cell as well.
        """
        is_clear = not self.now.unread and not self.now.over
        was_shown = ~shows(self._last.board.cells, *_CLOSED, *(() if is_clear else (State.UNKNOWN,)))
        shown = int(was_shown.sum())
        again = int((was_shown & (self.now.board.cells == State.HIDDEN)).sum())
        is_another = again >= min(CHANGE.hidden_again, max(1, shown))
        return is_another and self.is_legible and (not self.now.over or again > CHANGE.left_share * shown)

    def is_unlike(self, before: Reading) -> bool:
        """Whether a cell shows something else than in an earlier reading."""
        return self.now.board != before.board

    def has_moved(self) -> bool:
        """Find a board that has moved or changed its size, and look at it there from now on; return whether it has."""
        for found in self._elsewhere():
            if not found.grid.nearly(self.place, CHANGE.still_px):
                self.touch.guard.park(found.grid.region)  # the pointer may be on the board's new place
                self.move_to(found.grid)
                return True
        return False

    def _elsewhere(self) -> Iterator[Reading]:
        """Yield the board where it is now: of the same size, or else with as many cells in the client's window."""
        origin, desktop = self.touch.screen.region.origin, self.touch.desktop()
        with suppress(NoBoardFoundError):
            yield self._reader.read_moved(desktop, self._last.moved(-origin)).moved(origin)
            return
        with suppress(NoBoardFoundError):
            for found in (it.moved(origin) for it in self._reader.read_all(desktop)):
                is_same = found.board.cells.shape == self._last.board.cells.shape and not found.doubts
                if is_same and self.touch.window.owns(found.grid.region.centre):
                    yield found
