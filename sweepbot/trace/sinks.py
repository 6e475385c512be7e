"""Where the lines of a trace go: into a folder as they come, or into memory, which keeps the last ones.

Traces of runs that went wrong are kept in the user's state folder; the oldest are removed.
"""

import hashlib
import shutil
from collections import deque
from collections.abc import Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from pathlib import Path
from typing import TypeAlias

import msgspec
import platformdirs
from msgspec import structs

from sweepbot.errors import TraceError, refused_as
from sweepbot.geometry import Region
from sweepbot.trace.canvas import Canvas, decode, encode
from sweepbot.trace.entries import Again, Entry, Look, Pointer, Start
from sweepbot.trace.events import Box, Observed, Read, Scene, Shows, box
from sweepbot.trace.run import CALIBRATION, EVENTS, PICTURES, RUN, Run

MOST_BYTES = 200_000_000
"""How much they may take up together; the oldest go first, the newest stays."""

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
        self._folder = folder
        self._new_lines = bytearray()
        self._new_pictures = bytearray()
        self._written = 0  # bytes of pictures that are in the file
        self._known: dict[bytes, tuple[int, int]] = {}
        self._grid: tuple[Sequence[float], Sequence[float]] | None = None
        self._encoder = msgspec.json.Encoder()
        with _writing(folder):
            folder.mkdir(parents=True, exist_ok=True)
            if any(folder.iterdir()):
                raise TraceError(f"{folder}: there is something in it already", hint="name a new folder")
            _write_run(folder, run)
            self._lines, self._pictures = (folder / EVENTS).open("ab"), (folder / PICTURES).open("ab")

    def describe(self, run: Run, calibration: Path) -> None:
        """Say more of the run, and copy the calibration that it is played with.

        Raises:
            TraceError: That cannot be written.
        """
        with _writing(self._folder):
            shutil.copytree(calibration, self._folder / CALIBRATION, ignore=shutil.ignore_patterns(_LEFT_OUT, ".*"))
            _write_run(self._folder, run)

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
        self._new_lines += self._encoder.encode(entry)
        self._new_lines += b"\n"

    def _place(self, png: bytes) -> tuple[int, int]:
        """The offset and the length of a picture in their file."""
        digest = hashlib.blake2b(png, digest_size=16).digest()
        if digest not in self._known:
            self._known[digest] = self._written + len(self._new_pictures), len(png)
            self._new_pictures += png
        return self._known[digest]

    def flush(self) -> None:
        """Write what was taken in, or raise OSError."""
        self._written += len(self._new_pictures)
        for file, new in ((self._pictures, self._new_pictures), (self._lines, self._new_lines)):
            file.write(new)
            file.flush()
            new.clear()

    def close(self, folder: Path | None) -> Path:  # noqa: ARG002  (of `Ring`, which has none before)
        """Let go of the files, and return their folder."""
        with _writing(self._folder):
            self._pictures.close()
            self._lines.close()
        return self._folder


class Ring:
    """Keeps the last minute of a run in memory, or of one with very short games the last of them."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._calibration: Path | None = None
        self._lines: deque[tuple[Entry, Sequence[Picture]]] = deque()
        self._before = Canvas(Region(*run.screen))
        """What was seen before the first of them."""

    def describe(self, run: Run, calibration: Path) -> None:
        """Say more of the run, and name the calibration that it is played with."""
        self._run, self._calibration = run, calibration

    def put(self, entry: Entry, pictures: Sequence[Picture] = ()) -> None:
        """Take in a line, and the pictures that belong to it; what is older than a minute goes, or is too much."""
        self._lines.append((entry, pictures))
        while entry.t - self._lines[0][0].t > TAIL_S * 1e6 or len(self._lines) > MOST_LINES:
            self._run.complete = False
            dropped, changes = self._lines.popleft()
            if isinstance(dropped, Shows):
                self._before.keep_only(Region(*dropped.region))
            elif isinstance(dropped, Look):
                for where, png in changes:
                    region = Region(*where)
                    self._before.paint(region, decode(png, region.width, region.height))

    def flush(self) -> None:
        """Do nothing: this is memory."""

    def close(self, folder: Path | None) -> Path | None:
        """Write what was kept into a new folder, if one is named; the oldest traces make room for it.

        Raises:
            TraceError: It cannot be written.
        """
        if folder is None:
            return None
        sink = FolderSink(folder, self._run)
        if self._calibration is not None:
            sink.describe(self._run, self._calibration)
        if not self._run.complete:
            screen = self._before.region
            sink.put(Start(t=self._lines[0][0].t), [(box(screen), encode(self._before.part(screen)))])
        missing = set() if self._run.complete else {Look, Pointer}
        for entry, pictures in self._lines:
            missing.discard(type(entry))
            if not (missing and isinstance(entry, Again)):  # it would repeat what has been dropped
                sink.put(entry, pictures)
        with _writing(folder):
            sink.flush()
            prune()
        return sink.close(folder)


def _writing(folder: Path) -> AbstractContextManager[None]:
    """Raise TraceError where something cannot be written to a trace's folder."""
    return refused_as(TraceError, f"the trace cannot be written to {folder}", "make room there, or name another folder")


def _write_run(folder: Path, run: Run) -> None:
    """Write what there is to say of a run, or what there is now: one that is killed meanwhile leaves either."""
    new = folder / f"{RUN}.new"
    new.write_bytes(msgspec.json.format(msgspec.json.encode(run), indent=2) + b"\n")
    new.replace(folder / RUN)


def new_folder(command: str) -> Path:
    """The name of a folder that is not there yet; names in order are in the order of time."""
    name = f"{datetime.now():%Y%m%d-%H%M%S-%f}-{command}"  # noqa: DTZ005  (a person's clock)
    return traces_folder() / name


def traces_folder() -> Path:
    """Where they are."""
    return platformdirs.user_state_path("sweepbot", appauthor=False) / "traces"


def prune(most_bytes: int = MOST_BYTES) -> None:
    """Remove the oldest traces until the others take up no more than so many bytes; the newest stays in any case.

    Raises:
        OSError: One cannot be removed.
    """
    newest_first = sorted(traces_folder().glob(f"*/{RUN}"), reverse=True)
    total = 0
    for number, run in enumerate(newest_first):
        total += sum(file.stat().st_size for file in run.parent.rglob("*") if file.is_file())
        if number and total > most_bytes:
            shutil.rmtree(run.parent)
