"""Where the lines of a trace go: into a folder as they come, or into memory, which keeps the last ones."""

import hashlib
import os
import shutil
from collections import deque
from collections.abc import Sequence
from pathlib import Path
from typing import TypeAlias

import msgspec
from msgspec import structs

from sweepbot.errors import TraceError
from sweepbot.geometry import Region
from sweepbot.trace.canvas import Canvas, decode, encode
from sweepbot.trace.entries import Again, Entry, Look, Pointer, Start
from sweepbot.trace.events import Box, Observed, Read, Scene, Shows, box
from sweepbot.trace.run import CALIBRATION, EVENTS, PICTURES, RUN, Run

Picture: TypeAlias = tuple[Box, bytes]
"""A rectangle of the screen and its PNG."""

TAIL_S = 60.0
"""Seconds at the end of a run that are kept in memory."""

MOST_LINES = 16_000
"""The most lines kept: many games may be over in a minute, and memory must stay bounded."""

_LEFT_OUT = "contact-sheet.png"  # of the copy of a calibration: it shows the same pictures once more


class FolderSink:
    """Writes a trace into a new or empty folder, so that it can be read whenever the process ends.

    Lines are appended after the pictures that they name, so that no line names one that is not there.

    Raises:
        TraceError: The folder cannot be written to, or there is something in it.
    """

    def __init__(self, folder: Path, run: Run) -> None:
        self.folder = folder
        self._lines = bytearray()
        self._pictures = bytearray()
        self._written = 0  # bytes of pictures that are in the file
        self._known: dict[bytes, tuple[int, int]] = {}
        self._grid: tuple[Sequence[float], Sequence[float]] | None = None
        self._encoder = msgspec.json.Encoder()
        try:
            folder.mkdir(parents=True, exist_ok=True)
            if any(folder.iterdir()):
                raise TraceError(f"{folder}: there is something in it already", hint="name a new folder")
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
        """Take in a line, and the pictures that belong to it; what was there before is not written again."""
        if isinstance(entry, Read):
            lines, self._grid = self._grid, (entry.xs, entry.ys)
            entry = structs.replace(entry, xs=(), ys=()) if lines == self._grid else entry
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


class Ring:
    """Keeps the last minute of a trace of a screen in memory, or of a run of very short games the last of them."""

    def __init__(self, screen: Region) -> None:
        self._lines: deque[tuple[Entry, Sequence[Picture]]] = deque()
        self._before = Canvas(screen)
        """What was seen before the first of them."""
        self._is_whole = True

    def put(self, entry: Entry, pictures: Sequence[Picture] = ()) -> None:
        """Take in a line, and the pictures that belong to it; what is older than a minute goes, or is too much."""
        self._lines.append((entry, pictures))
        while entry.t - self._lines[0][0].t > TAIL_S * 1e6 or len(self._lines) > MOST_LINES:
            self._is_whole = False
            dropped, changes = self._lines.popleft()
            if isinstance(dropped, Shows):
                self._before.keep_only(Region(*dropped.region))
            elif isinstance(dropped, Look):
                for where, png in changes:
                    region = Region(*where)
                    self._before.paint(region, decode(png, region.width, region.height))

    def flush(self) -> None:
        """Do nothing: this is memory."""

    def save(self, folder: Path, run: Run, calibration: Path | None) -> None:
        """Write what was kept into a folder.

        Raises:
            TraceError: It cannot be written.
        """
        run.complete = self._is_whole
        sink = FolderSink(folder, run)
        try:
            if calibration is not None:
                sink.describe(run, calibration)
            if not self._is_whole:
                screen = self._before.screen
                sink.put(Start(t=self._lines[0][0].t), [(box(screen), encode(self._before.part(screen)))])
            missing = set() if self._is_whole else {Look, Pointer}
            for entry, pictures in self._lines:
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
        hint="make room there, or name another folder",
    )


def _write_run(folder: Path, run: Run) -> None:
    """Write what there is to say of a run, or what there is now: one that is killed meanwhile leaves either."""
    new = folder / f"{RUN}.new"
    new.write_bytes(msgspec.json.format(msgspec.json.encode(run), indent=2) + b"\n")
    new.replace(folder / RUN)


def _write(file: int, data: bytearray) -> None:
    """Append all of it, or raise OSError."""
    left = memoryview(bytes(data))
    while left:
        left = left[os.write(file, left) :]


_APPEND = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0)
