"""Which state each cell shows, where grounds vary: told by the colour of a figure and by its coarse shape.

Of some clients no two cells have the same ground, be it chequered, a gradient, or lighter under the pointer, and their
numbers come in whatever font a machine has. So a cell is told by its ground: the colour that most of it has, which is
that of a hidden or of an open cell, or between two of these. A figure on it is a number by its ink and shape, see
`numbers`, a flag by how much of it has the colour of its cloth, and a mine by its greys, see `greys`.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

import cv2
import numpy as np
from numpy.typing import NDArray

from sweepbot.board import State
from sweepbot.geometry import Image, Region
from sweepbot.vision.calibration import Ground, Template
from sweepbot.vision.cells.classified import Classified
from sweepbot.vision.cells.figures import ink_of, mixed
from sweepbot.vision.cells.greys import LEAST_ALIKE, GreyFigures
from sweepbot.vision.cells.likeness import Floats
from sweepbot.vision.cells.numbers import BLANK, INKED, INNER, MOST_BLANK, SIDE, Numbers, figure_alone, inner
from sweepbot.vision.grid import Grid
from sweepbot.vision.lattices.align import Patterns
from sweepbot.vision.pictures.cutting import cut
from sweepbot.vision.pictures.light import FULL, Light

_ON_MINE = 2  # the number of the kind of ground that only mines have
_SAME_GROUND = 26.0  # grey levels by which a pixel may be off its ground, root of the sum of squares
_LEAST_GROUND = 0.34  # of the inner pixels: what a believed cell has of its ground
_OTHER_GROUND = 60.0  # grey levels by which a mine's ground must be off every open one, to be one of its own
_SHADES = 0.04, 0.96  # of a hidden cell's pixels: darker and lighter ones are its lines
_CLOTH = 0.6  # of its colour: what a pixel of a flag's cloth has at least
_OTHER_CLOTH = 0.35  # of what sets cloth and ground apart: by so much a pixel of it may be off
_COVERS = 0.3, 2.0  # of what a template's cloth covers: what a flag's does
_MOST_AT_RIM = 0.05  # of a cell's rim: by so much more than a template's may a flag's cloth run along it
_LARGEST_NUMBER = 8
_BRIGHTNESSES = tuple(1.05 * 0.94**step for step in range(24))  # of a dimmed page, down to a quarter
_EQUAL_SHARE = 0.01  # of the pixels looked at: a gradient's colours are found in several lights, the true one amid them
_MOST_PIXELS = 1_500  # looked at for that: of so many a share is known to within three hundredths
_LEAST_WON = 0.25  # of all cells: what is painted over at least after a win, a box being in front of the others
_MOST_LEFT_OPEN = 4  # times as many are painted over as are still open, or they are only beginning to be

HIDDEN_KIND = (State.HIDDEN, State.FLAG)
"""States whose ground is that of a hidden cell."""


class InkClassifier:
    """Compares cells with the templates of one calibration, by ground, ink and shape.

    Args:
        templates: At least one of a hidden and one of an open cell.
        ground: What sets cells apart.
        light: By what the screen multiplies colours.
        after_win: How open cells look once a game is won, where they are painted over then.
        of_light: The same classifier in lights that were met before, shared by all of them.

    Attributes:
        cell: Width and height to which cells are brought.
        images: The templates, brought to that size: uint8 of shape (templates, height, width, 3).
        of_template: The state that each template shows: uint8 of shape (templates,).
    """

    cell = SIDE, SIDE

    def __init__(
        self,
        templates: Sequence[Template],
        ground: Ground,
        light: Light = FULL,
        after_win: Sequence[Image] = (),
        *,
        of_light: "dict[bytes, InkClassifier] | None" = None,
    ) -> None:
        self._templates = templates
        self._of_light = {} if of_light is None else of_light
        self._after_win = after_win
        self.ground = ground
        self.light = light
        self._brightness = float(light.max())
        self.of_template = np.array([template.state for template in templates], dtype=np.uint8)
        small = [cv2.resize(one.image, (SIDE, SIDE), interpolation=cv2.INTER_AREA) for one in templates]
        self.images = np.asarray(np.stack(small), dtype=np.uint8)
        cells = inner(self.images)
        pixels = cells.reshape(len(cells), -1, 3)
        own = np.asarray(np.median(pixels, axis=1), dtype=np.float32)
        closed = self.of_template == State.HIDDEN
        # A hidden cell may be lit from somewhere, an open one is flat.
        known = [_between(own[self.of_template == 0]), np.concatenate([_between(own[closed]), _shades(cells[closed])])]
        self._grounds = [grounds * light for grounds in known]
        # Mines may be on grounds of their own, with nothing between one and the next.
        mines = np.isin(self.of_template, (State.MINE, State.EXPLODED))
        apart = _distance(own[None], known[0])[0] > _OTHER_GROUND
        painted = [np.asarray(np.median(look, axis=(0, 1)), dtype=np.float32) for look in after_win]
        self._painted_over = _between(np.asarray(np.stack(painted) * light, dtype=np.float32)) if painted else None
        hidden = (_distance(pixels, known[1]) <= _SAME_GROUND).mean(axis=1) >= _LEAST_GROUND
        self._on_hidden = np.flatnonzero(mines & hidden)
        self._greys = GreyFigures(pixels[self._on_hidden])
        self._on_own = np.flatnonzero(mines & apart & ~hidden)
        shown = own[self._on_own] * light
        self._grounds += [np.stack([shown, shown], axis=1)] if len(shown) else []
        numbers = (self.of_template > 0) & (self.of_template < State.HIDDEN)
        self._figures = np.flatnonzero(numbers | (mines & ~apart & ~hidden))
        self._numbers = Numbers(
            cells[self._figures], self.of_template[self._figures], own[self._figures], np.asarray(light, np.float32)
        )
        self._flags = np.flatnonzero(self.of_template == State.FLAG)
        self._cloths = {int(at): ink_of(cells[at], own[at]) * light for at in self._flags}
        offsets = np.linalg.norm(cells - own[:, None, None], axis=3)
        self._cover = {at: float((offsets[at] > INKED).mean()) for at in self._cloths}
        self._rim = {at: float(_at_rim(_clothed_template(cells[at], own[at]))[0]) for at in self._cloths}

    @cached_property
    def patterns(self) -> Patterns:
        """The shapes of templates, of each state one: lines are told by them, not cells."""
        first = [np.flatnonzero(self.of_template == state)[0] for state in np.unique(self.of_template)]
        return Patterns(self.images[first])

    @property
    def brightness(self) -> float:
        """By what the light multiplies the colour that it leaves most of."""
        return self._brightness

    @property
    def strain(self) -> float:
        """See `CellClassifier`: all lights that are tried dim and warm a screen."""
        return 0.0

    @property
    def kinds(self) -> tuple[Floats, ...]:
        """The colours of grounds, each of shape (colours, 3), in the client's light.

        Those of open cells come first, then those of hidden ones, and of open ones after a win where these are others.
        """
        return tuple(
            np.asarray(np.unique(grounds.reshape(-1, 3), axis=0) / self.light, dtype=np.float32)
            for grounds in self._known_grounds
        )

    @property
    def _known_grounds(self) -> list[Floats]:
        return [*self._grounds[:2], *([] if self._painted_over is None else [self._painted_over])]

    def grounds_in(self, pixels: Floats, light: Light) -> float:
        """The share of pixels of shape (1, pixels, 3) that have the colour of a ground in such a light."""
        off = [_distance(pixels, grounds * (light / self.light)) for grounds in self._known_grounds]
        return float((np.min(off, axis=0) <= _SAME_GROUND * light.max()).mean())

    def lit(self, light: Light) -> "InkClassifier":
        """The same on a screen that multiplies colours by `light`."""
        known = light.tobytes()
        if known not in self._of_light:
            self._of_light[known] = InkClassifier(
                self._templates, self.ground, light, self._after_win, of_light=self._of_light
            )
        return self._of_light[known]

    def weighed(
        self,
        board: Image,  # noqa: ARG002
        size: tuple[int, int],  # noqa: ARG002
        found: Classified,
        scale: float,  # noqa: ARG002
    ) -> Classified:
        """See `CellClassifier`: what a cell shows by its ink needs no other cell."""
        return found

    def relit(self, image: Image, grid: Grid) -> "InkClassifier":
        """See `CellClassifier`: the light of the same warmth in which most of the board has colours of its grounds."""
        return self.brightest(image, grid, self.light / self.light.max())

    def brightest(self, image: Image, grid: Grid, tint: Light) -> "InkClassifier":
        """The classifier in that light of a tint in which most of a board has the colours of its grounds."""
        pixels = some_pixels(image, grid.region)
        lights: list[Light] = [np.float32(one) * tint for one in _BRIGHTNESSES]
        shares = np.array([self.grounds_in(pixels, one) for one in lights])
        equals = np.flatnonzero(shares >= shares.max() - _EQUAL_SHARE)
        return self.lit(lights[int(equals[len(equals) // 2])])

    def shows_win(self, board: Image, size: tuple[int, int], states: NDArray[np.uint8]) -> bool:
        """Whether a rectified board, on which `states` were read, has its open cells painted over, as after a win."""
        if self._painted_over is None:
            return False
        cells = inner(cut(board, size, np.arange(size[0] * size[1])))
        off = _distance(cells.reshape(len(cells), -1, 3), self._painted_over)
        over = int(((off <= _SAME_GROUND * self._brightness).mean(axis=1) >= _LEAST_GROUND).sum())
        return over >= _LEAST_WON * len(cells) and over >= _MOST_LEFT_OPEN * int((states <= _LARGEST_NUMBER).sum())

    def classify(self, board: Image, size: tuple[int, int]) -> Classified:
        """Tell what each cell of a rectified board shows.

        Args:
            board: The board with its margin, as `cells.rectified` gives it.
            size: Its rows and columns.
        """
        cells = inner(cut(board, size, np.arange(size[0] * size[1])))
        return self._classified(cells).shaped(*size)

    def classify_anew(
        self, board: Image, size: tuple[int, int], which: NDArray[np.intp], earlier: Classified
    ) -> Classified:
        """The same where only some cells, numbered in reading order, look other than when it was told `earlier`."""
        return earlier.replaced(which, self._classified(inner(cut(board, size, which)))) if which.size else earlier

    def _classified(self, cells: Floats) -> Classified:
        count = len(cells)
        flat = cells.reshape(count, -1, 3)
        off = np.stack([_distance(flat, grounds) for grounds in self._grounds], axis=2)
        # In little light two grounds may both be near enough to a pixel: it is of the nearer one.
        own = off <= _SAME_GROUND * max(0.5, self._brightness)
        nearer = own & (off <= off.min(axis=2, keepdims=True))
        kind = nearer.mean(axis=1).argmax(axis=1)
        shares = own.mean(axis=1)
        everyone = np.arange(count)
        on_ground = own[everyone, :, kind]
        known = shares[everyone, kind] >= _LEAST_GROUND
        grounds = _medians(flat, on_ground)
        offsets = flat - grounds[:, None]
        sizes = np.linalg.norm(offsets, axis=2)
        # Hidden cells have a texture within the colours of their grounds; of open ones the ground is plain.
        beyond = np.where(kind[:, None] == 1, off[everyone, :, kind], sizes)
        inked = (beyond > INKED * max(0.5, self._brightness)).mean(axis=1)

        states = np.full(count, State.UNKNOWN, dtype=np.uint8)
        templates = np.zeros(count, dtype=np.intp)
        scores = np.zeros(count, dtype=np.float32)
        rivals = np.full(count, State.UNKNOWN, dtype=np.uint8)
        rival_scores = np.zeros(count, dtype=np.float32)
        plainness = np.clip(shares[everyone, kind], 0, 1).astype(np.float32)
        for number, state in ((0, 0), (1, State.HIDDEN)):
            blank = known & (kind == number) & (inked <= MOST_BLANK)
            states[blank] = state
            templates[blank] = np.flatnonzero(self.of_template == state)[0]
            scores[blank] = plainness[blank]
        mines = known & (kind == _ON_MINE)
        if mines.any():
            away = np.linalg.norm(grounds[mines][:, None] - self._grounds[_ON_MINE][:, 0], axis=2)
            templates[mines] = self._on_own[away.argmin(axis=1)]
            states[mines], scores[mines] = self.of_template[templates[mines]], plainness[mines]
        figures = np.flatnonzero(known & (kind == 0) & (inked > BLANK))
        if figures.size:
            alone = figure_alone(sizes[figures])
            left = (alone > INKED * max(0.5, self._brightness)).mean(axis=1)
            shadowed = figures[left <= MOST_BLANK]
            states[shadowed] = 0
            templates[shadowed] = np.flatnonzero(self.of_template == 0)[0]
            scores[shadowed] = plainness[shadowed]
            figures, alone = figures[left > BLANK], alone[left > BLANK]
        if figures.size:
            told = self._numbers.tell(offsets[figures], alone, grounds[figures])
            states[figures], templates[figures], scores[figures] = (
                told.states,
                self._figures[told.templates],
                told.scores,
            )
            rivals[figures], rival_scores[figures] = told.rivals, told.rival_scores
        marked = np.flatnonzero(known & (kind == 1) & (inked > BLANK))
        for at in self._flags if marked.size else ():
            flags = marked[self._flies(int(at), offsets[marked], grounds[marked])]
            states[flags], templates[flags], scores[flags] = State.FLAG, at, 0.9
        shown = Classified(states, templates, scores, rivals, rival_scores, np.ones(count, dtype=np.float32))
        return self._with_mines_on_hidden(flat, shown)

    def _flies(self, at: int, offsets: Floats, grounds: Floats) -> NDArray[np.bool_]:
        """Which of some cells show the flag of a template, by how much of them its cloth covers."""
        cloth = _clothed(offsets, self._cloths[at] - grounds)
        covers = cloth.mean(axis=1) / max(self._cover[at], 1e-3)
        # A line that a person has drawn over the board goes on beyond the cell.
        ends = _at_rim(cloth) <= self._rim[at] + _MOST_AT_RIM
        return np.asarray((covers > _COVERS[0]) & (covers < _COVERS[1]) & ends, dtype=np.bool_)

    def _with_mines_on_hidden(self, cells: Floats, found: Classified) -> Classified:
        """What cells of shape (cells, pixels, 3) show, those that were refused compared with mines on hidden cells.

        A mine may leave so little of its ground to be seen that not even that is told.
        """
        unread = np.flatnonzero(found.states == State.UNKNOWN)
        if not unread.size or not self._on_hidden.size:
            return found
        best, alike = self._greys.compare(cells[unread])
        mines = alike >= LEAST_ALIKE
        states, templates, scores = found.states.copy(), found.templates.copy(), found.scores.copy()
        templates[unread[mines]] = self._on_hidden[best[mines]]
        states[unread[mines]] = self.of_template[templates[unread[mines]]]
        scores[unread[mines]] = alike[mines]
        return replace(found, states=states, templates=templates, scores=scores)


def some_pixels(image: Image, region: Region) -> Floats:
    """Some of the pixels of a region, of shape (1, pixels, 3)."""
    part = image[max(0, region.y) : region.bottom, max(0, region.x) : region.right]
    step = max(1, int(np.sqrt(part.shape[0] * part.shape[1] / _MOST_PIXELS)))
    return np.asarray(part[::step, ::step].reshape(1, -1, 3), dtype=np.float32)


def _clothed(offsets: Floats, towards: Floats) -> NDArray[np.bool_]:
    """Which pixels show a flag's cloth: `offsets` from the ground (cells, pixels, 3) near `towards` (cells, 3)."""
    share, left = mixed(offsets, towards)
    cloth: NDArray[np.bool_] = (share > _CLOTH) & (left < _OTHER_CLOTH * np.linalg.norm(towards, axis=1)[:, None])
    return cloth


