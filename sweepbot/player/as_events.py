"""Making events from readings and decisions."""

import math

import numpy as np
from numpy.typing import NDArray

from sweepbot.player.states import Doubt, Examined
from sweepbot.solver import Decision
from sweepbot.trace.events import Decided, Found, Read
from sweepbot.vision.reading import Reading

_DECIMALS = 4  # of a chance


def found_event(reading: Reading) -> Found:
    """Return the event that a board was found."""
    board, grid = reading.board, reading.grid
    return Found(client=reading.client, rows=board.lines(), mines=board.mines, xs=grid.xs, ys=grid.ys)


def read_event(seen: Examined) -> Read:
    """Return the event that a picture was read."""
    reading, scores = seen.reading, seen.reading.seen.cells.trust
    row, column = np.unravel_index(int(np.argmin(scores)), scores.shape)
    return Read(
        rows=reading.board.lines(),
        mines=reading.board.mines,
        phase=reading.phase.value,
        confidence=round(reading.confidence, 3),
        weakest=(int(row), int(column), round(float(scores[row, column]), 3)),
        doubt=seen.reason if isinstance(seen, Doubt) else "",
        xs=reading.grid.xs,
        ys=reading.grid.ys,
    )


def decided_event(decision: Decision, mines_left: int | None) -> Decided:
    """Return the event of a decision, given the mines left to find, None if unknown."""
    best = decision.best
    return Decided(
        safe=decision.safe,
        mines=decision.mines,
        best=None if best is None else best.cell,
        reason="" if best is None else best.reason,
        chances=_rounded(decision.mine_probability).tolist(),
        cut_short=decision.cut_short,
        mines_left=mines_left,
        layouts=None if decision.log_layouts is None else decision.log_layouts / math.log(2),
    )


def _rounded(chances: NDArray[np.float64]) -> NDArray[np.object_]:
    """Return chances as a trace stores them: 0 and 1 only for certain cells; None if unknown."""
    least = 10**-_DECIMALS
    rounded = np.clip(np.round(chances, _DECIMALS), least, 1 - least)
    rounded = np.where((chances == 0) | (chances == 1), chances, rounded)
    return np.where(np.isnan(rounded), None, rounded)  # type: ignore[call-overload,no-any-return]
