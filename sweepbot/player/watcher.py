"""Looking until there is something to rely on: the picture rests, and what it shows makes sense."""

import logging
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from sweepbot.board import Board, Status, complaints
from sweepbot.clock import SYSTEM_CLOCK, Clock
from sweepbot.desktop.screen import Frame, Screen
from sweepbot.errors import ImpossibleBoardError, NoBoardFoundError, UntrustedReadingError
from sweepbot.geometry import Cell, Region
from sweepbot.player.events import Learner, Observer, Read, Rested, Waiting
from sweepbot.player.totals import decide
from sweepbot.solver import Decision, Solver
from sweepbot.vision.fit import LEAST_READABLE
from sweepbot.vision.reader import Reader, Reading

_log = logging.getLogger("sweepbot.player")

PATIENCE = 2.0
"""Seconds for which a reading that is not trusted is looked at again."""

THINKING = 3.0
"""Seconds after which the search for a guess is given up; on expert boards it takes tens of milliseconds."""

_TELL_AFTER = 1.0  # seconds of waiting after which a person is told what for
_POLL = 0.001  # seconds between two looks at a picture that is coming to rest
_PUSHED = 3  # cells by which a message may push a board aside
_KEPT = 60  # pictures on the way to the last one that are kept
_NAMED = 3  # how many problems of a reading an error message names

Expectation = Callable[[Reading], bool]


@dataclass(frozen=True, slots=True)
class Position:
    """A reading that is trusted, and what to do about it; `decision` is None where the game is over."""

    frame: Frame
    reading: Reading
    decision: Decision | None


class DoubtError(UntrustedReadingError):
    """A reading that is still not trusted when patience has run out.

    Attributes:
        frame: The picture.
        reading: What was made of it.
        reason: What speaks against it.
        passed: The pictures on the way to it, the last ones.
    """

    passed: tuple[Frame, ...] = ()

    def __init__(self, frame: Frame, reading: Reading, doubt: str) -> None:
        super().__init__(f"the reading is not trusted: {doubt}", hint="is something in front of the board?")
        self.frame = frame
        self.reading = reading
        self.reason = doubt


