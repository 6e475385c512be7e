"""The looks of known clients, and which template the cells of a board equal.

A cell is the template that it equals: plain template matching, by the root mean square of the difference, of all
templates of all looks with all cells in one product. Cells and templates are compared at one size, so that a client is
known at any size at which it draws its cells alike.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from sweepbot.board import CHARACTERS, State
from sweepbot.geometry import Image
from sweepbot.vision.calibration import Calibration, Template
from sweepbot.vision.grid import Grid
from sweepbot.vision.known.gaps import drawn_at
from sweepbot.vision.pictures.board import board_picture
from sweepbot.vision.trust import Floats

_Theme = tuple[tuple[Template, ...], dict[int, tuple[Template, ...]]]  # its pictures, and those in other sizes

_EQUAL_LEVELS = 9.0  # up to which a cell equals a template: what a client draws itself is nearly always below 1
_NEAR_LEVELS = 25.0  # up to which it is near enough if all other states are clearly further: clients at other sizes
_CLEAR_RATIO = 1.5  # by which the nearest template of another state must be further away
_EXACT_LEVELS = 1.0  # of difference, below which nothing is told apart
_CLEARNESS = 8  # the exponent: a state whose template is half again as far is 25 times less likely
_OTHERWISE_LIMITS = 1.8  # of those up to which a cell is near a template: how far other ways to draw a state are
_RELIEF_SHARE = 0.5  # of a template's relief, up to which a cell may be near it
_FIRM_LEVELS = 12.0  # up to which a cell may be near a template without relief
_FIRM_SHARE = 0.6  # of a cell's relief, up to which the difference from its template is explained
_PLAIN_WEIGHT = 0.4  # of a plain cell, beside one with a figure or rim
_LIT_WEIGHT = 0.9  # of a cell in another light, since that makes one plain tile equal another
_NO_TRUST_LEVELS = 150.0  # of difference, at which nothing would speak for a template
_DAYLIGHT = 1.0, 1.0, 1.0
_BRIGHTEST_LEVEL = 255.0
_SAME_GAIN = 0.03  # by which a screen may be darker or brighter without being another light
_MIN_GAIN, _MAX_GAIN = 0.3, 1.6  # darker boards cannot be told; brighter ones are none
_WIDTHS_WITH_GAPS = 15, 18, 21, 23, 25, 28, 32, 37, 41, 52, 60, 71, 86, 110, 146  # at which gaps matter, in pixels
_MAX_REMEMBERED = 60  # templates of a look: more are no look
_MIN_ALIKE_SHARE = 0.5  # of cells, for their light to be estimated
_ALIKE_COSINE = 0.95  # from which on a cell and a template may be the same in another light


class Patches:
    """Cells as they are compared, with any number of looks.

    Args:
        cells: uint8 of shape (cells, CELL_PX, CELL_PX, 3).

    Attributes:
        flat: Their pixels, float32 of shape (cells, values).
        squares: The squared length of each cell.
        reliefs: How far each is from a plain patch of its own mean colour, in grey levels.
    """

    def __init__(self, cells: Image) -> None:
        self.flat = _flattened(cells)
        self.squares, self.reliefs = (self.flat**2).sum(axis=1), _reliefs(self.flat)


@dataclass(frozen=True, slots=True, eq=False)
class Matches:
    """What cells show by templates; all arrays have the shape (cells,).

    Attributes:
        states: uint8, that of the nearest template; `UNKNOWN` if none is near and all other states clearly further.
        templates: intp, the nearest one.
        errors: float32, how far that is, as the root mean square of the difference in grey levels.
        rivals: uint8, the state of the nearest template of another state.
        rival_errors: float32, how far that is.
        reliefs: float32, see `Patches`.
    """

    states: NDArray[np.uint8]
    templates: NDArray[np.intp]
    errors: Floats
    rivals: NDArray[np.uint8]
    rival_errors: Floats
    reliefs: Floats

    def replaced(self, which: NDArray[np.intp], by: "Matches") -> "Matches":
        """Return the same with other matches of some cells."""
        arrays = []
        for name in ("states", "templates", "errors", "rivals", "rival_errors", "reliefs"):
            array = getattr(self, name).copy()
            array[which] = getattr(by, name)
            arrays.append(array)
        return Matches(*arrays)

    @property
    def trust(self) -> Floats:
        """How sure each cell is, in [0, 1]."""
        return trust_of(self.errors)

    @property
    def explained(self) -> NDArray[np.bool_]:
        """Which cells have a figure or a rim that is like that of the nearest template, near enough or not."""
        return np.asarray(self.errors <= _FIRM_SHARE * self.reliefs)

    @property
    def firm(self) -> NDArray[np.bool_]:
        """Which cells have a figure or a rim that the template explains: plain patches are everywhere."""
        return np.asarray((self.states != State.UNKNOWN) & self.explained)

    @property
    def equal(self) -> NDArray[np.bool_]:
        """Which cells equal their template as nearly as what a client draws itself."""
        return np.asarray((self.states != State.UNKNOWN) & (self.errors <= _EQUAL_LEVELS))


def trust_of(errors: Floats) -> Floats:
    """Return how sure a state is, in [0, 1], whose template is so far from a cell."""
    return np.asarray(np.clip(1 - errors / _NO_TRUST_LEVELS, 0, 1), dtype=np.float32)


@dataclass(frozen=True, eq=False)
class Look:
    """One way in which a client draws its cells.

    Attributes:
        calibration: The client's.
        theme: Which of its themes it is, from 0.
        width: Of a cell as it is drawn, in pixels.
        templates: Its pictures of cells.
        remembered: Further ones, as cells are cut out of boards.
        light: By which the screen multiplies blue, green and red.
    """

    calibration: Calibration
    theme: int
    width: int
    templates: tuple[Template, ...]
    remembered: tuple[Template, ...] = ()
    light: tuple[float, float, float] = _DAYLIGHT

    @cached_property
    def states(self) -> NDArray[np.uint8]:
        """The state that each template shows; `UNKNOWN` for cells that the client has painted over."""
        return np.array([template.state for template in (*self.templates, *self.remembered)], np.uint8)

    @cached_property
    def pictures(self) -> Image:
        """The templates as cells are cut out of boards: uint8 of shape (templates, CELL_PX, CELL_PX, 3)."""
        images = [template.image for template in self.templates]
        if self.calibration.gap and self.width != images[0].shape[1]:
            images = drawn_at(images, self.calibration.cell_of_width(self.width), self.calibration.gap)
        return np.concatenate([as_cells(images), *(template.image[None] for template in self.remembered)])

    @cached_property
    def flat(self) -> Floats:
        """The templates, of shape (templates, values)."""
        flat = _flattened(self.pictures)
        if self.light == _DAYLIGHT:
            return flat
        lit = np.minimum(flat.reshape(len(flat), -1, 3) * np.array(self.light, np.float32), _BRIGHTEST_LEVEL)
        return np.asarray(lit.reshape(flat.shape), dtype=np.float32)

    @property
    def brightness(self) -> float:
        """How bright the screen is, 1 for a client's own colours."""
        return max(self.light)

    @cached_property
    def limits(self) -> Floats:
        """How far a cell may be from each template to be near it: what has little relief is near much else."""
        limits = np.clip(_RELIEF_SHARE * _reliefs(self.flat), _FIRM_LEVELS, _NEAR_LEVELS)
        return np.asarray(limits, dtype=np.float32)

    @cached_property
    def lengths(self) -> Floats:
        """The squared length of each template."""
        return np.asarray((self.flat**2).sum(axis=1))

    def remembering(self, picture: Image, state: int) -> "Look":
        """Return the look with another template, unless the cell's picture equals one that it has."""
        (known,) = self.match(picture[None]).states
        if known == state or len(self.remembered) >= _MAX_REMEMBERED:
            return self
        return replace(self, remembered=(*self.remembered, Template(state, picture)))

    def match(self, cells: Image) -> Matches:
        """Tell which template each cell is: uint8 of shape (cells, CELL_PX, CELL_PX, 3)."""
        return self.told(Patches(cells))

    def told(self, cells: Patches, products: Floats | None = None) -> Matches:
        """Do the same; `products` of each cell with each template, of shape (cells, templates), may be known."""
        errors = self._errors(cells, products)
        everyone, nearest = np.arange(len(errors)), errors.argmin(axis=1)
        error, told = errors[everyone, nearest], self.states[nearest]
        others = np.where(self.states == told[:, None], np.inf, errors)
        other = others.argmin(axis=1)
        rival = np.asarray(others[everyone, other], dtype=np.float32)
        near = (error <= self.limits[nearest]) & (rival > _CLEAR_RATIO * error)
        return Matches(
            np.where(near, told, np.uint8(State.UNKNOWN)), nearest, error, self.states[other], rival, cells.reliefs
        )

    def likelihoods(self, cells: Image) -> Floats:
        """Return how likely each state is to look like each cell, of shape (cells, states), each row with the sum 1.

        That is a power of the distance of the state's nearest template. Any state may be drawn in another way than by
        its templates, as far away as `_OTHERWISE_LIMITS` says.
        """
        errors = self._errors(Patches(cells))
        farthest = _OTHERWISE_LIMITS * self.limits[errors.argmin(axis=1)]
        distances = np.repeat(farthest[:, None], len(CHARACTERS), axis=1)
        for state in np.unique(self.states):
            np.minimum(distances[:, state], errors[:, self.states == state].min(axis=1), out=distances[:, state])
        likely = (distances + _EXACT_LEVELS) ** -_CLEARNESS
        return np.asarray(likely / likely.sum(axis=1, keepdims=True), dtype=np.float32)

    def _errors(self, cells: Patches, products: Floats | None = None) -> Floats:
        """Return how far each cell is from each template, in grey levels; for the arguments see `told`."""
        products = cells.flat @ self.flat.T if products is None else products
        apart = cells.squares[:, None] - 2 * products + self.lengths
        return np.asarray(np.sqrt(np.maximum(apart, 0) / self.flat.shape[1]), dtype=np.float32)

    def agreement(self, matches: Matches) -> float:
        """Return how many cells have this look, each counted by its trust, and plain ones hardly."""
        weights = np.where(matches.firm, 1.0, _PLAIN_WEIGHT) * (1.0 if self.light == _DAYLIGHT else _LIT_WEIGHT)
        return float((weights * matches.trust)[matches.states != State.UNKNOWN].sum())

    def painted(self, matches: Matches) -> NDArray[np.bool_]:
        """Return which cells the client has painted over, as after a win."""
        return np.asarray((self.states[matches.templates] == State.UNKNOWN) & (matches.errors <= _NEAR_LEVELS))


