"""Looking: frames are watched, read and decided until one can be relied on."""

import logging
from collections.abc import Callable, Generator
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from sweepbot.board import Board, State, around
from sweepbot.control.client_window import Obstruction
from sweepbot.control.controls import Controls
from sweepbot.control.watching import Look
from sweepbot.desktop.screen import Frame
from sweepbot.errors import ImpossibleBoardError
from sweepbot.geometry import Cell
from sweepbot.player.as_events import read
from sweepbot.player.burst import Burst
from sweepbot.player.decider import Decider
from sweepbot.player.position import (
    PATIENCE_S,
    RESTLESS_S,
    TELL_AFTER_S,
    CellsAtRest,
    DoubtError,
    Obstructed,
    Position,
    played_as,
)
from sweepbot.player.resting_looks import Mask, RestingLooks
from sweepbot.player.sight import Eyes
from sweepbot.player.watcher import Watcher
from sweepbot.solver import Decision
from sweepbot.trace.events import Observer, Rested, Waiting
from sweepbot.vision.reader import Reading

_log = logging.getLogger("sweepbot.player")

_SEARCH_AFTER_S = 0.15  # of rest, after which an unreadable board is searched for elsewhere
_DIMMED = "the board is darker than it was, as behind something that is in front of it"


@dataclass(slots=True)
class _Picture:
    """What was made of an unchanged picture so far.

    Attributes:
        reading: What it shows, once it was read.
        will_stay: Whether it is known not to change any more before it has rested for long.
        is_decided: Whether it was thought about what to do.
        decision: What to do; None too where the reading is doubtful.
        result: What came of its examination.
        is_searched: Whether the board was looked for elsewhere too.
        examined_s: When it was examined last, in seconds since the first look.
    """

    reading: Reading | None = None
    will_stay: bool = False
    is_decided: bool = False
    decision: Decision | ImpossibleBoardError | None = None
    result: Position | DoubtError | None = None
    is_searched: bool = False
    examined_s: float | None = None


@dataclass(frozen=True, slots=True)
class Wait:
    """What is looked for.

    Attributes:
        place: An earlier reading of the same board: where to look.
        expected: Whether a reading shows what is waited for.
        patience_s: Seconds for which a reading that is not trusted is looked at again.
        reaction_s: Seconds that the client is given to react, where that is more than its calibration says.
        burst: The clicks that came before: while one of their cells looks as before there is nothing to be read.
        follows_up: Whether cells of the burst are handed on as they come to rest.
    """

    place: Reading
    expected: Callable[[Reading], bool] = lambda _: True
    patience_s: float = PATIENCE_S
    reaction_s: float = 0.0
    burst: Burst | None = None
    follows_up: bool = False


Seen: TypeAlias = Position | CellsAtRest | Obstructed | DoubtError
"""The result of a look; a doubt if the reading was still not trusted when time ran out."""

_Looking: TypeAlias = Generator[Seen, tuple[Wait, tuple[Cell, ...]]]


