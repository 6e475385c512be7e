"""What the solver says of a position."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sweepbot.geometry import Cell


@dataclass(frozen=True, slots=True)
class Move:
    """A cell to open.

    Attributes:
        cell: Where.
        reason: Why, in words.
        mine_probability: The chance that it is a mine; 0.0 only where that is certain.
        win_probability: The chance to win the game from here with best play, where that was worked out.
    """

    cell: Cell
    reason: str
    mine_probability: float
    win_probability: float | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Decision:
    """What a position comes to.

    Attributes:
        safe: The cells that cannot be mines, in reading order; unreadable cells are left out.
        mines: The unopened cells that are certainly mines, in reading order.
        best: The cell to open next, one of `safe` where there are any; None where nothing is left to open.
        mine_probability: float64 array of shape (rows, columns): the chance of a mine; NaN where open and where the
            method does not know. 1.0 and 0.0 only where certain.
        layouts: The exact number of mine layouts; None where not counted.
        exact: Whether the chances are exact.
        rules: For each of `safe` and `mines` the name of the rule that found it.
        standard_error: The standard error of each of `mine_probability`, where they were sampled; else None.
        cut_short: Whether there was no time, or no compiled code yet, for all that the method does: another guess may
            be better, and more cells may be certain.
    """

    safe: tuple[Cell, ...]
    mines: tuple[Cell, ...]
    best: Move | None
    mine_probability: NDArray[np.float64]
    layouts: int | None
    exact: bool
    rules: dict[Cell, str]
    standard_error: NDArray[np.float64] | None = None
    cut_short: bool = False
