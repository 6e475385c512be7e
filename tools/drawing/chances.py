"""Metasweeper, which cannot run here: its cells drawn from known facts, chances of mines included.

    python -m tools.drawing.chances    draws the hidden cells of calibrations/arbiter again

Its figures are Windows XP's, drawn smoothly and scaled to any size. While a key is held it draws a black mine over each
hidden cell, with the chance of a mine as its opacity.
"""

import cv2
import numpy as np
from numpy.typing import NDArray

from sweepbot.board import State
from sweepbot.geometry import Image
from sweepbot.vision.calibration import STATE_NAMES
from sweepbot.vision.pictures.image import load_image
from tools.places import CALIBRATIONS

SHIPPED_CHANCES = 0.15, 0.3, 0.45, 0.6, 0.75, 0.9, 1.0
"""The chances of the calibration's hidden cells; pixels in between differ by less than 20 grey levels."""

_FACE = 192  # grey level of a cell
_SIDE = 160  # pixels of a cell as the tests draw it before it is scaled


def hidden_templates() -> dict[str, Image]:
    """The calibration's hidden cells by file name; the mine is that of Windows XP's client."""
    hidden, mine = (load_image(CALIBRATIONS / "winxp" / f"{name}.png") for name in ("hidden", "mine"))
    covered = (mine != _FACE).any(axis=2)
    covered[0] = covered[:, 0] = False  # the line between open cells
    return {
        f"hidden-{round(100 * chance)}.png": _under(hidden, mine, chance * covered.astype(np.float32))
        for chance in SHIPPED_CHANCES
    }


def draw_with_chances(states: NDArray[np.uint8], chances: NDArray[np.floating], pitch: int, *, smooth: bool) -> Image:
    """A board with chances over its hidden cells, scaled to a pitch with or without smoothing."""
    names = {state: name for name, state in STATE_NAMES.items()}
    method = cv2.INTER_AREA if smooth else cv2.INTER_NEAREST

    def cell(state: int, chance: float) -> Image:
        figure = load_image(CALIBRATIONS / "winxp" / f"{names[state]}.png")
        larger = _SIDE // figure.shape[0]
        large = np.asarray(figure.repeat(larger, axis=0).repeat(larger, axis=1), dtype=np.uint8)
        if state == State.HIDDEN:
            large = _under(large, *_round_mine(chance))
        return np.asarray(cv2.resize(large, (pitch, pitch), interpolation=method), dtype=np.uint8)

    rows = (
        np.hstack([cell(int(state), chance) for state, chance in zip(*row, strict=True)])
        for row in zip(states, chances, strict=True)
    )
    return np.asarray(np.vstack(list(rows)), dtype=np.uint8)


def _round_mine(chance: float) -> tuple[Image, NDArray[np.float32]]:
    """A ball with spikes and a highlight, and its opacity at each pixel."""
    picture = np.zeros((_SIDE, _SIDE, 3), dtype=np.uint8)
    covered = np.zeros((_SIDE, _SIDE), dtype=np.uint8)
    middle, radius, reach = _SIDE // 2 + 4, 7 * _SIDE // 25, 2 * _SIDE // 5
    cv2.circle(covered, (middle, middle), radius, 255, -1, cv2.LINE_AA)
    for turn in range(4):
        along = np.array([np.cos(np.pi * turn / 4), np.sin(np.pi * turn / 4)]) * reach
        first, last = (tuple(np.rint(middle + sign * along).astype(int).tolist()) for sign in (-1, 1))
        cv2.line(covered, first, last, 255, _SIDE // 16, cv2.LINE_AA)
    spot = middle - radius // 3
    cv2.circle(picture, (spot, spot), radius // 4, (255, 255, 255), -1, cv2.LINE_AA)
    opacity: NDArray[np.float32] = np.asarray(chance * covered / 255, dtype=np.float32)
    return picture, opacity


def _under(cell: Image, figure: Image, opacity: NDArray[np.float32]) -> Image:
    """A cell with a figure over it."""
    share = opacity[:, :, None]
    return np.asarray(np.rint(cell * (1 - share) + figure * share), dtype=np.uint8)


if __name__ == "__main__":
    for name, template in hidden_templates().items():
        cv2.imwrite(str(CALIBRATIONS / "arbiter" / name), template)
