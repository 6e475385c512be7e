"""Watching: frames are looked at and read until one can be relied on; a board that cannot be seen is awaited."""

import logging
from collections import deque
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeAlias

import numpy as np

from sweepbot.board import Board, State
from sweepbot.control.client_window import Obstruction
from sweepbot.control.controls import Controls
from sweepbot.control.watching import RIM_PX, Watched
from sweepbot.desktop.screen import Frame
from sweepbot.errors import (
    AnotherLevelError,
    ClientCoveredError,
    NoBoardFoundError,
    UntrustedReadingError,
)
from sweepbot.geometry import Region
from sweepbot.player.as_events import read_event
from sweepbot.player.burst import Burst, Mask, RestingCells, unfinished
from sweepbot.player.examining import Examiner, keeping_total
from sweepbot.player.states import (
    COVERED_S,
    PATIENCE_S,
    AnyPosition,
    CellsAtRest,
    Doubt,
    Examined,
    NewGame,
    Obstructed,
    Position,
    Purpose,
    Result,
    Watching,
)
from sweepbot.trace.events import Observer, Resizing, Rested, Waiting, box
from sweepbot.vision.reading import Reading

_log = logging.getLogger("sweepbot.player")

RESTLESS_S = 8.0
"""Seconds beyond the expected wait after which a picture that still changes is taken as it is."""

_NEVER_RESTS_S = 0.5
"""The same once that has happened, as where a clock ticks on the board."""

TELL_AFTER_S = 1.0
"""Seconds of waiting after which an event says what for."""

_POLL_S = 0.001  # between two looks at a picture that is coming to rest
_COVERED_POLL_S = 0.1  # between two looks at a board that cannot be seen
_KEPT = 120  # earlier pictures that are kept while one thing is watched for
_HIDDEN = "for the client to show its board, which it hides itself, as while it is paused"
_AS_LARGE = "make the window as large as it was"
_TO_BE_SEEN = {
    Obstruction.MINIMISED: "bring its window back",
    Obstruction.ROLLED_UP: "roll it down",
    Obstruction.COVERED: "bring its window to the front",
    Obstruction.MENU: "close it",
    Obstruction.OFF_SCREEN: "move its window back",
}
"""What a person may do so that the board is seen again."""

_SEARCH_AFTER_S = 0.15  # of rest, after which an unreadable board is searched for elsewhere

AfterWatching: TypeAlias = Examined | CellsAtRest | Obstructed
"""What comes of it; a doubt if the reading was still not trusted when time ran out."""


@dataclass(eq=False)
class _Picture:
    """A picture that has not changed since it was first seen, and what follows from it, worked out when needed."""

    frame: Frame
    place: Reading  # the board as it was read before
    burst: Burst | None  # the clicks whose effect it may show
    examiner: Examiner
    resting: RestingCells
    result: Examined | None = None  # of its examination
    is_searched: bool = False  # the board was searched for elsewhere too
    examined_s: float | None = None  # when it was examined last, in seconds since the first picture

    @cached_property
    def reading(self) -> Reading:
        """What it shows."""
        return self.examiner.read(self.frame, self.place)

    @cached_property
    def settled(self) -> Mask:
        """The cells that the clicks have changed, and that will not change any more."""
        return self.resting.settled(self.frame, self.reading, () if self.burst is None else self.burst.changed)

    @cached_property
    def is_clear(self) -> bool:
        """Whether it needs a decision: the game is not over, and the reading has no problems."""
        return not self.reading.over and not self.examiner.problems(self.reading)

    @cached_property
    def will_stay(self) -> bool:
        """Whether it will not change any more, which is known before it has been at rest for long."""
        return self.is_clear and self.burst is not None and self.burst.is_settled(self.settled)


