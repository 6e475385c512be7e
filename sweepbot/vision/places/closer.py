"""A closer look at cells with small figures: unstyled buttons carry digits of a few pixels, however large they are.

The network is shown the middle of each cell alone, at a scale at which figures have their usual size. So it tells the
figures, while only the whole of the cells tells hidden from open ones.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sweepbot.board import State
from sweepbot.geometry import Image
from sweepbot.vision.first_sight.network import network
from sweepbot.vision.grid import Grid
from sweepbot.vision.pictures.board import CELL_PX, apart, together
from sweepbot.vision.trust import Floats

_RIM_PX = 3  # of a cell as the network sees it, in which rims, not figures are drawn
_MIN_INK_LEVELS, _MIN_INK_SHARE = 25, 0.35  # by which ink differs from a cell's ground, also of what differs most
_SMALL_SHARE = 0.36  # of a cell's height, up to which a figure is small: in most clients figures have half of it
_SHOWN_SHARE = 0.5  # of its height that a figure takes up in a closer look
_MIN_FIGURE_PX = 6  # in the picture: what is less high is no figure, but noise
_MIN_CHANCE = 1e-5  # of a state in a closer look, so that none of its words is final
_MIN_OPEN_CHANCE = 0.5  # of a cell in a closer look, in which flags may look like numbers


class _Figures(NamedTuple):
    """The figures on a board's open cells.

    Attributes:
        cells: Which cells have one, in reading order.
        middle: Where it is, across and down, as shares of a cell.
        height: How high it is, as a share of a cell.
    """

    cells: NDArray[np.intp]
    middle: tuple[float, float]
    height: float


def closer(image: Image, grid: Grid, picture: Image, chances: Floats) -> Floats:
    """Return the chances of each state for each cell of a board, by a closer look where its figures are small.

    Args:
        image: uint8 array of shape (height, width, 3), blue, green, red.
        grid: The board's lines.
        picture: The board, as `board_picture` cuts it out.
        chances: By the network, of shape (rows, columns, STATES).
    """
    figures = _figures(picture, chances.reshape(-1, chances.shape[-1]))
    if figures is None or figures.height > _SMALL_SHARE or figures.height * grid.pitch[1] < _MIN_FIGURE_PX:
        return chances
    side = round(CELL_PX * _SHOWN_SHARE / figures.height)
    left, top = (int(np.clip(round(middle * side) - CELL_PX // 2, 0, side - CELL_PX)) for middle in figures.middle)
    parts = apart(grid.rectify(image, (side, side)), side)[:, top : top + CELL_PX, left : left + CELL_PX]
    says = network().judge(together(parts, grid.columns)).reshape(-1, chances.shape[-1])[figures.cells]
    says = np.maximum(says, _MIN_CHANCE)
    told = chances.reshape(-1, chances.shape[-1]).copy()
    of_whole, opened = told[figures.cells], slice(0, State.HIDDEN)
    by_both, shown = of_whole * says, says[:, opened].sum(1, keepdims=True)
    is_open = of_whole[:, opened].sum(1, keepdims=True) * np.maximum(shown, _MIN_OPEN_CHANCE)
    by_both[:, opened] = is_open * says[:, opened] / shown
    told[figures.cells] = by_both / by_both.sum(1, keepdims=True)
    return told.reshape(chances.shape)


def _figures(picture: Image, chances: Floats) -> _Figures | None:
    """Find what is drawn on cells that are likely open; None if nothing is."""
    likely = np.flatnonzero(chances.argmax(1) < State.HIDDEN)
    if not likely.size:
        return None
    inner = apart(picture)[likely, _RIM_PX:-_RIM_PX, _RIM_PX:-_RIM_PX].astype(np.int16)
    grounds = np.median(inner.reshape(len(likely), -1, 3), axis=1)
    differs = np.abs(inner - grounds[:, None, None]).max(3)
    least = np.maximum(_MIN_INK_LEVELS, _MIN_INK_SHARE * differs.max((1, 2)))
    ink = differs > least[:, None, None]
    drawn = ink.any((1, 2))
    if not drawn.any():
        return None
    (top, bottom), (left, right) = (_ends(ink[drawn].any(axis)) for axis in (2, 1))
    middle = (left + right) / 2 / CELL_PX, (top + bottom) / 2 / CELL_PX
    return _Figures(likely[drawn], middle, (bottom - top) / CELL_PX)


def _ends(inked: NDArray[np.bool_]) -> tuple[float, float]:
    """Return where ink begins and ends in most cells, in pixels of a cell."""
    first, last = inked.argmax(1), inked.shape[1] - inked[:, ::-1].argmax(1)
    return float(np.median(first)) + _RIM_PX, float(np.median(last)) + _RIM_PX
