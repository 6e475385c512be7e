"""A position and its chances as plain text."""

import math

import numpy as np
from numpy.typing import NDArray

from sweepbot.board import CHARACTERS, Board

_WIDTH = 3  # characters a cell


def percent(chance: float) -> str:
    """A chance from 0 to 1 as a whole number of percent, `0` and `100` only where it is certain.

    Chances that would round to either are written `<1` and `>99`.
    """
    rounded = round(100 * chance)
    if 0 < chance < 1 and rounded in (0, 100):
        return "<1" if rounded == 0 else ">99"
    return str(rounded)


def board_text(board: Board, mine_probability: NDArray[np.float64]) -> str:
    """The position with its rows and columns numbered, three characters a cell; no line ends in blanks.

    An open cell shows its number, a 0 nothing. An unopened one shows its chance of a mine, ` ok` or ` !!` where that is
    certain, and its board text where no chance is known.

    Args:
        board: The position.
        mine_probability: Shape (rows, columns), NaN where not known.
    """
    lines = [" " * _WIDTH + "".join(f" {column:^{_WIDTH}}" for column in range(board.columns))]
    for row, (states, chances) in enumerate(zip(board.cells.tolist(), mine_probability.tolist(), strict=True)):
        lines.append(f"{row:>{_WIDTH}} {' '.join(map(_cell_text, states, chances))}")
    return "\n".join(line.rstrip() for line in lines)


def _cell_text(state: int, chance: float) -> str:
    if math.isnan(chance):
        return f"{'' if state == 0 else CHARACTERS[state]:>2}".ljust(_WIDTH)
    if chance == 0:
        return " ok"
    if chance == 1:
        return " !!"
    return f"{percent(chance):>2}%"[:_WIDTH]
