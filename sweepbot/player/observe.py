"""Looking until there is a settled reading: the picture rests, it is the client's, and what it shows makes sense."""

import logging
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from sweepbot.board import Board, State, around, cells_in, unread
from sweepbot.control.client_window import Hindrance
from sweepbot.control.controls import Controls
from sweepbot.control.watching import Look, watch
from sweepbot.desktop.screen import Frame
from sweepbot.errors import (
    AnotherLevelError,
    ClientCoveredError,
    ImpossibleBoardError,
    NoBoardFoundError,
    UntrustedReadingError,
)
from sweepbot.geometry import Cell, Region
from sweepbot.player.burst import Burst, GoOn
from sweepbot.player.events import Hurried, Learner, Observer, Read, Rested, Waiting
from sweepbot.player.position import DoubtError, Expectation, Position
from sweepbot.player.resting_looks import Mask, RestingLooks
from sweepbot.solver import Decision, Solver
from sweepbot.vision.detect.fit import LEAST_READABLE
from sweepbot.vision.reader import Reader, Reading

_log = logging.getLogger("sweepbot.player")

PATIENCE_S = 5.0
"""For so long a reading that is not trusted is looked at again: clients are known to stand still for three seconds."""

COVERED_S = 30.0
"""For so long a board is waited for that another window covers, or whose window is minimised."""

THINKING_S = 3.0
"""After so long the search for a guess is given up; on expert boards it takes tens of milliseconds."""

_RESTLESS_S = 8.0  # after so long beyond patience what still changes is taken as it is
_TELL_AFTER_S = 1.0  # of waiting, after which a person is told what for
_POLL_S = 0.001  # between two looks at a picture that is coming to rest
_POLL_HINDERED_S = 0.1  # between two looks at a board that cannot be seen
_SEARCH_AFTER_S = 0.15  # of rest, after which a board that cannot be read is looked for beside its place
_KEPT = 60  # pictures on the way to the last one that are kept
_DIMMED = "the board is darker than it was, as behind something that is in front of it"
_NAMED = 3  # how many problems of a reading an error message names


@dataclass(frozen=True, slots=True)
class _Draft:
    """What was made of a picture before it was sure to rest: its reading, and what to do where nothing is doubtful."""

    reading: Reading
    decision: Decision | ImpossibleBoardError | None


@dataclass(slots=True)
class _Made:
    """What was made of a picture so far, while it stays as it is.

    Attributes:
        reading: What it shows.
        is_settled: Whether it will stay as it is.
        draft: The reading, and what to do.
        position: What can be relied on.
        doubt: What speaks against that.
        searched: Whether the board was looked for elsewhere.
    """

    reading: Reading | None = None
    is_settled: bool = False
    draft: _Draft | None = None
    position: Position | None = None
    doubt: "DoubtError | None" = None
    searched: bool = False

    def is_open_to(self, look: Look, *, searches: bool) -> bool:
        """Whether it is to be examined, for the first time, or once more, to be searched, after a longer rest."""
        if self.position is None and self.doubt is None:
            return True
        return searches and self.doubt is not None and not self.searched and look.rests_s >= _SEARCH_AFTER_S