def as_cells(pictures: Sequence[Image]) -> Image:
    """Bring pictures of cells to the size at which cells are compared, as boards are brought to it."""
    return np.stack([_resized(picture.tobytes(), *picture.shape[:2]) for picture in pictures])


def _flattened(cells: Image) -> Floats:
    """Return the pixels of cells, of shape (cells, values)."""
    return cells.reshape(len(cells), -1).astype(np.float32)


def _reliefs(flat: Floats) -> Floats:
    """Return how far cells, as `_flattened` returns them, are from plain patches of their own mean colours."""
    pixels = flat.shape[1] // 3
    means = flat @ np.tile(np.eye(3, dtype=np.float32), (pixels, 1)) / pixels
    variance = np.einsum("ij,ij->i", flat, flat) / flat.shape[1] - (means**2).mean(axis=1)
    return np.asarray(np.sqrt(np.maximum(variance, 0)), dtype=np.float32)


@lru_cache(maxsize=4096)
def _resized(pixels: bytes, height: int, width: int) -> Image:
    image = np.frombuffer(pixels, np.uint8).reshape(height, width, 3)
    return board_picture(image, Grid((0.0, float(width)), (0.0, float(height))))


@lru_cache(maxsize=64)
def looks_of(calibration: Calibration) -> tuple[Look, ...]:
    """Return every look that a client may have, in every size that its pictures have."""
    themes = [
        (calibration.templates, calibration.native),
        *((of.templates, of.native) for of in calibration.variants),
    ]
    return tuple(_looks(calibration, themes))


