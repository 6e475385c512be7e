"""The trace of a run: written as it goes, or its last minute kept in memory in case something goes wrong.

It shows only the client: its window or, if that is unknown, the surroundings of its board.
"""

import logging
import math
import platform
import zlib
from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Self

from sweepbot.control.program_kinds import BROWSERS, check_client
from sweepbot.control.widgets.box_mask import BoxMask
from sweepbot.desktop.desk import Desk
from sweepbot.desktop.screen import MaskedScreen
from sweepbot.desktop.windows import WindowId
from sweepbot.errors import StoppedByUserError, SweepbotError, TraceError, UsageError
from sweepbot.geometry import Image, Region
from sweepbot.sessions.settings import PlaySettings
from sweepbot.strangers import MAX_CALIBRATION_BYTES, read_file
from sweepbot.trace.canvas import Canvas
from sweepbot.trace.events import LOOKS, Doubted, Ended, Event, Finished, Moved, Observer, Read, Resizing, Shows, box
from sweepbot.trace.line_queue import LineQueue
from sweepbot.trace.masking import DialogMask, Mask, without_home
from sweepbot.trace.recorded_desk import record_scene, recorded_desk
from sweepbot.trace.run import Command, Run
from sweepbot.trace.sinks import FolderSink, Ring, new_folder
from sweepbot.trace.stream import LineStream
from sweepbot.vision.calibration import Calibration
from sweepbot.vision.grid import Grid

_AROUND_PX = 64  # pixels around a board: its frame, its title, and the counters and the face above it
_AROUND_CELLS = 1.5  # the least, in cells: with less, nothing shows whether the board goes on beyond the picture
_BUTTON_PX = 120  # pixels around the button of a dialog: the box that it is in
_UNKNOWN_PX = 260  # pixels around an unknown client's board, searched for what starts a new game

_log = logging.getLogger("sweepbot.trace")

Tell = Callable[[str], None]

_FINE = (0, StoppedByUserError.exit_code, UsageError.exit_code)
"""Exit codes of runs that went well: their last minute is not kept."""

_JITTER_PX = 8  # pixels by which the client's region may change without a new line in the trace


class Recording:
    """Takes what a run reports for its trace. This base class keeps nothing; `TraceRecording` does.

    Either way the run sees the client's dialogs masked: what it keeps as a picture shows nothing private.
    As a context manager it finishes when the block is left.

    Args:
        desk: The desk.
        whole_screen: Whether pictures may show more than the client.
    """

    def __init__(self, desk: Desk, *, whole_screen: bool = False) -> None:
        self._windows = None if whole_screen else desk.windows
        self._boxes = BoxMask()
        self._mask = Mask() if whole_screen else self._boxes if desk.windows is None else DialogMask(desk.windows)
        self.desk = desk if whole_screen else replace(desk, screen=MaskedScreen(desk.screen, self._mask.applied))
        self._masks_boxes = False
        self.shown: Region | None = None
        """The only part of the screen that can be seen; None if that is unknown."""
        self._screen = desk.screen.region
        self._all_windows = desk.windows

    def __enter__(self) -> Self:
        return self

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        self.finish(error)

    def place_of(self, board: Grid, calibration: Calibration, client: WindowId | None = None) -> Shows:
        """Return the part of the desktop that is the client's: the run reads it, and its trace shows it.

        That is the visible part of its window, `client` once that is known; in a browser, or if the window is unknown,
        the surroundings of the board. The calibration has no templates yet while a client is being learned.
        """
        screen, windows = self._screen, self._windows
        around = _around_board(board, calibration) if calibration.templates else board.region.grown(_UNKNOWN_PX)
        around = around.intersection(screen) or screen
        under = None if windows is None else windows.under(board.region.centre)
        shown = {} if windows is None else {window.id: window for window in windows.shown()}
        window = shown.get(client or 0) or (under and shown.get(under.owner or 0, under))
        if windows is None or window is None:
            return Shows(region=box(around))
        inside = window.region.intersection(screen)
        if inside is not None and window.id in windows.of_programs(BROWSERS):
            inside = inside.intersection(around)
        return Shows(region=box(around)) if inside is None else Shows(region=box(inside), window=window.id)

    def check_client(self, board: Region) -> None:
        """Check that a board is a client's before it is clicked; a trace keeps nothing of it. See `check_client`."""
        if self._all_windows is not None:
            check_client(self._all_windows, board)

    def played_with(self, calibration: Calibration, settings: PlaySettings | None = None) -> None:  # noqa: ARG002  (see `TraceRecording`)
        """Record which client is played, and the settings if they are known now.

        Boxes must be seen if their buttons are to be clicked, and in order to learn what closes them.
        """
        dialogs = calibration.behaviour.dialogs
        self._masks_boxes = bool(dialogs) and not any(dialog.clicks or dialog.drawn_inside for dialog in dialogs)

    def observe(self, event: Event, image: Image | None = None) -> None:  # noqa: ARG002  (see `TraceRecording`)
        """Record an event, and the picture that belongs to it."""
        if isinstance(event, Shows):
            self._mask.client = event.window
        elif isinstance(event, Read) and self._masks_boxes and not (event.doubt or "." in "".join(event.rows)):
            self._boxes.note_read(Grid(event.xs, event.ys))

    def telling(self, observer: Observer) -> Observer:
        """Return an observer that records each event before another observer gets it."""

        def observe(event: Event) -> None:
            self.observe(event)
            observer(event)

        return observe

    def finish(self, error: BaseException | None) -> Path | None:
        """Finish once, given the error that has ended the run; return the trace's folder, None if none is kept.

        The path of the trace is added to the error's hint.
        """


