"""The eyes: read a picture of the client's board, name the problems of the reading, and follow the board's place."""

import logging
from dataclasses import replace
from typing import Protocol

import numpy as np

from sweepbot.board import Board, State, cells_in, unread
from sweepbot.control.client_window import Obstruction
from sweepbot.control.controls import Controls
from sweepbot.control.watching import watch
from sweepbot.desktop.screen import Frame
from sweepbot.errors import AnotherLevelError, ClientCoveredError, NoBoardFoundError, UntrustedReadingError
from sweepbot.geometry import Cell, Image
from sweepbot.level import Level
from sweepbot.player.burst import Mask
from sweepbot.player.states import RESTLESS_S, TELL_AFTER_S
from sweepbot.trace.events import Observer, Waiting
from sweepbot.vision.cells.classified import LEAST_READABLE
from sweepbot.vision.reader import Reader, Reading

_log = logging.getLogger("sweepbot.player")

COVERED_S = 30.0
"""Seconds to wait for a board that is covered by another window, or whose window is minimised."""

_NAMED = 3  # problems of a reading that an error message names
_POLL_S = 0.1  # between two looks at a board that cannot be seen
_RESIZED_POLL_S = 0.001  # between two looks at a window that was resized


class Learner(Protocol):
    """Learns in play what a calibration lacks."""

    def study(self, image: Image, reading: Reading) -> tuple[Reading, frozenset[Cell]]:
        """Learn from a picture and its reading.

        Returns:
            The reading with newly learned states filled in, and the cells that are open but cannot be read.
        """

    def count(self, level: Level) -> None:
        """Learn how many mines boards of a size have, from the end of a game."""


