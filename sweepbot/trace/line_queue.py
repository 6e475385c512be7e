"""Recording without slowing down a run: lines are queued, and written by a separate thread."""

import logging
import threading
import time
from collections import deque
from collections.abc import Callable

from msgspec import structs

from sweepbot.clock import Clock
from sweepbot.desktop.screen import Frame
from sweepbot.errors import TraceError
from sweepbot.geometry import Image, Region
from sweepbot.trace.entries import Entry, Log
from sweepbot.trace.events import Shows
from sweepbot.trace.masking import Stacks, without_home
from sweepbot.trace.stream import Item, LineStream

_LOGGER = logging.getLogger("sweepbot")
_EVERY_S = 0.05  # seconds between two writes: the most that is lost if a run is killed
_MAX_WAITING_BYTES = 256_000_000  # of pictures that may be queued; then the run waits


class _LogHandler(logging.Handler):
    def __init__(self, tell: Callable[[Entry], None]) -> None:
        super().__init__()
        self._tell = tell

    def emit(self, record: logging.LogRecord) -> None:
        self._tell(Log(level=record.levelname, logger=record.name, text=without_home(record.getMessage())))


class LineQueue:
    """Queues what happens in a run, and its log, for a stream that turns it into lines."""

    def __init__(self, stream: LineStream, clock: Clock) -> None:
        self._stream = stream
        self._clock = clock
        self._start = clock.now()
        self._items: deque[Item] = deque()
        self._queued = 0  # bytes of pictures queued so far: counted by the run
        self._written = 0  # bytes of pictures written so far: counted by the thread
        self._wake = threading.Event()
        self._is_over = False
        self._failure: Exception | None = None
        self.shown: Region | None = None
        """The part of the screen of which alone pictures show something; None as long as they show all of it."""
        self._thread = threading.Thread(target=self._write, name="sweepbot-trace")
        self._thread.start()
        self._log, self._log_level = _LogHandler(self.tell), _LOGGER.level
        _LOGGER.addHandler(self._log)
        _LOGGER.setLevel(min(logging.INFO, _LOGGER.getEffectiveLevel()))

    @property
    def now(self) -> int:
        """Microseconds since the run began."""
        return round((self._clock.now() - self._start) * 1e6)

    def put(self, line: Entry, frame: Frame | None = None, stacks: Stacks = ()) -> None:
        """Queue a line, and the picture that belongs to it, which must not be modified afterwards. See `Item`."""
        if self._failure is None:
            self._items.append(Item(line, frame, stacks))
        if frame is not None:
            self._queued += frame.image.nbytes
            while self._queued - self._written > _MAX_WAITING_BYTES and self._failure is None:
                self._wake.set()
                time.sleep(_EVERY_S / 10)

    def tell(self, line: Entry, image: Image | None = None) -> None:
        """Queue a line with the present time, and the picture that belongs to it."""
        if isinstance(line, Shows):
            self.shown = Region(*line.region)
        frame = None if image is None else Frame(image, Region.of(image))
        self.put(structs.replace(line, t=self.now), frame)

    def close(self) -> None:
        """Write what is still queued, and stop.

        Raises:
            TraceError: Something could not be written, now or earlier; the trace ends there.
        """
        _LOGGER.removeHandler(self._log)
        _LOGGER.setLevel(self._log_level)
        self._is_over = True
        self._wake.set()
        self._thread.join()
        if isinstance(self._failure, OSError):
            reason = self._failure.strerror or str(self._failure)
            raise TraceError(
                f"the trace is not complete: {reason}", hint="it can be read as far as it goes"
            ) from self._failure
        if self._failure is not None:
            raise self._failure

    def _write(self) -> None:
        """Write until the queue is closed, or the run has ended without closing it; runs in the thread.

        Python waits for the thread: one that it cuts off inside of OpenCV would abort the process.
        """
        is_over = False
        while not is_over:
            self._wake.wait(_EVERY_S)
            self._wake.clear()
            is_over = self._is_over or not threading.main_thread().is_alive()
            try:
                for _ in range(len(self._items)):
                    item = self._items.popleft()
                    self._stream.take(item)
                    self._written += 0 if item.frame is None else item.frame.image.nbytes
                self._stream.flush(last=is_over)
            except Exception as failure:  # noqa: BLE001  (kept, and raised in the thread of the run)
                self._failure = failure
                self._items.clear()
                return
