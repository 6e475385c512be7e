"""A desktop whose every answer is recorded: a screen, a mouse, windows and a clock around other ones."""

import math
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from sweepbot.clock import Clock
from sweepbot.desktop.mouse import Button, Mouse
from sweepbot.desktop.screen import Frame, Screen
from sweepbot.desktop.windows import Window, WindowId
from sweepbot.desktop.windows import Windows as DesktopWindows
from sweepbot.errors import SweepbotError
from sweepbot.geometry import Point, Region, same_pixels
from sweepbot.trace.entries import Click, Failure, GaveUp, Key, Look, Move, Pointer, WindowLine, Windows
from sweepbot.trace.recorder import Recorder
from sweepbot.trace.stream import Looked

_Answer = TypeVar("_Answer")


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
    """A screen whose pictures are recorded.

    While it looks the same one picture is given again and again: neither who watches nor the recorder compares it
    with the last one then, which is most of what recording would cost.

    Args:
        screen: The screen.
        windows: The windows on it, so that a picture shows none but the client's; None where nobody knows.
        clock: What tells the time of each picture.
        recorder: What takes them in.
    """

    def __init__(
        self, screen: Screen, windows: DesktopWindows | None, clock: RecordedClock, recorder: Recorder
    ) -> None:
        self._screen = screen
        self._windows = windows
        self._clock = clock
        self._recorder = recorder
        self._last: Frame | None = None
        self._stacks: list[Sequence[Window]] = []

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
        last, self._last = self._last, frame
        if last is not None and last.region == frame.region and same_pixels(last.image, frame.image):
            frame = self._last = last
        elif self._windows is not None:  # those before the picture, and after it
            self._stacks = [*self._stacks[-1:], self._windows.known()]
        self._recorder.look(Looked(self._clock.answered(), region, frame.region, frame.image, self._stacks))
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

    def hold(self, at: Point, button: Button, seconds: float) -> None:
        """Press a button over a pixel, and release it later. See `Mouse.hold`."""
        self._do(
            lambda: self._mouse.hold(at, button, seconds),
            lambda t, failed: Click(t=t, at=(at.x, at.y), button=button, hold_s=seconds, failed=failed),
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


class RecordedWindows:
    """Windows whose answers are recorded: the title of a client that is learned, else whose contain what was asked."""

    def __init__(self, windows: DesktopWindows, clock: RecordedClock, recorder: Recorder) -> None:
        self._windows = windows
        self._clock = clock
        self._recorder = recorder

    def shown(self) -> Sequence[Window]:
        """Every window that is not minimised. See `Windows.shown`."""
        shown = self._asked("shown", (), self._windows.shown)
        self._put(Windows(t=self._clock.answered(), asked="shown", windows=window_lines(shown)))
        return shown

    def known(self) -> Sequence[Window]:
        """What the system has told by now, which is not recorded. See `Windows.known`."""
        return self._windows.known()

    def exists(self, window: WindowId) -> bool:
        """Whether a window is there. See `Windows.exists`."""
        exists = self._asked("exists", (window,), lambda: self._windows.exists(window))
        ids = [window] if exists else []
        self._put(Windows(t=self._clock.answered(), asked="exists", about=[window], ids=ids))
        return exists

    def titled(self, words: Sequence[str]) -> Sequence[WindowId]:
        """Those whose titles contain one of `words`. See `Windows.titled`."""
        ids = self._asked("titled", (), lambda: self._windows.titled(words))
        self._put(Windows(t=self._clock.answered(), asked="titled", ids=ids))
        return ids

    def title(self, window: WindowId) -> str:
        """The title of a window. See `Windows.title`."""
        title = self._asked("title", (window,), lambda: self._windows.title(window))
        self._put(Windows(t=self._clock.answered(), asked="title", about=[window], text=title))
        return title

    def of_programs(self, words: Sequence[str]) -> Sequence[WindowId]:
        """Those whose programs' names contain one of `words`. See `Windows.of_programs`."""
        ids = self._asked("of_programs", (), lambda: self._windows.of_programs(words))
        self._put(Windows(t=self._clock.answered(), asked="of_programs", ids=ids))
        return ids

    def under(self, pixel: Point) -> Window | None:
        """The window in front at a pixel. See `Windows.under`."""
        about = pixel.x, pixel.y
        window = self._asked("under", about, lambda: self._windows.under(pixel))
        lines = [] if window is None else window_lines([window])
        self._put(Windows(t=self._clock.answered(), asked="under", about=about, windows=lines))
        return window

    def with_keyboard(self) -> WindowId | None:
        """The window that keys go to. See `Windows.with_keyboard`."""
        window = self._asked("with_keyboard", (), self._windows.with_keyboard)
        ids = [] if window is None else [window]
        self._put(Windows(t=self._clock.answered(), asked="with_keyboard", ids=ids))
        return window

    def room(self, window: WindowId) -> Region:
        """What the inside of a window may fill. See `Windows.room`."""
        room = self._asked("room", (window,), lambda: self._windows.room(window))
        box = room.x, room.y, room.width, room.height
        self._put(Windows(t=self._clock.answered(), asked="room", about=[window], box=box))
        return room

    def focus(self, window: WindowId) -> None:
        """Ask for the keyboard to go to a window. See `Windows.focus`."""
        self._asked("focus", (window,), lambda: self._windows.focus(window))
        self._put(Windows(t=self._clock.answered(), asked="focus", about=[window]))

    def place(self, window: WindowId, region: Region) -> None:
        """Ask for a window to be elsewhere. See `Windows.place`."""
        about = window, region.x, region.y, region.width, region.height
        self._asked("place", about, lambda: self._windows.place(window, region))
        self._put(Windows(t=self._clock.answered(), asked="place", about=about))

    def dismiss(self, window: WindowId) -> None:
        """Ask a window to close. See `Windows.dismiss`."""
        self._asked("dismiss", (window,), lambda: self._windows.dismiss(window))
        self._put(Windows(t=self._clock.answered(), asked="dismiss", about=[window]))

    def _asked(self, asked: str, about: Sequence[int], ask: Callable[[], _Answer]) -> _Answer:
        try:
            return ask()
        except SweepbotError as error:
            self._put(Windows(t=self._clock.answered(), asked=asked, about=about, failed=_failure(error)))
            raise

    def _put(self, line: Windows) -> None:
        self._recorder.put(line)


def window_lines(windows: Iterable[Window]) -> list[WindowLine]:
    """Windows as a trace says them."""
    return [(w.id, w.region.x, w.region.y, w.region.width, w.region.height, w.owner) for w in windows]


def _failure(error: SweepbotError) -> Failure:
    return type(error).__name__, str(error)
