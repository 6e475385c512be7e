"""What can be seen of a board: cell states, neighbours, text notation, and what is wrong with a position."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum, IntEnum
from functools import lru_cache
from typing import Self

import numpy as np
from numpy.typing import NDArray

from sweepbot.errors import BoardTextError, UsageError
from sweepbot.geometry import MAX_CELLS, Cell

CHARACTERS = "012345678#F?*XW."
"""Board text, indexed by `State`."""

_CODES = {character: code for code, character in enumerate(CHARACTERS)} | {"-": 9, "+": 12}


class State(IntEnum):
    """What a cell shows. Open cells are their numbers, 0 to 8."""

    HIDDEN = 9
    FLAG = 10
    QUESTION = 11
    MINE = 12
    EXPLODED = 13
    WRONG_FLAG = 14
    UNKNOWN = 15
    """Not readable: covered, or unlike any known state."""


CLOSED = (State.HIDDEN, State.FLAG, State.QUESTION)
"""The states of a cell that can be read and is not open."""

MAY_BE_CLOSED = (*CLOSED, State.UNKNOWN)
"""The states of a cell that neither is seen open nor shows a mine."""


class Phase(Enum):
    """How far a game has come, judging by its board."""

    FRESH = "fresh"
    PLAYING = "playing"
    WON = "won"
    LOST = "lost"


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong with a position, in words; `cell` is None if it concerns the whole board."""

    cell: Cell | None
    text: str


