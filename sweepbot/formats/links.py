"""Positions as links of JSMinesweeper.

JSMinesweeper (github.com/DavidNHill/JSMinesweeper, `Board.js`) writes a position as columns and rows in two digits
each, mines in four digits, all of base 62, and then runs of equal cells: the length of a run is written in digits that
only this kind of cell uses.
"""

from itertools import groupby
from urllib.parse import parse_qs, urlsplit

import numpy as np

from sweepbot.board import Board, State, around
from sweepbot.errors import UsageError
from sweepbot.geometry import MAX_CELLS, Cell

ANALYSIS = "https://davidnhill.github.io/JSMinesweeper/index.html?analysis="
"""A link without the position."""

_DIGITS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
_KINDS = dict(zip("012345678IHFO", (10, 7, 5, 5, 4, 3, 3, 1, 1, 4, 10, 8, 1), strict=True))
"""How many digits each kind of cell has for its runs; if only one, a run is that digit repeated.

`H` is hidden, `F` a flag and `I` a known mine without one: both are subtracted from the numbers around them. `O` is a
flag that is not subtracted; it is read but not written, as JSMinesweeper loses it if it is the first cell.
"""

_FLAGS = ("F", "O")
_SUBTRACTED = ("F", "I")
_MAX_NUMBER = 8  # that an open cell shows


_STARTS = np.cumsum([0, *_KINDS.values()])
_RUNS = {kind: _DIGITS[at : at + base] for (kind, base), at in zip(_KINDS.items(), _STARTS, strict=False)}
"""The digits of each kind of cell."""

_KIND_OF = {digit: kind for kind, digits in _RUNS.items() for digit in digits}


def to_link(board: Board) -> str:
    """Return the link that opens a position in JSMinesweeper; a flag that contradicts a number becomes hidden.

    Raises:
        UsageError: The total of mines is unknown, or a cell is unreadable or a wrong flag.
    """
    strange = next(iter(board.where(State.UNKNOWN, State.WRONG_FLAG)), None)
    if strange is not None:
        raise UsageError(f"{strange}: a link cannot show such a cell", hint="only hidden cells, marks, mines, numbers")
    if board.mines is None:
        raise UsageError("a link needs the total of mines", hint="give it: --mines N")
    cells = np.where(board.cells < State.HIDDEN, board.cells, ord("H") - ord("0")).astype(np.int64)
    for flag in board.where(State.FLAG, State.MINE, State.EXPLODED):
        numbers = [cell for cell in board.neighbours(flag) if board[cell] < State.HIDDEN]
        if all(cells[cell] > 0 for cell in numbers):
            cells[flag] = ord("F") - ord("0")
            for cell in numbers:
                cells[cell] -= 1
    text = "".join(chr(ord("0") + cell) for cell in cells.reshape(-1).tolist())
    size = _number(board.columns, 2) + _number(board.rows, 2) + _number(board.mines, 4)
    return ANALYSIS + size + "".join(_run(kind, len(list(cells))) for kind, cells in groupby(text))


def is_link(text: str) -> bool:
    """Whether a text is a link with a position."""
    return text.lstrip().startswith("http") and "analysis=" in text


def from_link(link: str) -> Board:
    """Return the position in a link.

    Raises:
        UsageError: There is none.
    """
    data = parse_qs(urlsplit(link.strip()).query).get("analysis", [""])[0]
    if strange := [digit for digit in data if digit not in _DIGITS]:
        raise UsageError(
            f"{strange[0]!r} has no meaning in a link: copy the whole address",
            hint="it ends in ?analysis= and many letters",
        )
    columns, rows, mines = (_value(data[start:end]) for start, end in ((0, 2), (2, 4), (4, 8)))
    runs = [(kind, "".join(digits)) for kind, digits in groupby(data[8:], _KIND_OF.__getitem__)]
    counts = [len(run) if _KINDS[kind] == 1 else _value(run, _RUNS[kind]) for kind, run in runs]
    if not runs or sum(counts) != columns * rows:  # checked first, as the counts may not fit into memory
        raise UsageError(
            f"the link has {columns}x{rows} cells, but not what they show: copy the whole address",
            hint="it ends in ?analysis= and many letters",
        )
    if columns * rows > MAX_CELLS:
        raise UsageError(f"the link has {columns}x{rows} cells", hint=f"{MAX_CELLS:,} are the most that are read")
    kinds = np.repeat([kind for kind, _ in runs], counts).reshape(rows, columns)
    is_open = np.char.isdigit(kinds)
    cells = np.full((rows, columns), State.HIDDEN, np.uint8)
    cells[np.isin(kinds, _FLAGS)] = State.FLAG
    subtracted = around(np.isin(kinds, _SUBTRACTED))
    cells[is_open] = numbers = kinds[is_open].astype(np.uint8) + subtracted[is_open]
    if (numbers > _MAX_NUMBER).any():
        cell = Cell(*np.argwhere(is_open)[int(np.argmax(numbers))].tolist())
        raise UsageError(
            f"the link shows {kinds[cell]} beside {subtracted[cell]} known mines at {cell}: no cell has {cells[cell]}",
            hint="copy the whole address",
        )
    return Board(cells, mines)


def _number(value: int, places: int, digits: str = _DIGITS) -> str:
    """Write a number in `digits`, with at least so many places."""
    written = ""
    while value or len(written) < places:
        value, digit = divmod(value, len(digits))
        written = digits[digit] + written
    return written


def _value(text: str, digits: str = _DIGITS) -> int:
    """Read a number written in `digits`."""
    value = 0
    for digit in text:
        value = value * len(digits) + digits.index(digit)
    return value


def _run(kind: str, length: int) -> str:
    """Write a run of cells of one kind."""
    digits = _RUNS[kind]
    return digits * length if len(digits) == 1 else _number(length, 1, digits)
