"""The journal of a long run, written as it goes, so that it can be interrupted and continued."""

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
    """The first line of a journal: which run it belongs to."""

    method: str
    solver: str
    deals: dict[str, str | int]


class _Entry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Each line after that: one game. The number reveals a missing or repeated line."""

    game: int
    record: Record


_Line = TypeVar("_Line", _Header, _Entry)


def resume(
    journal: Path, deals: Deals, method: str, play: Callable[[Deals], Iterator[Record]]
) -> Generator[Record, None, None]:
    """Yield the records that the journal holds, then play the games that are missing, writing down each one.

    A run that was killed leaves at worst half a line, which is dropped; every game counts once. A journal continues the
    run it was begun for and no other, with the same solver to the letter; the number of games may have grown.

    Args:
        journal: The file, created where there is none.
        deals: What to play, from the first game on.
        method: The solver's method.
        play: Plays a series of games, as `simulate` does.

    Raises:
        UsageError: The journal belongs to another run.
        SweepbotError: It is damaged, cannot be written, or another run is writing to it. It is never overwritten then.
    """
    header = _Header(method, _solver_checksum(), deals.identity())
    with refused_as(SweepbotError, f"{journal}: cannot be written"):
        file = journal.open("a+b", buffering=0)  # what a full disk did not take is not tried again when it is closed
    with file:
        if not try_lock(file):
            raise SweepbotError(
                f"{journal}: another run is writing to it", hint="wait until that has ended, or name another folder"
            )
        done = _read(file, journal, header)[: len(deals)]
        yield from done
        if len(done) < len(deals):
            for game, record in enumerate(play(deals.part(range(len(done), len(deals)))), len(done)):
                _write(file, _Entry(game, record))
                yield record


@cache
def _solver_checksum() -> str:
    """A checksum of the solver's source: it must be the same when a run continues, or the games differ."""
    source = sorted(Path(solver.__file__).parent.rglob("*.py"))
    return sha256(b"".join(file.read_bytes() for file in source)).hexdigest()[:16]


def _read(file: FileIO, journal: Path, header: _Header) -> list[Record]:
    """The records in the file, which afterwards ends with its last whole line and has a header."""
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
                hint="name another file, or delete this one to begin anew",
            )
    records = []
    for number, line in enumerate(lines[1:]):
        entry = _decode(line, _Entry, f"{journal}:{number + 2}")
        if entry.game != number:
            raise SweepbotError(f"{journal}:{number + 2}: game {entry.game} where game {number} should be")
        records.append(entry.record)
    return records


def _decode(line: bytes, kind: type[_Line], place: str) -> _Line:
    try:
        return msgspec.json.decode(line, type=kind)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise SweepbotError(f"{place}: not a line of a simulation's journal: {error}") from error


def _write(file: FileIO, line: _Header | _Entry) -> None:
    """Add a line and flush it to the system, where it survives this process.

    Raises:
        SweepbotError: There is no room for it. What is there already can be continued.
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
            hint="make room, and give the same command again: it goes on from there",
        )
