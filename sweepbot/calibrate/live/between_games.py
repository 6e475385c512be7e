"""From the end of a game to the next one, in a client that is played at first sight."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace

import numpy as np

from sweepbot.behaviour import Dialog, Restart
from sweepbot.board import Board, Phase, State, shows
from sweepbot.calibrate.live.dialog_dismisser import DialogDismisser
from sweepbot.calibrate.live.game_starter import GameStarter
from sweepbot.calibrate.live.times import Times
from sweepbot.calibrate.live.touch import Touch
from sweepbot.calibrate.live.watched import Shown
from sweepbot.calibrate.thresholds import CHANGE
from sweepbot.control.controls import Controls
from sweepbot.errors import NoBoardFoundError
from sweepbot.vision.grid import Grid
from sweepbot.vision.reader import Reader
from sweepbot.vision.reading import Reading

_MOST_UNREAD_SHARE = 0.1  # of the cells of a board that is a new one
_CLOSED = (State.HIDDEN, State.FLAG, State.QUESTION)


class SightBoard:
    """A board as it is read, after a game that is over, or that something may cover. See `Watched`."""

    def __init__(self, touch: Touch, reader: Reader, last: Reading) -> None:
        self.touch = touch
        self.starts_open = False
        self._reader = reader
        self.follow(last)

    def follow(self, last: Reading) -> None:
        """Compare with another reading from now on: the last one of a game that is over, or of a board before a box."""
        self._last = last
        self.move_to(last.grid)
        cells, now = last.board.cells, self._reading.board.cells  # the end may not have been read in full
        self._last = replace(last, board=Board(np.where(shows(cells, *_CLOSED), now, cells), last.board.mines))

    def move_to(self, place: Grid) -> None:
        """See `Watched.move_to`."""
        self._last = replace(self._last, grid=place)
        self.touch.watch(place.region, 1)
        self._read()

    @property
    def place(self) -> Grid:
        """Where it is."""
        return self._last.grid

    def look(self, *, patiently: bool = False) -> None:
        """See `Watched.look`."""
        self.touch.look(patiently=patiently)
        self._read()

    def _read(self) -> None:
        origin = self.touch.around.origin
        self._reading = self._reader.read_at(self.touch.seen.image, self._last.moved(-origin)).moved(origin)

    @property
    def now(self) -> Shown:
        """See `Watched.now`."""
        return self._reading.board.cells

    @property
    def _is_legible(self) -> bool:
        return self._reading.unread <= _MOST_UNREAD_SHARE * self.now.size and not self._reading.board.problems()

    @property
    def is_fresh(self) -> bool:
        """See `Watched.is_fresh`."""
        return self._is_legible and self._reading.phase is Phase.FRESH

    @property
    def is_covered(self) -> bool:
        """See `Watched.is_covered`."""
        was = self._last.board.cells
        gone = (was < State.HIDDEN) & (self.now == State.UNKNOWN)
        return int(gone.sum()) >= CHANGE.hidden_again

    @property
    def shows_cells(self) -> bool:
        """See `Watched.shows_cells`."""
        return self._is_legible

    def find_again(self) -> bool:
        """See `Watched.find_again`."""
        screen = self.touch.screen.region
        with suppress(NoBoardFoundError):
            found = self._reader.read_moved(self.touch.desktop(), self._last.moved(-screen.origin)).moved(screen.origin)
            if not found.grid.nearly(self.place, CHANGE.still_px):
                self.move_to(found.grid)
                return True
        return False

    def expect_new_game(self) -> None:
        """See `Watched.expect_new_game`: what is known of the last game stays what a new one is told by."""

    def has_begun_anew(self) -> bool:
        """See `Watched.has_begun_anew`. Mines that were shown are hidden again, too."""
        was_shown = ~np.isin(self._last.board.cells, (*_CLOSED, State.UNKNOWN))
        again = was_shown & (self.now == State.HIDDEN)
        is_another = int(again.sum()) >= min(CHANGE.hidden_again, max(1, int(was_shown.sum())))
        return is_another and self._is_legible and self._reading.phase in (Phase.FRESH, Phase.PLAYING)


class BetweenGames:
    """Gets a client whose ways are unknown from the end of a game to the next, by the least harmful way."""

    def __init__(self, controls: Controls, reader: Reader, board: Reading, tell: Callable[[str], None]) -> None:
        controls.window.remember()
        touch = Touch(controls, Times(), board.grid.region)
        self._board = SightBoard(touch, reader, board)
        self._dismisser = DialogDismisser(self._board, touch.desktop())
        self._starter = GameStarter(self._board, self._dismisser, tell)

    @property
    def restart(self) -> Sequence[Restart]:
        """The ways that have started new games."""
        return tuple(self._starter.restart)

    @property
    def dialogs(self) -> tuple[Dialog, ...]:
        """What has closed dialogs."""
        return self._dismisser.dialogs()

    def is_box_up(self) -> bool:
        """Whether a window of the client's, or a box with a button, has come up."""
        return self._dismisser.sees_box()

    def close(self, before: Reading) -> bool:
        """Remove what has come up since a reading of the board; return whether anything was there."""
        was_up = self.is_box_up()
        self._board.follow(before)
        self._dismisser.take_away()
        self._board.look()
        if self._board.has_begun_anew():
            self._starter.note_begun()
        return was_up

    def begin_anew(self, over: Reading) -> Reading:
        """Start a new game after one whose end was read; return the same with the place of the new board.

        Raises:
            StuckError: No way starts one, or one has led elsewhere.
        """
        self._board.follow(over)
        self._starter.home = over.grid
        if not self._board.has_begun_anew():
            self._starter.start()
        return replace(over, grid=self._board.place)
