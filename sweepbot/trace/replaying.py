"""A desktop that gives recorded answers again, in their order, and notices what is asked of it that was not then."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NoReturn, TypeGuard

from sweepbot import errors
from sweepbot.desktop.mouse import Button
from sweepbot.desktop.screen import Frame
from sweepbot.desktop.windows import Window, WindowId
from sweepbot.errors import SweepbotError
from sweepbot.geometry import Point, Region
from sweepbot.trace.canvas import Canvas
from sweepbot.trace.differences import Difference, differing, in_words
from sweepbot.trace.entries import (
    STEPS,
    AnyCall,
    Click,
    Entry,
    Event,
    Finished,
    GaveUp,
    Key,
    Log,
    Look,
    Move,
    Pointer,
    Shows,
    Start,
    Windows,
)
from sweepbot.trace.trace import Trace, show

_UNTOLD = (Log, Shows, Start)
"""Lines that no replay has to repeat."""

_DONE = ("focus", "place", "dismiss")
"""What windows are asked to do; all else only asks what is so, and asking changes nothing."""


class DivergedError(Exception):
    """Something was asked that was not asked when the trace was recorded: there is no answer."""


class EndOfTraceError(Exception):
    """The trace ends here, as its run was killed or stopped."""


@dataclass(slots=True)
class _Progress:
    """How far a replay has come."""

    now: float = 0.0
    step: int = 0


class Replay:
    """The answers of a trace.

    Args:
        trace: The trace; it must be complete.

    Attributes:
        differences: What was not as it was then.
        screen: Shows what was seen then.
        windows: The windows that were there then; None where the system did not tell of any.
        mouse: Its pointer is where it was then.
        clock: Its time is that of then.
        shown: The part of the screen that pictures show from now on; None where they may show all of it.
    """

    def __init__(self, trace: Trace) -> None:
        self.differences: list[Difference] = []
        self.shown: Region | None = None
        self._canvas = Canvas(trace.screen)
        self._pictures = trace.pictures()
        self._left = _without_the_untold(trace.entries(), self._show)
        self._peeked: list[Entry | None] = []
        self._answers: dict[tuple[object, ...], AnyCall] = {}
        self._progress = _Progress()
        self.screen = ReplayScreen(self)
        self.mouse = ReplayMouse(self)
        self.windows = ReplayWindows(self) if trace.run.windows else None
        self.clock = ReplayClock(self)

    @property
    def steps(self) -> int:
        """How many steps were come to."""
        return self._progress.step

    @property
    def now(self) -> float:
        """Seconds since the run began, as they were then."""
        return self._progress.now

    def sleep(self, seconds: float) -> None:
        """Let time pass as it did then."""
        self._progress.now += seconds

    def part(self, region: Region | None) -> Frame:
        """What is seen of a region, by default of everything."""
        region = region or self._canvas.screen
        return Frame(self._canvas.part(region), region)

    @property
    def region(self) -> Region:
        """All that could be seen."""
        return self._canvas.screen

    def answer(self, asked: AnyCall) -> AnyCall:
        """The recorded answer to a call.

        Raises:
            DivergedError: Something else was asked then.
            EndOfTraceError: The trace ends here.
        """
        recorded = self._next
        if _is_question(asked) and (not isinstance(recorded, AnyCall) or differing(recorded, asked)):
            return self._last_answer(asked)
        while isinstance(recorded, Event | GaveUp) or (_is_question(recorded) and not _is_question(asked)):
            if isinstance(recorded, Event):
                self._differ(recorded, None)
            self._pass(recorded)
            recorded = self._next
        if recorded is None or (isinstance(recorded, Finished) and recorded.exit == _STOPPED):
            raise EndOfTraceError
        if not isinstance(recorded, AnyCall) or differing(recorded, asked):
            self._differ(recorded, asked)
            raise DivergedError
        if isinstance(recorded, Look):
            show(recorded, self._canvas, self._pictures)
        self._progress.now = recorded.t / 1e6
        self._pass(recorded)
        if recorded.failed is not None:
            _fail(*recorded.failed)
        return recorded

    def _last_answer(self, asked: Pointer | Windows) -> AnyCall:
        """The answer to a question that was not asked just then: as it was when it was asked last.

        Raises:
            DivergedError: It never was.
            EndOfTraceError: The trace ends here.
        """
        if self._next is None or (isinstance(self._next, Finished) and self._next.exit == _STOPPED):
            raise EndOfTraceError
        if (answer := self._answers.get(_question(asked))) is None:
            self._differ(None, asked)
            raise DivergedError
        return answer

    def _pass(self, entry: Entry) -> None:
        """Go on behind a line, and remember what it tells."""
        if isinstance(entry, Move | Click):
            entry = Pointer(t=entry.t, at=entry.to if isinstance(entry, Move) else entry.at)
        if isinstance(entry, Pointer | Windows) and _is_question(entry) and entry.failed is None:
            self._answers[_question(entry)] = entry
        self._advance()

    def note(self, event: Event) -> None:
        """Hold what is made of what is seen against what was made of it then."""
        if isinstance(event, STEPS):
            self._progress.step += 1
        while isinstance(self._next, GaveUp) or _is_question(self._next):  # that search is over
            self._pass(self._next)
        recorded = self._next
        if recorded is None or (isinstance(recorded, Finished) and recorded.exit == _STOPPED):
            raise EndOfTraceError
        if not isinstance(recorded, Event):
            self._differ(None, event)
            return
        if differing(recorded, event):
            self._differ(recorded, event)
        self._advance()

    def gave_up(self, asked: int) -> bool:
        """Whether the search that is going on was given up when it asked for the so-manieth time."""
        return isinstance(self._next, GaveUp) and self._next.asked <= asked

    def finish(self, exit_code: int, error: str) -> None:
        """Hold the end of the session against the end then."""
        while isinstance(self._next, Event | GaveUp) or _is_question(self._next):
            if isinstance(self._next, Event):
                self._differ(self._next, None)
            self._advance()
        if self._next is None:
            return
        now = Finished(t=0, exit=exit_code, error=error)
        if not isinstance(self._next, Finished) or self._next.exit != exit_code:
            self._differ(self._next, now)

    def _differ(self, was: Entry | None, now: Entry | None) -> None:
        kind = was if was is not None else now
        assert kind is not None  # noqa: S101  (one of them is there)
        step = max(1, self._progress.step)
        self.differences.append(Difference(step, str(kind.__struct_config__.tag), in_words(was), in_words(now)))

    @property
    def _next(self) -> Entry | None:
        """What comes next; not asked for before it must be, as with it may come that less is shown from there on."""
        if not self._peeked:
            self._peeked.append(next(self._left, None))
        return self._peeked[0]

    def _advance(self) -> None:
        self._peeked.clear()

    def _show(self, entry: Entry) -> None:
        if isinstance(entry, Shows):
            self.shown = Region(*entry.region)
        show(entry, self._canvas, self._pictures)


_STOPPED = errors.StoppedByUserError.exit_code


class ReplayScreen:
    """The screen of a replay."""

    def __init__(self, replay: Replay) -> None:
        self._replay = replay

    @property
    def region(self) -> Region:
        """All that could be seen."""
        return self._replay.region

    def grab(self, region: Region | None = None) -> Frame:
        """What was seen then. See `Screen.grab`."""
        asked = None if region is None else (region.x, region.y, region.width, region.height)
        self._replay.answer(Look(t=0, region=asked))
        return self._replay.part(region)


class ReplayMouse:
    """The mouse of a replay: it moves nothing."""

    def __init__(self, replay: Replay) -> None:
        self._replay = replay

    def position(self) -> Point:
        """Where the pointer was then."""
        pointer = self._replay.answer(Pointer(t=0))
        assert isinstance(pointer, Pointer)  # noqa: S101  (anything else would have been a difference)
        assert pointer.at is not None  # noqa: S101  (it did not fail)
        return Point(*pointer.at)

    def move(self, to: Point) -> None:
        """Be asked to move."""
        self._replay.answer(Move(t=0, to=(to.x, to.y)))

    def click(self, at: Point, button: Button = "left") -> None:
        """Be asked to click."""
        self._replay.answer(Click(t=0, at=(at.x, at.y), button=button))

    def hold(self, at: Point, button: Button, seconds: float) -> None:
        """Be asked to click, and to hold the button down."""
        self._replay.answer(Click(t=0, at=(at.x, at.y), button=button, hold_s=seconds))

    def press(self, key: str) -> None:
        """Be asked to press a key."""
        self._replay.answer(Key(t=0, key=key))


class ReplayWindows:
    """The windows of a replay: none of them does what it is asked."""

    def __init__(self, replay: Replay) -> None:
        self._replay = replay

    def shown(self) -> Sequence[Window]:
        """Those that were shown then."""
        return _as_windows(self._answer("shown"))

    def known(self) -> Sequence[Window]:
        """Those that were shown then."""
        return self.shown()

    def exists(self, window: WindowId) -> bool:
        """Whether it was there then."""
        return bool(self._answer("exists", window).ids)

    def titled(self, words: Sequence[str]) -> Sequence[WindowId]:  # noqa: ARG002  (the protocol's signature)
        """Those that had such titles then."""
        return self._answer("titled").ids

    def title(self, window: WindowId) -> str:
        """What it was called then."""
        return self._answer("title", window).text

    def of_programs(self, words: Sequence[str]) -> Sequence[WindowId]:  # noqa: ARG002  (the protocol's signature)
        """Those of such programs then."""
        return self._answer("of_programs").ids

    def under(self, pixel: Point) -> Window | None:
        """What was in front then."""
        return next(iter(_as_windows(self._answer("under", pixel.x, pixel.y))), None)

    def with_keyboard(self) -> WindowId | None:
        """What had the keyboard then."""
        return next(iter(self._answer("with_keyboard").ids), None)

    def room(self, window: WindowId) -> Region:
        """What room there was then."""
        box = self._answer("room", window).box
        assert box is not None  # noqa: S101  (it did not fail)
        return Region(*box)

    def focus(self, window: WindowId) -> None:
        """Be asked for the keyboard."""
        self._answer("focus", window)

    def place(self, window: WindowId, region: Region) -> None:
        """Be asked to move a window."""
        self._answer("place", window, region.x, region.y, region.width, region.height)

    def dismiss(self, window: WindowId) -> None:
        """Be asked to close a window."""
        self._answer("dismiss", window)

    def _answer(self, asked: str, *about: int) -> Windows:
        answer = self._replay.answer(Windows(t=0, asked=asked, about=list(about)))
        assert isinstance(answer, Windows)  # noqa: S101  (anything else would have been a difference)
        return answer


def _as_windows(answer: Windows) -> list[Window]:
    return [Window(line[0], Region(*line[1:5]), line[5]) for line in answer.windows]


class ReplayClock:
    """The clock of a replay: nobody waits."""

    def __init__(self, replay: Replay) -> None:
        self._replay = replay

    def now(self) -> float:
        """What the time was then."""
        return self._replay.now

    def sleep(self, seconds: float) -> None:
        """Let time pass as it did then."""
        self._replay.sleep(seconds)

    def deadline(self, seconds: float) -> Callable[[], bool]:  # noqa: ARG002  (the protocol's signature)
        """Whether it was reached then, by how often it was asked for."""
        asked = 0

        def ask() -> bool:
            nonlocal asked
            asked += 1
            return self._replay.gave_up(asked)

        return ask


def _is_question(entry: Entry | None) -> TypeGuard[Pointer | Windows]:
    """Whether a line only asks what is so: then it matters neither how often nor in which order that is asked."""
    return isinstance(entry, Pointer) or (isinstance(entry, Windows) and entry.asked not in _DONE)


def _question(asked: Pointer | Windows) -> tuple[object, ...]:
    return ("pointer",) if isinstance(asked, Pointer) else (asked.asked, *asked.about)


def _without_the_untold(entries: Iterator[Entry], show_it: Callable[[Entry], None]) -> Iterator[Entry]:
    for entry in entries:
        if not isinstance(entry, _UNTOLD):
            yield entry
        elif not isinstance(entry, Log):
            show_it(entry)


def _fail(name: str, message: str) -> NoReturn:
    """Raise the error of sweepbot's that was raised then."""
    kind = getattr(errors, name, SweepbotError)
    if not (isinstance(kind, type) and issubclass(kind, SweepbotError)):
        kind = SweepbotError
    raise kind(message)
