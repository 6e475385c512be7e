"""Numbers in fonts that no template shows: told by ground, ink and coarse shape.

Some clients write their numbers in whatever font a desktop has chosen. A template in one font says little of another:
of two numbers that are unlike it, the right one is hardly ahead. But a number's ground and ink stay what they are, and
in a box of its own its shape is nearly the same in all fonts.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from importlib.resources import files

import cv2
import numpy as np
from numpy.typing import NDArray

from sweepbot.board import State
from sweepbot.geometry import Image
from sweepbot.vision.calibration import Template
from sweepbot.vision.cells.figures import Figures, figures, ink_of, mixed

NUMBERS = range(1, 9)
"""What is written in a cell."""

_LEAST_HEIGHT_PX = 7  # of a figure on the screen: lower ones have no shape in a font that is not known
_DIGITS = "digits.png"  # a row a font, with the numbers side by side, in white on black
_FONT_HEIGHT = 32  # pixels of a row
_SIDE = 32  # pixels to which a cell is brought: more tell no more of a coarse shape
_RIM = 4  # of these on every side, where lines and gaps run
_INNER = _SIDE - 2 * _RIM
_AROUND = 2  # of what is left, where mostly the ground shows
_LEAST_INK = 40.0  # grey levels by which the strongest ink of a figure is off its ground
_SAME_GROUND = 12.0  # grey levels by which a ground may be off that of a template
_OTHER_INK = 0.1  # of a figure's energy: what a template's ink may leave unexplained
_LEAST_LIKENESS = 0.7  # digits in fonts that are not known mostly have more
_LEAST_ALONE = 0.5  # of likeness, where ground and ink leave no other number
_LEAST_LEAD = 0.1  # of likeness, over the next number that ground and ink allow
_OTHER_SHAPE = 0.1  # of likeness, by which another number may be ahead of the one that ground, ink or templates tell

Floats = NDArray[np.float32]


class NumbersInAnyFont:
    """Tells numbers by ground, ink and shape.

    Args:
        looks: Templates as the screen shows them: uint8 of shape (templates, height, width, 3).
        of_template: The state of each: uint8 of shape (templates,).
        fonts: Numbers in other fonts, as `in_common_fonts` gives them, of the same size.

    Attributes:
        are_legible: Whether numbers are high enough to have a shape.
    """

    def __init__(self, looks: Image, of_template: NDArray[np.uint8], fonts: Sequence[Template]) -> None:
        self._templates = np.flatnonzero(np.isin(of_template, NUMBERS))
        self._of_template = of_template[self._templates]
        heights = [bottom - top for top, bottom, _, _ in map(_box, looks[self._templates])]
        self.are_legible = float(np.median(heights)) >= _LEAST_HEIGHT_PX
        inner = _inner(looks[self._templates])
        self._grounds = _ground(inner)
        self._inks = np.stack([ink_of(look, ground) for look, ground in zip(inner, self._grounds, strict=True)])
        own = np.linalg.norm(inner - self._grounds[:, None, None], axis=3)
        other = _inner(np.stack([glyph.image for glyph in fonts]))[..., 0]
        self._figures: Figures = figures(np.concatenate([own, other]).astype(np.float32))
        self._of_figure = np.concatenate([self._of_template, [glyph.state for glyph in fonts]]).astype(np.uint8)

    def tell(self, cells: Image, states: NDArray[np.uint8]) -> tuple[NDArray[np.uint8], NDArray[np.intp], Floats]:
        """What cells of shape (cells, height, width, 3) show that were taken for some states by their templates.

        A number that was not told before is told by its shape, and so is one that templates overlooked in an empty
        cell: in a thin font there is little of it. One that was told is refused where its shape is that of another.

        Returns:
            For each its state, or `UNKNOWN` where it cannot be told; the template that has its ground and ink; and how
            far it is like that number, in [0, 1].
        """
        found, templates = states.copy(), np.zeros(len(cells), dtype=np.intp)
        likeness = np.zeros(len(cells), dtype=np.float32)
        inner = _inner(cells)
        grounds = _ground(inner)
        offsets = inner - grounds[:, None, None]
        strength = np.linalg.norm(offsets, axis=3)
        allowed = self._allowed(grounds, offsets.reshape(len(cells), -1, 3), strength.reshape(len(cells), -1))
        # A shape takes long to tell: that of what can be no number says nothing.
        may_show_one = np.isin(states, (0, State.UNKNOWN)) & allowed.any(axis=1)
        some = np.flatnonzero(np.isin(states, NUMBERS) | may_show_one)
        if some.size:
            found[some], templates[some], likeness[some] = self._by_shape(strength[some], allowed[some], states[some])
        return found, templates, likeness

    def _by_shape(
        self, strength: Floats, allowed: NDArray[np.bool_], states: NDArray[np.uint8]
    ) -> tuple[NDArray[np.uint8], NDArray[np.intp], Floats]:
        """The same, given how far each pixel is off its cell's ground, and which templates each cell may show."""
        likeness = figures(strength).likeness(self._figures)
        by_number = np.stack([likeness[:, self._of_figure == number].max(axis=1) for number in NUMBERS], axis=1)
        may_be = np.stack([allowed[:, self._of_template == number].any(axis=1) for number in NUMBERS], axis=1)
        ranked = np.sort(np.where(may_be, by_number, -1), axis=1)
        best = np.where(may_be, by_number, -1).argmax(axis=1)
        least = np.where(may_be.sum(axis=1) == 1, _LEAST_ALONE, _LEAST_LIKENESS)
        told = (ranked[:, -1] >= least) & (ranked[:, -1] - ranked[:, -2] >= _LEAST_LEAD)
        told &= ranked[:, -1] >= by_number.max(axis=1) - _OTHER_SHAPE
        everyone = np.arange(len(states))
        number = np.isin(states, NUMBERS)
        own = np.where(number, states, 1) - 1
        other_shape = by_number.max(axis=1) - by_number[everyone, own] > _OTHER_SHAPE
        other_ink = may_be.any(axis=1) & ~may_be[everyone, own]
        refused = np.where(number & (other_shape | other_ink), np.uint8(State.UNKNOWN), states)
        found = np.where(~number & told, np.array(NUMBERS)[best], refused)
        templates = self._templates[(allowed & (self._of_template == found[:, None])).argmax(axis=1)]
        return found.astype(np.uint8), templates, np.clip(ranked[:, -1], 0, 1).astype(np.float32)

    def _allowed(self, grounds: Floats, offsets: Floats, strength: Floats) -> NDArray[np.bool_]:
        """Which templates have the ground and the ink of which cells: shape (cells, templates)."""
        same: NDArray[np.bool_] = np.abs(grounds[:, None] - self._grounds).max(axis=2) <= _SAME_GROUND
        same &= strength.max(axis=1, keepdims=True) >= _LEAST_INK
        energy = np.maximum((strength**2).sum(axis=1), 1)
        for index, ink in enumerate(self._inks):
            which = np.flatnonzero(same[:, index])
            _, left = mixed(offsets[which], ink - grounds[which])
            same[which, index] = (left**2).sum(axis=1) <= _OTHER_INK * energy[which]
        return same


