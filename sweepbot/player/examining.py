"""Examining pictures of the client's board: what one shows, whether that can be trusted, and what follows from it."""

import logging
from collections.abc import Collection, Iterator
from contextlib import suppress
from dataclasses import replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from sweepbot.board import Board, State, around, cells_in, unread
from sweepbot.control.controls import Controls
from sweepbot.desktop.screen import Frame
from sweepbot.errors import ImpossibleBoardError, NoBoardFoundError
from sweepbot.geometry import Cell, Image, Region
from sweepbot.level import Level
from sweepbot.plan import Style
from sweepbot.player.finding import first_of, read_frame
from sweepbot.player.states import Doubt, Examined, Position, mines_hint
from sweepbot.solver import Decision, Solver
from sweepbot.vision.reader import MIN_READABLE_SHARE, Reader, has_moved
from sweepbot.vision.reading import Reading

_log = logging.getLogger("sweepbot.player")

THINKING_S = 3.0
"""Seconds after which the search for a guess is given up; on expert boards it takes tens of milliseconds."""

_EDGE_LEVELS = 4  # between neighbouring pixels: by less, a background may go from one colour to another

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

    @property
    def is_finished(self) -> bool:
        """Whether nothing more is to be learned, if the client is played for that only."""


class Examiner:
    """Reads one client's board with its calibration; without a learner nothing is learned in play.

    A board that the solver finds impossible has been misread, and so has a flag that nobody has placed at first sight:
    in a `style` that places none. A person may place some, for whom it is None.
    """

    def __init__(
        self,
        controls: Controls,
        reader: Reader,
        solver: Solver,
        learner: Learner | None = None,
        style: Style | None = None,
    ) -> None:
        self._screen, self._clock, self._window = controls.desk.screen, controls.desk.clock, controls.window
        self._reader = reader
        self._solver = solver
        self._learner = learner
        self._decided: tuple[Board, Decision | ImpossibleBoardError] | None = None
        """The board that was decided last: most are asked about again, as they come to rest."""
        self._places_flags = bool(reader.calibration.templates) or style is not Style.NOFLAG
        self._before = Board(np.zeros((0, 0), dtype=np.uint8))
        """The board as it was before the picture that was read last."""
        self._given_up: Collection[Cell] = ()
        """The cells that could not be read in time, without which play goes on."""
        self._covered = np.zeros((0, 0), dtype=np.bool_)
        """The cells behind other programs' windows that are played around, when the board was read last."""
        self._trusted_look: object = None
        """What told the cells of the last trusted board with open cells."""
        self._trusted: Reading | None = None
        """The last trusted reading, at first the one that the board was found with."""
        self.usual_total: int | None = None
        """How many mines games have, once the ends of two in a row have agreed; None if unknown."""
        self.reads = 0
        """How many times the board was read in its place."""

    def region_of(self, place: Reading) -> Region:
        """Return the region of the screen to look at in order to read a board again: with a pixel around it."""
        board = place.grid.region
        return board.grown(1).intersection(self._screen.region) or board

    def read(self, frame: Frame, place: Reading) -> Reading:
        """Read a picture of a board in the place where it was read last."""
        self.reads += 1
        origin = frame.region.origin
        self._before = place.board
        if self._trusted is None or self._trusted.board.cells.shape != place.board.cells.shape:
            self._trusted = place
        reading = self._reader.read_at(frame.image, place.moved(-origin)).moved(origin)
        return self._uncovered(self._without_new_flags(reading))

    def _without_new_flags(self, reading: Reading) -> Reading:
        """Return a reading in play without flags that nobody has placed: they are numbers that look like one.

        Several flags on cells that may have mines may be mines, or set by the client at the end of a game.
        """
        before, cells = self._before, reading.board.cells
        if self._places_flags or reading.over or before.cells.shape != cells.shape:
            return reading
        is_new = (cells == State.FLAG) & (before.cells != State.FLAG)
        if not is_new.any() or not reading.board.count(State.HIDDEN):
            return reading
        is_safe = (before.cells != State.HIDDEN) | (around(cells == 0) > 0)
        for cell in self.plainly_safe(before):
            is_safe[cell] = True
        is_number = is_new & is_safe
        return self._without(reading, is_new if int((is_new & ~is_safe).sum()) <= 1 else is_number)

    def _uncovered(self, reading: Reading) -> Reading:
        """Return a reading without the cells that are behind other programs' windows."""
        self._covered = self._window.hidden_cells(reading.grid)
        return self._without(reading, self._covered) if self._covered.any() else reading

    def _without(self, reading: Reading, cells: NDArray[np.bool_]) -> Reading:
        """Return a reading in which some cells cannot be read."""
        board = Board(np.where(cells, np.uint8(State.UNKNOWN), reading.board.cells), reading.board.mines)
        flags_to_win = bool(self._reader.calibration.behaviour.flags_to_win)
        return replace(reading, board=board, phase=board.phase(flags_to_win=flags_to_win))

    def examine(self, frame: Frame, reading: Reading, *, searches: bool) -> Examined:
        """Turn a picture at rest and its reading into a trusted position, or into the doubt about it.

        If it `searches`, a board that cannot be read in its place is searched for elsewhere.
        """
        reading, problems = self._studied(frame, reading)
        if problems and searches and (again := self._found_again(reading)) is not None:
            frame, reading = again
            reading, problems = self._studied(frame, reading)
        if problems:
            return Doubt(frame, reading, first_of(problems))
        if reading.over:
            self._trusted = reading
            return Position(frame, reading, None)
        decision = self.decide(reading.board)
        is_guess = isinstance(decision, Decision) and not decision.safe
        if not is_guess and self._is_total_assumed(reading.board):
            reading, decision = self._without_assumption(reading, decision)
        if isinstance(decision, ImpossibleBoardError):
            mines = reading.board.mines
            return Doubt(frame, reading, str(decision), "" if mines is None else mines_hint(mines))
        if reading.dimmed and (decision.safe or decision.best):
            return Doubt(frame, reading, _DIMMED)
        if reading.board.count(*range(State.HIDDEN)):
            self._trusted_look = reading.seen.look
        self._trusted = reading
        return Position(frame, reading, decision)

    def _without_assumption(
        self, reading: Reading, decision: Decision | ImpossibleBoardError
    ) -> tuple[Reading, Decision | ImpossibleBoardError]:
        """Return a reading without its assumed number of mines, and the decision, if that number alone decides it."""
        careful = reading.with_mines(None)
        certain = self.decide(careful.board)
        if isinstance(decision, Decision) and isinstance(certain, Decision) and decision.safe == certain.safe:
            return reading, decision
        return careful, certain

    def decide(self, board: Board) -> Decision | ImpossibleBoardError:
        """Decide a position within THINKING_S; return the error if no layout of mines explains it."""
        if self._decided is None or self._decided[0] != board:
            try:
                decision: Decision | ImpossibleBoardError = self._solver.decide(board, self._clock.deadline(THINKING_S))
            except ImpossibleBoardError as error:
                decision = error
            self._decided = board, decision
        return self._decided[1]

    def is_impossible(self, board: Board) -> bool:
        """Whether no placement of mines explains a board."""
        return isinstance(self.decide(board), ImpossibleBoardError)

    def _is_total_assumed(self, board: Board) -> bool:
        """Whether the number of mines is that of a level of this size, or of games before, of an unknown client."""
        known = self._reader.calibration
        level = known.level_of_size(board.columns, board.rows)
        usual = {self.usual_total, None if level is None else level.mines}
        return not known.templates and board.mines is not None and board.mines in usual

    def plainly_safe(self, board: Board) -> list[Cell]:
        """Return the hidden cells that single numbers and pairs prove safe; none if the numbers are in conflict."""
        try:
            return [cell for cell in self._solver.plainly_safe(board) if board[cell] == State.HIDDEN]
        except ImpossibleBoardError as error:  # the board at rest will show what is wrong with it
            _log.info("nothing is plainly safe: %s", error)
            return []

    def _studied(self, frame: Frame, reading: Reading) -> tuple[Reading, list[str]]:
        """Return a reading with what first sight tells and could be learned from its picture, and its problems."""
        origin = frame.region.origin
        if reading.unread:
            rested = self._reader.at_rest(frame.image, reading.moved(-origin)).moved(origin)
            reading = self._uncovered(self._without_new_flags(rested))
        if _is_blank(reading):
            reading = self._without(reading, np.ones_like(reading.board.cells, np.bool_))
        if self._learner is None or self._covered.any():  # a part of a cell may be covered
            return reading, self.problems(reading)
        reading, open_unread = self._learner.study(frame.image, reading.moved(-origin))
        reading = self._without_new_flags(self._possible(reading))
        return reading.moved(origin), self.problems(reading, open_unread)

    def _possible(self, reading: Reading) -> Reading:
        """Return a reading without an assumed number of mines that its cells contradict."""
        is_other = any(problem.cell is None for problem in reading.board.problems())
        return reading.with_mines(None) if is_other and self._is_total_assumed(reading.board) else reading

    def problems(self, reading: Reading, open_unread: Collection[Cell] = ()) -> list[str]:
        """Return in words why a board cannot be played on: unreadable cells, and violations of the rules.

        Cells that are open, covered, were given up, or are painted over after a win need not be readable.
        """
        board = reading.board
        is_unread = board.cells == State.UNKNOWN
        if self._covered.any():
            is_unread &= ~self._covered
        for cell in board if reading.shows_win else (*self._given_up, *open_unread):
            is_unread[cell] = False
        unreadable = unread(board, cells_in(is_unread))
        return [*([unreadable] if unreadable else []), *(problem.text for problem in board.problems())]

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
        self._given_up = reading.board.where(State.UNKNOWN)
        _log.info("playing on without %d unreadable cells", reading.unread)
        return Position(seen.frame, reading, decision)

    def with_face(self, position: Position) -> Position:
        """Return the end of the game if the client's face shows it although cells cannot be read; else the position."""
        now = self._read_from_scratch(self._client_now(), position.reading)
        return Position(position.frame, now, None) if now is not None and now.over else position

    def end_in(self, frame: Frame, place: Reading) -> Position | None:
        """Return the end of a game that a picture shows with every cell readable; None if it does not."""
        reading = self.read(frame, place)
        is_clear = reading.over and not reading.unread and not reading.board.problems()
        return Position(frame, reading, None) if is_clear else None

    def find(self, frame: Frame, before: Reading | None = None) -> Reading:
        """Find a board in a picture, wherever it is: one of the same size as before, if that is known, else of any.

        Raises:
            NoBoardFoundError: There is none.
        """

        def likeliest(image: Image) -> Reading:
            found = self._reader.read_all(image)
            shape = None if before is None else before.board.cells.shape
            return next((it for it in found if it.board.cells.shape == shape), found[0])

        return read_frame(likeliest, frame)

    def _found_again(self, doubted: Reading) -> tuple[Frame, Reading] | None:
        """Find a doubted board elsewhere, or with another look; return its picture and reading, None if no better.

        If hardly anything could be read in its place, it is taken as it is found, with its problems.
        """
        is_lost = doubted.seen.cells.readable < MIN_READABLE_SHARE
        client, found = self._client_now(), None
        for other in self._others_in(client, doubted, is_lost=is_lost):
            if not self.problems(other):
                found = other
                break
            found = found or (other if is_lost else None)
        return None if found is None else (Frame(client.part(found.grid.region), found.grid.region), found)

    def _others_in(self, client: Frame, doubted: Reading, *, is_lost: bool) -> Iterator[Reading]:
        """Yield what a board may be instead of what was read: itself in another place, or with another look.

        Half a board may still be readable in the old place after a message on a page has pushed it down by nearly a
        cell. An untouched board shows little of the look of open cells, so the one assumed for it may be wrong; and
        the cells of a board that is lost may have another size, as on another monitor.
        """
        origin = client.region.origin
        trusted = replace((self._trusted or doubted).with_mines(doubted.board.mines), grid=doubted.grid).moved(-origin)
        with suppress(NoBoardFoundError):
            moved = self._reader.read_moved(client.image, trusted).moved(origin)
            if is_lost or not moved.grid.nearly(doubted.grid, 1):
                yield moved
        if is_lost or doubted.seen.look is not self._trusted_look:
            found = self._read_from_scratch(client, doubted)
            if found is not None and has_moved(client.image, trusted, found.moved(-origin)):
                yield found

    def _client_now(self) -> Frame:
        """Return a picture of the client's window, or of the whole screen if that is unknown."""
        return self._screen.grab(self._window.visible)

    def _read_from_scratch(self, client: Frame, before: Reading) -> Reading | None:
        """Find and read the board in a picture without an earlier reading; return None if none of its size is found."""
        with suppress(NoBoardFoundError):
            found = self.find(client, before)
            if not found.doubts and found.board.cells.shape == before.board.cells.shape:
                return keeping_total(found, before)
        return None


def keeping_total(found: Reading, before: Reading) -> Reading:
    """Return a reading with its number of mines, or else with that before: at its end a game may show no number."""
    return found.with_mines(before.board.mines) if found.board.mines is None else found


def _is_blank(reading: Reading) -> bool:
    """Whether a board's picture has no edge: in some light, one colour is that of hidden cells, or of zeros."""
    cells = reading.board.cells
    if cells[0, 0] not in (0, State.HIDDEN) or (cells != cells[0, 0]).any():
        return False
    picture = reading.seen.picture.astype(np.int16)
    return all(np.abs(np.diff(picture, axis=axis)).max() < _EDGE_LEVELS for axis in (0, 1))
