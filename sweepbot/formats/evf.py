"""A run's games as replay files for Metasweeper: `.evf`, version 4.

The format is described at https://github.com/eee555/ms_toollib. The package ms-toollib reads the files, but writes only
games as they are played: it takes the time of each press from the clock.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from importlib.metadata import version
from itertools import pairwise
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sweepbot.behaviour import Behaviour
from sweepbot.board import Board, State
from sweepbot.errors import SweepbotError, refused_as
from sweepbot.geometry import Cell, Point
from sweepbot.replacing import replace_file
from sweepbot.solver.measures import measure, shown_mines
from sweepbot.trace.entries import Click
from sweepbot.trace.events import Decided, Ended, FollowUp, Moved, Read
from sweepbot.trace.trace import Trace
from sweepbot.vision.grid import Grid

_VERSION = 4  # of the format
_COMPLETED, _NO_FLAGS = 0x80, 0x10  # bits of the summary; "official" and "fair" are for human players only
_NO_RULE = 65535  # how the client deals boards is unknown
_MAX_LINES = 255  # rows or columns: their number is a byte
_SIDE_PX = 16  # of a cell in the file
_PRESS_RELEASE = {"open": (2, 3), "mark": (4, 5), "chord": (6, 7)}
_PAUSE, _END = 255, 0  # what begins a pause, and the end, instead of an event's number
_MAX_STEP_MS, _MAX_PAUSE_MS = 255, 65535  # a byte, and two

_Kind = Literal["open", "mark", "chord"]


@dataclass(frozen=True, slots=True)
class _Press:
    at_us: int
    cell: Cell
    kind: _Kind


@dataclass(frozen=True, slots=True, eq=False)
class _Film:
    number: int
    is_won: bool
    mine: NDArray[np.bool_]
    presses: Sequence[_Press]


def write_evf(trace: Trace, behaviour: Behaviour, folder: Path) -> None:
    """Write each whole game of a run, from its first click until all mines are shown, as `game-NUMBER.evf`.

    `behaviour` is that of the client, which says what each button does.

    Raises:
        SweepbotError: There is no such game, or it cannot be written.
        TraceError: The trace is broken.
    """
    started = datetime.fromisoformat(trace.run.started)
    films = list(_films(trace, behaviour))
    if not films:
        raise SweepbotError(
            f"{trace.folder}: has no whole game, from its first click until all its mines were shown",
            hint="record whole games: sweepbot play --trace DIR",
        )
    for film in films:
        if max(film.mine.shape) > _MAX_LINES:
            raise SweepbotError(f"{trace.folder}: a board of more than {_MAX_LINES} rows or columns", hint="leave it")
        file = folder / f"game-{film.number}.evf"
        with refused_as(SweepbotError, f"{file}: cannot be written", "choose a folder that you can write to"):
            folder.mkdir(parents=True, exist_ok=True)
            replace_file(file, _encode(film, round(started.timestamp() * 1e6)))


def _films(trace: Trace, behaviour: Behaviour) -> Iterator[_Film]:
    """Yield the games of a run that started from an untouched board and ended with all mines shown."""
    board: Board | None = None
    grid: Grid | None = None
    presses: list[_Press] | None = None
    has_started = False
    for entry in trace.entries():
        if isinstance(entry, Read | Moved):
            grid = Grid(entry.xs, entry.ys)
        if isinstance(entry, Read | FollowUp):
            board = Board.parse(entry.rows, entry.mines if isinstance(entry, Read) else None)
        elif isinstance(entry, Decided) and board is not None and not has_started:
            has_started = True
            presses = [] if (board.cells == State.HIDDEN).all() else None
        elif isinstance(entry, Click) and board is not None and grid is not None and presses is not None:
            cell = grid.cell_at(Point(*entry.at))
            if cell is not None and entry.failed is None:
                presses.append(_Press(entry.t, cell, _kind(entry, board, cell, behaviour)))
        elif isinstance(entry, Ended) and board is not None:
            last = Board.parse(entry.board) if entry.board else board
            mine = shown_mines(Board(last.cells, board.mines if entry.total is None else entry.total))
            if presses and mine is not None:
                yield _Film(entry.number, entry.result == "won", mine, presses)
            presses, has_started = None, False


def _kind(click: Click, board: Board, cell: Cell, behaviour: Behaviour) -> _Kind:
    if board[cell] < State.HIDDEN and click.button == behaviour.chord_button:
        return "chord"
    return "mark" if click.button == behaviour.flag_button else "open"


def _encode(film: _Film, started_us: int) -> bytes:
    """Return the bytes of a file, given the start of the run in microseconds since 1970."""
    presses = film.presses
    first_us, last_us = presses[0].at_us, presses[-1].at_us
    marks = any(press.kind == "mark" for press in presses)
    rows, columns = film.mine.shape
    by = f"sweepbot {version('sweepbot')}".encode()
    return b"".join(
        (
            bytes((_VERSION, _COMPLETED * film.is_won | _NO_FLAGS * (not marks), 0, rows, columns)),
            int(film.mine.sum()).to_bytes(2),
            bytes((_SIDE_PX,)),
            _NO_RULE.to_bytes(2),
            measure(film.mine).three_bv.to_bytes(2),
            _ms(last_us - first_us).to_bytes(4),
            b"XX",  # no country
            *((started_us + us).to_bytes(8) for us in (first_us, last_us)),
            by + b"\0" * 4,  # no player, contest or mark
            (0).to_bytes(2),  # no device
            np.packbits(film.mine).tobytes(),
            (0).to_bytes(2),  # no custom statistics
            *_events(presses),
            bytes((_END,)),
            (0).to_bytes(2),  # no checksum
        )
    )


def _events(presses: Sequence[_Press]) -> Iterator[bytes]:
    """Yield each press and its release: code, milliseconds since the last event, pixels across and down from there."""
    origin = _Press(presses[0].at_us, Cell(0, 0), "open")
    at_px = (0, 0)
    for before, press in pairwise((origin, *presses)):
        wait_ms = _ms(press.at_us - presses[0].at_us) - _ms(before.at_us - presses[0].at_us)
        while wait_ms > _MAX_STEP_MS:
            pause_ms = min(wait_ms, _MAX_PAUSE_MS)
            yield bytes((_PAUSE,)) + pause_ms.to_bytes(2)
            wait_ms -= pause_ms
        to_px = (press.cell.column * _SIDE_PX + _SIDE_PX // 2, press.cell.row * _SIDE_PX + _SIDE_PX // 2)
        pressed, released = _PRESS_RELEASE[press.kind]
        moved = b"".join((to - at).to_bytes(2, signed=True) for to, at in zip(to_px, at_px, strict=True))
        yield bytes((pressed, wait_ms)) + moved
        yield bytes((released, 0)) + bytes(4)
        at_px = to_px


def _ms(us: int) -> int:
    return us // 1000
