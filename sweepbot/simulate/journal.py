"""The journal of a long run, written as it goes, so that the run can be interrupted and resumed."""

import errno
import os
from collections.abc import Callable, Generator, Iterator
from functools import cache
from hashlib import sha256
from io import FileIO
from pathlib import Path
from typing import TypeVar

import msgspec

from sweepbot import solver
from sweepbot.errors import SweepbotError, UsageError, refused_as
from sweepbot.file_lock import try_lock
from sweepbot.simulate.deals import Deals
from sweepbot.simulate.match import Record


class _Header(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The first line of a journal, which identifies its run."""

    method: str
    solver: str
    deals: dict[str, str | int]


class _Entry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Each further line: one game. Its number reveals missing or repeated lines."""

    game: int
    record: Record


_Line = TypeVar("_Line", _Header, _Entry)


def resume(
    journal: Path, deals: Deals, method: str, play: Callable[[Deals], Iterator[Record]]
) -> Generator[Record, None, None]:
    """Yield the records in the journal, then play the missing games and add each of them.

    A run that was killed leaves at worst half a line, which is dropped; every game counts once. A journal only resumes
    the run that it was started for, with exactly the same solver; the number of games may grow.

    Args:
        journal: The file, created if needed.
        deals: All games of the run.
        method: The solver's method.
        play: Plays a series of games, as `simulate` does.

    Raises:
        UsageError: The journal belongs to another run.
        SweepbotError: It is damaged, cannot be written, or another run is writing to it. It is left as it is.
    """
    header = _Header(method, _solver_checksum(), deals.identity())
    with refused_as(SweepbotError, f"{journal}: cannot be written"):
        file = journal.open("a+b", buffering=0)  # or closing it would try again to write what a full disk refused
    with file:
        if not try_lock(file):
            raise SweepbotError(
                f"{journal}: another run is writing to it", hint="wait until it has ended, or give another folder"
            )
        done = _read(file, journal, header)[: len(deals)]
        yield from done
        if len(done) < len(deals):
            for game, record in enumerate(play(deals.part(range(len(done), len(deals)))), len(done)):
                _write(file, _Entry(game, record))
                yield record


@cache
def _solver_checksum() -> str:
    """Return a checksum of the solver's source, which must not change within a run."""
    source = sorted(Path(solver.__file__).parent.rglob("*.py"))
    return sha256(b"".join(file.read_bytes() for file in source)).hexdigest()[:16]


def _read(file: FileIO, journal: Path, header: _Header) -> list[Record]:
    """Return the records in the file; drop half a line at its end, and write the header if it is empty."""
    file.seek(0)
    lines = file.read().split(b"\n")
    torn = len(lines.pop())
    if torn:
        file.truncate(file.tell() - torn)
    if not lines:
        _write(file, header)
        return []
    found = _decode(lines[0], _Header, f"{journal}:1")
    for name in _Header.__struct_fields__:
        was, now = getattr(found, name), getattr(header, name)
        if was != now:
            raise UsageError(
                f"{journal}: belongs to a run with {name} {was}, not {now}",
                hint="give another folder, or delete this file to start over",
            )
    records = []
    for number, line in enumerate(lines[1:]):
        entry = _decode(line, _Entry, f"{journal}:{number + 2}")
        if entry.game != number:
            raise SweepbotError(f"{journal}:{number + 2}: game {entry.game} instead of game {number}")
        records.append(entry.record)
    return records


def _decode(line: bytes, kind: type[_Line], place: str) -> _Line:
    try:
        return msgspec.json.decode(line, type=kind)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise SweepbotError(f"{place}: not a line of a simulation's journal: {error}") from error


def _write(file: FileIO, line: _Header | _Entry) -> None:
    """Add a line and hand it to the system, so that it survives this process.

    Raises:
        SweepbotError: It cannot be written. The run can still be resumed.
    """
    text = msgspec.json.encode(line) + b"\n"
    try:
        is_whole = file.write(text) == len(text)
        why = "" if is_whole else os.strerror(errno.ENOSPC)
    except OSError as error:
        why = error.strerror or str(error)
    if why:
        raise SweepbotError(
            f"{file.name}: cannot be written: {why}",
            hint="free some space and give the same command again: the run will be resumed",
        )
