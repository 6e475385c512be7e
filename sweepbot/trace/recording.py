"""A desktop whose every answer is recorded: a screen, a mouse and a clock around other ones."""

import math
from collections.abc import Callable

from sweepbot.clock import Clock
from sweepbot.desktop.mouse import Button, Mouse
from sweepbot.desktop.screen import Frame, Screen
from sweepbot.errors import SweepbotError
from sweepbot.geometry import Point, Region
from sweepbot.trace.entries import Click, Failure, GaveUp, Key, Look, Move, Pointer
from sweepbot.trace.recorder import Recorder
from sweepbot.trace.stream import Looked


class RecordedClock:
    """A clock that moves only when the desktop answers, and by what was slept since.

    So the times of the answers, which the trace has, are all that a run can know of the time: what is computed between
    two answers takes none.

    Args:
        clock: The clock behind it.
        recorder: What is told where a deadline was reached.
    """

    def __init__(self, clock: Clock, recorder: Recorder) -> None:
        self._clock = clock
        self._recorder = recorder
        self._now = 0.0
        self.has_given_up = False
        """Whether the deadline that was started last was reached."""

    def answered(self) -> int:
        """Move to the present, in microseconds since the run began."""
        t = max(math.ceil(self._now * 1e6), self._recorder.now)
        self._now = t / 1e6
        return t

    def now(self) -> float:
        """Seconds since the run began."""
        return self._now

    def sleep(self, seconds: float) -> None:
        """Do nothing for so long."""
        self._clock.sleep(seconds)
        self._now += seconds

    def deadline(self, seconds: float) -> Callable[[], bool]:
        """Whether so much time has passed since this call; where that comes true it is recorded."""
        is_over = self._clock.deadline(seconds)
        asked = 0
        self.has_given_up = False

        def ask() -> bool:
            nonlocal asked
            asked += 1
            if not self.has_given_up and is_over():
                self.has_given_up = True
                self._recorder.put(GaveUp(t=self._recorder.now, asked=asked))
            return self.has_given_up

        return ask


class RecordedScreen:
    """A screen whose pictures are recorded."""

    def __init__(self, screen: Screen, clock: RecordedClock, recorder: Recorder) -> None:
        self._screen = screen
        self._clock = clock
        self._recorder = recorder

    @property
    def region(self) -> Region:
        """All that can be seen."""
        return self._screen.region

    def grab(self, region: Region | None = None) -> Frame:
        """Take a picture. See `Screen.grab`."""
        try:
            frame = self._screen.grab(region)
        except SweepbotError as error:
            asked = None if region is None else (region.x, region.y, region.width, region.height)
            self._recorder.put(Look(t=self._clock.answered(), region=asked, failed=_failure(error)))
            raise
        self._recorder.look(Looked(self._clock.answered(), region, frame.region, frame.image))
        return frame


class RecordedMouse:
    """A mouse whose doings are recorded."""

    def __init__(self, mouse: Mouse, clock: RecordedClock, recorder: Recorder) -> None:
        self._mouse = mouse
        self._clock = clock
        self._recorder = recorder

    def position(self) -> Point:
        """The pixel under the pointer."""
        try:
            at = self._mouse.position()
        except SweepbotError as error:
            self._recorder.put(Pointer(t=self._clock.answered(), failed=_failure(error)))
            raise
        self._recorder.put(Pointer(t=self._clock.answered(), at=(at.x, at.y)))
        return at

    def move(self, to: Point) -> None:
        """Put the pointer over a pixel. See `Mouse.move`."""
        self._do(lambda: self._mouse.move(to), lambda t, failed: Move(t=t, to=(to.x, to.y), failed=failed))

    def click(self, at: Point, button: Button = "left") -> None:
        """Press and release a button over a pixel. See `Mouse.click`."""
        self._do(
            lambda: self._mouse.click(at, button),
            lambda t, failed: Click(t=t, at=(at.x, at.y), button=button, failed=failed),
        )

    def press(self, key: str) -> None:
        """Press and release a key. See `Mouse.press`."""
        self._do(lambda: self._mouse.press(key), lambda t, failed: Key(t=t, key=key, failed=failed))

    def _do(self, act: Callable[[], None], line: Callable[[int, Failure | None], Move | Click | Key]) -> None:
        try:
            act()
        except SweepbotError as error:
            self._recorder.put(line(self._clock.answered(), _failure(error)))
            raise
        self._recorder.put(line(self._clock.answered(), None))


def _failure(error: SweepbotError) -> Failure:
    return type(error).__name__, str(error)
