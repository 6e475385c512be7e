"""Positions in play, drawn from seeds, and a page around their picture."""

import cv2
import numpy as np
from numpy.typing import NDArray

from sweepbot.board import State, around
from sweepbot.geometry import Image


def position(rows: int, columns: int, seed: int, *, largest: int = 8) -> NDArray[np.uint8]:
    """A position in play with some mines flagged and no number above `largest`: uint8 (rows, columns)."""
    rng = np.random.default_rng(seed)
    mines = rng.random((rows, columns)) < rng.uniform(0.12, 0.3)
    numbers = around(mines).astype(np.uint8)
    noise = cv2.GaussianBlur(rng.random((rows, columns)).astype(np.float32), (0, 0), 2)
    opened = (noise > np.quantile(noise, rng.uniform(0.2, 0.7))) & ~mines & (numbers <= largest)
    while True:
        grown = opened | ((around(opened & (numbers == 0)) > 0) & ~mines)
        if (grown == opened).all():
            break
        opened = grown
    states = np.where(opened, numbers, np.uint8(State.HIDDEN))
    states[mines & (rng.random(mines.shape) < 0.4)] = State.FLAG
    return states.astype(np.uint8)


def page(board: Image, at: tuple[int, int] = (70, 130)) -> Image:
    """A board on a white page below a dark header."""
    height, width = board.shape[:2]
    picture = np.full((height + 240, width + 200, 3), 255, dtype=np.uint8)
    picture[at[1] - 60 : at[1], at[0] : at[0] + width] = (44, 117, 74)
    picture[at[1] : at[1] + height, at[0] : at[0] + width] = board
    return picture
