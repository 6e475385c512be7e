"""A picture of a board at one moment, and what its cells' pictures are."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sweepbot.geometry import Image

Pictures = NDArray[np.intp]
"""The number of each cell's picture in the store, shape (rows, columns)."""

Mask = NDArray[np.bool_]
"""Some of a board's cells, shape (rows, columns)."""


@dataclass(slots=True, eq=False)
class Scene:
    """A picture of the board, what its cells' pictures are, and the game that it is of.

    Attributes:
        rested: Whether the picture was at rest, and not taken in the middle of a change.
    """

    image: Image
    pictures: Pictures
    hidden: Mask
    rested: bool = True
