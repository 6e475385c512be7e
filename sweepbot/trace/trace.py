"""Reading a trace, even if its run was killed."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import msgspec

from sweepbot.errors import TraceError, refused_as
from sweepbot.geometry import Image, Region
from sweepbot.trace.canvas import Canvas, decode
from sweepbot.trace.entries import Again, Entry, Look, Pointer, Start
from sweepbot.trace.events import Box, Patch, Read, Shows
from sweepbot.trace.run import CALIBRATION, EVENTS, FORMAT, PICTURES, RUN, Run

_LARGEST_SCREEN = 32_768  # pixels: the longest side of a screen that is accepted
_LONGEST_LINE = 10_000_000  # bytes
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
        """Yield its lines, with all that they leave out filled in, and without an unfinished last line.

        Raises:
            TraceError: A line is invalid, or contradicts those before it.
        """
        path = self.folder / EVENTS
        decoder: msgspec.json.Decoder[Entry] = msgspec.json.Decoder(Entry)
        last: dict[str, Look | Pointer] = {}
        xs: tuple[float, ...] = ()
        ys: tuple[float, ...] = ()
        for number, line in enumerate(_lines(path), start=1):
            try:
                entry = decoder.decode(line)
            except msgspec.DecodeError as error:
                raise TraceError(
                    f"{path}: line {number}: {error}", hint="for the format of the lines: sweepbot help trace"
                ) from error
            if isinstance(entry, Again):
                yield from _expand(entry, last, f"{path}: line {number}")
                continue
            if isinstance(entry, Look | Pointer):
                last["l" if isinstance(entry, Look) else "p"] = entry
            elif isinstance(entry, Read):
                xs = entry.xs = entry.xs or xs
                ys = entry.ys = entry.ys or ys
            yield entry


def open_trace(folder: Path) -> Trace:
    """Open the trace in a folder.

    Raises:
        TraceError: There is none, or this version cannot read it.
    """
    path = folder / RUN
    with refused_as(TraceError, f"{path}: cannot be read", "a trace is a folder with run.json and events.jsonl in it"):
        text = path.read_bytes()
    try:
        version = msgspec.json.decode(text, type=_Version)
        if version.format != FORMAT:
            raise TraceError(
                f"{folder}: a trace of format {version.format}, written by sweepbot {version.sweepbot}; this one reads "
                f"format {FORMAT}",
                hint="replay it with the version of sweepbot that wrote it",
            )
        run = msgspec.json.decode(text, type=Run)
    except msgspec.DecodeError as error:
        raise TraceError(f"{path}: {error}", hint="for the format of run.json: sweepbot help trace") from error
    if run.client is not None and not _NAME.fullmatch(run.client):
        raise TraceError(f"{path}: client: {run.client!r} is no name of a client", hint="do not trust this trace")
    if not all(0 < side <= _LARGEST_SCREEN for side in run.screen[2:]):
        raise TraceError(f"{path}: screen: {list(run.screen)} has no valid size", hint="do not trust this trace")
    if not (folder / EVENTS).is_file():
        raise TraceError(f"{folder / EVENTS}: is missing", hint="copy the whole folder of the trace")
    return Trace(folder, run, Region(*run.screen))


def is_trace(path: Path) -> bool:
    """Whether a folder holds a trace, even a broken one."""
    return (path / RUN).is_file() or (path / EVENTS).is_file()


class SeenScreen(Canvas):
    """The screen as it looked at some line of a trace, and the trace's other pictures.

    Raises:
        TraceError: The pictures cannot be read; from its methods, one is missing, damaged or not on the screen.
    """

    def __init__(self, trace: Trace) -> None:
        super().__init__(trace.screen)
        self._path = trace.folder / PICTURES
        with refused_as(TraceError, f"{self._path}: cannot be read", "copy the whole trace"):
            self._data = self._path.read_bytes()

    def show(self, entry: Entry) -> None:
        """Update the screen by the next line of the trace."""
        if isinstance(entry, Shows):
            self.keep_only(self._on_screen(entry.region))
        elif isinstance(entry, Look | Start):
            for patch in entry.patches:
                self.paint(self._on_screen(patch[:4]), self.picture(patch))

    def picture(self, patch: Patch) -> Image:
        """Return a picture of the trace: uint8, (height, width, 3), in BGR order."""
        *_, width, height, offset, length = patch
        if not all(0 < side <= _LARGEST_SCREEN for side in (width, height)):
            raise TraceError(f"a picture of {width}x{height} pixels: no valid size", hint="do not trust this trace")
        if offset < 0 or length < 0 or offset + length > len(self._data):
            raise TraceError(
                f"{self._path}: has {len(self._data)} bytes, and no picture at {offset} to {offset + length}",
                hint="the file is not complete: copy the whole trace",
            )
        try:
            return decode(self._data[offset : offset + length], width, height)
        except TraceError as error:
            raise TraceError(f"{self._path}: at byte {offset}: {error}", hint="the file is damaged") from error

    def _on_screen(self, box: Box) -> Region:
        x, y, width, height = box
        region = Region(x, y, width, height) if width > 0 and height > 0 else None
        if region is None or region.intersection(self.region) != region:
            raise TraceError(
                f"a picture at {list(box)} is not on the screen, which is {self.region}", hint="do not trust this trace"
            )
        return region


def _lines(path: Path) -> Iterator[bytes]:
    """Yield the complete lines of a file, without a last one that a killed process has not finished."""
    with refused_as(TraceError, f"{path}: cannot be read", "copy the whole trace"), path.open("rb") as file:
        while line := file.readline(_LONGEST_LINE):
            if line.endswith(b"\n"):
                yield line
            elif len(line) == _LONGEST_LINE:
                raise TraceError(f"{path}: a line is longer than {_LONGEST_LINE} bytes", hint="this is no trace")


def _expand(again: Again, last: Mapping[str, Look | Pointer], where: str) -> Iterator[Entry]:
    if len(again.after) != len(again.calls) - 1:
        raise TraceError(f"{where}: {len(again.calls)} calls, but {len(again.after)} times after the first")
    t = again.t
    for call, after in zip(again.calls, (0, *again.after), strict=True):
        t += after
        known = last.get(call)
        if known is None:
            raise TraceError(f"{where}: {call!r} repeats nothing, as it has no such call before it")
        yield Look(t=t, region=known.region) if isinstance(known, Look) else Pointer(t=t, at=known.at)
