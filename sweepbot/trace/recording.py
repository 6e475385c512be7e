"""A desktop that records every answer of another one, with a clock that advances only when that answers."""

import math
from collections.abc import Callable, Sequence
from typing import TypeVar

from sweepbot.clock import Clock
from sweepbot.desktop.desk import Desk
from sweepbot.desktop.screen import Frame
from sweepbot.errors import SweepbotError
from sweepbot.geometry import Region, same_pixels
from sweepbot.trace.desk import answered_desk, fill
from sweepbot.trace.entries import AnyCall, GaveUp, Glance, Look
from sweepbot.trace.events import box
from sweepbot.trace.recorder import Recorder
from sweepbot.trace.stream import Stacks

_Call = TypeVar("_Call", bound=AnyCall)
_Answer = TypeVar("_Answer")


def recorded_desk(desk: Desk, recorder: Recorder) -> Desk:
    """Return a desktop that passes calls on to `desk`, and records them."""
    clock = RecordedClock(desk.clock, recorder)
    answers, knows_windows = _RecordedAnswers(desk, clock, recorder), desk.windows is not None
    return answered_desk(answers, clock, knows_windows=knows_windows, latency_s=desk.latency_s, monitors=desk.monitors)


class RecordedClock:
    """A clock that advances only when the desktop answers, and while sleeping.

    So all that a run can know of the time are the times of the answers, which the trace has: computing takes no time.
    When a deadline is reached, that is recorded.
    """

    def __init__(self, clock: Clock, recorder: Recorder) -> None:
        self._clock = clock
        self._recorder = recorder
        self._now = 0.0

    def answered(self) -> int:
        """Advance to the present, and return it in microseconds since the run began."""
        t = max(math.ceil(self._now * 1e6), self._recorder.now)
        self._now = t / 1e6
        return t

    def now(self) -> float:
        """Seconds since the run began."""
        return self._now

    def sleep(self, seconds: float) -> None:
        """Sleep. See `Clock.sleep`."""
        self._clock.sleep(seconds)
        self._now += seconds

    def deadline(self, seconds: float) -> Callable[[], bool]:
        """See `Clock.deadline`; that it is reached is recorded."""
        is_over = self._clock.deadline(seconds)
        asked, has_given_up = 0, False

        def ask() -> bool:
            nonlocal asked, has_given_up
            asked += 1
            if not has_given_up and is_over():
                has_given_up = True
                self._recorder.tell(GaveUp(asked=asked))
            return has_given_up

        return ask


class _RecordedAnswers:
    """Records the answers of another desktop.

    While nothing changes, the same array is returned each time, so that neither the caller nor the recorder has to
    compare it with the last one, which would be most of the cost of recording.
    """

    def __init__(self, desk: Desk, clock: RecordedClock, recorder: Recorder) -> None:
        self.region = desk.screen.region
        self._desk = desk
        self._clock = clock
        self._recorder = recorder
        self._glances = desk.glances()
        self._last: Frame | None = None
        self._stacks: Stacks = ()

    def answer(self, call: _Call, ask: Callable[[Desk], object]) -> _Call:
        fill(call, self._ask(call, ask))
        self._put(call)
        return call

    def grab(self, region: Region | None = None) -> Frame:
        look = Look(region=None if region is None else box(region))
        frame = self._ask(look, lambda desk: desk.screen.grab(region))
        last, self._last = self._last, frame
        if last is not None and last.region == frame.region and same_pixels(last.image, frame.image):
            frame = self._last = last
        elif self._desk.windows is not None:
            # Those before the picture, and after it, so that all but the client's can be masked.
            self._stacks = (*self._stacks[-1:], self._desk.windows.known())
        self._put(look, frame, self._stacks)
        return frame

    def changed(self, seen: Frame, parts: Sequence[Region]) -> Sequence[bool]:
        glance = Glance()
        glance.changed = self._ask(glance, lambda _: self._glances.changed(seen, parts))
        if any(glance.changed):
            self._put(glance)
        return glance.changed

    def _ask(self, call: AnyCall, ask: Callable[[Desk], _Answer]) -> _Answer:
        try:
            return ask(self._desk)
        except SweepbotError as error:
            call.failed = type(error).__name__, str(error)
            self._put(call)
            raise

    def _put(self, call: AnyCall, frame: Frame | None = None, stacks: Stacks = ()) -> None:
        call.t = self._clock.answered()
        self._recorder.put(call, frame, stacks)
