"""A position and its chances as plain text."""

import math

import numpy as np
from numpy.typing import NDArray

from sweepbot.board import CHARACTERS, Board

_WIDTH = 3  # characters a cell


def percent(chance: float) -> str:
    """Return a chance from 0 to 1 as whole percent; if it is not certain, `<1` and `>99` instead of `0` and `100`."""
    rounded = round(100 * chance)
    if 0 < chance < 1 and rounded in (0, 100):
        return "<1" if rounded == 0 else ">99"
    return str(rounded)


def counted(count: int, one: str, several: str = "") -> str:
    """Return a number with its noun: "1 guess", "2 guesses"."""
    return f"{count:,} {one if count == 1 else several or one + 's'}"


def board_text(board: Board, mine_probability: NDArray[np.float64], first: int = 0) -> str:
    """Return the position with numbered rows and columns, three characters a cell; no line ends in blanks.

    An open cell shows its number, a 0 nothing. An unopened one shows its chance of a mine, ` ok` or ` !!` if that is
    certain, or its board text if no chance is known.

    Args:
        board: The position.
        mine_probability: Shape (rows, columns), NaN where not known.
        first: The number of its first column, where it is a part of a position.
    """
    lines = [" " * _WIDTH + "".join(f" {column:^{_WIDTH}}" for column in range(first, first + board.columns))]
    for row, (states, chances) in enumerate(zip(board.cells.tolist(), mine_probability.tolist(), strict=True)):
        lines.append(f"{row:>{_WIDTH}} {' '.join(map(_cell_text, states, chances))}")
    return "\n".join(line.rstrip() for line in lines)


def _cell_text(state: int, chance: float) -> str:
    if math.isnan(chance):
        return f"{'' if state == 0 else CHARACTERS[state]:>2}".ljust(_WIDTH)
    if chance in (0, 1):
        return " !!" if chance else " ok"
    return f"{percent(chance):>2}%"[:_WIDTH]
