"""The chances of a position drawn on cells: as marks over those of the client, or on a picture of them."""

from collections.abc import Mapping

import cv2
import numpy as np
from numpy.typing import NDArray

from sweepbot.board import Board, State
from sweepbot.desktop.screen import Frame
from sweepbot.geometry import Cell, Image, Region
from sweepbot.render.heatmap import BEST, colour_of, ink_on
from sweepbot.render.text import percent

_RIM_SHARE = 0.12  # of a cell's side that stays free on each side, so that the client's cells can be told apart
_FONT = cv2.FONT_HERSHEY_PLAIN  # legible from five pixels on
_DIGIT_PX = 10  # width and height of its digits at scale 1


def marks(
    board: Board, mine_probability: NDArray[np.float64], best: Cell | None, cells: Mapping[Cell, Region]
) -> dict[Cell, Frame]:
    """Draw the chance of a mine for each cell: its percentage, a tick if the cell is safe, a dot for a mine.

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
        picture = np.full((place.height, place.width, 3), colour_of(chance), dtype=np.uint8)
        draw_chance(picture, chance)
        if cell == best:
            draw_frame(picture)
        found[cell] = Frame(picture, place)
    return found


def draw_chance(cell: Image, chance: float) -> None:
    """Draw a chance on the picture of a cell, which has its colour: a percentage, a tick if 0, a dot if 1."""
    (height, width), ink = cell.shape[:2], ink_on(chance)
    side = min(width, height)
    if chance == 0:
        corners = np.array([(0.2, 0.55), (0.42, 0.75), (0.8, 0.25)]) * (width, height)
        thick = max(1, side // 8)
        cv2.polylines(cell, [corners.astype(np.int32)], False, ink, thick, cv2.LINE_AA)  # noqa: FBT003  (its signature)
    elif chance == 1:
        cv2.circle(cell, (width // 2, height // 2), side // 4, ink, cv2.FILLED, cv2.LINE_AA)
    else:
        text = percent(chance)
        scale = side / _DIGIT_PX / max(2, len(text))
        (across, down), _ = cv2.getTextSize(text, _FONT, scale, 1)
        at = ((width - across) // 2, (height + down) // 2)
        cv2.putText(cell, text, at, _FONT, scale, ink, 1, cv2.LINE_AA)


def draw_frame(cell: Image) -> None:
    """Frame the picture of the cell to open next."""
    height, width = cell.shape[:2]
    cv2.rectangle(cell, (0, 0), (width - 1, height - 1), BEST, max(1, min(width, height) // 8))