class TraceRecording(Recording):
    """Records the trace of a run.

    Args:
        command: The command.
        settings: Its settings.
        desk: The desk.
        folder: Where the trace is written; None keeps its last minute in memory.
        whole_screen: Whether pictures may show more than the client.
        tell: Called with messages for the user.

    Raises:
        TraceError: The folder cannot be written to.
    """

    def __init__(
        self,
        command: Command,
        settings: PlaySettings,
        desk: Desk,
        *,
        folder: Path | None,
        whole_screen: bool,
        tell: Tell,
    ) -> None:
        super().__init__(desk, whole_screen=whole_screen)
        self._tell = tell
        self._run = Run(
            sweepbot=version("sweepbot"),
            python=platform.python_version(),
            platform=platform.platform(),
            started=datetime.now(UTC).isoformat(timespec="milliseconds"),
            command=command,
            settings=settings.as_settings(),
            screen=box(desk.screen.region),
            shows="screen" if whole_screen else "client",
            windows=desk.windows is not None,
            latency_s=desk.latency_s,
        )
        self._desk = desk
        self._whole_screen = whole_screen
        self._calibration: Calibration | None = None
        self._sink = Ring(self._run) if folder is None else FolderSink(folder, self._run)
        stream = LineStream(Canvas(desk.screen.region), self._sink, whole_screen=whole_screen)
        self._queue = LineQueue(stream, desk.clock)
        self.desk = recorded_desk(desk, self._queue, self._mask)
        self._place: Region | None = None
        self._grid: Grid | None = None
        self._went_wrong = False
        self._is_over = False
        self._kept: Path | None = None

    def played_with(self, calibration: Calibration, settings: PlaySettings | None = None) -> None:
        """Record which client is played, with a copy of its calibration. See `Recording.played_with`."""
        super().played_with(calibration)
        self._calibration = calibration
        _log.info("played with %s", calibration.name)
        self._run.client = calibration.name
        if settings is not None:
            self._run.settings = settings.as_settings()
        self._run.calibration = _checksum(calibration.files)
        self._sink.describe(self._run, calibration.files)

    def observe(self, event: Event, image: Image | None = None) -> None:
        """Record an event. See `Recording.observe`."""
        super().observe(event)
        if isinstance(event, Read | Moved) and self._calibration is not None:
            last, self._grid = self._grid, Grid(event.xs, event.ys)
            if isinstance(event, Moved) or last != self._grid:
                place = self.place_of(self._grid, self._calibration, self._mask.client)
                if self._place is None or _is_elsewhere(Region(*place.region), self._place):
                    self._show(place)
        self._went_wrong |= isinstance(event, Doubted) or (isinstance(event, Ended) and event.misreads > 0)
        if isinstance(event, Resizing):
            self._queue.tell(event)
            browsers = () if self._windows is None else self._windows.of_programs(BROWSERS)
            if event.window not in browsers:  # else only the surroundings of the board may be shown, once it is found
                self._show(Shows(region=event.region, window=event.window))
        elif isinstance(event, Shows):
            self._show(event)
        else:
            is_seen = self._whole_screen or self._place is not None
            if isinstance(event, LOOKS) and is_seen and isinstance(self._sink, FolderSink):
                record_scene(self._desk, self._queue, self._mask)  # not for memory: a picture takes milliseconds
            self._queue.tell(event, image)

    def _show(self, place: Shows) -> None:
        region = Region(*place.region)
        if not self._whole_screen and region != self._place:
            self._place, self._mask.client = region, place.window
            self._queue.tell(place)

    def finish(self, error: BaseException | None) -> Path | None:
        """See `Recording.finish`."""
        if self._is_over:
            return self._kept
        self._is_over = True
        end = finished(error)
        self._queue.tell(end)
        is_wanted = self._run.client is not None and (end.exit not in _FINE or self._went_wrong)
        is_wanted &= not isinstance(error, TraceError)  # then it lacks what could not be written
        try:
            self._queue.close()
            if isinstance(self._sink, FolderSink):
                self._kept = self._sink.close()
            elif is_wanted:
                self._kept = self._sink.write(new_folder(self._run.command))
        except TraceError as failure:  # the run itself is not affected
            self._tell(f"no trace: {failure}")
            return None
        if self._kept is not None and is_wanted:
            where = f"the trace is in {self._kept}; to look at it: sweepbot replay {self._kept} --step"
            if isinstance(error, SweepbotError):
                error.hint = f"{error.hint}\n  {where}" if error.hint else where
            else:
                self._tell(where)
        return self._kept


