"""Why first sight read a cell as it did, or did not read it."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sweepbot.board import CHARACTERS, State, around, cells_in
from sweepbot.errors import UsageError
from sweepbot.geometry import Cell
from sweepbot.vision.first_sight.reader import FirstSight
from sweepbot.vision.first_sight.rules import TRUSTED, broken

_LIKELIEST = 4


@dataclass(frozen=True, slots=True)
class Sight:
    """What decided on a cell.

    Attributes:
        likeliest: The four likeliest states by the network, as board text with their chances; `.` is no cell at all.
        told: The state in the end, as board text, before any doubt.
        chance: How likely that is, by the network and the rules.
        alike: How many cells of the board look the same, and were told with it.
        decided_by: The cells that would contradict the rules if these cells showed their next likeliest state.
        refused: Why the cell was not read; None if it was.
    """

    likeliest: tuple[tuple[str, float], ...]
    told: str
    chance: float
    alike: int
    decided_by: tuple[Cell, ...]
    refused: str | None


def explain_sight(reading: FirstSight, cell: Cell) -> Sight:
    """Explain what first sight read in a cell.

    Raises:
        UsageError: The cell is off the board.
    """
    board, told = reading.board, reading.told
    if cell not in board:
        raise UsageError(
            f"{cell} is not on this board of {board.rows} rows and {board.columns} columns", hint="both count from 0"
        )
    order = np.argsort(-reading.chances[cell])[:_LIKELIEST].tolist()
    state = int(told.likeliest[cell])
    look = told.looks == told.looks[cell]
    otherwise = told.likeliest.copy()
    otherwise[look] = next(other for other in order if other != state)
    worse = broken(otherwise) - told.broken >= 1
    return Sight(
        likeliest=tuple((CHARACTERS[one], round(float(reading.chances[cell][one]), 4)) for one in order),
        told=CHARACTERS[state],
        chance=round(float(told.chances[cell]), 4),
        alike=int(look.sum()),
        decided_by=tuple(cells_in(worse)),
        refused=_refusal(reading, cell),
    )


def _refusal(reading: FirstSight, cell: Cell) -> str | None:
    """Say why a cell was not read."""
    told = reading.told
    if reading.board[cell] != State.UNKNOWN:
        return None
    if told.likeliest[cell] == State.UNKNOWN:
        return "the network sees no cell of a board there: something may lie over it"
    if told.broken[cell] >= 1:
        return f"as {CHARACTERS[told.likeliest[cell]]} it contradicts the cells around it"
    if told.chances[cell] < TRUSTED[told.likeliest[cell]]:
        return "another state is nearly as likely"
    beside = cells_in((around(_only(told.states, cell)) > 0) & (told.broken >= 1))
    if beside:
        return (
            f"{' and '.join(map(str, beside))} beside it contradicts the rules of the game, and it is not quite certain"
        )
    return "the network is not sure enough of its look, or it lies within the outline of what may cover the board"


def _only(states: NDArray[np.uint8], cell: Cell) -> NDArray[np.bool_]:
    mask = np.zeros(states.shape, dtype=np.bool_)
    mask[cell] = True
    return mask
