"""The eyes: what a picture of the client's board shows, what speaks against believing it, and where the board is now.

Nothing here decides.
"""

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
from sweepbot.vision.detect.fit import LEAST_READABLE
from sweepbot.vision.reader import Reader, Reading

_log = logging.getLogger("sweepbot.player")

COVERED_S = 30.0
"""Seconds to wait for a board that is covered by another window, or whose window is minimised."""

_NAMED = 3  # how many problems of a reading an error message names
_POLL_S = 0.1  # between two looks at a board that cannot be seen
_RESIZED_POLL_S = 0.001  # between two looks at a window that was resized


class Learner(Protocol):
    """Learns in play what a calibration lacks."""

    def study(self, image: Image, reading: Reading) -> tuple[Reading, frozenset[Cell]]:
        """What a picture shows, given what was learned meanwhile.

        Returns:
            The reading with what was learned filled in, and the cells that are open though they cannot be read.
        """

    def count(self, level: Level) -> None:
        """Learn how many mines boards of a size have, from the end of a game."""


class Eyes:
    """Reads one client's board.

    Args:
        controls: Have the screen that is searched for a board that is not in its place, and the client's window.
        reader: Reads pictures, calibrated for the client.
        learner: Learns what the calibration lacks; None if it lacks nothing.
    """

    def __init__(self, controls: Controls, reader: Reader, learner: Learner | None) -> None:
        self._controls = controls
        self._screen, self._window = controls.desk.screen, controls.window
        self._reader = reader
        self._learner = learner
        self._given_up: Mask | None = None
        """The cells that could not be read in all the time that was given: play goes on without them."""
        self._trusted_classifier: object = None
        """The classifier of the last trusted board on which open cells were read."""

    def read(self, frame: Frame, place: Reading) -> Reading:
        """Read a picture of a board in the place where it was read last."""
        origin = frame.region.origin
        return self._reader.read_at(frame.image, place.moved(-origin)).moved(origin)

    def examine(self, frame: Frame, reading: Reading, *, searches: bool) -> tuple[Reading, str]:
        """What a picture shows by a reading of it, and what is wrong with that; empty where nothing is.

        Where it `searches`, a board that cannot be read in its place is looked for elsewhere.
        """
        origin = frame.region.origin
        if searches and reading.classified.readable < LEAST_READABLE:
            moved = self._found_elsewhere(reading)
            reading = self.read_anew(reading) if moved is reading else moved  # of another size, as on another monitor
        open_unread: frozenset[Cell] = frozenset()
        if self._learner is not None:
            reading, open_unread = self._learner.study(frame.image, reading.moved(-origin))
            reading = reading.moved(origin)
        is_excused = np.zeros(reading.board.cells.shape, dtype=np.bool_)
        for cell in open_unread:
            is_excused[cell] = True
        problems = self.problems(reading.board, is_excused | reading.shows_win)
        if problems and searches:
            found = self._without_problems(reading)
            reading, problems = (reading, problems) if found is None else (found, [])
        more = f"; and {len(problems) - _NAMED} more" if len(problems) > _NAMED else ""
        return reading, "; ".join(problems[:_NAMED]) + more

    def problems(self, board: Board, is_excused: Mask | None = None) -> list[str]:
        """What keeps a board from being played on, in words: cells that cannot be read, and what breaks the rules.

        Cells that are excused, or were given up, need not be readable.
        """
        is_unread = board.cells == State.UNKNOWN
        for excused in (self._given_up, is_excused):
            if excused is not None and excused.shape == is_unread.shape:
                is_unread = is_unread & ~excused
        return _problems(board, is_unread)

    def believe(self, reading: Reading) -> None:
        """Note that a reading is trusted, and so is the look of its open cells."""
        if reading.board.count(*range(State.HIDDEN)):
            self._trusted_classifier = reading.classifier

    def give_up(self, unread: Reading) -> None:
        """Go on without the cells that cannot be read in a reading."""
        self._given_up = unread.board.cells == State.UNKNOWN
        _log.info("played on without %d cells that cannot be read", unread.unread)

    def shows_end(self, frame: Frame, place: Reading) -> Reading | None:
        """The end of a game in a picture, every cell of it readable; None where it shows none."""
        reading = self.read(frame, place)
        is_clear = not _problems(reading.board, reading.board.cells == State.UNKNOWN)
        return reading if reading.over and is_clear else None

    def read_anew(self, before: Reading) -> Reading:
        """Read the board with no earlier reading in mind; return `before` unless one of the same size is found."""
        try:
            found = self.find(self._screen.grab(self._window.seen))
        except NoBoardFoundError:
            return before
        if found.doubts or found.board.cells.shape != before.board.cells.shape:
            return before
        if found.board.mines is None:  # at the end of a game a client may write something else there
            return replace(found, board=Board(found.board.cells, before.board.mines))
        return found

    def find(self, frame: Frame) -> Reading:
        """The board in a picture, wherever it is and of whatever size; NoBoardFoundError is raised where none is."""
        return self._reader.read(frame.image).moved(frame.region.origin)

    def wait_until_visible(self, place: Reading, observer: Observer) -> Reading:
        """Wait until the board can be seen, follow its window, and return where it is then.

        Args:
            place: Where it was read last.
            observer: Told what is waited for.

        Raises:
            AnotherLevelError: It has another size.
            ClientCoveredError: It cannot be seen for too long.
            ClientGoneError: The client was closed.
            StoppedByUserError: A person took over.
            UntrustedReadingError: It is nowhere in its window.
        """
        clock = self._controls.desk.clock
        begun, is_told = clock.now(), False
        # Dialogs of the client's own are no obstruction.
        while (obstruction := self._window.obstruction(place.grid.region)) not in (None, Obstruction.ASKING):
            self._controls.guard.check()
            if obstruction is Obstruction.MOVED:
                place = self._followed(place)
                continue
            waited_s, why = clock.now() - begun, f"the client cannot be seen: {obstruction.value}"
            if waited_s > COVERED_S:
                raise ClientCoveredError(
                    f"{why}, for {COVERED_S:.0f} s now",
                    hint="bring its window to the front, and start again: the game goes on from there",
                )
            if not is_told and waited_s > TELL_AFTER_S:
                is_told = True
                observer(Waiting(why=why))
            clock.sleep(_POLL_S)
        return place

    def _followed(self, place: Reading) -> Reading:
        """The board in its window's present place and size."""
        shift = self._window.follow()
        if shift is not None:
            _log.info("the client's window was moved by %s", shift)
            return place.moved(shift)
        controls, region = self._controls, self._window.seen
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
                f"stopped: another level was begun by hand, {size[0]}x{size[1]} cells instead of {was[0]}x{was[1]}"
            )
        mines = place.board.mines if found.board.mines is None else found.board.mines
        return replace(found, board=Board(found.board.cells, mines))

    def _without_problems(self, doubted: Reading) -> Reading | None:
        """The board where nothing speaks against its cells: in another place, or in another look; None for nowhere.

        Of a page that a message has pushed down by nearly a cell half is still readable. And an untouched board tells
        little of the look of open cells: as long as none were read in it, it may be another.
        """
        moved = self._found_elsewhere(doubted)
        if not self.problems(moved.board) and not moved.grid.nearly(doubted.grid, 1):
            return moved
        if doubted.classifier is self._trusted_classifier:
            return None
        anew = self.read_anew(doubted)
        return None if self.problems(anew.board) else anew

    def _found_elsewhere(self, doubted: Reading) -> Reading:
        """The board where it now stands in its window, or on the screen; the reading as it was where it is nowhere."""
        frame = self._screen.grab(self._window.seen)
        try:
            return self._reader.read_moved(frame.image, doubted).moved(frame.region.origin)
        except NoBoardFoundError:
            return doubted


def _problems(board: Board, is_unread: Mask) -> list[str]:
    unreadable = unread(board, cells_in(is_unread))
    return [*([unreadable] if unreadable else []), *(problem.text for problem in board.problems())]
