"""Examining pictures of the client's board: what one shows, whether that can be trusted, and what follows from it."""

import logging
from typing import Protocol

import numpy as np

from sweepbot.board import Board, State, cells_in, unread
from sweepbot.control.controls import Controls
from sweepbot.desktop.screen import Frame
from sweepbot.errors import ImpossibleBoardError, NoBoardFoundError
from sweepbot.geometry import Cell, Image, Region
from sweepbot.level import Level
from sweepbot.player.burst import Mask
from sweepbot.player.finding import read_frame
from sweepbot.player.states import DoubtError, Examined, Position, mines_hint
from sweepbot.solver import Decision, Solver
from sweepbot.vision.cells.classified import LEAST_READABLE
from sweepbot.vision.reader import Reader, Reading

_log = logging.getLogger("sweepbot.player")

THINKING_S = 3.0
"""Seconds after which the search for a guess is given up; on expert boards it takes tens of milliseconds."""

_NAMED = 3  # problems of a reading that an error message names
_DIMMED = "the board is darker than before, as if something were in front of it"


class Learner(Protocol):
    """Learns in play what a calibration lacks."""

    def study(self, image: Image, reading: Reading) -> tuple[Reading, frozenset[Cell]]:
        """Learn from a picture and its reading.

        Returns:
            The reading with newly learned states filled in, and the cells that are open but cannot be read.
        """

    def count(self, level: Level) -> None:
        """Learn how many mines boards of a size have, from the end of a game."""


class Examiner:
    """Reads one client's board with its calibration; without a learner nothing is learned in play.

    A board that the solver finds impossible has been misread.
    """

    def __init__(self, controls: Controls, reader: Reader, solver: Solver, learner: Learner | None = None) -> None:
        self._screen, self._clock, self._window = controls.desk.screen, controls.desk.clock, controls.window
        self._reader = reader
        self._solver = solver
        self._learner = learner
        self._given_up: Mask | None = None
        """The cells that could not be read in time, without which play goes on."""
        self._trusted_classifier: object = None
        """The classifier of the last trusted board with open cells."""

    def region_of(self, place: Reading) -> Region:
        """Return the region of the screen to look at in order to read a board again: with a pixel around it."""
        board = place.grid.region
        return board.grown(1).intersection(self._screen.region) or board

    def read(self, frame: Frame, place: Reading) -> Reading:
        """Read a picture of a board in the place where it was read last."""
        origin = frame.region.origin
        return self._reader.read_at(frame.image, place.moved(-origin)).moved(origin)

    def examine(
        self, frame: Frame, reading: Reading, *, searches: bool, decision: Decision | ImpossibleBoardError | None = None
    ) -> Examined:
        """Turn a picture at rest and its reading into a trusted position, or into the doubt about it.

        If it `searches`, a board that cannot be read in its place is searched for elsewhere.
        """
        examined, problems = self._improved(frame, reading, searches=searches)
        if problems:
            return DoubtError(frame, examined, problems)
        if examined.over:
            return Position(frame, examined, None)
        if decision is None or examined.board != reading.board:
            decision = self.decide(examined.board)
        if isinstance(decision, ImpossibleBoardError):
            mines = examined.board.mines
            return DoubtError(frame, examined, str(decision), "" if mines is None else mines_hint(mines))
        if examined.dimmed and (decision.safe or decision.best):
            return DoubtError(frame, examined, _DIMMED)
        if examined.board.count(*range(State.HIDDEN)):
            self._trusted_classifier = examined.classifier
        return Position(frame, examined, decision)

    def decide(self, board: Board) -> Decision | ImpossibleBoardError:
        """Decide a position within THINKING_S; return the error if no layout of mines explains it."""
        try:
            return self._solver.decide(board, self._clock.deadline(THINKING_S))
        except ImpossibleBoardError as error:
            return error

    def _improved(self, frame: Frame, reading: Reading, *, searches: bool) -> tuple[Reading, str]:
        """Return a reading, improved if possible, and its problems in words, empty if it has none."""
        origin = frame.region.origin
        if searches and reading.classified.readable < LEAST_READABLE:
            moved = self._find_elsewhere(reading)
            # Its cells may have another size, as on another monitor.
            reading = self._read_from_scratch(reading) if moved is reading else moved
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

    def in_part(self, seen: Examined) -> Examined:
        """Return the position of a doubted board without its unreadable cells, which are left out from now on.

        These include a few zeros beside hidden cells: a client may draw a hidden cell so under the pointer. The doubt
        remains if it is another one, if most of the board cannot be read, or if no cell can be opened.
        """
        reading = seen.reading.without_pressed()
        if isinstance(seen, Position) or reading.over or reading.dimmed or reading.problems:
            return seen
        decision = self.decide(reading.board)
        if isinstance(decision, ImpossibleBoardError) or decision.best is None:
            return seen
        self._given_up = reading.board.cells == State.UNKNOWN
        _log.info("playing on without %d unreadable cells", reading.unread)
        return Position(seen.frame, reading, decision)

    def with_face(self, position: Position) -> Position:
        """Return the end of the game if the client's face shows it although cells cannot be read; else the position."""
        now = self._read_from_scratch(position.reading)
        return Position(position.frame, now, None) if now.over else position

    def end_in(self, frame: Frame, place: Reading) -> Position | None:
        """Return the end of a game that a picture shows with every cell readable; None if it does not."""
        reading = self.read(frame, place)
        is_clear = not _problems(reading.board, reading.board.cells == State.UNKNOWN)
        return Position(frame, reading, None) if reading.over and is_clear else None

    def _read_from_scratch(self, before: Reading) -> Reading:
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
        return read_frame(self._reader.read, frame)

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
        found = self._read_from_scratch(doubted)
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
