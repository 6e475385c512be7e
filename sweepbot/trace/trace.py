"""Reading a trace, even if its run was killed."""

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from io import BufferedReader
from pathlib import Path

import msgspec

from sweepbot.errors import ImageError, TraceError, UsageError
from sweepbot.geometry import Image, Region
from sweepbot.strangers import MAX_PICTURE_BYTES, check_size, opened, read_file, read_part
from sweepbot.trace.canvas import Canvas, decode
from sweepbot.trace.checking import LineChecker
from sweepbot.trace.entries import Again, Entry, Grab, Pointer, Scene
from sweepbot.trace.events import Patch, Read, Shows
from sweepbot.trace.run import CALIBRATION, EVENTS, FORMAT, PICTURES, RUN, Run

_MAX_RUN_BYTES = 1_000_000  # of run.json, which has some hundreds
_MAX_LINE_BYTES = 10_000_000  # an expert board with all its chances takes some thousand
_FORMATS = (1, FORMAT)
"""The formats that can be read: in the first, lines had other names."""

_RENAMED = dict(
    pair.split(b"=")
    for pair in b"decision=decided dialog=closing_dialogs doubt=doubted game=ended learned=remembered look=grab "
    b"outcome=changed reading=read restart=restarting retry=unnoticed went_on=follow_up".split()
)
_DO = re.compile(rb'\s*\{\s*"do"\s*:\s*"(\w+)"')
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._ -]*")


class _Version(msgspec.Struct):
    format: int
    sweepbot: str = "another version"


@dataclass(frozen=True, slots=True)
class Trace:
    """A trace in a folder, the description of its run, and the region of the whole screen in pixels."""

    folder: Path
    run: Run
    screen: Region

    @property
    def calibration(self) -> Path | None:
        """The folder with the copy of the calibration; None if the run had none."""
        return self.folder / CALIBRATION if self.run.client is not None else None

    @property
    def is_repeatable(self) -> bool:
        """Whether its run can be run again: the trace has the whole of it, and no person has played it."""
        return self.run.complete and self.run.command != "assist"

    def entries(self) -> Iterator[Entry]:
        """Yield its lines without their numbers. See `numbered`."""
        return (entry for _, entry in self.numbered())

    def numbered(self) -> Iterator[tuple[int, Entry]]:
        """Yield its lines, with all that they leave out filled in, and without an unfinished last line.

        Each comes with its number in the file; a line may stand for several.

        Raises:
            TraceError: A line is invalid, or contradicts those before it.
        """
        path, checker = self.folder / EVENTS, LineChecker(self.screen)
        decoder: msgspec.json.Decoder[Entry] = msgspec.json.Decoder(Entry)
        last: dict[str, Grab | Pointer] = {}
        xs: tuple[float, ...] = ()
        ys: tuple[float, ...] = ()
        for number, line in enumerate(_lines(path), start=1):
            try:
                entry = decoder.decode(line if self.run.format == FORMAT else _renamed(line))
                checker.check(entry)
            except (msgspec.DecodeError, RecursionError, ValueError, UsageError) as error:
                raise TraceError(
                    f"{path}: line {number}: {error}", hint="for the format of the lines: sweepbot help trace"
                ) from error
            if isinstance(entry, Again):
                yield from ((number, call) for call in _expand(entry, last, f"{path}: line {number}"))
                continue
            if isinstance(entry, Grab | Pointer):
                last["g" if isinstance(entry, Grab) else "p"] = entry
            elif isinstance(entry, Read):
                xs = entry.xs = entry.xs or xs
                ys = entry.ys = entry.ys or ys
            yield number, entry