class SettledReader:
    """Looks at one client's board until it can be relied on.

    Grids of the readings it returns are in pixels of the virtual desktop.

    Args:
        controls: What it looks with, and who notices a person's hand meanwhile.
        reader: The eyes, calibrated for the client.
        solver: What decides; a board that it finds impossible has been misread.
        learner: Learns what the calibration lacks, where it lacks something.
        observer: Told of every picture that is read.
    """

    def __init__(
        self,
        controls: Controls,
        reader: Reader,
        solver: Solver,
        learner: Learner | None = None,
        *,
        observer: Observer = lambda _: None,
    ) -> None:
        self._observer = observer
        self._desk = controls.desk
        self._screen = controls.desk.screen
        self._window = controls.window
        self._disturbed = controls.guard.check
        self._reader = reader
        self._solver = solver
        self._learner = learner
        self._settle = reader.calibration.behaviour.settle
        self._quiet_s = self._settle.quiet_ms / 1000 + controls.desk.latency_s
        self._looks = RestingLooks()
        self._given_up: Mask | None = None
        """The cells that stayed unreadable for all patience: each costs only itself from then on."""
        self._proved_look: object = None
        """What the cells of a board were told by of which open ones were read."""
        self.reads = 0
        """How many times a board was read."""

    def look(
        self,
        place: Reading,
        expected: Expectation,
        patience_s: float = PATIENCE_S,
        reaction_s: float = 0.0,
        *,
        burst: Burst | None = None,
    ) -> Position:
        """Wait until the picture rests and shows what is expected, or rests so long that it never will.

        Args:
            place: An earlier reading of the same board: where to look.
            expected: Whether a reading shows what is waited for.
            patience_s: Seconds for which a reading that is not trusted is looked at again.
            reaction_s: Seconds that the client is given to react, where that is more than its calibration says.
            burst: The clicks that came before: while one of their cells looks as before there is nothing to be read.

        Raises:
            DoubtError: What it shows is not trusted after all that time.
            ClientGoneError: The client was closed.
            ClientCoveredError: Its board was covered, or its window minimised, for too long.
            StoppedByUserError: A person took over, be it by beginning another level.
        """
        limit_s = max(self._settle.limit_ms / 1000, reaction_s) + self._desk.latency_s
        passed: deque[Frame] = deque(maxlen=_KEPT)
        if burst is not None and burst.go_on is not None:
            looks, place = self._follow(burst, burst.go_on, place, limit_s, passed)
        else:
            looks = self._watch(place)
        while True:
            position = self._look(looks, place, expected, passed, patience_s=patience_s, limit_s=limit_s, burst=burst)
            if position is not None:
                return position
            place, burst = self._when_unhindered(place), None
            looks = self._watch(place)

    def _watch(self, place: Reading) -> Iterator[Look]:
        """Look at a board again and again."""
        around = place.grid.region.grown(1).intersection(self._screen.region) or place.grid.region
        return watch(self._desk, around, self._disturbed, _POLL_S)

    def _follow(
        self, burst: Burst, go_on: GoOn, place: Reading, limit_s: float, passed: deque[Frame]
    ) -> tuple[Iterator[Look], Reading]:
        """Hand on the cells of a burst as they come to rest, until no more clicks come of it.

        Returns:
            How to look on, and the last reading.
        """
        begun, looks = place, self._watch(place)
        read: Frame | None = None
        while True:
            look = next(looks)
            if look.before is not None:
                passed.append(look.before)
            now_s = self._desk.clock.now()
            burst.see(look.frame, now_s)
            rested = burst.rested(now_s - self._quiet_s)
            if look.frame is not read:
                read = look.frame
                self.reads += 1
                place = self._read_at(read, place)
                settled = burst.settled(place, self._looks)
            at_rest = rested | settled
            if burst.has_news(at_rest):
                known = self._known(place, at_rest, begun)
                clicked = () if known is None else go_on(known)
                if clicked:
                    burst.add(clicked)
                    looks = self._watch(place)
                    continue
            if burst.is_done(at_rest) or look.rests_s >= limit_s or look.since_s > PATIENCE_S:
                return looks, place

    def _known(self, reading: Reading, rested: Mask, begun: Reading) -> Reading | None:
        """What the cells at rest tell, all others unreadable; None where that cannot be relied on.

        Args:
            reading: What all cells show.
            rested: Those at rest.
            begun: What was known before the clicks: none of its open cells ever shows anything else.
        """
        if reading.over or self._window.hindrance(reading.grid.region) is not None:
            return None
        cells = np.where(rested, reading.board.cells, np.uint8(State.UNKNOWN))
        # A cell that looks empty for being pressed, or an opening that goes on.
        is_hole = (cells == 0) & (around(cells == State.HIDDEN) > 0)
        cells = np.where(is_hole, np.uint8(State.UNKNOWN), cells)
        was_open = begun.board.cells < State.HIDDEN
        is_other = was_open & (cells != begun.board.cells) & (cells != State.UNKNOWN)
        board = Board(cells, reading.board.mines)
        if is_other.any() or board.problems():
            return None
        return replace(reading, board=board)

    def _look(
        self,
        looks: Iterator[Look],
        place: Reading,
        expected: Expectation,
        passed: deque[Frame],
        *,
        patience_s: float,
        limit_s: float,
        burst: Burst | None,
    ) -> Position | None:
        """See `look`; None where something has come between.

        While a picture rests it is read already, and what to do is decided: where it does rest no time is lost. Where
        all that clicks have changed looks as cells at rest did before, it need not rest.
        """
        made = _Made()
        told = False
        # To search a whole screen takes longer than a dialog is waited for, which is likelier where one is expected.
        searches = self._window.is_known or patience_s >= PATIENCE_S
        for look in looks:
            if burst is not None:
                burst.see(look.frame, self._desk.clock.now())
            if look.before is not None:
                passed.append(look.before)
                made = _Made()
            if not told and look.since_s > _TELL_AFTER_S:
                told = True
                self._observer(Waiting("for the picture to rest" if made.doubt is None else made.doubt.reason))
            is_restless = look.since_s > patience_s + _RESTLESS_S
            is_worth_reading = burst is None or look.rests_s >= limit_s or burst.is_shown
            is_at_rest = is_restless or (is_worth_reading and look.rests_s >= self._quiet_s)
            if made.draft is None and is_worth_reading and not is_at_rest:
                self._prepare(made, look, place, burst)
            is_at_rest |= made.is_settled
            is_news = is_at_rest and made.is_open_to(look, searches=searches)
            if is_news:
                hindrance = self._window.hindrance(place.grid.region)
                if hindrance not in (None, Hindrance.ASKING):
                    return None
                self._make_sense(made, look.frame, place, burst, asks=hindrance is Hindrance.ASKING)
                is_news = not is_restless  # reading may take longer than patience lasts: another look is taken then
            if made.doubt is not None and not is_news and look.since_s > patience_s:
                made.doubt.passed = tuple(passed)
                raise made.doubt
            position = made.position
            if position is not None and (expected(position.reading) or look.rests_s >= limit_s or is_restless):
                return position
        raise AssertionError("watching never ends by itself")

    def _prepare(self, made: _Made, look: Look, place: Reading, burst: Burst | None) -> None:
        """Read a picture before it has rested for long enough, and decide where it is likely to stay."""
        if made.reading is None:
            made.reading = self._read_at(look.frame, place)
            is_playable = not (made.reading.over or self._hindrances(made.reading.board))
            made.is_settled = is_playable and burst is not None and burst.is_settled(made.reading, self._looks)
        if made.is_settled or look.rests_s > 0:
            made.draft = self._drafted(made.reading)

    def _drafted(self, reading: Reading) -> _Draft:
        doubtful = reading.over or self._hindrances(reading.board)
        return _Draft(reading, None if doubtful else self._decided(reading.board))

    def _decided(self, board: Board) -> Decision | ImpossibleBoardError:
        try:
            decision = self._solver.decide(board, self._desk.clock.deadline(THINKING_S))
        except ImpossibleBoardError as error:
            return error
        if decision.cut_short:
            self._observer(Hurried())
        return decision

    def _read_at(self, frame: Frame, place: Reading) -> Reading:
        origin = frame.region.origin
        return self._reader.read_at(frame.image, place.moved(-origin)).moved(origin)

    def _make_sense(self, made: _Made, frame: Frame, place: Reading, burst: Burst | None, *, asks: bool) -> None:
        """Examine a picture; what cannot be read is looked for elsewhere the second time."""
        made.searched = made.doubt is not None
        made.position, made.doubt = self.examine(frame, place, made.draft, asks=asks, searches=made.searched)
        if made.position is not None and not made.is_settled:
            self._looks.learn(frame, made.position.reading, None if burst is None else burst.changed)

    def _hindrance(self, place: Reading) -> Hindrance | None:
        """What keeps the board from being seen; windows of the client's own are for whoever closes dialogs."""
        hindrance = self._window.hindrance(place.grid.region)
        return None if hindrance is Hindrance.ASKING else hindrance

    def _when_unhindered(self, place: Reading) -> Reading:
        """Wait until the board can be seen, follow its window, and return where it is then.

        Raises:
            ClientCoveredError: It cannot be seen for too long.
        """
        clock = self._desk.clock
        begun, told = clock.now(), False
        while (hindrance := self._hindrance(place)) is not None:
            self._disturbed()
            if hindrance is Hindrance.MOVED:
                place = self._followed(place)
                continue
            waited = clock.now() - begun
            if waited > COVERED_S:
                raise ClientCoveredError(
                    f"the client cannot be seen: {hindrance.value}, for {COVERED_S:.0f} s now",
                    hint="bring its window to the front, and start again: the game goes on from there",
                )
            if not told and waited > _TELL_AFTER_S:
                told = True
                self._observer(Waiting(f"the client cannot be seen: {hindrance.value}"))
            clock.sleep(_POLL_HINDERED_S)
        return place

    def _followed(self, place: Reading) -> Reading:
        """The board where its window is now.

        Raises:
            AnotherLevelError: It has another size.
            UntrustedReadingError: It is nowhere in its window.
        """
        shift = self._window.follow()
        if shift is not None:
            _log.info("the client's window was moved by %s", shift)
            return place.moved(shift)
        region = self._seen_window
        if region is None:
            return place
        for look in watch(self._desk, region, self._disturbed, _POLL_S):
            if look.rests_s >= self._quiet_s or look.since_s > _RESTLESS_S:
                return self._in_resized(place, look.frame)
        raise AssertionError("watching never ends by itself")

    def _in_resized(self, place: Reading, frame: Frame) -> Reading:
        try:
            found = self._reader.read(frame.image).moved(frame.region.origin)
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

    def ending_before(self, doubt: DoubtError, place: Reading) -> Position | None:
        """The end of a game before something came in front of it; None where no picture on the way there shows one.

        Args:
            doubt: What came of looking.
            place: An earlier reading of the same board.
        """
        for frame in reversed(doubt.passed):
            self.reads += 1
            reading = self._read_at(frame, place)
            if reading.over and not _hindrances(reading.board):
                return Position(frame, reading, None)
        return None

    def in_part(self, doubt: DoubtError) -> Position | None:
        """What can be played on of a board that was looked at with all patience; from then on without its unread cells.

        Args:
            doubt: What came of looking.

        Returns:
            None where something else speaks against it, where most of it is unread, or where nothing can be opened.
        """
        reading = doubt.reading
        if reading.over or reading.dimmed or reading.problems:
            return None
        decision = self._decided(reading.board)
        if isinstance(decision, ImpossibleBoardError) or decision.best is None:
            return None
        self._given_up = reading.board.cells == State.UNKNOWN
        _log.info("played on without %d cells that cannot be read", reading.unread)
        return Position(doubt.frame, reading, decision)

    def examine(
        self, frame: Frame, place: Reading, draft: _Draft | None = None, *, asks: bool = False, searches: bool = True
    ) -> tuple[Position | None, DoubtError | None]:
        """Read a picture that rests: either a position that can be relied on, or what speaks against it.

        Args:
            frame: The picture.
            place: An earlier reading of the same board.
            draft: What was made of it already.
            asks: Whether a window of the client's own is in front of the board.
            searches: Whether to look for the board elsewhere where it cannot be read in its place.
        """
        self._observer(Rested())
        self.reads += 1
        draft = draft or self._drafted(self._read_at(frame, place))
        position, doubt = _asking(frame, draft.reading) if asks else self._examine(frame, draft, searches=searches)
        if position is not None:
            self._observer(Read(position.reading, ""))
            _log.debug("read: %s, %.1f%%", position.reading.phase.value, 100 * position.reading.confidence)
        elif doubt is not None:
            self._observer(Read(doubt.reading, doubt.reason))
            _log.debug("not trusted: %s", doubt.reason)
        return position, doubt

    def with_face(self, position: Position) -> Position:
        """The same, or that the game is over, where its client says so beside a board of which cells are unread."""
        anew = self._read_anew(position.reading)
        return Position(position.frame, anew, None) if anew.over else position

    def _examine(self, frame: Frame, draft: _Draft, *, searches: bool) -> tuple[Position | None, DoubtError | None]:
        """Make sense of a reading, looking for the board elsewhere where it has none."""
        reading, origin = draft.reading, frame.region.origin
        if searches and reading.classified.readable < LEAST_READABLE:
            reading = self._find_anew(reading)
        open_unread: frozenset[Cell] = frozenset()
        if self._learner is not None:
            reading, open_unread = self._learner.study(frame.image, reading.moved(-origin))
            reading = reading.moved(origin)
        is_excused = np.zeros(reading.board.cells.shape, dtype=np.bool_)
        for cell in open_unread:
            is_excused[cell] = True
        problems = self._hindrances(reading.board, is_excused | reading.shows_win)
        if problems and searches:
            found = self._without_problems(reading)
            reading, problems = (reading, problems) if found is None else (found, [])
        if problems:
            named = "; ".join(problems[:_NAMED])
            more = f"; and {len(problems) - _NAMED} more" if len(problems) > _NAMED else ""
            return None, DoubtError(frame, reading, named + more)
        if reading.over:
            return Position(frame, reading, None), None
        is_known = draft.decision is not None and reading.board == draft.reading.board
        decision = draft.decision if is_known else self._decided(reading.board)
        if isinstance(decision, ImpossibleBoardError):
            return None, DoubtError(frame, reading, str(decision))
        if reading.dimmed and decision is not None and (decision.safe or decision.best):
            return None, DoubtError(frame, reading, _DIMMED)
        if reading.board.count(*range(State.HIDDEN)):
            self._proved_look = reading.classifier
        return Position(frame, reading, decision), None

    def _hindrances(self, board: Board, is_excused: Mask | None = None) -> list[str]:
        """The same as `_hindrances`, the cells that were given up excused too."""
        if self._given_up is None or self._given_up.shape != board.cells.shape:
            return _hindrances(board, is_excused)
        return _hindrances(board, self._given_up if is_excused is None else self._given_up | is_excused)

    def _without_problems(self, doubted: Reading) -> Reading | None:
        """The board where nothing speaks against its cells: in another place, or in another look; None for nowhere.

        Of a page that a message has pushed down by nearly a cell half is still readable. And an untouched board tells
        little of the look of open cells: as long as none were read in it, it may be another.
        """
        moved = self._find_moved(doubted)
        if not self._hindrances(moved.board) and not moved.grid.nearly(doubted.grid, 1):
            return moved
        if doubted.classifier is self._proved_look:
            return None
        anew = self._read_anew(doubted)
        return None if self._hindrances(anew.board) else anew

    def _find_moved(self, doubted: Reading) -> Reading:
        """The board where it now stands in its window, or on the screen; the reading as it was where it is nowhere."""
        try:
            return self._read_moved(doubted, self._seen_window)
        except NoBoardFoundError:
            return doubted

    def _find_anew(self, unreadable: Reading) -> Reading:
        """The same, also where its cells have another size, as they may have on another monitor."""
        moved = self._find_moved(unreadable)
        return self._read_anew(unreadable) if moved is unreadable else moved

    def _read_anew(self, unreadable: Reading) -> Reading:
        """The board of the same size as if it had never been seen; the reading as it was where there is none."""
        frame = self._screen.grab(self._seen_window)
        try:
            found = self._reader.read(frame.image).moved(frame.region.origin)
        except NoBoardFoundError:
            return unreadable
        if found.doubts or (found.grid.rows, found.grid.columns) != (unreadable.grid.rows, unreadable.grid.columns):
            return unreadable
        if found.board.mines is None:  # at the end of a game a client may write something else there
            return replace(found, board=Board(found.board.cells, unreadable.board.mines))
        return found

    @property
    def _seen_window(self) -> Region | None:
        """The part of the client's window that is on the screen; None where no window is known."""
        return self._window.region and self._window.region.intersection(self._screen.region)

    def _read_moved(self, place: Reading, region: Region | None) -> Reading:
        """The same board elsewhere in a region, or anywhere.

        Raises:
            NoBoardFoundError: It is not there.
        """
        frame = self._screen.grab(region)
        return self._reader.read_moved(frame.image, place).moved(frame.region.origin)


def _hindrances(board: Board, is_excused: Mask | None = None) -> list[str]:
    """What keeps a board from being played on, in words: cells that cannot be read, and what breaks the rules.

    Args:
        board: The position.
        is_excused: The cells that need not be readable, shape (rows, columns); none by default.
    """
    is_unread = board.cells == State.UNKNOWN
    is_unread = is_unread if is_excused is None else is_unread & ~is_excused
    unreadable = unread(board, cells_in(is_unread))
    return [*([unreadable] if unreadable else []), *(problem.text for problem in board.problems())]


def _asking(frame: Frame, reading: Reading) -> tuple[Position | None, DoubtError | None]:
    """What is made of a board that a window of the client's own is in front of."""
    return None, DoubtError(frame, reading, Hindrance.ASKING.value)