class Watcher:
    """Looks at one client's board until it can be relied on.

    Grids of the readings it returns are in pixels of the virtual desktop.

    Args:
        screen: What it sees.
        reader: The eyes, calibrated for the client.
        solver: What decides; a board that it finds impossible has been misread.
        disturbed: Called at every look; raises where a person has taken over.
        learner: Learns what the calibration lacks, where it lacks something.
        observer: Told of every picture that is read.
        clock: What tells the time.
    """

    def __init__(
        self,
        screen: Screen,
        reader: Reader,
        solver: Solver,
        disturbed: Callable[[], None],
        learner: Learner | None = None,
        *,
        observer: Observer = lambda _: None,
        clock: Clock = SYSTEM_CLOCK,
    ) -> None:
        self._observer = observer
        self._clock = clock
        self._screen = screen
        self._reader = reader
        self._solver = solver
        self._disturbed = disturbed
        self._learner = learner
        self._settle = reader.calibration.manners.settle
        self.reads = 0
        """How many times a board was read."""

    def find(self, region: Region | None) -> Reading:
        """Look for a board in `region`, or everywhere.

        Raises:
            NoBoardFoundError: There is none.
            UntrustedReadingError: Something speaks against its size.
        """
        frame = self._screen.grab(region)
        found = self._reader.read(frame.image).moved(frame.region.origin)
        if found.doubts:
            raise UntrustedReadingError(
                f"a board of {found.grid.columns}x{found.grid.rows} cells at {found.grid.region} is not to be trusted:"
                f" {'; '.join(found.doubts)}",
                hint="show the whole board: make its window larger, or end its zoom",
            )
        return found

    def look(self, place: Reading, expected: Expectation, patience: float = PATIENCE) -> Position:
        """Wait until the picture rests and shows what is expected, or rests so long that it never will.

        Args:
            place: An earlier reading of the same board: where to look.
            expected: Whether a reading shows what is waited for.
            patience: Seconds for which a reading that is not trusted is looked at again.

        Raises:
            DoubtError: What it shows is not trusted after all that time.
            StoppedByUserError: A person took over.
        """
        around = place.grid.region.grown(1).intersection(self._screen.region) or place.grid.region
        start = rests_since = self._clock.now()
        frame = self._screen.grab(around)
        passed: deque[Frame] = deque(maxlen=_KEPT)
        position: Position | None = None
        doubt: DoubtError | None = None
        told = False
        while True:
            self._disturbed()
            if not told and self._clock.now() - start > _TELL_AFTER:
                told = True
                self._observer(Waiting("for the picture to rest" if doubt is None else doubt.reason))
            rests_ms = (self._clock.now() - rests_since) * 1000
            if rests_ms >= self._settle.quiet_ms and position is None and doubt is None:
                position, doubt = self.examine(frame, place)
            if position is not None and (expected(position.reading) or rests_ms >= self._settle.limit_ms):
                return position
            self._clock.sleep(_POLL)
            following = self._screen.grab(around)
            if not np.array_equal(following.image, frame.image):
                passed.append(frame)
                frame, rests_since, position, doubt = following, self._clock.now(), None, None
            # To look for the board elsewhere may take longer than patience lasts, and than what covered it was there.
            elif doubt is not None and self._clock.now() - start > patience:
                doubt.passed = tuple(passed)
                raise doubt

    def ending_before(self, doubt: DoubtError, place: Reading) -> Position | None:
        """The end of a game before something came in front of it; None where no picture on the way there shows one.

        Args:
            doubt: What came of looking.
            place: An earlier reading of the same board.
        """
        for frame in reversed(doubt.passed):
            self.reads += 1
            origin = frame.region.origin
            reading = self._reader.read_at(frame.image, place.moved(-origin)).moved(origin)
            if reading.over and not reading.board.problems():
                return Position(frame, reading, None)
        return None

    def examine(self, frame: Frame, place: Reading) -> tuple[Position | None, DoubtError | None]:
        """Read a picture that rests: either a position that can be relied on, or what speaks against it."""
        self._observer(Rested())
        position, doubt = self._examine(frame, place)
        if position is not None:
            is_hasty = position.decision is not None and position.decision.cut_short
            self._observer(Read(position.reading, "", is_hasty))
            _log.debug("read: %s, %.1f%%", position.reading.phase.value, 100 * position.reading.confidence)
        elif doubt is not None:
            self._observer(Read(doubt.reading, doubt.reason))
            _log.debug("not trusted: %s", doubt.reason)
        return position, doubt

    def _examine(self, frame: Frame, place: Reading) -> tuple[Position | None, DoubtError | None]:
        self.reads += 1
        origin = frame.region.origin
        reading = self._reader.read_at(frame.image, place.moved(-origin)).moved(origin)
        if reading.classified.readable < LEAST_READABLE:
            reading = self._find_moved(reading)
        open_unread: frozenset[Cell] = frozenset()
        if self._learner is not None:
            reading, open_unread = self._learner.study(frame.image, reading.moved(-origin))
            reading = reading.moved(origin)
        problems = [
            problem
            for problem in reading.board.problems()
            if problem.status is not Status.UNREADABLE or problem.cell not in open_unread
        ]
        if problems:  # of a page that a message has pushed down by nearly a cell half is still readable
            moved = self._find_nearby(reading)
            if not moved.board.problems() and not moved.grid.nearly(reading.grid, 1):
                reading, problems = moved, []
        if problems:
            told = complaints(reading.board, problems)
            named = "; ".join(told[:_NAMED])
            more = f"; and {len(told) - _NAMED} more" if len(told) > _NAMED else ""
            return None, DoubtError(frame, reading, named + more)
        if reading.over:
            return Position(frame, reading, None), None
        try:
            decision = decide(self._solver, reading.board, self._clock.deadline(THINKING))
            return Position(frame, reading, decision), None
        except ImpossibleBoardError as error:
            return None, DoubtError(frame, reading, str(error))

    def _find_nearby(self, doubted: Reading) -> Reading:
        """The board where it is now, if it was pushed by a few cells; the reading as it was where it was not."""
        nearby = doubted.grid.region.grown(round(_PUSHED * max(doubted.grid.pitch)))
        try:
            return self._read_moved(doubted, nearby.intersection(self._screen.region))
        except NoBoardFoundError:
            return doubted

    def _find_moved(self, unreadable: Reading) -> Reading:
        """The board where its window now stands; the reading as it was where it is nowhere."""
        try:
            return self._read_moved(unreadable, None)
        except NoBoardFoundError:
            pass  # on another monitor its cells may have another size
        try:
            found = self.find(None)
        except NoBoardFoundError:
            return unreadable
        if (found.grid.rows, found.grid.columns) != (unreadable.grid.rows, unreadable.grid.columns):
            return unreadable
        if found.board.mines is None:  # at the end of a game a client may write something else there
            return replace(found, board=Board(found.board.cells, unreadable.board.mines))
        return found

    def _read_moved(self, place: Reading, region: Region | None) -> Reading:
        """The same board elsewhere in a region, or anywhere.

        Raises:
            NoBoardFoundError: It is not there.
        """
        frame = self._screen.grab(region)
        return self._reader.read_moved(frame.image, place).moved(frame.region.origin)
