"""Looking: frames are watched, read and decided until one can be relied on."""

import logging
from collections import deque
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from sweepbot.board import Board, State, around
from sweepbot.control.client_window import Obstruction
from sweepbot.control.controls import Controls
from sweepbot.control.watching import Look, watch
from sweepbot.desktop.screen import Frame
from sweepbot.errors import ImpossibleBoardError
from sweepbot.geometry import Cell
from sweepbot.player.as_events import read
from sweepbot.player.burst import Burst, Mask, RestingLooks
from sweepbot.player.sight import Eyes
from sweepbot.player.states import (
    PATIENCE_S,
    RESTLESS_S,
    TELL_AFTER_S,
    CellsAtRest,
    DoubtError,
    LookContext,
    Obstructed,
    Position,
    played_as,
)
from sweepbot.solver import Decision, Solver
from sweepbot.trace.events import Observer, Rested, Waiting
from sweepbot.vision.reader import Reading

_log = logging.getLogger("sweepbot.player")

THINKING_S = 3.0
"""Seconds after which the search for a guess is given up; on expert boards it takes tens of milliseconds."""

_POLL_S = 0.001  # between two looks at a picture that is coming to rest
_KEPT = 120  # pictures on the way to the last one that are kept, of all looks for the same
_SEARCH_AFTER_S = 0.15  # of rest, after which an unreadable board is searched for elsewhere
_DIMMED = "the board is darker than it was, as behind something that is in front of it"

Seen: TypeAlias = Position | CellsAtRest | Obstructed | DoubtError
"""The result of a look; a doubt if the reading was still not trusted when time ran out."""


@dataclass(slots=True)
class _Picture:
    """What was made of an unchanged picture so far."""

    frame: Frame
    reading: Reading | None = None
    settled: Mask | None = None  # the cells of a burst that will not change any more, where they are awaited
    will_stay: bool = False  # it is known not to change any more before it has rested for long
    is_clear: bool = False  # there is something to decide: no game is over, and nothing speaks against the reading
    decision: Decision | ImpossibleBoardError | None = None
    result: Position | DoubtError | None = None  # of its examination
    is_searched: bool = False  # the board was looked for elsewhere too
    examined_s: float | None = None  # when it was examined last, in seconds since the first look