def open_trace(folder: Path) -> Trace:
    """Open the trace in a folder.

    Raises:
        TraceError: There is none, or this version cannot read it.
    """
    path = folder / RUN
    what = "a trace is a folder with run.json and events.jsonl in it"
    text = read_file(path, _MAX_RUN_BYTES, TraceError, what, is_within=True)
    try:
        version = msgspec.json.decode(text, type=_Version)
        if version.format not in _FORMATS:
            raise TraceError(
                f"{folder}: a trace of format {version.format}, written by sweepbot {version.sweepbot}; this one reads "
                f"format {FORMAT}",
                hint="replay it with the version of sweepbot that wrote it",
            )
        run = msgspec.json.decode(text, type=Run)
        _check_run(run)
    except (msgspec.DecodeError, RecursionError, ValueError, OverflowError) as error:
        raise TraceError(f"{path}: {error}", hint="for the format of run.json: sweepbot help trace") from error
    check_size(*run.screen[2:], f"{path}: screen", TraceError)
    if not (folder / EVENTS).is_file():
        raise TraceError(f"{folder / EVENTS}: is missing", hint="copy the whole folder of the trace")
    if (folder / CALIBRATION).is_symlink():
        raise TraceError(f"{folder / CALIBRATION}: is a link", hint="put the calibration itself there")
    return Trace(folder, run, Region(*run.screen))


def _check_run(run: Run) -> None:
    """Check what the types do not say; raises ValueError or OverflowError."""
    if datetime.fromisoformat(run.started).timestamp() < 0:
        raise ValueError(f"started: {run.started!r} is too early")
    if run.client is not None and not _NAME.fullmatch(run.client):
        raise ValueError(f"client: {run.client!r} is no name of a client")


def is_trace(path: Path) -> bool:
    """Whether a folder holds a trace, even a broken one."""
    return (path / RUN).is_file() or (path / EVENTS).is_file()


class SeenScreen(Canvas):
    """The screen as it looked at some line of a trace, and the trace's other pictures.

    Raises:
        TraceError: The pictures cannot be read; from its methods, one is missing or damaged.
    """

    def __init__(self, trace: Trace) -> None:
        super().__init__(trace.screen)
        self.lines = trace.folder / EVENTS
        """The file that says what is shown, for errors."""
        self._path = trace.folder / PICTURES
        with opened(self._path, TraceError, "copy the whole trace", is_within=True) as file:
            self._bytes = file.seek(0, os.SEEK_END)

    def show(self, entry: Entry) -> None:
        """Update the screen by the next line of the trace."""
        if isinstance(entry, Shows):
            self.keep_only(Region(*entry.region))
        elif isinstance(entry, Grab | Scene):
            for patch in entry.patches:
                self.paint(Region(*patch[:4]), self.picture(patch))

    def picture(self, patch: Patch) -> Image:
        """Return a picture of the trace: uint8, (height, width, 3), in BGR order."""
        *_, width, height, offset, length = patch
        if offset < 0 or not 0 < length <= MAX_PICTURE_BYTES or offset + length > self._bytes:
            raise TraceError(
                f"{self._path}: has {self._bytes} bytes, and no picture at {offset} to {offset + length}",
                hint="the file is not complete: copy the whole trace",
            )
        png = read_part(self._path, offset, length, TraceError, "copy the whole trace")
        try:
            return decode(png, width, height)
        except ImageError as error:
            raise TraceError(f"{self._path}: at byte {offset}: {error}", hint="the file is damaged") from error


def _lines(path: Path) -> Iterator[bytes]:
    """Yield the complete lines of a file, without a last one that a killed process has not finished."""
    with BufferedReader(opened(path, TraceError, "copy the whole trace", is_within=True)) as file:
        while line := file.readline(_MAX_LINE_BYTES):
            if line.endswith(b"\n"):
                yield line
            elif len(line) == _MAX_LINE_BYTES:
                raise TraceError(f"{path}: a line is longer than {_MAX_LINE_BYTES} bytes", hint="this is no trace")


def _renamed(line: bytes) -> bytes:
    """Give a line of the first format, in which looks were what grabs are, the name that it has now."""
    found = _DO.match(line)
    if found is None:
        return line
    return b'{"do":"%b"%b' % (_RENAMED.get(found[1], found[1]), line[found.end() :])


def _expand(again: Again, last: Mapping[str, Grab | Pointer], where: str) -> Iterator[Entry]:
    t = again.t
    for call, after in zip(again.calls.replace("l", "g"), (0, *again.after), strict=True):
        t += after
        known = last.get(call)
        if known is None:
            raise TraceError(f"{where}: {call!r} repeats nothing, as it has no such call before it")
        yield Grab(t=t, region=known.region) if isinstance(known, Grab) else Pointer(t=t, at=known.at)
