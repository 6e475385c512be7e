"""Recognise flags by their cloth, however they are drawn: by the pixels of a hidden cell that have its colour."""

import numpy as np
from numpy.typing import NDArray

from sweepbot.board import State
from sweepbot.geometry import Image
from sweepbot.vision.cells.classified import SURE_SCORE, Recognised
from sweepbot.vision.cells.figures import ink_of, mixed
from sweepbot.vision.cells.grounds import LEAST_GROUND_SHARE, SAME_GROUND_LEVELS
from sweepbot.vision.cells.likeness import Floats
from sweepbot.vision.cells.numbers import SIDE_PX, brought_to_side, inner

_RIM_PX = 4  # on every side that is left out: lines, shadows and outlines of neighbours run there
_AT_SIDE_SHARE = 0.08  # of the outer quarter along each side that must be ground: real flags leave 0.12
_CLOTH_SHARE = 0.6  # least part of its colour in a pixel of a flag's cloth
_OTHER_CLOTH_SHARE = 0.35  # of the distance between cloth and ground, by which a pixel may be off
_AT_RIM_SHARE = 0.05  # of a cell's rim that may be cloth beyond the template's share
_LEAST_COMMON_SHARE = 0.25  # intersection over union of cloth with a template: flags drawn otherwise have 0.31


class Flags:
    """Recognises flags by their cloth.

    Args:
        looks: Templates as the screen shows them: uint8 of shape (templates, height, width, 3).
        of_template: The state of each: uint8 of shape (templates,).
    """

    def __init__(self, looks: Image, of_template: NDArray[np.uint8]) -> None:
        self._templates = np.flatnonzero(of_template == State.FLAG)
        hidden = _inner(looks[of_template == State.HIDDEN])
        self._ground = np.asarray(np.median(hidden.reshape(-1, 3), axis=0), dtype=np.float32)
        cells = _inner(looks[self._templates])
        self._towards = [ink_of(cell, self._ground) - self._ground for cell in cells]
        self._cloths = [
            _shows_cloth(cell.reshape(1, -1, 3) - self._ground, towards)
            for cell, towards in zip(cells, self._towards, strict=True)
        ]

    def recognise(self, cells: Image, states: NDArray[np.uint8]) -> Recognised:
        """Recognise flags in cells that were classified by templates.

        Args:
            cells: uint8 array of shape (cells, height, width, 3).
            states: What the templates say, of shape (cells,).
        """
        offsets = _inner(cells).reshape(len(cells), -1, 3) - self._ground
        on_hidden = _are_on_hidden(np.linalg.norm(offsets, axis=2) <= SAME_GROUND_LEVELS)
        found = np.full(len(cells), -1, dtype=np.intp)
        for template, towards, cloth in zip(self._templates, self._towards, self._cloths, strict=True):
            shown = _shows_cloth(offsets, towards)
            common = (shown & cloth).sum(axis=1) / np.maximum((shown | cloth).sum(axis=1), 1)
            # A line that was drawn over the board goes on beyond the cell, and so does a window.
            ends = _at_rim(shown) <= _at_rim(cloth) + _AT_RIM_SHARE
            found[on_hidden & (common >= _LEAST_COMMON_SHARE) & ends] = template
        states = np.where(found >= 0, np.uint8(State.FLAG), states)
        return Recognised(states, found, np.full(len(cells), SURE_SCORE, dtype=np.float32))


def _inner(cells: Image) -> Floats:
    """Resize cells to one size, and cut off their rims."""
    return inner(brought_to_side(cells), _RIM_PX)


def _shows_cloth(offsets: Floats, towards: Floats) -> NDArray[np.bool_]:
    """Return which pixels show a flag's cloth: `offsets` from the ground (cells, pixels, 3) near `towards` (3,)."""
    squares = np.einsum("cpk,cpk->cp", offsets, offsets)
    share, left = mixed(offsets, squares, np.broadcast_to(towards, (len(offsets), 3)))
    cloth: NDArray[np.bool_] = (share > _CLOTH_SHARE) & (left < _OTHER_CLOTH_SHARE**2 * (towards**2).sum())
    return cloth


def _are_on_hidden(ground: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which cells have enough hidden ground, (cells, pixels), and some of it along every side.

    What covers a part of an open cell may have the colour of hidden ones.
    """
    side = SIDE_PX - 2 * _RIM_PX
    turned = ground.reshape(-1, side, side)
    sides = [line.mean(axis=(1, 2)) for of in (turned, turned.swapaxes(1, 2)) for line in np.split(of, 4, axis=1)[::3]]
    hidden: NDArray[np.bool_] = (ground.mean(axis=1) >= LEAST_GROUND_SHARE) & (np.min(sides, axis=0) >= _AT_SIDE_SHARE)
    return hidden


def _at_rim(shown: NDArray[np.bool_]) -> Floats:
    """Return the share of shown pixels, (cells, pixels), along the rim of each cell."""
    sides = shown.reshape(-1, SIDE_PX - 2 * _RIM_PX, SIDE_PX - 2 * _RIM_PX)
    rim = np.concatenate([sides[:, [0, -1]].reshape(len(sides), -1), sides[:, :, [0, -1]].reshape(len(sides), -1)], 1)
    return np.asarray(rim.mean(axis=1), dtype=np.float32)
