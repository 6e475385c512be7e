"""The trace of a run: written as it goes, or its last minute kept in memory in case something goes wrong."""

import logging
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol

from sweepbot.clock import SYSTEM_CLOCK
from sweepbot.desktop.desk import Desk
from sweepbot.errors import StoppedByUserError, SweepbotError, TraceError, UsageError
from sweepbot.geometry import Image, Region
from sweepbot.player import Doubted, Ended, Event, Located, Moved, Read
from sweepbot.sessions.client_region import Place, place_of_client, place_of_unknown
from sweepbot.sessions.lines import EventLines, learned_line, observed_line, scene_line
from sweepbot.sessions.settings import LearnSettings, PlaySettings, as_settings
from sweepbot.trace.canvas import Canvas
from sweepbot.trace.entries import Finished, Lesson
from sweepbot.trace.log import log_recorded
from sweepbot.trace.recorder import Recorder
from sweepbot.trace.recording import RecordedClock, RecordedMouse, RecordedScreen, RecordedWindows
from sweepbot.trace.run import describe_run
from sweepbot.trace.sinks import FolderSink, TailSink, unwritable
from sweepbot.trace.store import new_folder, prune
from sweepbot.trace.stream import Stream
from sweepbot.vision.calibration import Calibration
from sweepbot.vision.grid import Grid
from sweepbot.vision.reader import Reading

if TYPE_CHECKING:  # to play takes nothing of what learns
    from sweepbot.calibrate.labels.log import Entry as LogEntry
    from sweepbot.calibrate.learned import Learned

_log = logging.getLogger("sweepbot.trace")

Command = Literal["play", "demo", "calibrate"]
Tell = Callable[[str], None]

_FINE = (0, StoppedByUserError.exit_code, UsageError.exit_code)
"""Exit codes of runs that nobody will want to look at again."""

_JITTER = 8  # pixels by which the client's region may change without being shown anew


class Recording(Protocol):
    """What a run tells, so that it can be had again."""

    desk: Desk
    """What to play on."""

    def played_with(self, calibration: Calibration, settings: PlaySettings | None = None) -> None:
        """Take down which client it is, and what is known of the settings by then."""

    def place_of(self, reading: Reading, calibration: Calibration) -> Place:
        """How much of the screen is read as the client's: as much as the pictures of its trace will show."""

    def observe(self, event: Event) -> None:
        """Take down what a player tells."""

    def found(self, board: Grid) -> None:
        """Take down where the board of an unknown client is."""

    def lesson(self, text: str) -> None:
        """Take down what is learned, in words."""

    def observed(self, entry: "LogEntry", new: Sequence[Image]) -> None:
        """Take down what learning has observed, and the pictures of cells that were new then."""

    def learned(self, learned: "Learned") -> None:
        """Take down what was learned in the end."""

    def finish(self, error: BaseException | None) -> Path | None:
        """End it, the first time that it is called; where it is, None where nothing of it is kept.

        Args:
            error: What has ended the run. Its hint is told where the trace of it is.
        """


class NoRecording:
    """Nothing is recorded.

    Args:
        desk: What is played on.
    """

    def __init__(self, desk: Desk) -> None:
        self.desk = desk

    def played_with(self, calibration: Calibration, settings: PlaySettings | None = None) -> None:
        """Do nothing."""

    def place_of(self, reading: Reading, calibration: Calibration) -> Place:
        """As far as pixels tell."""
        return place_of_client(reading, calibration, self.desk.screen.region, None)

    def observe(self, event: Event) -> None:
        """Do nothing."""

    def found(self, board: Grid) -> None:
        """Do nothing."""

    def lesson(self, text: str) -> None:
        """Do nothing."""

    def observed(self, entry: "LogEntry", new: Sequence[Image]) -> None:
        """Do nothing."""

    def learned(self, learned: "Learned") -> None:
        """Do nothing."""

    def finish(self, error: BaseException | None) -> None:
        """Do nothing."""