class Looker:
    """Looks at one client's board until it can be relied on. It clicks nothing, and moves no pointer.

    Args:
        controls: What it looks with, and who notices a person's hand meanwhile.
        eyes: What reads, calibrated for the client.
        decider: What decides; a board that it finds impossible has been misread.
        observer: Told of every picture that is read.
    """

    def __init__(
        self, controls: Controls, eyes: Eyes, decider: Decider, *, observer: Observer = lambda _: None
    ) -> None:
        self._clock = controls.desk.clock
        self._window = controls.window
        self._settle = controls.settle
        self._latency_s = controls.desk.latency_s
        self._quiet_s = controls.quiet_s
        self._eyes = eyes
        self._decider = decider
        self._observer = observer
        self._watcher = Watcher(controls)
        self._looks = RestingLooks()
        self._looking: _Looking
        self.reads = 0
        """How many times a board was read."""

    def look(self, wait: Wait, *, is_resumed: bool = False) -> Seen:
        """Wait until the picture rests and shows what is expected, or rests so long that it never will.

        Args:
            wait: What is looked for.
            is_resumed: Whether the same was looked for before: the pictures on the way count.

        Raises:
            ClientGoneError: The client was closed.
            StoppedByUserError: A person took over.
        """
        if not is_resumed:
            self._watcher.forget()
        self._watcher.begin(wait.place)
        self._looking = self._look(wait)
        return next(self._looking)

    def look_on(self, wait: Wait, clicked: tuple[Cell, ...]) -> Seen:
        """Continue after news, given the cells that were clicked because of it; raises the same as `look`.

        If nothing was clicked, the look that brought the news is continued.
        """
        return self._looking.send((wait, clicked))

    def _look(self, wait: Wait) -> _Looking:
        """The generator behind `look`; `look_on` sends to it."""
        place = wait.place
        if wait.burst is not None and wait.follows_up:
            wait, place = yield from self._pursue(wait, wait.burst)
        yield self._rest(wait, place)

    def _pursue(
        self, wait: Wait, burst: Burst
    ) -> Generator[CellsAtRest, tuple[Wait, tuple[Cell, ...]], tuple[Wait, Reading]]:
        """Yield the cells of a burst as they come to rest, until all of it shows or time runs out."""
        place, frame = wait.place, None
        settled: Mask = np.zeros(place.board.cells.shape, dtype=np.bool_)
        while True:
            look = self._watcher.next(burst)
            rested = burst.rested(self._clock.now() - self._quiet_s)
            if look.frame is not frame:
                self.reads += 1
                frame, place = look.frame, self._eyes.read(look.frame, place)
                settled = burst.settled(place, self._looks)
            at_rest = rested | settled
            if burst.has_news(at_rest) and (known := self._known(place, at_rest, wait.place)) is not None:
                wait, clicked = yield CellsAtRest(known)
                if clicked:
                    burst.add(clicked)
                    self._watcher.begin(place)
                    continue
            is_late = look.rests_s >= self._limit_s(wait) or look.since_s > PATIENCE_S
            if is_late or burst.is_done(at_rest):
                return wait, place

    def _known(self, reading: Reading, rested: Mask, begun: Reading) -> Reading | None:
        """A reading of the cells at rest, all others unreadable; None if it cannot be relied on.

        Args:
            reading: What all cells show.
            rested: Those at rest.
            begun: What was known before the clicks: none of its open cells ever shows anything else.
        """
        if reading.over or self._window.obstruction(reading.grid.region) is not None:
            return None
        cells = np.where(rested, reading.board.cells, np.uint8(State.UNKNOWN))
        # A cell that looks empty because it is pressed, or an opening that is still spreading.
        is_hole = (cells == 0) & (around(cells == State.HIDDEN) > 0)
        cells = np.where(is_hole, np.uint8(State.UNKNOWN), cells)
        was_open = begun.board.cells < State.HIDDEN
        is_other = was_open & (cells != begun.board.cells) & (cells != State.UNKNOWN)
        board = Board(cells, reading.board.mines)
        if is_other.any() or board.problems():
            return None
        return replace(reading, board=board)

    def _rest(self, wait: Wait, place: Reading) -> Seen:
        """The part of `look` after which no more clicks follow from the burst."""
        picture, told = _Picture(), False
        while True:
            look = self._watcher.next(wait.burst)
            if look.before is not None:
                picture = _Picture()
            if not told and look.since_s > TELL_AFTER_S:
                told = True
                doubt = picture.result.reason if isinstance(picture.result, DoubtError) else None
                still = "for the client to react" if look.rests_s >= self._quiet_s else "for the picture to rest"
                self._observer(Waiting(why=doubt or still))
            seen = self._seen(picture, look, wait, place)
            if seen is not None:
                return seen

    def _seen(self, picture: _Picture, look: Look, wait: Wait, place: Reading) -> Seen | None:
        """What comes of a look; None where it is to go on. A picture that comes to rest is read in the meantime."""
        burst, limit_s = wait.burst, self._limit_s(wait)
        is_restless = look.since_s > max(wait.patience_s, limit_s) + RESTLESS_S
        # While a cell that was clicked looks as before there is nothing to be read.
        is_worth_reading = burst is None or burst.is_shown or look.rests_s >= limit_s
        rests = is_restless or (is_worth_reading and look.rests_s >= self._quiet_s)
        if picture.result is None:
            if is_worth_reading and not rests:
                self._read_ahead(picture, look, place, burst)
            if not (rests or picture.will_stay):
                return None
            if not self._examined(picture, look, place, burst):
                return Obstructed(place)
        elif isinstance(picture.result, DoubtError) and rests and look.rests_s >= _SEARCH_AFTER_S:
            # Searching a whole screen takes longer than waiting for a dialog, which is likelier when one is expected.
            may_search = self._window.is_known or wait.patience_s >= PATIENCE_S
            if may_search and not picture.is_searched:
                picture.is_searched = True
                if not self._examined(picture, look, place, burst):
                    return Obstructed(place)
        if isinstance(picture.result, Position):
            is_over = look.rests_s >= limit_s or is_restless
            return picture.result if is_over or wait.expected(picture.result.reading) else None
        # Reading may take longer than the patience: another look comes first.
        is_new = picture.examined_s == look.since_s and not is_restless
        return picture.result if look.since_s > wait.patience_s and not is_new else None

    def _read_ahead(self, picture: _Picture, look: Look, place: Reading, burst: Burst | None) -> None:
        """Read a picture that has not come to rest, and think about it, so that no time is lost."""
        if picture.reading is None:
            picture.reading = self._eyes.read(look.frame, place)
            is_clear = not picture.reading.over and not self._eyes.problems(picture.reading.board)
            picture.will_stay = is_clear and burst is not None and burst.is_settled(picture.reading, self._looks)
        if not picture.is_decided and (picture.will_stay or look.rests_s > 0):
            picture.is_decided, picture.decision = True, self._decided(picture.reading)

    def _examined(self, picture: _Picture, look: Look, place: Reading, burst: Burst | None) -> bool:
        """Examine a picture; False if the client is covered or was moved."""
        obstruction = self._window.obstruction(place.grid.region)
        if obstruction not in (None, Obstruction.ASKING):
            return False
        reading = picture.reading = picture.reading or self._eyes.read(look.frame, place)
        self._observer(Rested())
        if obstruction is None:
            result = self.examine(look.frame, reading, searches=picture.is_searched, decision=picture.decision)
        else:
            result = self._told(DoubtError(look.frame, reading, obstruction.value))
        if isinstance(result, Position) and not picture.will_stay:
            self._looks.learn(look.frame, result.reading, None if burst is None else burst.changed)
        picture.result, picture.examined_s = result, look.since_s
        return True

    def _decided(self, reading: Reading) -> Decision | ImpossibleBoardError | None:
        """Decide a position; None if something speaks against it or the game is over."""
        is_doubtful = reading.over or self._eyes.problems(reading.board)
        return None if is_doubtful else self._decider.decide(reading.board)

    def examine(
        self,
        frame: Frame,
        reading: Reading,
        *,
        searches: bool,
        decision: Decision | ImpossibleBoardError | None = None,
    ) -> Position | DoubtError:
        """Turn a picture at rest into a position that can be relied on, or into what speaks against it.

        Args:
            frame: The picture.
            reading: What it shows.
            searches: Whether to look for the board elsewhere where it cannot be read in its place.
            decision: What to do, where that was thought about.
        """
        examined, problem = self._eyes.examine(frame, reading, searches=searches)
        if problem:
            return self._told(DoubtError(frame, examined, problem))
        if examined.over:
            return self._told(Position(frame, examined, None))
        if decision is None or examined.board != reading.board:
            decision = self._decider.decide(examined.board)
        if isinstance(decision, ImpossibleBoardError):
            mines = examined.board.mines
            return self._told(DoubtError(frame, examined, str(decision), "" if mines is None else played_as(mines)))
        if examined.dimmed and (decision.safe or decision.best):
            return self._told(DoubtError(frame, examined, _DIMMED))
        self._eyes.believe(examined)
        return self._told(Position(frame, examined, decision))

    def _told(self, result: Position | DoubtError) -> Position | DoubtError:
        """Tell what was read."""
        self.reads += 1
        doubt = result.reason if isinstance(result, DoubtError) else ""
        self._observer(read(result.reading, doubt))
        _log.debug(
            "read: %s, %.1f%%%s", result.reading.phase.value, 100 * result.reading.confidence, doubt and f": {doubt}"
        )
        return result

    def ending_before(self, place: Reading) -> Position | None:
        """The end of a game before something covered it; None if no picture on the way shows one.

        Args:
            place: An earlier reading of the same board.
        """
        for frame in reversed(self._watcher.passed):
            self.reads += 1
            if (reading := self._eyes.shows_end(frame, place)) is not None:
                return Position(frame, reading, None)
        return None

    def in_part(self, doubt: DoubtError) -> Position | None:
        """Go on with a board some of whose cells could not be read in time; from now on these are left out.

        Args:
            doubt: The result of looking.

        Returns:
            None where something else speaks against it, where most of it is unread, or where nothing can be opened.
        """
        reading = doubt.reading
        if reading.over or reading.dimmed or reading.problems:
            return None
        decision = self._decider.decide(reading.board)
        if isinstance(decision, ImpossibleBoardError) or decision.best is None:
            return None
        self._eyes.give_up(reading)
        return Position(doubt.frame, reading, decision)

    def with_face(self, position: Position) -> Position:
        """The same position; or a finished game, if the client's face says so while cells of the board are unread."""
        anew = self._eyes.read_anew(position.reading)
        return Position(position.frame, anew, None) if anew.over else position

    def _limit_s(self, wait: Wait) -> float:
        return max(self._settle.limit_ms / 1000, wait.reaction_s) + self._latency_s
