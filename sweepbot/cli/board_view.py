"""A board and its chances, drawn in the characters of a terminal."""

from rich.text import Text

from sweepbot.board import CHARACTERS, MAY_BE_CLOSED, Board
from sweepbot.geometry import Cell
from sweepbot.render.text import percent
from sweepbot.trace.events import Decided

_STYLES = {
    "0": "bright_black",
    "1": "bright_blue",
    "2": "green",
    "3": "bright_red",
    "4": "magenta",
    "5": "red",
    "6": "cyan",
    "7": "bold",
    "8": "bright_black bold",
    "F": "bold yellow",
    "*": "bold red",
    "X": "bold white on red",
    "W": "bold red",
}
_MAX_CELL_CHARACTERS = 3
"""Characters per cell if there is room: two for the chance in percent, and one between cells."""

_SHADES = " ░▒▓█"
"""Chances if a cell has one or two characters: the darker, the likelier a mine."""


def board_view(board: Board, decision: Decided | None, width: int, height: int) -> Text:
    """Draw the board, with the chance of a mine in each cell that is not open; without a decision, the board as it is.

    Cells are three characters wide, or two or one in a narrow terminal, where chances are shades. If the board is still
    too large for a terminal of this width and height, in characters, the part around the next move is shown.
    """
    best = None if decision is None else decision.best
    safe = frozenset(() if decision is None else decision.safe)
    cell_width = min(_MAX_CELL_CHARACTERS, max(1, width // board.columns))
    rows = _window(board.rows, height, 0 if best is None else best.row)
    columns = _window(board.columns, width // cell_width, 0 if best is None else best.column)
    text = Text(no_wrap=True)
    for row in rows:
        for column in columns:
            chance = None if decision is None else 0.0 if (row, column) in safe else decision.chances[row][column]
            shown, style = _cell(int(board[row, column]), chance, cell_width)
            text.append(shown, "black on bright_yellow" if Cell(row, column) == best else style)
        text.append("\n")
    if len(rows) < board.rows or len(columns) < board.columns:
        text.append(
            f"rows {rows[0]} to {rows[-1]}, columns {columns[0]} to {columns[-1]} of {board.columns}x{board.rows}\n"
        )
    text.right_crop()
    return text


def _window(count: int, room: int, around: int) -> range:
    """Return as many of `count` places as there is room for, with `around` in the middle."""
    room = min(count, max(1, room if room >= count else room - 1))  # a line below says which part is shown
    start = min(max(0, around - room // 2), count - room)
    return range(start, start + room)


def _cell(state: int, chance: float | None, width: int) -> tuple[str, str]:
    """Return the characters of a cell and their style."""
    shown = CHARACTERS[state]
    style = _STYLES.get(shown, "")
    if state == 0:
        shown = "·"
    elif chance == 1 and state in MAY_BE_CLOSED:
        shown, style = "*", _STYLES["*"]
    elif chance is not None and state in MAY_BE_CLOSED:
        shown, style = percent(chance)[-2:], "black on green" if chance == 0 else _shade(chance)
        if width < _MAX_CELL_CHARACTERS:  # the digits of neighbouring cells would run together
            shown = "o" if chance == 0 else _SHADES[1 + min(3, int(4 * chance))]
    return shown.rjust(min(width, 2)).ljust(width), style


def _shade(chance: float) -> str:
    """Return a style that is darker the likelier a mine, so that it needs no colour vision."""
    level = round(230 - 150 * chance)
    return f"{'black' if level > 140 else 'white'} on rgb({level},{level},{min(255, level + 25)})"  # noqa: PLR2004  (half way)