@lru_cache(maxsize=64)
def own_looks_of(calibration: Calibration) -> tuple[Look, ...]:
    """Return the looks of a client that it does not share with the one whose skin it wears."""
    if not calibration.skin:
        return looks_of(calibration)
    return tuple(_looks(calibration, [(of.templates, of.native) for of in calibration.own_looks]))


def _looks(calibration: Calibration, themes: Sequence[_Theme]) -> Iterator[Look]:
    painted = tuple(Template(State.UNKNOWN, image) for image in calibration.open_after_win)
    for number, (templates, native) in enumerate(theme for theme in themes if theme[0]):
        yield Look(calibration, number, calibration.cell[0], templates + painted)
        for width in _WIDTHS_WITH_GAPS if calibration.gap else ():
            yield Look(calibration, number, width, templates)
        for width, drawn in native.items():
            yield Look(calibration, number, width, drawn)


class Bank:
    """The looks of any number of clients, compared with cells all at once.

    Args:
        looks: The looks.

    Attributes:
        looks: The looks.
    """

    def __init__(self, looks: Sequence[Look]) -> None:
        self.looks = tuple(looks)
        self._flat = np.concatenate([look.flat for look in self.looks]).T
        self._ends = np.cumsum([len(look.templates) for look in self.looks])

    def match(self, cells: Patches) -> list[tuple[Look, Matches]]:
        """Match cells, as in `Look.match`, with each look in the light in which they are most alike."""
        parts = np.split(cells.flat @ self._flat, self._ends[:-1], axis=1)
        return [_in_best_light(look, cells, part) for look, part in zip(self.looks, parts, strict=True)]


def _in_best_light(look: Look, cells: Patches, products: Floats) -> tuple[Look, Matches]:
    """Match cells as the client draws them, and in the light that most imply by the templates of their shape."""
    plain = look.told(cells, products)
    cosines = products / np.sqrt(np.maximum(cells.squares, 1)[:, None] * np.maximum(look.lengths, 1))
    nearest = cosines.argmax(axis=1)
    alike = cosines[np.arange(len(products)), nearest] >= _ALIKE_COSINE
    if alike.mean() < _MIN_ALIKE_SHARE:
        return look, plain
    seen, known = (of.reshape(len(of), -1, 3) for of in (cells.flat[alike], look.flat[nearest[alike]]))
    lengths = np.maximum(np.einsum("ijk,ijk->ik", known, known), 1)
    gains = np.median(np.einsum("ijk,ijk->ik", seen, known) / lengths, axis=0)
    if np.abs(gains - 1).max() < _SAME_GAIN or gains.min() < _MIN_GAIN or gains.max() > _MAX_GAIN:
        return look, plain
    lit = replace(look, light=tuple(gains.tolist()))
    matches = lit.told(cells)
    return (lit, matches) if lit.agreement(matches) > look.agreement(plain) else (look, plain)