class TraceRecording:
    """A run that is recorded.

    Args:
        command: What is run.
        settings: What it was told.
        desk: What is played on.
        folder: Where the trace is written; None keeps its last minute in memory.
        whole_screen: Whether pictures may show more than the client.
        tell: Told in words what a person should know.

    Raises:
        TraceError: The folder cannot be written to.
    """

    def __init__(
        self,
        command: Command,
        settings: PlaySettings | LearnSettings,
        desk: Desk,
        *,
        folder: Path | None,
        whole_screen: bool,
        tell: Tell,
    ) -> None:
        self._tell = tell
        self._screen, self._windows = desk.screen.region, desk.windows
        self._run = describe_run(
            command,
            as_settings(settings),
            desk.screen.region,
            whole_screen=whole_screen,
            windows=desk.windows is not None,
            latency_s=desk.latency_s,
        )
        self._whole_screen = whole_screen
        self._calibration: Calibration | None = None
        canvas = Canvas(desk.screen.region)
        self._sink: FolderSink | TailSink = TailSink(canvas) if folder is None else FolderSink(folder, self._run)
        self._recorder = Recorder(Stream(canvas, self._sink, whole_screen=whole_screen), SYSTEM_CLOCK)
        self._clock = clock = RecordedClock(SYSTEM_CLOCK, self._recorder)
        self.desk = Desk(
            RecordedScreen(desk.screen, desk.windows, clock, self._recorder),
            RecordedMouse(desk.mouse, clock, self._recorder),
            None if desk.windows is None else RecordedWindows(desk.windows, clock, self._recorder),
            clock,
            desk.latency_s,
        )
        self._lines = EventLines()
        self._shown: Region | None = None
        self._went_wrong = False
        self._is_over = False
        self._kept: Path | None = None
        self._open = ExitStack()
        self._open.enter_context(log_recorded(self._recorder))

    def played_with(self, calibration: Calibration, settings: PlaySettings | None = None) -> None:
        """Take down which client it is, with a copy of its calibration. See `Recording.played_with`."""
        self._calibration = calibration
        _log.info("played with %s", calibration.name)
        self._run.client = calibration.name
        if settings is not None:
            self._run.settings = as_settings(settings)
        self._run.calibration = _checksum(calibration.path.parent)
        if isinstance(self._sink, FolderSink):
            try:
                self._sink.describe(self._run, calibration.path.parent)
            except OSError as error:
                raise unwritable(self._sink.folder, error) from error

    def place_of(self, reading: Reading, calibration: Calibration) -> Place:
        """How much of the screen is read as the client's. See `Recording.place_of`."""
        return place_of_client(reading, calibration, self._screen, None if self._whole_screen else self._windows)

    def observe(self, event: Event) -> None:
        """Take down what a player tells. See `Recording.observe`."""
        if isinstance(event, Located):
            self._show(Place(event.region, event.window))
        if isinstance(event, Read | Moved) and self._calibration is not None:
            place = self.place_of(event.reading, self._calibration)
            if self._shown is None or _is_elsewhere(place.region, self._shown):
                self._show(place)
        if isinstance(event, Doubted) or (isinstance(event, Ended) and event.result.misreads):
            self._went_wrong = True
        if (line := self._lines.line(event, self._recorder.now)) is not None:
            self._recorder.put(line)

    def found(self, board: Grid) -> None:
        """Take down where the board of an unknown client is. See `Recording.found`."""
        self._show(place_of_unknown(board, self._screen, self._windows))

    def lesson(self, text: str) -> None:
        """Take down what is learned, in words. See `Recording.lesson`."""
        self._recorder.put(Lesson(t=self._recorder.now, text=text))

    def observed(self, entry: "LogEntry", new: Sequence[Image]) -> None:
        """Take down what learning has observed. See `Recording.observed`."""
        line, image = observed_line(entry, new, self._recorder.now)
        if image is None:
            self._recorder.put(line)
        else:
            self._recorder.picture(line, image)

    def learned(self, learned: "Learned") -> None:
        """Take down what was learned in the end. See `Recording.learned`."""
        for fixture in learned.fixtures:
            self._recorder.picture(scene_line(fixture, self._recorder.now), fixture.image)
        self._recorder.put(learned_line(learned, self._recorder.now))

    def finish(self, error: BaseException | None) -> Path | None:
        """End it. See `Recording.finish`."""
        if self._is_over:
            return self._kept
        self._is_over = True
        self._open.close()
        code = _exit_code(error)
        self._recorder.put(Finished(t=self._recorder.now, exit=code, error="" if error is None else str(error)))
        try:
            self._recorder.close()
            self._kept = self._keep(code)
        except (TraceError, OSError) as failure:  # the run itself is as good as it was
            self._tell(f"no trace: {failure}")
            return None
        if self._kept is not None and self._shown_anything and (code not in _FINE or self._went_wrong):
            self._point_to(self._kept, error)
        return self._kept

    def _keep(self, code: int) -> Path | None:
        if isinstance(self._sink, FolderSink):
            self._sink.close()
            return self._sink.folder
        if (code in _FINE and not self._went_wrong) or not self._shown_anything:
            return None
        folder = new_folder(self._run.command)
        self._sink.save(folder, self._run, None if self._calibration is None else self._calibration.path.parent)
        prune()
        return folder

    @property
    def _shown_anything(self) -> bool:
        """Whether there is something in the trace to look at: a client was found, or is learned."""
        return self._run.client is not None or self._run.command == "calibrate"

    def _point_to(self, folder: Path, error: BaseException | None) -> None:
        """Say where the trace is, and what shows it."""
        where = f"what happened is in {folder}; look at it: sweepbot replay {folder} --step"
        if isinstance(error, SweepbotError):
            error.hint = f"{error.hint}\n  {where}" if error.hint else where
        else:
            self._tell(where)

    def _show(self, place: Place) -> None:
        if not self._whole_screen and place.region != self._shown:
            self._shown = place.region
            self._recorder.show(place.region, place.window)


@contextmanager
def recorded(recording: Recording) -> Iterator[Recording]:
    """End a recording with what ends the block."""
    try:
        yield recording
    except BaseException as error:
        recording.finish(error)
        raise
    recording.finish(None)


def _exit_code(error: BaseException | None) -> int:
    if error is None:
        return 0
    if isinstance(error, SweepbotError):
        return error.exit_code
    return StoppedByUserError.exit_code if isinstance(error, KeyboardInterrupt) else 1


def _is_elsewhere(one: Region, other: Region) -> bool:
    pairs: Sequence[tuple[int, int]] = (
        (one.x, other.x),
        (one.y, other.y),
        (one.right, other.right),
        (one.bottom, other.bottom),
    )
    return any(abs(here - there) > _JITTER for here, there in pairs)


def _checksum(folder: Path) -> str:
    """A checksum of the files of a calibration, by their names and contents."""
    checksum = 0
    for file in sorted(folder.iterdir()):
        if file.is_file() and not file.name.startswith("."):
            checksum = zlib.crc32(file.name.encode() + file.read_bytes(), checksum)
    return f"{checksum:08x}"
