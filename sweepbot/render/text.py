"""A position and its chances as plain text."""

import math

import numpy as np
from numpy.typing import NDArray

from sweepbot.board import CHARACTERS, Board

WIDTH = 3
"""Characters that each of `cell_texts` has."""

SAFE, MINE = " ok", " !!"
"""What stands for a cell that is certainly safe, and for one that is certainly a mine."""


def percent(chance: float) -> str:
    """A chance from 0 to 1 as a whole number of percent, `0` and `100` only where it is certain.

    Chances that would round to either are written `<1` and `>99`.
    """
    rounded = round(100 * chance)
    if 0 < chance < 1 and rounded in (0, 100):
        return "<1" if rounded == 0 else ">99"
    return str(rounded)


def cell_texts(board: Board, mine_probability: NDArray[np.float64] | None = None) -> list[list[str]]:
    """What each cell has to say in three characters, a list a row.

    An open cell shows its number, a 0 nothing. An unopened one shows its chance of a mine, ` ok` or ` !!` where that is
    certain, and its board text where no chance is known.

    Args:
        board: The position.
        mine_probability: Shape (rows, columns), NaN where not known.
    """
    return [
        [
            _cell_text(int(state), math.nan if mine_probability is None else float(mine_probability[row, column]))
            for column, state in enumerate(states)
        ]
        for row, states in enumerate(board.cells)
    ]


def board_text(board: Board, mine_probability: NDArray[np.float64] | None = None) -> str:
    """The position with its rows and columns numbered, cells as in `cell_texts`; no line ends in blanks."""
    ruler = " ".join(f"{column:^{WIDTH}}" for column in range(board.columns))
    lines = [" ".join(cells) for cells in cell_texts(board, mine_probability)]
    return "\n".join(
        [f"{'':{WIDTH}} {ruler}".rstrip(), *(f"{row:>{WIDTH}} {line}".rstrip() for row, line in enumerate(lines))]
    )


def _cell_text(state: int, chance: float) -> str:
    if math.isnan(chance):
        return f"{'' if state == 0 else CHARACTERS[state]:>2}".ljust(WIDTH)
    if chance == 0:
        return SAFE
    if chance == 1:
        return MINE
    return f"{percent(chance):>2}%"[:WIDTH]