def in_common_fonts(templates: Sequence[Template]) -> list[Template]:
    """Numbers as fonts write them that desktops often have, each where the first template of its state has its own.

    Args:
        templates: Of one look of a client; all of the same size.

    Returns:
        For each number that is among them one template a font: white figures on black.
    """
    first = {template.state: template.image for template in reversed(templates) if template.state in NUMBERS}
    boxes = {number: _box(look) for number, look in first.items()}
    return [
        Template(number, _written(glyph, first[number].shape[:2], boxes[number]))
        for number, glyph in _glyphs()
        if number in first
    ]


def _written(glyph: NDArray[np.uint8], size: tuple[int, int], box: tuple[int, int, int, int]) -> Image:
    """A figure as high as a box in a cell of `size` = (height, width), in its place, on black."""
    height, width = size
    top, bottom, left, right = box
    wide = min(width, max(1, round(glyph.shape[1] * (bottom - top) / glyph.shape[0])))
    first = min(max(round((left + right - wide) / 2), 0), width - wide)
    drawn = np.zeros((height, width), dtype=np.uint8)
    drawn[top:bottom, first : first + wide] = cv2.resize(glyph, (wide, bottom - top), interpolation=cv2.INTER_AREA)
    return np.ascontiguousarray(np.broadcast_to(drawn[..., None], (height, width, 3)))


def _box(look: Image) -> tuple[int, int, int, int]:
    """Where the figure in a template is: its first row and the one after its last, and the same of its columns."""
    down, across = (side * _RIM // _SIDE for side in look.shape[:2])
    inner = look[down : look.shape[0] - down, across : look.shape[1] - across].astype(np.float32)
    off = np.linalg.norm(inner - np.median(inner.reshape(-1, 3), axis=0), axis=2)
    rows, columns = (np.flatnonzero((off >= off.max() / 2).any(axis=axis)) for axis in (1, 0))
    return down + int(rows[0]), down + int(rows[-1]) + 1, across + int(columns[0]), across + int(columns[-1]) + 1


@lru_cache(maxsize=1)
def _glyphs() -> tuple[tuple[int, NDArray[np.uint8]], ...]:
    """The numbers in all fonts, each in its own box."""
    sheet = cv2.imdecode(np.frombuffer(files(__package__).joinpath(_DIGITS).read_bytes(), np.uint8), 0)
    return tuple(_cut_out(np.asarray(sheet, dtype=np.uint8)))


def _cut_out(sheet: NDArray[np.uint8]) -> Iterator[tuple[int, NDArray[np.uint8]]]:
    for row in np.vsplit(sheet, sheet.shape[0] // _FONT_HEIGHT):
        for number, field in zip(NUMBERS, np.hsplit(row, len(NUMBERS)), strict=True):
            rows, columns = (np.flatnonzero((field > field.max() // 2).any(axis=axis)) for axis in (1, 0))
            yield number, field[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]


def _inner(cells: Image) -> Floats:
    """Cells brought to one size, without their rims: float32 of shape (cells, side, side, 3)."""
    brought = [cv2.resize(cell, (_SIDE, _SIDE), interpolation=_interpolation(cell)) for cell in cells]
    return np.stack(brought)[:, _RIM:-_RIM, _RIM:-_RIM].astype(np.float32)


def _interpolation(cell: Image) -> int:
    return cv2.INTER_AREA if min(cell.shape[:2]) > _SIDE else cv2.INTER_LINEAR


def _ground(inner: Floats) -> Floats:
    """The colour around the figure of each cell: shape (cells, 3)."""
    around = np.ones((_INNER, _INNER), dtype=np.bool_)
    around[_AROUND:-_AROUND, _AROUND:-_AROUND] = False
    return np.asarray(np.median(inner[:, around], axis=1), dtype=np.float32)
