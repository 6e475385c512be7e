"""The eyes: read a picture of the client's board, name the problems of the reading, and find the board anew."""

import logging
from typing import Protocol

import numpy as np

from sweepbot.board import Board, State, cells_in, unread
from sweepbot.control.controls import Controls
from sweepbot.desktop.screen import Frame
from sweepbot.errors import NoBoardFoundError
from sweepbot.geometry import Cell, Image
from sweepbot.level import Level
from sweepbot.player.burst import Mask
from sweepbot.vision.cells.classified import LEAST_READABLE
from sweepbot.vision.reader import Reader, Reading

_log = logging.getLogger("sweepbot.player")

_NAMED = 3  # problems of a reading that an error message names


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
        return counted(found, before)

    def find(self, frame: Frame) -> Reading:
        """Find the board in a picture, wherever it is and of any size; raises NoBoardFoundError if there is none."""
        return self._reader.read(frame.image).moved(frame.region.origin)

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


def counted(found: Reading, before: Reading) -> Reading:
    """Return a reading with its number of mines, or else with that before: at its end a game may show no number."""
    return found.with_mines(before.board.mines) if found.board.mines is None else found


def _problems(board: Board, is_unread: Mask) -> list[str]:
    unreadable = unread(board, cells_in(is_unread))
    return [*([unreadable] if unreadable else []), *(problem.text for problem in board.problems())]