@dataclass(frozen=True, slots=True, eq=False)
class Board:
    """A position as a player sees it.

    Attributes:
        cells: uint8 array of shape (rows, columns), read-only; 0 to 8 for open cells, else a `State`.
        mines: How many mines the whole board has, shown ones included; None if unknown.
    """

    cells: NDArray[np.uint8]
    mines: int | None = None

    def __post_init__(self) -> None:
        cells = np.ascontiguousarray(self.cells, dtype=np.uint8)
        if cells is self.cells and cells.flags.writeable:
            cells = cells.copy()
        cells.setflags(write=False)
        object.__setattr__(self, "cells", cells)
        if self.mines is not None and not 0 <= self.mines <= cells.size:
            raise UsageError(
                f"{self.mines} mines do not fit on a board of {self.columns}x{self.rows} cells",
                hint=f"give a number from 0 to {cells.size}",
            )

    @classmethod
    def parse(cls, text: str | Sequence[str], mines: int | None = None) -> Self:
        """Parse board text, or its lines: one character per cell, one line per row; blank lines and spaces are skipped.

        Raises:
            BoardTextError: There is no row, a row is longer or shorter than the first, or a character is unknown.
            UsageError: `mines` do not fit on the board.
        """
        text = text.splitlines() if isinstance(text, str) else text
        lines = ["".join(line.split()) for line in text if line.strip()]
        if not lines:
            raise BoardTextError("the board text has no rows")
        width = len(lines[0])
        if width * len(lines) > MAX_CELLS:
            raise BoardTextError(f"{width}x{len(lines)} cells are more than the {MAX_CELLS:,} of the largest board")
        cells = np.empty((len(lines), width), dtype=np.uint8)
        for row, line in enumerate(lines):
            for column, character in enumerate(line):
                if character not in _CODES:
                    raise BoardTextError(
                        f"row {row}, column {column}: {character!r} is not board text",
                        row=row,
                        column=column,
                        character=character,
                    )
            if len(line) != width:
                raise BoardTextError(f"row {row} has {len(line)} cells, the first row has {width}: {line!r}", row=row)
            cells[row] = [_CODES[character] for character in line]
        return cls(cells, mines)

    @classmethod
    def hidden(cls, rows: int, columns: int, mines: int | None = None) -> Self:
        """Return a board on which nothing is open yet."""
        return cls(np.full((rows, columns), State.HIDDEN, dtype=np.uint8), mines)

    @property
    def rows(self) -> int:
        """The number of rows."""
        return int(self.cells.shape[0])

    @property
    def columns(self) -> int:
        """The number of columns."""
        return int(self.cells.shape[1])

    def lines(self) -> list[str]:
        """Return the board text, a string per row."""
        return ["".join(CHARACTERS[code] for code in row) for row in self.cells.tolist()]

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def _repr_html_(self) -> str:
        """Return the position as an HTML table, for notebooks."""
        rows = "".join(f"<tr>{''.join(map(_html_cell, row))}</tr>" for row in self.cells.tolist())
        mines = "" if self.mines is None else f"<caption>{self.columns}x{self.rows}, {self.mines} mines</caption>"
        return f'<table style="border-collapse:collapse;font:bold 13px monospace">{mines}{rows}</table>'

    def __getitem__(self, cell: tuple[int, int]) -> int:
        return int(self.cells[cell])

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Board):
            return NotImplemented
        return self.mines == other.mines and np.array_equal(self.cells, other.cells)

    def __hash__(self) -> int:
        return hash((self.cells.shape, self.cells.tobytes(), self.mines))

    def __iter__(self) -> Iterator[Cell]:
        return (Cell(row, column) for row in range(self.rows) for column in range(self.columns))

    def neighbours(self, cell: Cell) -> tuple[Cell, ...]:
        """Return the cells around `cell`, in reading order."""
        return neighbours(self.rows, self.columns)[cell]

    def where(self, *states: int) -> list[Cell]:
        """Return the cells that show one of `states`, in reading order."""
        return cells_in(shows(self.cells, *states))

    def count(self, *states: int) -> int:
        """Count the cells that show one of `states`."""
        return int(np.count_nonzero(shows(self.cells, *states)))

    def phase(self, *, flags_to_win: bool = False) -> Phase:
        """Judge by the cells alone how far the game has come.

        A client may also show the mines of a won game; if every other cell is open, it was not lost.

        Args:
            flags_to_win: Whether the client only counts a game as won once every mine is flagged.
        """
        shown = self.count(State.MINE)
        unopened = self.count(State.HIDDEN, State.QUESTION, State.UNKNOWN) + shown
        are_mines = self.mines is not None and unopened + self.count(State.FLAG) == self.mines
        # A number of mines that is only usual for this size may be too large: then some number has too many around it.
        only_mines_left = are_mines and not (around(self.cells >= State.HIDDEN) > self.cells).any()
        if self.count(State.EXPLODED, State.WRONG_FLAG) or (shown and not only_mines_left):
            return Phase.LOST
        if not (self.cells <= 8).any():  # noqa: PLR2004  (8 is the largest number)
            return Phase.FRESH
        if not unopened or shown or (only_mines_left and not flags_to_win):
            return Phase.WON
        return Phase.PLAYING

    def problems(self) -> list[Problem]:
        """Return everything in this position that the rules of the game forbid, in reading order.

        An unreadable cell is no problem: it may be hidden, flagged or open.
        """
        room = around(shows(self.cells, *_MAY_BE_MINE))
        shown = around(shows(self.cells, *_SHOWN_MINES))
        is_open = self.cells < State.HIDDEN
        is_too_large, is_exceeded = is_open & (room < self.cells), is_open & (shown > self.cells)
        is_hole = (self.cells == 0) & (around(self.cells == State.HIDDEN) > 0)
        problems: list[Problem] = []
        for cell in cells_in(is_too_large | is_exceeded | is_hole):
            if is_too_large[cell]:
                text = f"shows {self[cell]}, but only {room[cell]} neighbours can hold a mine"
            elif is_exceeded[cell]:
                text = f"shows {self[cell]}, but {shown[cell]} mines are around it"
            else:
                text = "shows 0 beside a hidden cell"
            problems.append(Problem(cell, f"{cell}: {text}"))
        marked = self.count(State.FLAG, State.MINE, State.EXPLODED)
        if self.mines is not None and self.phase() is not Phase.LOST:
            if marked > self.mines:
                problems.append(Problem(None, f"{marked} flags, but the board has {self.mines} mines"))
            cells_left = marked + self.count(State.HIDDEN, State.QUESTION, State.UNKNOWN)
            if cells_left < self.mines:
                problems.append(Problem(None, f"{self.mines} mines, but only {cells_left} cells are left for them"))
        return problems


_HTML_COLOURS = {1: "#0000f0", 2: "#007b00", 3: "#d00000", 4: "#00007b", 5: "#7b0000", 6: "#007b7b"}
_HTML_SIGNS: dict[int, str] = {
    State.FLAG: "\u2691",
    State.MINE: "\u25cf",
    State.EXPLODED: "\u25cf",
    State.WRONG_FLAG: "\u2717",
}