def finished(error: BaseException | None) -> Finished:
    """Return the event that a run is over, given the error that has ended it."""
    if error is None:
        return Finished(exit=0)
    code = StoppedByUserError.exit_code if isinstance(error, KeyboardInterrupt) else 1
    code = error.exit_code if isinstance(error, SweepbotError) else code
    return Finished(exit=code, error=without_home(str(error)))


def _is_elsewhere(one: Region, other: Region) -> bool:
    sides = ((region.x, region.y, region.right, region.bottom) for region in (one, other))
    return any(abs(here - there) > _JITTER_PX for here, there in zip(*sides, strict=True))


def _checksum(files: Iterable[Path]) -> str:
    """Return a checksum of the names and contents of a calibration's files."""
    checksum = 0
    for file in sorted(files):
        data = read_file(file, MAX_CALIBRATION_BYTES, TraceError, is_within=True)
        checksum = zlib.crc32(file.name.encode() + data, checksum)
    return f"{checksum:08x}"


def _around_board(grid: Grid, calibration: Calibration) -> Region:
    """Return the region of a board, of all that its calibration says is around it, and a margin."""
    behaviour = calibration.behaviour
    least, scale = math.ceil(_AROUND_CELLS * max(grid.pitch)), grid.pitch[0] / calibration.cell[0]
    board = grid.region.grown(max(least, _AROUND_PX))
    steps = (step for restart in behaviour.restart for step in restart.steps)
    restarts = (grid.beside(step.click, scale) for step in steps if step.click is not None)
    buttons = (grid.beside(click, scale) for dialog in behaviour.dialogs for click in dialog.clicks)
    around = [(at, _AROUND_PX) for at in restarts] + [(at, _BUTTON_PX) for at in buttons]
    parts = [board, *(Region.around(*it) for it in around)]
    return Region.spanning(parts)