class Eyes:
    """Reads one client's board with its calibration; without a learner nothing is learned in play."""

    def __init__(self, controls: Controls, reader: Reader, learner: Learner | None) -> None:
        self._controls = controls
        self._screen, self._window = controls.desk.screen, controls.window
        self._reader = reader
        self._learner = learner
        self._given_up: Mask | None = None
        """The cells that could not be read in time, without which play goes on."""
        self._trusted_classifier: object = None
        """The classifier of the last trusted board with open cells."""

    def read(self, frame: Frame, place: Reading) -> Reading:
        """Read a picture of a board in the place where it was read last."""
        origin = frame.region.origin
        return self._reader.read_at(frame.image, place.moved(-origin)).moved(origin)

    def examine(self, frame: Frame, reading: Reading, *, searches: bool) -> tuple[Reading, str]:
        """Return a reading, improved if possible, and its problems in words, empty if it has none.

        If it `searches`, a board that cannot be read in its place is searched for elsewhere.
        """
        origin = frame.region.origin
        if searches and reading.classified.readable < LEAST_READABLE:
            moved = self._find_elsewhere(reading)
            # Its cells may have another size, as on another monitor.
            reading = self.read_from_scratch(reading) if moved is reading else moved
        open_unread: frozenset[Cell] = frozenset()
        if self._learner is not None:
            reading, open_unread = self._learner.study(frame.image, reading.moved(-origin))
            reading = reading.moved(origin)
        is_excused = np.zeros(reading.board.cells.shape, dtype=np.bool_)
        for cell in open_unread:
            is_excused[cell] = True
        problems = self.problems(reading.board, is_excused | reading.shows_win)
        if problems and searches:
            found = self._find_without_problems(reading)
            reading, problems = (reading, problems) if found is None else (found, [])
        more = f"; and {len(problems) - _NAMED} more" if len(problems) > _NAMED else ""
        return reading, "; ".join(problems[:_NAMED]) + more

    def problems(self, board: Board, is_excused: Mask | None = None) -> list[str]:
        """Return in words why a board cannot be played on: unreadable cells, and violations of the rules.

        Cells that are excused, or were given up, need not be readable.
        """
        is_unread = board.cells == State.UNKNOWN
        for excused in (self._given_up, is_excused):
            if excused is not None and excused.shape == is_unread.shape:
                is_unread = is_unread & ~excused
        return _problems(board, is_unread)

    def believe(self, reading: Reading) -> None:
        """Note that a reading is trusted, and with it the look of its open cells."""
        if reading.board.count(*range(State.HIDDEN)):
            self._trusted_classifier = reading.classifier

    def give_up(self, unread: Reading) -> None:
        """Go on without the cells that cannot be read in a reading."""
        self._given_up = unread.board.cells == State.UNKNOWN
        _log.info("playing on without %d unreadable cells", unread.unread)

    def read_end(self, frame: Frame, place: Reading) -> Reading | None:
        """Read a picture, and return that if it shows the end of a game with every cell readable; else None."""
        reading = self.read(frame, place)
        is_clear = not _problems(reading.board, reading.board.cells == State.UNKNOWN)
        return reading if reading.over and is_clear else None

    def read_from_scratch(self, before: Reading) -> Reading:
        """Find and read the board without an earlier reading; return `before` if none of its size is found."""
        try:
            found = self.find(self._screen.grab(self._window.visible))
        except NoBoardFoundError:
            return before
        if found.doubts or found.board.cells.shape != before.board.cells.shape:
            return before
        if found.board.mines is None:  # at the end of a game a client may show something else in its counter
            return replace(found, board=Board(found.board.cells, before.board.mines))
        return found

    def find(self, frame: Frame) -> Reading:
        """Find the board in a picture, wherever it is and of any size; raises NoBoardFoundError if there is none."""
        return self._reader.read(frame.image).moved(frame.region.origin)

    def wait_until_visible(self, place: Reading, observer: Observer) -> Reading:
        """Wait until the board is visible, following its window, and return its reading in its new place.

        Args:
            place: Its last reading.
            observer: Called with an event if the wait is long.

        Raises:
            AnotherLevelError: It has another size.
            ClientCoveredError: It was not visible for too long.
            ClientGoneError: The client was closed.
            StoppedByUserError: A person took over.
            UntrustedReadingError: It cannot be found in its window.
        """
        clock = self._controls.desk.clock
        start, has_said_waiting = clock.now(), False
        # The client's own dialogs are no obstruction.
        while (obstruction := self._window.obstruction(place.grid.region)) not in (None, Obstruction.ASKING):
            self._controls.guard.check()
            if obstruction is Obstruction.MOVED:
                place = self._follow_window(place)
                continue
            waited_s, why = clock.now() - start, f"the client cannot be seen: {obstruction.value}"
            if waited_s > COVERED_S:
                raise ClientCoveredError(
                    f"{why}, for {COVERED_S:.0f} s now",
                    hint="bring its window to the front, and start again to continue the game",
                )
            if not has_said_waiting and waited_s > TELL_AFTER_S:
                has_said_waiting = True
                observer(Waiting(why=why))
            clock.sleep(_POLL_S)
        return place

    def _follow_window(self, place: Reading) -> Reading:
        """Return the board's reading in its window's present place and size."""
        shift = self._window.follow()
        if shift is not None:
            _log.info("the client's window was moved by %s", shift)
            return place.moved(shift)
        controls, region = self._controls, self._window.visible
        if region is None:
            return place
        looks = watch(controls.desk, region, controls.guard.check, _RESIZED_POLL_S)
        at_rest = next(look for look in looks if look.rests_s >= controls.quiet_s or look.since_s > RESTLESS_S)
        try:
            found = self.find(at_rest.frame)
        except NoBoardFoundError as error:
            raise UntrustedReadingError(
                f"the client's window was resized, and its board cannot be found in it: {error}",
                hint="make the window as large as it was",
            ) from error
        size, was = (found.grid.columns, found.grid.rows), (place.grid.columns, place.grid.rows)
        if size != was:
            raise AnotherLevelError(
                f"stopped: another level was started by hand, {size[0]}x{size[1]} cells instead of {was[0]}x{was[1]}"
            )
        mines = place.board.mines if found.board.mines is None else found.board.mines
        return replace(found, board=Board(found.board.cells, mines))

    def _find_without_problems(self, doubted: Reading) -> Reading | None:
        """Find a reading of the board without problems, in another place or with another look; None if there is none.

        Half a board may still be readable in the old place after a message on a page has pushed it down by nearly a
        cell. And an untouched board shows little of the look of open cells, so the one assumed for it may be wrong.
        """
        moved = self._find_elsewhere(doubted)
        if not self.problems(moved.board) and not moved.grid.nearly(doubted.grid, 1):
            return moved
        if doubted.classifier is self._trusted_classifier:
            return None
        found = self.read_from_scratch(doubted)
        return None if self.problems(found.board) else found

    def _find_elsewhere(self, doubted: Reading) -> Reading:
        """Find a board that has moved in its window or on the screen; return `doubted` if it is not found."""
        frame = self._screen.grab(self._window.visible)
        try:
            return self._reader.read_moved(frame.image, doubted).moved(frame.region.origin)
        except NoBoardFoundError:
            return doubted


def _problems(board: Board, is_unread: Mask) -> list[str]:
    unreadable = unread(board, cells_in(is_unread))
    return [*([unreadable] if unreadable else []), *(problem.text for problem in board.problems())]
