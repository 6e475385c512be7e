"""A desktop that records every answer of another one, with a clock that advances only when that answers."""

import math
from collections.abc import Callable, Sequence
from copy import copy
from typing import TypeVar

from sweepbot.clock import Clock
from sweepbot.desktop.desk import Desk
from sweepbot.desktop.screen import Frame
from sweepbot.errors import SweepbotError
from sweepbot.geometry import Region, same_pixels
from sweepbot.trace.desk import answered_desk, fill
from sweepbot.trace.entries import AnyCall, GaveUp, Glance, Grab, Scene
from sweepbot.trace.events import box
from sweepbot.trace.line_queue import LineQueue
from sweepbot.trace.masking import Mask, Stacks

_TIMES_TAKEN = 3  # that a picture is taken, at most, until no window has moved meanwhile

_Call = TypeVar("_Call", bound=AnyCall)
_Answer = TypeVar("_Answer")


def recorded_desk(desk: Desk, queue: LineQueue, mask: Mask) -> Desk:
    """Return a desktop that passes calls on to `desk`, and records them.

    The run sees its pictures masked as its trace has them, so that a replay sees the same.
    """
    clock = RecordedClock(desk.clock, queue)
    answers = _RecordedAnswers(desk, clock, queue, mask)
    knows_windows = desk.windows is not None
    return answered_desk(answers, clock, knows_windows=knows_windows, latency_s=desk.latency_s, monitors=desk.monitors)


def record_scene(desk: Desk, queue: LineQueue, mask: Mask) -> None:
    """Record all that the trace shows of `desk`: the run looks at the board alone, not at a clock beside it."""
    mask = copy(mask)  # what was before the run's last picture stays known
    mask.note_windows()
    seen = mask.applied(desk.screen.grab(queue.shown))
    queue.put(Scene(t=queue.now), mask.kept(seen), mask.stacks)


class RecordedClock:
    """A clock that advances only when the desktop answers, and while sleeping.

    So all that a run can know of the time are the times of the answers, which the trace has: computing takes no time.
    When a deadline is reached, that is recorded.
    """

    def __init__(self, clock: Clock, queue: LineQueue) -> None:
        self._clock = clock
        self._queue = queue
        self._now = 0.0

    def answered(self) -> int:
        """Advance to the present, and return it in microseconds since the run began."""
        t = max(math.ceil(self._now * 1e6), self._queue.now)
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
                self._queue.tell(GaveUp(asked=asked))
            return has_given_up

        return ask


class _RecordedAnswers:
    """Records the answers of another desktop.

    While nothing changes, the same array is returned each time, so that neither the caller nor the queue has to
    compare it with the last one, which would be most of the cost of recording.
    """

    def __init__(self, desk: Desk, clock: RecordedClock, queue: LineQueue, mask: Mask) -> None:
        self.region = desk.screen.region
        self._desk = desk
        self._clock = clock
        self._queue = queue
        self._glances = desk.glances()
        self._last: Frame | None = None  # as it was taken
        self._seen: Frame | None = None  # as the run has seen it
        self._mask = mask

    def answer(self, call: _Call, ask: Callable[[Desk], object]) -> _Call:
        fill(call, self._ask(call, ask))
        self._put(call)
        return call

    def grab(self, region: Region | None = None) -> Frame:
        grab = Grab(region=None if region is None else box(region))
        last, frame = self._last, self._ask(grab, lambda desk: desk.screen.grab(region))
        # A window that went just before the picture was taken is masked in it, and no longer in the next one.
        has_just_changed = self._mask.has_changed()
        if not _is_same(frame, last) or has_just_changed:
            frame = self._between_changes(frame, lambda: self._ask(grab, lambda desk: desk.screen.grab(region)))
            self._last, frame = frame, self._mask.masked(frame)
            self._seen = self._seen if self._seen is not None and self._shows_same(frame, self._seen) else frame
        assert self._seen is not None  # noqa: S101  (there is a last picture)
        self._put(grab, self._mask.kept(self._seen), self._mask.stacks)
        return self._seen

    def _shows_same(self, one: Frame, other: Frame) -> bool:
        """Whether two pictures are the same where the trace shows them.

        What changes only elsewhere has not changed for the run either: a replay could not know of it.
        """
        shown = self._queue.shown
        inside = None if shown is None or one.region != other.region else one.region.intersection(shown)
        if inside is None:
            return _is_same(one, other)
        return same_pixels(one.part(inside), other.part(inside))

    def _between_changes(self, frame: Frame, again: Callable[[], Frame]) -> Frame:
        """Return a picture that was taken while no window moved, if they come to rest, and note the windows then.

        Else what is masked in the trace need not be where it was when the run saw the picture.
        """
        for _ in range(_TIMES_TAKEN):
            self._mask.note_windows()
            if not self._mask.has_changed():
                break
            frame = again()
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
        self._queue.put(call, frame, stacks)


def _is_same(one: Frame, other: Frame | None) -> bool:
    return other is not None and one.region == other.region and same_pixels(one.image, other.image)
