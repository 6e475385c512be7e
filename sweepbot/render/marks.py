"""The chances of a position drawn on cells: as marks over those of the client, or on a picture of them."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from sweepbot.board import Board, State
from sweepbot.desktop.screen import Frame
from sweepbot.geometry import Cell, Region
from sweepbot.render.heatmap import draw_chance, draw_frame

_RIM_SHARE = 0.12  # of a cell's side that stays free on each side, so that the client's cells can be told apart


def marks(
    board: Board, mine_probability: NDArray[np.float64], best: Cell | None, cells: Mapping[Cell, Region]
) -> dict[Cell, Frame]:
    """Draw the chance of a mine for each cell, as `draw_chance` does.

    Flags on certain mines need no mark. The cell to open next gets a frame.

    Args:
        board: The position.
        mine_probability: Shape (rows, columns), 0 to 1.
        best: The cell to open next.
        cells: The unopened cells to mark, and where each is.

    Returns:
        Each cell's mark, inside it.
    """
    found = {}
    for cell, region in cells.items():
        chance = float(mine_probability[cell])
        if (board[cell], chance) == (State.FLAG, 1):
            continue
        place = region.grown(-max(1, round(_RIM_SHARE * region.width)))
        picture = np.empty((place.height, place.width, 3), np.uint8)
        draw_chance(picture, chance)
        if cell == best:
            draw_frame(picture)
        found[cell] = Frame(picture, place)
    return found
