"""Where the lines of a trace go: into a folder as they come, or into memory, which keeps the last ones."""

import hashlib
import os
import shutil
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Protocol, TypeAlias

import msgspec

from sweepbot.errors import TraceError
from sweepbot.geometry import Region
from sweepbot.trace.canvas import Canvas, encode
from sweepbot.trace.entries import Again, Box, Entry, Look, Observed, Patch, Pointer, Scene, Start
from sweepbot.trace.run import CALIBRATION, EVENTS, PICTURES, RUN, Run

Picture: TypeAlias = tuple[Box, bytes]
"""A rectangle of the screen and its PNG."""

TAIL_S = 60.0
"""Seconds at the end of a run that are kept in memory."""

_SEGMENT_S = 10.0  # what is kept in memory is dropped in pieces of so many seconds: each begins with a whole picture
_SEGMENT_LINES = 2_000  # or of so many lines: many games may be over in a minute, and memory is to stay what it is
_MOST_SEGMENTS = 8  # a minute is seven at most, so that it is shortened by its lines alone
_LEFT_OUT = "contact-sheet.png"  # of the copy of a calibration: it shows the same pictures once more


class Sink(Protocol):
    """Takes in the lines of a trace."""

    def put(self, entry: Entry, pictures: Sequence[Picture] = ()) -> None:
        """Take in a line, and the pictures that belong to it."""

    def flush(self) -> None:
        """Let what was taken in outlive this process, as far as that is meant to.

        Raises:
            OSError: It cannot be written.
        """


class FolderSink:
    """Writes a trace into a folder, so that it can be read whenever the process ends.

    Lines are appended after the pictures that they name, so that no line names one that is not there.

    Args:
        folder: Where; made here, and must be empty where it is there already.
        run: What to say of the run.

    Raises:
        TraceError: It cannot be written to, or there is something in it.
    """

    def __init__(self, folder: Path, run: Run) -> None:
        self.folder = folder
        self._lines = bytearray()
        self._pictures = bytearray()
        self._written = 0  # bytes of pictures that are in the file
        self._known: dict[bytes, tuple[int, int]] = {}
        self._encoder = msgspec.json.Encoder()
        try:
            folder.mkdir(parents=True, exist_ok=True)
            if any(folder.iterdir()):
                raise TraceError(f"{folder}: there is something in it already", hint="name a new folder: --trace DIR")
            _write_run(folder, run)
            self._events_file = os.open(folder / EVENTS, _APPEND, 0o666)
            self._pictures_file = os.open(folder / PICTURES, _APPEND, 0o666)
        except OSError as error:
            raise unwritable(folder, error) from error

    def describe(self, run: Run, calibration: Path) -> None:
        """Say more of the run, and copy the calibration that it is played with.

        Raises:
            OSError: That cannot be written.
        """
        shutil.copytree(calibration, self.folder / CALIBRATION, ignore=shutil.ignore_patterns(_LEFT_OUT, ".*"))
        _write_run(self.folder, run)

    def put(self, entry: Entry, pictures: Sequence[Picture] = ()) -> None:
        """Take in a line, and the pictures that belong to it: one that was there before is not written again."""
        patches = [(*box, *self._place(png)) for box, png in pictures]
        if patches and isinstance(entry, Look | Start):
            entry.patches = patches
        elif patches and isinstance(entry, Scene | Observed):
            (entry.picture,) = patches
        self._lines += self._encoder.encode(entry)
        self._lines += b"\n"

    def _place(self, png: bytes) -> tuple[int, int]:
        """The offset and the length of a picture in their file."""
        digest = hashlib.blake2b(png, digest_size=16).digest()
        if digest not in self._known:
            self._known[digest] = self._written + len(self._pictures), len(png)
            self._pictures += png
        return self._known[digest]

    def flush(self) -> None:
        """Write it. See `Sink.flush`."""
        _write(self._pictures_file, self._pictures)
        self._written += len(self._pictures)
        self._pictures.clear()
        _write(self._events_file, self._lines)
        self._lines.clear()

    def close(self) -> None:
        """Let go of the files."""
        os.close(self._events_file)
        os.close(self._pictures_file)


@dataclass(slots=True)
class _Segment:
    """A piece of a run: when it began in microseconds, the screen at that time as PNG, and its lines."""

    begun: int
    screen: bytes | None
    lines: list[tuple[Entry, Sequence[Picture]]] = field(default_factory=list)


class TailSink:
    """Keeps the last minute of a trace in memory, or of a run of very short games the last of them.

    Args:
        canvas: What the recorder knows of the screen; a whole picture of it is taken now and then.
    """

    def __init__(self, canvas: Canvas) -> None:
        self._canvas = canvas
        self._segments = deque([_Segment(0, None)])

    def put(self, entry: Entry, pictures: Sequence[Picture] = ()) -> None:
        """Take in a line, and the pictures that belong to it; what is older than a minute goes, or is too much."""
        last = self._segments[-1]
        last.lines.append((entry, pictures))
        if entry.t - last.begun < _SEGMENT_S * 1e6 and len(last.lines) < _SEGMENT_LINES:
            return
        while len(self._segments) > 1 and (
            entry.t - self._segments[1].begun >= TAIL_S * 1e6 or len(self._segments) >= _MOST_SEGMENTS
        ):
            self._segments.popleft()
        self._segments.append(_Segment(entry.t, encode(self._canvas.part(self._canvas.screen))))

    def flush(self) -> None:
        """Do nothing: this is memory."""

    def save(self, folder: Path, run: Run, calibration: Path | None) -> None:
        """Write what was kept into a folder.

        Raises:
            TraceError: It cannot be written.
        """
        first = self._segments[0]
        run.complete = first.screen is None
        sink = FolderSink(folder, run)
        try:
            if calibration is not None:
                sink.describe(run, calibration)
            if first.screen is not None:
                sink.put(Start(t=first.begun), [(_box(self._canvas.screen), first.screen)])
            missing = set() if run.complete else {Look, Pointer}
            for entry, pictures in chain.from_iterable(segment.lines for segment in self._segments):
                missing.discard(type(entry))
                if not (missing and isinstance(entry, Again)):  # it would repeat what has been dropped
                    sink.put(entry, pictures)
            sink.flush()
        except OSError as error:
            raise unwritable(folder, error) from error
        finally:
            sink.close()


def unwritable(folder: Path, error: OSError) -> TraceError:
    """The error that says that a trace cannot be written."""
    return TraceError(
        f"the trace cannot be written to {folder}: {error.strerror or error}",
        hint="make room there, or name another folder: --trace DIR",
    )


def patch_region(patch: Patch) -> Region:
    """Where a patch goes."""
    return Region(*patch[:4])


def _write_run(folder: Path, run: Run) -> None:
    """Write what there is to say of a run, or what there is now: one that is killed meanwhile leaves either."""
    new = folder / f"{RUN}.new"
    new.write_bytes(msgspec.json.format(msgspec.json.encode(run), indent=2) + b"\n")
    new.replace(folder / RUN)


def _box(region: Region) -> Box:
    return region.x, region.y, region.width, region.height


def _write(file: int, data: bytearray) -> None:
    """Append all of it.

    Raises:
        OSError: That cannot be done.
    """
    left = memoryview(bytes(data))
    while left:
        left = left[os.write(file, left) :]


_APPEND = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0)