def _clothed_template(cell: Image, ground: Floats) -> NDArray[np.bool_]:
    """The same of a template's inner pixels: of shape (1, pixels)."""
    offsets = cell.reshape(1, -1, 3).astype(np.float32) - ground
    return _clothed(offsets, (ink_of(cell, ground) - ground)[None])


def _at_rim(shown: NDArray[np.bool_]) -> Floats:
    """The share of the outermost pixels that show something: `shown` has shape (cells, pixels), the shares (cells,)."""
    sides = shown.reshape(-1, INNER, INNER)
    rim = np.concatenate([sides[:, [0, -1]].reshape(len(sides), -1), sides[:, :, [0, -1]].reshape(len(sides), -1)], 1)
    return np.asarray(rim.mean(axis=1), dtype=np.float32)


def _shades(cells: Image) -> Floats:
    """From the darkest to the lightest colour that a fair part of each cell has: segments as `_between` gives."""
    pixels = cells.reshape(len(cells), -1, 3).astype(np.float32)
    order = np.argsort(pixels.sum(axis=2), axis=1)
    ends = order[:, [round(share * pixels.shape[1]) for share in _SHADES]]
    return pixels[np.arange(len(cells))[:, None], ends]


def _between(colours: Floats) -> NDArray[np.float32]:
    """Line segments between colours, each as its two ends: shape (segments, 2, 3)."""
    pairs = [(one, other) for index, one in enumerate(colours) for other in colours[index:]]
    return np.asarray(pairs, dtype=np.float32)


def _distance(pixels: Floats, segments: Floats) -> Floats:
    """How far pixels of shape (cells, pixels, 3) are from the nearest colour on some segments: (cells, pixels)."""
    nearest = np.full(pixels.shape[:2], np.inf, dtype=np.float32)
    for start, stop in segments:
        along = stop - start
        off = pixels - start
        if along.any():
            off -= np.clip(off @ along / float(along @ along), 0, 1)[..., None] * along
        np.minimum(nearest, np.einsum("...c,...c->...", off, off), out=nearest)
    return np.sqrt(nearest)


def _medians(pixels: Floats, which: NDArray[np.bool_]) -> Floats:
    """The median colour of some of the pixels of each cell: shape (cells, 3); 0 where there are none."""
    masked = np.where(which[..., None], pixels, np.nan)
    empty = ~which.any(axis=1)
    masked[empty] = 0
    return np.asarray(np.nanmedian(masked, axis=1), dtype=np.float32)
