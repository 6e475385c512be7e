"""Where the lines of a trace go: into a folder as they come, or into memory, which keeps only the last ones.

The traces of runs that went wrong are kept in the user's state folder, from which the oldest are removed.
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
from sweepbot.replacing import replace_file
from sweepbot.strangers import copy_calibration
from sweepbot.trace.canvas import Canvas, decode, encode
from sweepbot.trace.entries import Again, Entry, Grab, Pointer, Scene, Start
from sweepbot.trace.events import Box, Read, Shows, box
from sweepbot.trace.run import CALIBRATION, EVENTS, PICTURES, RUN, Run

MAX_BYTES = 200_000_000
"""The most that these may take up together; the oldest are removed first, and the newest stays."""

Picture: TypeAlias = tuple[Box, bytes]
"""A rectangle of the screen and its PNG."""

TAIL_S = 60.0
"""Seconds at the end of a run that are kept in memory."""

MAX_LINES = 16_000
"""The most lines kept in memory, as many games may be played in a minute."""


class FolderSink:
    """Writes a trace into a new or empty folder, so that it can be read even if the process is killed.

    Pictures are written before the lines that refer to them, so that no line refers to a missing one.

    Raises:
        TraceError: The folder cannot be written to, or is not empty.
    """

    def __init__(self, folder: Path, run: Run) -> None:
        self._folder = folder
        self._new_lines = bytearray()
        self._new_pictures = bytearray()
        self._written = 0  # bytes of pictures that are in the file
        self._known: dict[bytes, tuple[int, int]] = {}
        self._grid: tuple[tuple[float, ...], tuple[float, ...]] | None = None
        self._encoder = msgspec.json.Encoder()
        with _writing(folder):
            folder.mkdir(parents=True, exist_ok=True)
            if any(folder.iterdir()):
                raise TraceError(f"{folder}: is not empty", hint="choose a new folder")
            _write_run(folder, run)
            self._lines, self._pictures = (folder / EVENTS).open("ab"), (folder / PICTURES).open("ab")

    def describe(self, run: Run, calibration: Sequence[Path]) -> None:
        """Update the description of the run, and copy the files of the calibration that it is played with.

        Raises:
            TraceError: It cannot be written, or a file of the calibration cannot be copied.
        """
        with _writing(self._folder):
            (self._folder / CALIBRATION).mkdir()
            copy_calibration(calibration, self._folder / CALIBRATION, TraceError)
            _write_run(self._folder, run)

    def put(self, entry: Entry, pictures: Sequence[Picture] = ()) -> None:
        """Add a line, and the pictures that belong to it; a picture that was added before is not written again."""
        if isinstance(entry, Read):
            lines, self._grid = self._grid, (entry.xs, entry.ys)
            entry = structs.replace(entry, xs=(), ys=()) if lines == self._grid else entry
        patches = [(*box, *self._place(png)) for box, png in pictures]
        if patches and isinstance(entry, Grab | Scene):
            entry.patches = patches
        self._new_lines += self._encoder.encode(entry)
        self._new_lines += b"\n"

    def _place(self, png: bytes) -> tuple[int, int]:
        """Add a picture unless it is known; return its offset and length in the file."""
        digest = hashlib.blake2b(png, digest_size=16).digest()
        if digest not in self._known:
            self._known[digest] = self._written + len(self._new_pictures), len(png)
            self._new_pictures += png
        return self._known[digest]

    def flush(self) -> None:
        """Write what was added; raises OSError if that fails."""
        self._written += len(self._new_pictures)
        for file, new in ((self._pictures, self._new_pictures), (self._lines, self._new_lines)):
            file.write(new)
            file.flush()
            new.clear()

    def close(self) -> Path:
        """Close the files, and return their folder.

        Raises:
            TraceError: They cannot be written, or somebody has removed them.
        """
        with _writing(self._folder):
            self._pictures.close()
            self._lines.close()
        if not (self._folder / EVENTS).is_file():
            raise TraceError(f"{self._folder} was removed while it was written")
        return self._folder


class Ring:
    """Keeps the last minute of a run in memory, or less of one with very many lines."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._calibration: Sequence[Path] = ()
        self._lines: deque[tuple[Entry, Sequence[Picture]]] = deque()
        self._before = Canvas(Region(*run.screen))
        """What the screen looked like before the first of them."""

    def describe(self, run: Run, calibration: Sequence[Path]) -> None:
        """Update the description of the run, and note the files of the calibration that it is played with."""
        self._run, self._calibration = run, calibration

    def put(self, entry: Entry, pictures: Sequence[Picture] = ()) -> None:
        """Add a line, and the pictures that belong to it; drop lines that are too old or too many."""
        self._lines.append((entry, pictures))
        while entry.t - self._lines[0][0].t > TAIL_S * 1e6 or len(self._lines) > MAX_LINES:
            self._run.complete = False
            dropped, changes = self._lines.popleft()
            if isinstance(dropped, Shows):
                self._before.keep_only(Region(*dropped.region))
            elif isinstance(dropped, Grab):
                for where, png in changes:
                    region = Region(*where)
                    self._before.paint(region, decode(png, region.width, region.height))

    def flush(self) -> None:
        """Do nothing, as all is kept in memory."""

    def write(self, folder: Path) -> Path:
        """Write what was kept into a new folder, and return that; the oldest traces are removed to make room.

        Raises:
            TraceError: It cannot be written.
        """
        sink = FolderSink(folder, self._run)
        if self._calibration:
            sink.describe(self._run, self._calibration)
        if not self._run.complete:
            screen = self._before.region
            sink.put(Start(t=self._lines[0][0].t), [(box(screen), encode(self._before.part(screen)))])
        missing = set() if self._run.complete else {Grab, Pointer}
        for entry, pictures in self._lines:
            missing.discard(type(entry))
            if not (missing and isinstance(entry, Again)):  # it might repeat a line that has been dropped
                sink.put(entry, pictures)
        with _writing(folder):
            sink.flush()
            prune()
        return sink.close()


def _writing(folder: Path) -> AbstractContextManager[None]:
    """Raise TraceError if something cannot be written to a trace's folder."""
    return refused_as(TraceError, f"the trace cannot be written to {folder}", "choose another folder")


def _write_run(folder: Path, run: Run) -> None:
    """Write or replace the description of a run."""
    replace_file(folder / RUN, msgspec.json.format(msgspec.json.encode(run), indent=2) + b"\n")


def new_folder(command: str) -> Path:
    """Return the path of a new trace folder, named so that folders sort by time."""
    name = f"{datetime.now():%Y%m%d-%H%M%S-%f}-{command}"  # noqa: DTZ005  (local time, for people)
    return traces_folder() / name


def traces_folder() -> Path:
    """Return the folder of the traces that are kept."""
    return platformdirs.user_state_path("sweepbot", appauthor=False) / "traces"


def prune(most_bytes: int = MAX_BYTES) -> None:
    """Remove the oldest traces until the others take up at most `most_bytes`; the newest always stays.

    Raises:
        OSError: One cannot be removed.
    """
    newest_first = sorted(traces_folder().glob(f"*/{RUN}"), reverse=True)
    total = 0
    for number, run in enumerate(newest_first):
        total += sum(file.stat().st_size for file in run.parent.rglob("*") if file.is_file())
        if number and total > most_bytes:
            shutil.rmtree(run.parent)
