"""Numbers on the grounds of templates: what templates do not tell is told by ink and shape, see `numbers`.

Clients write their numbers in whatever font a desktop has chosen, and their copies larger or smaller than they do. The
ground of an open cell stays what it is.
"""

import numpy as np
from numpy.typing import NDArray

from sweepbot.board import State
from sweepbot.geometry import Image
from sweepbot.vision.cells.fonts import NUMBERS, in_common_fonts
from sweepbot.vision.cells.likeness import Floats
from sweepbot.vision.cells.numbers import INKED, LEAST_INKED, SIDE, Numbers, figure_alone, inner

_LEAST_HEIGHT_PX = 7  # of a figure on the screen: lower ones have no shape in a font that is not known
_RIM_PX = 3  # of cells brought to one size: larger figures than a template's reach nearly so far
_CLOSED = (State.HIDDEN, State.FLAG, State.QUESTION)  # states whose rim is that of a hidden cell
_CLEARLY_LEVELS = 10.0  # grey levels by which a rim must be nearer to a hidden cell's: those of flat themes differ by 8
_SAME_RIM_LEVELS = 2.0  # grey levels by which rims may differ and one of them be enough
_AROUND_PX = 2  # within the rim, where mostly the ground shows on a template
_SAME_GROUND = 12.0  # grey levels by which a pixel may be off the ground of a template
_LEAST_GROUND = 0.01  # of the inner pixels: a bold figure that fills its cell leaves 0.02 of the ground


class NumbersOnGrounds:
    """Tells numbers on the grounds of templates.

    Args:
        looks: Templates as the screen shows them: uint8 of shape (templates, height, width, 3).
        of_template: The state of each: uint8 of shape (templates,).
        shadowed: Whether neighbours cast shadows on the rims of cells, which are no part of their figures.

    Attributes:
        are_legible: Whether numbers are high enough to have a shape.
    """

    def __init__(self, looks: Image, of_template: NDArray[np.uint8], *, shadowed: bool = False) -> None:
        self._shadowed = shadowed
        self._templates = np.flatnonzero(np.isin(of_template, NUMBERS))
        brought = inner(looks, 0)
        rims = _rims(brought)
        self._open_rims = _unlike(rims[of_template <= NUMBERS[-1]])
        self._closed_rims = _unlike(rims[np.isin(of_template, _CLOSED)])
        cells = brought[self._templates][:, _RIM_PX:-_RIM_PX, _RIM_PX:-_RIM_PX]
        self._grounds = _ground(cells)
        heights = sorted(_height(*one) for one in zip(cells, self._grounds, strict=True))
        usual = heights[len(heights) // 2] if heights else 0
        self.are_legible = usual * looks.shape[1] / SIDE >= _LEAST_HEIGHT_PX
        self._numbers = Numbers(cells, of_template[self._templates], self._grounds, in_common_fonts())

    def tell(self, cells: Image, states: NDArray[np.uint8]) -> tuple[NDArray[np.uint8], NDArray[np.intp], Floats]:
        """What cells of shape (cells, height, width, 3) show that were taken for some states by their templates.

        A number that was not told before is told by ink and shape, and one that was is refused where it is another by
        these.

        Returns:
            For each its state, or `UNKNOWN` where it cannot be told; the template that has its ground and ink; and how
            far it is like that number, in [0, 1].
        """
        found, templates = states.copy(), np.zeros(len(cells), dtype=np.intp)
        scores = np.zeros(len(cells), dtype=np.float32)
        brought = inner(cells, 0)
        pixels = brought[:, _RIM_PX:-_RIM_PX, _RIM_PX:-_RIM_PX].reshape(len(cells), -1, 3)
        known = np.unique(self._grounds, axis=0)
        off = np.stack([np.abs(pixels - ground).max(axis=2) for ground in known], axis=2)
        shares = (off <= np.minimum(off.min(axis=2, keepdims=True), _SAME_GROUND)).mean(axis=1)
        grounds = known[shares.argmax(axis=1)]
        offsets = pixels - grounds[:, None]
        sizes = np.linalg.norm(offsets, axis=2)
        allowed = np.abs(grounds[:, None] - self._grounds).max(axis=2) <= _SAME_GROUND
        legible = (shares.max(axis=1) >= _LEAST_GROUND) & ((sizes > INKED).mean(axis=1) > LEAST_INKED)
        legible &= self._are_open(brought)
        some = np.flatnonzero(legible)
        if some.size:
            inked = figure_alone(sizes[some]) if self._shadowed else sizes[some]
            told = self._numbers.tell(offsets[some], inked, grounds[some], allowed[some])
            was_unread = states[some] == State.UNKNOWN
            is_other = (told.states != State.UNKNOWN) & (told.states != states[some])
            found[some] = np.where(was_unread, told.states, np.where(is_other, State.UNKNOWN, states[some]))
            templates[some], scores[some] = self._templates[told.templates], told.scores
        return found, templates, scores

    def _are_open(self, brought: Floats) -> NDArray[np.bool_]:
        """Which cells have no rim that is clearly that of a hidden cell, which may be marked in a number's ink."""
        rims = _rims(brought)
        to_open, to_closed = (
            np.min([np.abs(rims - rim).mean(axis=1) for rim in of], axis=0, initial=np.inf)
            for of in (self._open_rims, self._closed_rims)
        )
        not_closed: NDArray[np.bool_] = to_open <= to_closed + _CLEARLY_LEVELS
        return not_closed


def _rims(brought: Floats) -> Floats:
    """The outermost pixels of cells that were brought to one size: shape (cells, pixels * 3)."""
    around = np.ones(brought.shape[1:3], dtype=np.bool_)
    around[_RIM_PX:-_RIM_PX, _RIM_PX:-_RIM_PX] = False
    return brought[:, around].reshape(len(brought), -1)


def _unlike(rims: Floats) -> list[Floats]:
    """Those of some rims that differ from each other."""
    found: list[Floats] = []
    for rim in rims:
        if all(np.abs(rim - other).mean() > _SAME_RIM_LEVELS for other in found):
            found.append(rim)
    return found


def _height(look: Floats, ground: Floats) -> int:
    """How many rows of an inner template have ink of its figure."""
    off = np.linalg.norm(look - ground, axis=2)
    return int((off >= off.max() / 2).any(axis=1).sum())


def _ground(cells: Floats) -> Floats:
    """The colour around the figure of each template: shape (templates, 3)."""
    around = np.ones(cells.shape[1:3], dtype=np.bool_)
    around[_AROUND_PX:-_AROUND_PX, _AROUND_PX:-_AROUND_PX] = False
    return np.asarray(np.median(cells[:, around], axis=1), dtype=np.float32)