class Watcher:
    """Watches one client's board until its reading can be trusted. It neither clicks nor moves the pointer.

    The observer is called with each picture that is read, and with what is waited for.
    """

    def __init__(self, controls: Controls, examiner: Examiner, observer: Observer) -> None:
        self._desk = controls.desk
        self._window = controls.window
        self._guard = controls.guard
        self._limit_s = controls.settle.limit_ms / 1000
        self._quiet_s = controls.quiet_s
        self._examiner = examiner
        self._observer = observer
        self._resting_cells = RestingCells()
        self._restless_s = RESTLESS_S
        self.burst: Burst | None = None
        """The clicks whose effect is followed: nothing is read until all their cells have changed; None for none."""
        self._has_said_waiting = False
        self._waiting_since_s = 0.0
        self._frames = iter(list[Watched]())
        self._place: Reading
        self._picture: _Picture | None = None
        self._passed: deque[Frame] = deque(maxlen=_KEPT)

    def watch(self, watching: Watching) -> AfterWatching:
        """Wait until the picture is at rest and shows what is expected, or so long that it never will.

        If clicks are followed up, cells that come to rest before the others are returned first.

        Raises:
            ClientGoneError: The client was closed.
            StoppedByUserError: A person took over.
        """
        if watching.is_resumed or watching.added is None:
            self._start(watching)
        elif watching.added and self.burst is not None:
            self.burst.add(watching.added)
            self._wait_anew()
            self._begin(self._place)
        for watched in self._frames:
            if watched.before is not None:
                self._passed.append(watched.before)
            if self._picture is None or watched.before is not None:
                self._picture = _Picture(watched.frame, self._place, self.burst, self._examiner, self._resting_cells)
            if self.burst is not None:
                self.burst.see(watched.frame, self._desk.clock.now())
            # It must have been watched for a moment before it is known whether the picture is at rest.
            if watched.since_s >= self._quiet_s:
                doubt = self._picture.result.reason if isinstance(self._picture.result, Doubt) else None
                doubt = _HIDDEN if doubt and watching.is_hidden else doubt
                is_at_rest = watched.rests_s >= self._quiet_s
                reason = "for the client to react" if is_at_rest else "for the picture to come to rest"
                self._say_waiting(doubt or reason)
            if self.burst is not None and self.burst.awaits_cells:
                seen: AfterWatching | None = self._cells_at_rest(self.burst, self._picture, watched, watching)
            else:
                seen = self._result(self._picture, watched, watching)
            if seen is not None:
                return seen
        raise AssertionError("watching never ends by itself")

    def _start(self, watching: Watching) -> None:
        """Begin to watch without following up clicks."""
        if not watching.is_resumed:
            self._passed.clear()
        if self.burst is not None:
            self.burst.awaits_cells = self.burst.follows_up
        # Where the client is given longer to react, it is waited for already: what was done last has changed nothing.
        if not watching.reaction_s:
            self._wait_anew()
        self._begin(watching.place)

    def _begin(self, place: Reading) -> None:
        """Start watching a board where it was read last."""
        self._place, self._picture = place, None
        self._frames = self._guard.watch(self._examiner.region_of(place), _POLL_S, RIM_PX)

    def wait_until_visible(self, place: Reading) -> Reading:
        """Wait until the board is visible, following its window; return its last reading, or one in its new place.

        From then on the effect of no clicks is followed.

        Raises:
            AnotherLevelError: It has another size.
            ClientCoveredError: It was not visible for too long.
            ClientGoneError: The client was closed.
            StoppedByUserError: A person took over.
            UntrustedReadingError: It cannot be found in its window.
        """
        self.burst = None
        self._wait_anew()
        # The client's own dialogs are no obstruction.
        while (obstruction := self._window.obstruction(place.grid.region)) not in (None, Obstruction.ASKING):
            self._guard.check()
            if obstruction is Obstruction.MOVED:
                place = self._follow_window(place)
                continue
            is_covered = obstruction is Obstruction.COVERED and self._waited_s > PATIENCE_S
            if is_covered and self._window.play_around(place.grid.region):
                self._observer(Waiting(why=f"for {self._cells_covered(place)}; the others are played meanwhile"))
                continue
            self._wait_for_sight(f"the client cannot be seen: {obstruction.value}", _TO_BE_SEEN[obstruction])
        return place

    def wait_until_uncovered(self, place: Reading) -> bool:
        """Wait until the windows that are played around have gone, or moved; return False if there are none.

        Raises:
            ClientCoveredError: They stay for too long.
            ClientGoneError: The client was closed.
            StoppedByUserError: A person took over.
        """
        if not self._window.around:
            return False
        self._wait_anew()
        why = f"nothing is left to do but {self._cells_covered(place)}"
        while self._window.obstruction(place.grid.region) in (None, Obstruction.ASKING):
            self._guard.check()
            self._wait_for_sight(why, "close what is in front of the board")
        return True

    def _wait_for_sight(self, why: str, hint: str) -> None:
        """Wait a moment, and say what for; raises ClientCoveredError if that has taken too long."""
        if self._waited_s > COVERED_S:
            hint = f"{hint}, and start again to continue the game"
            raise ClientCoveredError(f"{why}, for {COVERED_S:.0f} s now", hint=hint)
        self._say_waiting(why)
        self._desk.clock.sleep(_COVERED_POLL_S)

    def _cells_covered(self, place: Reading) -> str:
        count = np.count_nonzero(self._window.hidden_cells(place.grid))
        return f"the {count} cells behind another program's window"

    def _wait_anew(self) -> None:
        """Note that something else is waited for from now on."""
        self._waiting_since_s, self._has_said_waiting = self._desk.clock.now(), False

    @property
    def _waited_s(self) -> float:
        """Seconds for which the same has been waited for."""
        return self._desk.clock.now() - self._waiting_since_s

    def _say_waiting(self, why: str) -> None:
        """Say once what is waited for, if it takes long."""
        if self._waited_s > TELL_AFTER_S and not self._has_said_waiting:
            self._has_said_waiting = True
            self._observer(Waiting(why=why))

    def _follow_window(self, place: Reading) -> Reading:
        """Return the board's reading in its window's present place and size."""
        shift = self._window.follow()
        if shift is not None:
            _log.info("the client's window was moved by %s", shift)
            return place.moved(shift)
        region = self._window.visible
        if region is None:
            return place
        if self._window.id is not None:
            self._observer(Resizing(region=box(region), window=self._window.id))
        found = self._find_resized(region, place)
        size, was = (f"{it.grid.columns}x{it.grid.rows} cells" for it in (found, place))
        if size == was:
            return keeping_total(found, place)
        if found.doubts or self._examiner.problems(found):
            raise UntrustedReadingError(
                f"the client's window was resized, and its board of {was} looks like {size} now: it cannot be read",
                hint=_AS_LARGE,
            )
        raise AnotherLevelError(f"stopped: another level was started by hand, {size} instead of {was}")

    def _find_resized(self, region: Region, before: Reading) -> Reading:
        """Find the board in a window that was resized, once the client has painted it anew.

        A half painted one may look like another size, so one of the size before is waited for.
        """
        searched: Frame | None = None
        for watched in self._guard.watch(region, _POLL_S):
            is_at_rest = watched.rests_s >= self._quiet_s or watched.since_s > RESTLESS_S
            is_last = watched.since_s > PATIENCE_S
            if not is_at_rest or (watched.frame is searched and not is_last):
                continue
            searched = watched.frame
            try:
                found = self._examiner.find(watched.frame, before)
                if is_last or found.board.cells.shape == before.board.cells.shape:
                    return found
            except NoBoardFoundError as error:
                if is_last:
                    raise UntrustedReadingError(
                        f"the client's window was resized, and its board cannot be found in it: {error}",
                        hint=_AS_LARGE,
                    ) from error
        raise AssertionError("watching never ends by itself")

    def _cells_at_rest(
        self, burst: Burst, picture: _Picture, watched: Watched, watching: Watching
    ) -> CellsAtRest | None:
        """Return the cells of a burst that have just come to rest, until all have or time runs out; None if none."""
        rested = burst.rested(self._desk.clock.now() - self._quiet_s)
        self._place = picture.reading
        at_rest = rested | picture.settled
        known = self._known(picture.reading, at_rest, watching.place) if burst.has_news(at_rest) else None
        is_late = watched.rests_s >= self._reaction_s(watching) or watched.since_s > PATIENCE_S
        if is_late or burst.is_done(at_rest):
            burst.awaits_cells = False
        return None if known is None else CellsAtRest(known)

    def _known(self, reading: Reading, rested: Mask, before: Reading) -> Reading | None:
        """Return a reading with all cells not at rest unreadable; None if it cannot be trusted.

        A cell that was open before the clicks must not show anything else, as while the client is paused.
        """
        if reading.over or self._window.obstruction(reading.grid.region) is not None:
            return None
        cells = np.where(rested, reading.board.cells, np.uint8(State.UNKNOWN))
        cells = np.where(unfinished(cells, cells == State.HIDDEN), np.uint8(State.UNKNOWN), cells)
        has_changed = rested & (before.board.cells < State.HIDDEN) & (reading.board.cells != before.board.cells)
        board = Board(cells, reading.board.mines)
        return None if has_changed.any() or board.problems() else replace(reading, board=board)

    def _result(self, picture: _Picture, watched: Watched, watching: Watching) -> AfterWatching | None:
        """Return what comes of it, or None to go on; a picture that is coming to rest is read in the meantime."""
        burst, limit_s = self.burst, self._reaction_s(watching)
        is_restless = watched.since_s > max(watching.patience_s, limit_s) + self._restless_s
        self._restless_s = _NEVER_RESTS_S if is_restless else self._restless_s
        # There is nothing to read while a clicked cell has not changed.
        is_worth_reading = burst is None or burst.is_shown or watched.rests_s >= limit_s
        rests = is_restless or (is_worth_reading and watched.rests_s >= self._quiet_s)
        if picture.result is None:
            is_due = rests or (is_worth_reading and picture.will_stay)
            if is_worth_reading and not is_due and watched.rests_s > 0 and picture.is_clear:
                self._examiner.decide(picture.reading.board)  # before it has come to rest, so that no time is lost
        else:
            # Searching a whole screen takes longer than waiting for a dialog, which is likelier when one is expected.
            may_search = self._window.is_known or watching.patience_s >= PATIENCE_S
            is_unread = isinstance(picture.result, Doubt) and not picture.is_searched
            is_due = is_unread and may_search and rests and watched.rests_s >= _SEARCH_AFTER_S
            picture.is_searched |= is_due
        if is_due and not self._examine(picture, watched):
            return Obstructed(self._place)
        if isinstance(picture.result, Position):
            is_over = watched.rests_s >= limit_s or is_restless
            return picture.result if is_over or _is_expected(picture.result.reading, watching.purpose) else None
        # As reading may take longer than the patience, a new result is followed by at least one more picture.
        is_new = picture.examined_s == watched.since_s and not is_restless
        return picture.result if watched.since_s > watching.patience_s and not is_new else None

    def _examine(self, picture: _Picture, watched: Watched) -> bool:
        """Examine a picture; False if the client is covered or was moved."""
        obstruction = self._window.obstruction(self._place.grid.region)
        if obstruction not in (None, Obstruction.ASKING):
            return False
        frame, reading = picture.frame, picture.reading
        self._observer(Rested())
        if obstruction is None:
            result = self._examiner.examine(frame, reading, searches=picture.is_searched)
        else:
            result = Doubt(frame, reading, obstruction.value)
        event = read_event(result)
        self._observer(event)
        _log.debug("read, %.1f%%: %s", 100 * event.confidence, event)
        if isinstance(result, Position) and not picture.will_stay:
            self._resting_cells.learn(result.frame, result.reading, None if self.burst is None else self.burst.changed)
        picture.result, picture.examined_s = result, watched.since_s
        return True

    def ending_before(self, place: Reading) -> Position | None:
        """Return the end of the game as an earlier picture shows it, from before it was covered; None if none does."""
        ends = (self._examiner.end_in(frame, place) for frame in reversed(self._passed))
        return next((end for end in ends if end is not None), None)

    def _reaction_s(self, watching: Watching) -> float:
        """Return the seconds after which a click that does not show never will."""
        return max(self._limit_s, watching.reaction_s) + self._desk.latency_s


def _is_expected(now: Reading, purpose: Purpose) -> bool:
    """Whether a reading shows what is looked for."""
    match purpose:
        case AnyPosition(known=known):
            return now.board != known
        case NewGame():
            return not now.over
        case Result(round=round_):
            return now.over or not round_.missed(now.board)
    return True