def _html_cell(state: int) -> str:
    """Return a cell of an HTML table, readable on light and dark pages."""
    sign = "" if state in (0, State.HIDDEN) else _HTML_SIGNS.get(state, CHARACTERS[state])
    ground = "#ff8080" if state == State.EXPLODED else "#e8e8e8" if state < State.HIDDEN else "#b0b0b0"
    style = f"width:20px;height:20px;padding:0;text-align:center;border:1px solid #909090;background:{ground}"
    return f'<td style="{style};color:{_HTML_COLOURS.get(state, "#000000")}">{sign}</td>'


_SHOWN_MINES = (State.MINE, State.EXPLODED)
_MAY_BE_MINE = (*MAY_BE_CLOSED, *_SHOWN_MINES)


def are_numbers(states: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Return which cells show a number other than 0."""
    return np.asarray((states > 0) & (states < State.HIDDEN))


def shows(cells: NDArray[np.uint8], *states: int) -> NDArray[np.bool_]:
    """Return whether each cell shows one of `states`: bool of the shape of `cells`."""
    found: NDArray[np.bool_] = _table(states)[cells]
    return found


@lru_cache(maxsize=64)
def _table(states: tuple[int, ...]) -> NDArray[np.bool_]:
    """Return a lookup table of which values are in `states`: ten times as fast as `np.isin`."""
    return np.isin(np.arange(256), states)


def cells_in(mask: NDArray[np.bool_]) -> list[Cell]:
    """Return the cells that are True in a mask of shape (rows, columns), in reading order."""
    columns = mask.shape[1]
    return [Cell(*divmod(flat, columns)) for flat in np.flatnonzero(mask).tolist()]  # in half the time of `np.argwhere`


def around(cells: NDArray[np.bool_]) -> NDArray[np.uint8]:
    """Count for each cell how many of its neighbours are True in `cells`; both of shape (rows, columns)."""
    rows, columns = cells.shape
    padded = np.zeros((rows + 2, columns + 2), dtype=np.uint8)
    padded[1:-1, 1:-1] = cells
    sideways = padded[:, :-2] + padded[:, 1:-1] + padded[:, 2:]
    counts: NDArray[np.uint8] = sideways[:-2] + sideways[1:-1] + sideways[2:] - padded[1:-1, 1:-1]
    return counts


@lru_cache(maxsize=64)
def neighbours(rows: int, columns: int) -> dict[Cell, tuple[Cell, ...]]:
    """Return, for each cell of a board of this size, the cells around it in reading order."""
    return {
        Cell(row, column): tuple(
            Cell(r, c)
            for r in range(max(row - 1, 0), min(row + 2, rows))
            for c in range(max(column - 1, 0), min(column + 2, columns))
            if (r, c) != (row, column)
        )
        for row in range(rows)
        for column in range(columns)
    }


_MAX_NAMED_CELLS = 3  # unreadable cells that are named one by one
_MOSTLY_SHARE = 0.75  # of the unreadable cells, which counts as most of them
_SOMEWHERE_SHARE = 0.5  # of the rows or columns, the most that is worth naming as their place


def unread(board: Board, cells: Sequence[Cell] | None = None) -> str:
    """Say which cells of a position cannot be read: a few one by one, more by their number; empty if there are none.

    Args:
        board: The position.
        cells: The unreadable cells, by default all that are `.`.
    """
    cells = board.where(State.UNKNOWN) if cells is None else cells
    if len(cells) <= _MAX_NAMED_CELLS:
        return "; ".join(f"{cell}: not readable" for cell in cells)
    return f"{len(cells)} of {board.cells.size} cells cannot be read{_whereabouts(board, cells)}"


def _whereabouts(board: Board, cells: Sequence[Cell]) -> str:
    """Say in which few rows or columns most of the cells are; empty if they are all over the board."""
    by_row = _narrowest([cell.row for cell in cells]), board.rows, "rows"
    by_column = _narrowest([cell.column for cell in cells]), board.columns, "columns"
    (first, last), count, lines = min(by_row, by_column, key=lambda by: (by[0][1] - by[0][0] + 1) / by[1])
    if last - first + 1 > _SOMEWHERE_SHARE * count:
        return ""
    return f", most in {lines} {first} to {last}" if last > first else f", most in {lines.removesuffix('s')} {first}"


def _narrowest(lines: list[int]) -> tuple[int, int]:
    """Return the ends of the narrowest range that contains most of the lines."""
    lines = sorted(lines)
    most = math.ceil(_MOSTLY_SHARE * len(lines))
    return min(((lines[at], lines[at + most - 1]) for at in range(len(lines) - most + 1)), key=lambda it: it[1] - it[0])
