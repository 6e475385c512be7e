"""One value a cell: what it shows, and how sure that is."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sweepbot.board import State

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """What the cells of a board show; both arrays have the shape (rows, columns).

    Attributes:
        states: uint8, 0 to 8 or a `State`; `UNKNOWN` where the cell is not believed.
        trust: float32 in [0, 1], how sure the state is; of a cell that is not believed, how sure its likeliest one was.
    """

    states: NDArray[np.uint8]
    trust: Floats

    @property
    def believed(self) -> NDArray[np.bool_]:
        """Which cells are believed."""
        return np.asarray(self.states != State.UNKNOWN)

    @property
    def agreement(self) -> float:
        """The sum of the trust in the cells that are believed."""
        return float(self.trust[self.believed].sum())

    @property
    def readable(self) -> float:
        """The share of cells that are believed."""
        return float(self.believed.mean())