class Looker:
    """Looks at one client's board until it can be relied on. It clicks nothing, and moves no pointer.

    Args:
        controls: What it looks with, and who notices a person's hand meanwhile.
        eyes: What reads, calibrated for the client.
        solver: What decides; a board that it finds impossible has been misread.
        observer: Told of every picture that is read.
    """

    def __init__(self, controls: Controls, eyes: Eyes, solver: Solver, *, observer: Observer = lambda _: None) -> None:
        self._desk = controls.desk
        self._window = controls.window
        self._disturbed = controls.guard.check
        self._limit_s = controls.settle.limit_ms / 1000
        self._quiet_s = controls.quiet_s
        self._eyes = eyes
        self._solver = solver
        self._observer = observer
        self._resting_looks = RestingLooks()
        self._burst: Burst | None = None
        self._follows_up = self._awaits_cells = self._is_told = False
        self._looks = iter(list[Look]())
        self._place: Reading
        self._picture: _Picture | None = None
        self._passed: deque[Frame] = deque(maxlen=_KEPT)
        self.reads = 0
        """How many times a board was read."""

    def follow(self, burst: Burst | None, *, follows_up: bool = False) -> None:
        """Follow clicks in the looks from now on.

        Args:
            burst: The clicks: while one of their cells looks as before there is nothing to be read. None follows none.
            follows_up: Whether cells of it are handed on as they come to rest.
        """
        self._burst, self._follows_up = burst, follows_up and burst is not None

    def look(self, context: LookContext, *, is_resumed: bool = False) -> Seen:
        """Wait until the picture rests and shows what is expected, or rests so long that it never will.

        Args:
            context: What is looked for.
            is_resumed: Whether the same was looked for before: the pictures on the way count.

        Raises:
            ClientGoneError: The client was closed.
            StoppedByUserError: A person took over.
        """
        if not is_resumed:
            self._passed.clear()
        self._awaits_cells, self._is_told = self._follows_up, False
        self._begin(context.place)
        return self._look(context)

    def look_on(self, context: LookContext, clicked: tuple[Cell, ...]) -> Seen:
        """Go on looking, given the cells that were clicked because of those at rest; raises the same as `look`."""
        if clicked and self._burst is not None:
            self._burst.add(clicked)
            self._awaits_cells = True
            self._begin(self._place)
        return self._look(context)

    def _begin(self, place: Reading) -> None:
        """Watch a board where it was read last; times count from here."""
        self._place, self._picture = place, None
        region = place.grid.region
        around_it = region.grown(1).intersection(self._desk.screen.region) or region
        self._looks = watch(self._desk, around_it, self._disturbed, _POLL_S)

    def _look(self, context: LookContext) -> Seen:
        """Look until something is seen: first, where clicks are followed up, cells of them at rest."""
        for look in self._looks:
            if look.before is not None:
                self._passed.append(look.before)
            if self._picture is None or look.before is not None:
                self._picture = _Picture(look.frame)
            if self._burst is not None:
                self._burst.see(look.frame, self._desk.clock.now())
            if self._burst is not None and self._awaits_cells:
                seen: Seen | None = self._cells_at_rest(self._burst, self._picture, look, context)
            else:
                self._tell_of_waiting(self._picture, look)
                seen = self._seen(self._picture, look, context)
            if seen is not None:
                return seen
        raise AssertionError("watching never ends by itself")

    def _cells_at_rest(self, burst: Burst, picture: _Picture, look: Look, context: LookContext) -> CellsAtRest | None:
        """The cells of a burst that have come to rest now, until all of it shows or time runs out."""
        rested = burst.rested(self._desk.clock.now() - self._quiet_s)
        if picture.settled is None:
            self.reads += 1
            self._place = self._eyes.read(picture.frame, self._place)
            picture.settled = burst.settled(self._place, self._resting_looks)
        at_rest = rested | picture.settled
        known = self._known(at_rest, context.place) if burst.has_news(at_rest) else None
        is_late = look.rests_s >= self._reaction_s(context) or look.since_s > PATIENCE_S
        if is_late or burst.is_done(at_rest):
            self._awaits_cells = False
        return None if known is None else CellsAtRest(known)

    def _known(self, rested: Mask, begun: Reading) -> Reading | None:
        """The last reading with all cells but those at rest unreadable; None if it cannot be relied on.

        No cell that was open as it had `begun`, before the clicks, ever shows anything else.
        """
        reading = self._place
        if reading.over or self._window.obstruction(reading.grid.region) is not None:
            return None
        cells = np.where(rested, reading.board.cells, np.uint8(State.UNKNOWN))
        # A cell that looks empty because it is pressed, or an opening that is still spreading.
        is_hole = (cells == 0) & (around(cells == State.HIDDEN) > 0)
        cells = np.where(is_hole, np.uint8(State.UNKNOWN), cells)
        was_open = begun.board.cells < State.HIDDEN
        is_other = was_open & (cells != begun.board.cells) & (cells != State.UNKNOWN)
        board = Board(cells, reading.board.mines)
        return None if is_other.any() or board.problems() else replace(reading, board=board)

    def _tell_of_waiting(self, picture: _Picture, look: Look) -> None:
        """Tell once what is waited for, where that takes long."""
        if not self._is_told and look.since_s > TELL_AFTER_S:
            self._is_told = True
            doubt = picture.result.reason if isinstance(picture.result, DoubtError) else None
            still = "for the client to react" if look.rests_s >= self._quiet_s else "for the picture to rest"
            self._observer(Waiting(why=doubt or still))

    def _seen(self, picture: _Picture, look: Look, context: LookContext) -> Seen | None:
        """What comes of a look; None where it is to go on. A picture that comes to rest is read in the meantime."""
        burst, limit_s = self._burst, self._reaction_s(context)
        is_restless = look.since_s > max(context.patience_s, limit_s) + RESTLESS_S
        # While a cell that was clicked looks as before there is nothing to be read.
        is_worth_reading = burst is None or burst.is_shown or look.rests_s >= limit_s
        rests = is_restless or (is_worth_reading and look.rests_s >= self._quiet_s)
        if picture.result is None:
            if is_worth_reading and not rests:
                self._read_ahead(picture, look)
            is_due = rests or picture.will_stay
        else:
            # Searching a whole screen takes longer than waiting for a dialog, which is likelier when one is expected.
            may_search = self._window.is_known or context.patience_s >= PATIENCE_S
            is_unread = isinstance(picture.result, DoubtError) and not picture.is_searched
            is_due = is_unread and may_search and rests and look.rests_s >= _SEARCH_AFTER_S
            picture.is_searched |= is_due
        if is_due and not self._examined(picture, look):
            return Obstructed(self._place)
        if isinstance(picture.result, Position):
            is_over = look.rests_s >= limit_s or is_restless
            return picture.result if is_over or context.expected(picture.result.reading) else None
        # Reading may take longer than the patience: another look comes first.
        is_new = picture.examined_s == look.since_s and not is_restless
        return picture.result if look.since_s > context.patience_s and not is_new else None

    def _read_ahead(self, picture: _Picture, look: Look) -> None:
        """Read a picture that has not come to rest, and think about it, so that no time is lost."""
        burst = self._burst
        if picture.reading is None:
            picture.reading = self._eyes.read(picture.frame, self._place)
            picture.is_clear = not picture.reading.over and not self._eyes.problems(picture.reading.board)
            picture.will_stay = (
                picture.is_clear and burst is not None and burst.is_settled(picture.reading, self._resting_looks)
            )
        if picture.is_clear and picture.decision is None and (picture.will_stay or look.rests_s > 0):
            picture.decision = self.decide(picture.reading.board)

    def _examined(self, picture: _Picture, look: Look) -> bool:
        """Examine a picture; False if the client is covered or was moved."""
        obstruction = self._window.obstruction(self._place.grid.region)
        if obstruction not in (None, Obstruction.ASKING):
            return False
        frame, burst = picture.frame, self._burst
        reading = picture.reading = picture.reading or self._eyes.read(frame, self._place)
        self._observer(Rested())
        if obstruction is None:
            result = self.examine(frame, reading, searches=picture.is_searched, decision=picture.decision)
        else:
            result = self._told(DoubtError(frame, reading, obstruction.value))
        if isinstance(result, Position) and not picture.will_stay:
            self._resting_looks.learn(frame, result.reading, None if burst is None else burst.changed)
        picture.result, picture.examined_s = result, look.since_s
        return True

    def examine(
        self,
        frame: Frame,
        reading: Reading,
        *,
        searches: bool,
        decision: Decision | ImpossibleBoardError | None = None,
    ) -> Position | DoubtError:
        """Turn a picture at rest, and what it shows, into a position that can be relied on, or what speaks against it.

        Where it `searches`, a board that cannot be read in its place is looked for elsewhere.
        """
        examined, problem = self._eyes.examine(frame, reading, searches=searches)
        if problem:
            return self._told(DoubtError(frame, examined, problem))
        if examined.over:
            return self._told(Position(frame, examined, None))
        if decision is None or examined.board != reading.board:
            decision = self.decide(examined.board)
        if isinstance(decision, ImpossibleBoardError):
            mines = examined.board.mines
            return self._told(DoubtError(frame, examined, str(decision), "" if mines is None else played_as(mines)))
        if examined.dimmed and (decision.safe or decision.best):
            return self._told(DoubtError(frame, examined, _DIMMED))
        self._eyes.believe(examined)
        return self._told(Position(frame, examined, decision))

    def decide(self, board: Board) -> Decision | ImpossibleBoardError:
        """Decide a position within a time; return the error if no layout of mines explains it."""
        try:
            return self._solver.decide(board, self._desk.clock.deadline(THINKING_S))
        except ImpossibleBoardError as error:
            return error

    def _told(self, result: Position | DoubtError) -> Position | DoubtError:
        """Tell what was read."""
        self.reads += 1
        doubt, reading = result.reason if isinstance(result, DoubtError) else "", result.reading
        self._observer(read(reading, doubt))
        _log.debug("read: %s, %.1f%%%s", reading.phase.value, 100 * reading.confidence, doubt and f": {doubt}")
        return result

    def ending_before(self, place: Reading) -> Position | None:
        """The end of a game, read at an earlier place, before something covered it; None if no picture shows one."""
        for frame in reversed(tuple(self._passed)):
            self.reads += 1
            if (reading := self._eyes.shows_end(frame, place)) is not None:
                return Position(frame, reading, None)
        return None

    def in_part(self, doubt: DoubtError) -> Position | None:
        """Go on with a board some of whose cells could not be read in time; from now on these are left out.

        None where something else speaks against it, where most of it is unread, or where nothing can be opened.
        """
        reading = doubt.reading
        if reading.over or reading.dimmed or reading.problems:
            return None
        decision = self.decide(reading.board)
        if isinstance(decision, ImpossibleBoardError) or decision.best is None:
            return None
        self._eyes.give_up(reading)
        return Position(doubt.frame, reading, decision)

    def with_face(self, position: Position) -> Position:
        """The same position; or a finished game, if the client's face says so while cells of the board are unread."""
        anew = self._eyes.read_anew(position.reading)
        return Position(position.frame, anew, None) if anew.over else position

    def _reaction_s(self, context: LookContext) -> float:
        """Seconds after which a click that does not show never will."""
        return max(self._limit_s, context.reaction_s) + self._desk.latency_s
