"""Tell which state each cell shows, by template matching with a score and the score of a rival, or refuse to.

Every cell is first compared at a glance: reduced to a few fields and matched with all templates at once. A cell that is
plainly one template and no other is done. The others are compared in full, with the few states that came nearest:

- Cell and template are both softened, so that interpolation, dithering and compression matter little.
- The score is the share of the cell where the largest difference of the three channels is small. Differences are
  clipped at `CUTOFF_LEVELS`, so that a pointer, a ring or a mark costs no more than the part of the cell it covers.
- The cell is believed if it has a high score and leads every rival by a fair share of the difference between the two
  templates. If that difference is covered there is no lead, and the cell is refused.
- A featureless patch is always among the rivals, so that the plain face of a dialog is not taken for an open cell.
- A refused cell may still be a number in a font or size that no template shows, see `numbers`.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property

import cv2
import numpy as np
from numpy.typing import NDArray

from sweepbot.board import State, shows
from sweepbot.geometry import Image, Region
from sweepbot.vision.calibration import SAME_WIDTH_PX, Template
from sweepbot.vision.cells.classified import BLANK, LEAST_RELIEF, MINES, SURE_SCORE, Classified
from sweepbot.vision.cells.colour import TRUE_COLOURS, Colours, estimate_colours, of_light
from sweepbot.vision.cells.figures import NUMBERS
from sweepbot.vision.cells.flags import Flags
from sweepbot.vision.cells.grounds import Grounds, some_pixels
from sweepbot.vision.cells.likeness import Floats, agreement, flattened, planes, small, squared
from sweepbot.vision.cells.numbers import Numbers
from sweepbot.vision.cells.resizing import resized
from sweepbot.vision.grid import Grid
from sweepbot.vision.lattices.align import Patterns, alike_in_shape, drawn
from sweepbot.vision.pictures.light import Light
from sweepbot.vision.pictures.patches import SHIFTS_PX, Indices, Patches, reduced, softened, without_rims

CUTOFF_LEVELS = 64
"""The difference of two pixels is clipped here."""

LEAST_SCORE = 0.5
"""Least match score of a cell that is believed."""

LEAST_LEAD = 0.35
"""Least lead over each rival, as a share of the difference between the two templates."""

CAREFUL_LEAD = 0.6
"""The same for a cell that breaks the rules of the game."""

_FIELDS = 8  # a side, to which a cell is reduced for a glance
_PLAIN_MATCH_LEVELS = 5.0  # root mean square, by which a glance may differ from a plain match
_PLAIN_MATCH_SHARE = 0.2  # of the way from the best template (0) to a rival's (1)
_RIVALS = 7  # states that a doubtful cell is compared with, including the blank ones
_RIVALS_IN_HASTE = 4  # the same while lines are not settled
_CELLS_AT_ONCE = 2000  # compared as floats: tens of megabytes
_FLAT_SCORE = 0.03  # 1 - score against a single colour: a template with less is itself featureless
_MOST_GAP_SHARE = 0.75  # of a cell: the picture in it takes up the rest at least
_SAME_GAP_PX = 0.5  # of a template: gaps that differ by less are the same
_LEAST_MISFIT_SHARE = 0.13  # of 1 - score: blurring alone can make a smaller lead
_FIGURE_LEVELS = 60  # in the middle of an open cell: an empty one has 34 at most, a thin 1 has 85
_FIGURE_PERCENTILE = 97  # of the pixels there: a speck of compression is no figure
_LEAST_WON_SHARE = 0.25  # of all cells that are painted over after a win; a dialog may hide the others


class Classifier:
    """Compares cells with the templates of one calibration.

    Args:
        templates: At least two states, all of the same size.
        colours: What the screen does to the client's colours.
        gap: Width in pixels of the gap around the picture in a cell, which does not grow with the cell.
        native: Templates drawn at other sizes, by the width of a cell.
        density: Pixels of the screen per pixel of the gap: 2 if the desktop draws everything twice as large, less
            than 1 if the picture was reduced.
        spread: For a calibration in which some states were never met, the most grey levels by which the learned cells
            of each state differed from its templates; None for others.
        grounds: What brings cells to one ground before they are compared, if their grounds vary.

    Attributes:
        images: The templates as calibrated: uint8 of shape (templates, height, width, 3).
        looks: The templates as this screen shows them, of the same shape.
        of_template: The state that each template shows: uint8 of shape (templates,).
        density: Pixels of the screen per pixel of the gap.
        cutoff: Grey levels at which the difference of two pixels of this screen is clipped.
    """

    def __init__(
        self,
        templates: Sequence[Template],
        colours: Colours = TRUE_COLOURS,
        gap: int = 0,
        *,
        native: Mapping[int, Sequence[Template]] | None = None,
        density: float = 1.0,
        spread: Mapping[int, float] | None = None,
        grounds: Grounds | None = None,
    ) -> None:
        self._templates = templates
        self.spread = spread
        self.grounds = grounds
        self._native = native or {}
        self._gap = gap
        self.density = density
        self._of_pitch: dict[tuple[tuple[int, int], tuple[float, float], int, frozenset[int]], Classifier] = {}
        self._of_density: dict[float, Classifier] = {}
        self._of_light: dict[bytes, Classifier] = {}
        self.colours = colours
        self.of_template = np.array([template.state for template in templates], dtype=np.uint8)
        self._states = np.unique(self.of_template)
        self._blank = np.isin(self._states, BLANK)
        self.images = np.stack([template.image for template in templates])
        self.looks = colours.apply(self.images)
        self.cutoff = max(8.0, CUTOFF_LEVELS * min(1.0, colours.gain))
        self._gaps_of: dict[int, Floats] = {}

    def _gaps(self, best: Indices, others: Indices) -> Floats:
        """Return 1 - score between the best template of each cell, (cells,), and its others, (cells, rivals)."""
        count = len(self._planes)
        which, rows = np.unique(best, return_inverse=True)
        for one in which.tolist():
            if one not in self._gaps_of:  # most are never needed, and each estimate of colours makes a new classifier
                self._gaps_of[one] = 1 - agreement(self._planes[[one] * count], self._planes, self.cutoff)
        gaps = np.array([self._gaps_of[one] for one in which.tolist()], dtype=np.float32).reshape(-1, count)
        return gaps[rows[:, None], others]

    @cached_property
    def _soft(self) -> Image:
        return softened(self.looks)

    @cached_property
    def _planes(self) -> Image:
        return planes(self._soft)

    @cached_property
    def _small(self) -> Floats:
        return small(self._soft)

    @cached_property
    def _glances(self) -> Floats:
        """The templates reduced for a glance, of shape (templates, fields * 3)."""
        return reduced(self.looks, _FIELDS)

    @cached_property
    def _squares(self) -> Floats:
        return squared(self._glances)

    @cached_property
    def _glance_gaps(self) -> Floats:
        """The squared distances between the glances, of shape (templates, templates)."""
        gaps: Floats = self._squares[:, None] + self._squares - 2 * self._glances @ self._glances.T
        return gaps

    @cached_property
    def _flat_gaps(self) -> Floats:
        """1 - score of each template against a single colour, of shape (templates,)."""
        return 1 - agreement(self._planes, flattened(self._planes), self.cutoff)

    @cached_property
    def patterns(self) -> Patterns:
        """The shapes of the templates."""
        return Patterns(self.looks)

    @property
    def brightness(self) -> float:
        """By how much this screen scales differences of colours; 1 if it does not."""
        return self.colours.gain

    @property
    def cell(self) -> tuple[int, int]:
        """Width and height of a template."""
        return self.images.shape[2], self.images.shape[1]

    def images_of(self, state: int) -> Image:
        """Return the templates of a state as calibrated: uint8 of shape (templates, height, width, 3)."""
        images: Image = self.images[self.of_template == state]
        return images

    def _with(self, *, colours: Colours | None = None, density: float | None = None) -> "Classifier":
        return Classifier(
            self._templates,
            self.colours if colours is None else colours,
            self._gap,
            native=self._native,
            density=self.density if density is None else density,
            spread=self.spread,
            grounds=self.grounds,
        )

    def with_colours(self, colours: Colours) -> "Classifier":
        """Return a classifier for a screen that changes colours in another way."""
        return self._with(colours=colours)

    def in_light(self, light: Light) -> "Classifier":
        """Return a classifier for a screen that multiplies blue, green and red by `light`."""
        if np.array_equal(light, self.light):
            return self
        known = light.tobytes()
        if known not in self._of_light:
            self._of_light[known] = self.with_colours(of_light(light))
        return self._of_light[known]

    def with_density(self, density: float) -> "Classifier":
        """Return a classifier with `density` pixels of the screen per pixel of the gap."""
        return self._with(density=density)

    def denser(self, by: float, pitch: tuple[float, float]) -> "Classifier | None":
        """Return a classifier whose gap, for cells of `pitch`, is `by` times as wide; None if there is no gap."""
        if not self._gap:
            return None
        known = round(by * self._gap_for(pitch) / self._gap, 3)
        if known not in self._of_density:
            self._of_density[known] = self.with_density(known)
        return self._of_density[known]

    def for_pitch(self, pitch: tuple[float, float], most_px: float = math.inf) -> "Classifier":
        """Return a classifier with templates for cells of `pitch`.

        The picture in a cell grows with it, and the gap around it does not. Templates are reduced to the size of
        smaller cells, but never enlarged: a board of larger cells is reduced when it is rectified.

        Args:
            pitch: Width and height of a cell, in pixels of a picture.
            most_px: The largest side of a template, if speed matters more than detail.
        """
        size = round(min(self.cell[0], pitch[0], most_px)), round(min(self.cell[1], pitch[1], most_px))
        most = self._gap_for(pitch)
        # Rounded, so that nearly equal pitches share one classifier.
        gap = round(most * size[0] / pitch[0], 2), round(most * size[1] / pitch[1], 2)
        native = self._native_for(pitch[0])
        if size == self.cell and not native and max(abs(side - self._gap) for side in gap) < _SAME_GAP_PX:
            return self
        is_own = [abs(template.image.shape[1] - pitch[0]) <= SAME_WIDTH_PX for template in native]
        drawn = frozenset(template.state for template, own in zip(native, is_own, strict=True) if own)
        known = size, gap, id(native), drawn
        if known not in self._of_pitch:
            others = [template for template in self._templates if template.state not in drawn]
            images = resized([template.image for template in others], size, self._gap, gap)
            images += resized([template.image for template in native], size, 0, gap)
            states = [template.state for template in (*others, *native)]
            self._of_pitch[known] = Classifier(
                list(map(Template, states, images)),
                self.colours,
                spread=self.spread,
                grounds=self.grounds,
            )
        return self._of_pitch[known]

    def _gap_for(self, pitch: tuple[float, float]) -> float:
        """Return the width of the gap in cells of `pitch`, in pixels of the screen."""
        return min(self._gap * self.density, _MOST_GAP_SHARE * min(pitch))

    def _native_for(self, width: float) -> Sequence[Template]:
        """Return the native templates nearest in size to a width, by ratio; none if the main ones are nearer.

        As templates are never enlarged, sizes smaller than the cell are left out.
        """
        least = min(self.cell[0], round(width))
        nearest = min(
            (side for side in (self.cell[0], *self._native) if side >= least),
            key=lambda side: abs(math.log(side / width)),
        )
        return () if nearest == self.cell[0] else self._native[nearest]

    def classify(self, patches: Patches) -> Classified:
        """Tell what each cell shows."""
        return self._classify(patches, np.arange(patches.count)).shaped(*patches.size)

    def classify_anew(self, patches: Patches, which: Indices, earlier: Classified) -> Classified:
        """Classify only some cells, numbered in reading order; the others are as in `earlier`."""
        return earlier.replaced(which, self._classify(patches, which)) if which.size else earlier

    def sketch(self, patches: Patches) -> Classified:
        """Classify quickly, while the lines of the board are not settled: no doubtful cell is compared twice."""
        found = self._judge(self.cells(patches), _RIVALS_IN_HASTE, LEAST_LEAD)
        return self._on_known_grounds(patches, None, found).shaped(*patches.size)

    def cells(self, patches: Patches, which: Indices | None = None, shift: tuple[int, int] = (0, 0)) -> Image:
        """Return cells as they are compared with the templates; see `Patches.at` for the arguments."""
        cells = patches.at(which, shift)
        return cells if self.grounds is None else self.grounds.levelled(cells, self.light)

    def levelled(self, patches: Patches) -> Image:
        """Return a board without its margin, with all cells as they are compared with the templates."""
        if self.grounds is None:
            return patches.inside
        cells = self.cells(patches)
        tiles = cells.reshape(*patches.size, *cells.shape[1:]).swapaxes(1, 2)
        return np.ascontiguousarray(tiles).reshape(patches.inside.shape)

    @property
    def light(self) -> Light:
        """The factors by which the screen multiplies blue, green and red."""
        return np.diagonal(self.colours.matrix)

    def refusal(self, patches: Patches, found: Classified, cell: tuple[int, int]) -> str:
        """Say why a cell that `classify` found unread is not believed.

        Args:
            patches: The cells.
            found: What `classify` has returned for it.
            cell: The row and the column of the cell.
        """
        score, lead, best = found.scores[cell], found.leads[cell], self.of_template[found.templates[cell]]
        which = np.array([cell[0] * patches.columns + cell[1]])
        if score < LEAST_SCORE:
            return f"its score is below {LEAST_SCORE}"
        if found.reliefs[cell] < LEAST_RELIEF:
            return f"it is as flat as a patch of a single colour: its relief is below {LEAST_RELIEF}"
        if lead < LEAST_LEAD:
            return f"it leads its rival by less than {LEAST_LEAD} of the difference between the two templates"
        if self.grounds is not None and not self.grounds.are_known(patches.at(which), self.light)[0]:
            return "its ground is none of the client's"
        if best in BLANK:
            return "something is drawn in its middle"
        return "its ink or its shape is another's, or its score is hardly better than another state's"

    def shaped(self, patches: Patches, *, coloured: bool) -> Indices:
        """Return the template whose shape each cell has, -1 for none, of shape (rows, columns).

        Args:
            patches: The cells.
            coloured: Whether the colours of the screen are known already.
        """
        gain = self.colours.gain if coloured else None
        return alike_in_shape(self.cells(patches), self.looks, gain).reshape(patches.size)

    def recoloured(self, patches: Patches, templates: Indices) -> "Classifier":
        """Return a classifier in the colours of a board.

        Args:
            patches: Its cells.
            templates: The template that each cell shows, -1 if unknown.
        """
        seen = patches.inside
        if self.grounds is not None:
            pixels = some_pixels(seen, Region.of(seen))
            return self.in_light(self.grounds.brightest(pixels, self.light / self.light.max()))
        colours = estimate_colours(seen, *drawn(templates, self.images, seen))
        return self if colours is None or colours is self.colours else self.with_colours(colours)

    def relit(self, image: Image, grid: Grid) -> "Classifier":
        """Return a classifier in the light of a picture, found by the shapes of cells, which no light changes."""
        if self.grounds is not None:
            return self.recoloured(Patches.of(image, grid, self.cell), np.empty(0, dtype=np.intp))
        plain = self.with_colours(TRUE_COLOURS)
        patches = Patches.of(image, grid, plain.cell)
        return plain.recoloured(patches, plain.shaped(patches, coloured=False))

    def shows_win(self, patches: Patches, states: NDArray[np.uint8]) -> bool:
        """Whether the open cells of a board, read as `states`, are painted over, as after a win."""
        if self.grounds is None:
            return False
        over = int(self.grounds.painted_over(patches.at(), self.light).sum())
        return over >= _LEAST_WON_SHARE * patches.count and over >= int((states <= NUMBERS[-1]).sum())

    def reconsider(self, patches: Patches, which: Indices) -> Classified:
        """Classify doubtful cells again, in full, and believe only clear leads."""
        return self._look(patches, which, len(self._states), CAREFUL_LEAD)

    def _classify(self, patches: Patches, which: Indices) -> Classified:
        glances = reduced(self.cells(patches, which), _FIELDS)
        distance = np.maximum(self._squares - 2 * glances @ self._glances.T + squared(glances)[:, None], 0)
        best = np.argmin(distance, axis=1)
        nearest = distance[np.arange(len(which)), best]
        # Where a glance lies on the way from its template (0) to each other one (1).
        gaps = self._glance_gaps[best]
        place = 0.5 + (nearest[:, None] - distance) / (2 * np.maximum(gaps, 1))
        place[self.of_template[best][:, None] == self.of_template] = 0
        closest = np.argmax(place, axis=1)
        limit = (_PLAIN_MATCH_LEVELS * min(1.0, self.colours.gain)) ** 2 * glances.shape[1]
        plain = (nearest <= limit) & (place[np.arange(len(which)), closest] <= _PLAIN_MATCH_SHARE)
        found = Classified(
            self.of_template[best],
            best,
            1 - np.sqrt(nearest / glances.shape[1], dtype=np.float32) / CUTOFF_LEVELS,
            self.of_template[closest],
            np.clip(1 - np.sqrt(distance[np.arange(len(which)), closest] / glances.shape[1]) / CUTOFF_LEVELS, 0, 1),
            1 - 2 * place[np.arange(len(which)), closest],
            np.ones(len(which), dtype=np.float32),
        )
        doubtful = np.flatnonzero(~plain)
        if doubtful.size:
            found = found.replaced(doubtful, self._look(patches, which[doubtful], _RIVALS, LEAST_LEAD))
        return self._on_known_grounds(patches, which, found)

    def _on_known_grounds(self, patches: Patches, which: Indices | None, found: Classified) -> Classified:
        """Refuse cells on an unknown ground, except mines, which may cover all of it."""
        if self.grounds is None:
            return found
        known = self.grounds.are_known(patches.at(which), self.light) | shows(found.states, *MINES)
        return replace(found, states=np.where(known, found.states, np.uint8(State.UNKNOWN)))

    def _look(self, patches: Patches, which: Indices, rivals: int, lead: float) -> Classified:
        """Compare cells in full, and those with low scores also a pixel beside their place."""
        found = self._judge_strictly(self.cells(patches, which), rivals, lead)
        doubtful = np.flatnonzero((found.scores < SURE_SCORE) & ~found.believed)
        for shift in SHIFTS_PX if doubtful.size else ():
            again = self._judge_strictly(self.cells(patches, which[doubtful], shift), rivals, lead)
            better = again.believed & (again.scores > found.scores[doubtful])
            chosen = np.flatnonzero(better)
            found = found.replaced(doubtful[chosen], again.some(chosen))
        unsure = np.flatnonzero(~found.believed | ((found.scores < SURE_SCORE) & np.isin(found.states, NUMBERS)))
        if unsure.size and self._numbers.are_legible:
            found = _revised(found, unsure, self.cells(patches, which[unsure]), self._numbers)
        unread = np.flatnonzero(~found.believed)
        if unread.size and self.grounds is not None:
            found = _revised(found, unread, self.cells(patches, which[unread]), self._flags)
        return found

    @cached_property
    def _flags(self) -> Flags:
        return Flags(self.looks, self.of_template)

    def _judge_strictly(self, cells: Image, rivals: int, lead: float) -> Classified:
        """Do what `_judge` does, but refuse empty cells in whose middle something is seen.

        A number in a thin font, or a line drawn over a cell, changes its score too little. If grounds vary, this is
        checked for hidden cells too, as flags there are drawn unlike their templates.
        """
        found = self._judge(cells, rivals, lead)
        empty = np.flatnonzero(np.isin(found.states, BLANK if self.grounds is not None else 0))
        if not empty.size:
            return found
        seen, drawn = (without_rims(softened(of)) for of in (cells[empty], self.looks[found.templates[empty]]))
        off = cv2.absdiff(seen, drawn).max(axis=3).reshape(len(empty), -1)
        inked = np.percentile(off, _FIGURE_PERCENTILE, axis=1) > _FIGURE_LEVELS * min(1.0, self.brightness)
        states = found.states.copy()
        states[empty[inked]] = State.UNKNOWN
        return replace(found, states=states)

    @cached_property
    def _numbers(self) -> Numbers:
        return Numbers(self.looks, self.of_template, shadowed=self.grounds is not None)

    def _judge(self, cells: Image, rivals: int, lead: float) -> Classified:
        """Compare cells with the nearest states, and decide whether to believe the best."""
        soft = softened(cells)
        seen = planes(soft)
        count = len(cells)
        # In blocks: as floats, all cells of a large lattice would take hundreds of megabytes.
        blocks = np.array_split(soft, 1 + count // _CELLS_AT_ONCE)
        # The squared distances from all templates, less the cell's own square, which is the same for each.
        distance = np.concatenate([squared(self._small) - 2 * small(block) @ self._small.T for block in blocks])
        nearest = np.empty((count, len(self._states)), dtype=np.intp)
        for index, state in enumerate(self._states):
            of_state = np.flatnonzero(self.of_template == state)
            nearest[:, index] = of_state[np.argmin(distance[:, of_state], axis=1)]
        apart = np.take_along_axis(distance, nearest, axis=1)
        # Blank states are always compared: a mark on a blank cell can bring it nearer to every figure.
        apart[:, self._blank] = -np.inf
        order = np.argsort(apart, axis=1)[:, :rivals]
        considered = np.take_along_axis(nearest, order, axis=1)
        scores = np.stack([agreement(seen, self._planes[column], self.cutoff) for column in considered.T], axis=1)

        everyone, first = np.arange(count), np.argmax(scores, axis=1)
        best, best_score = considered[everyone, first], scores[everyone, first]
        ahead = best_score[:, None] - scores
        ahead[everyone, first] = np.inf
        gaps = self._gaps(best, considered) + 1e-6  # two templates may be equal
        leads = ahead / gaps
        closest = np.argmin(leads, axis=1)
        believed = (best_score >= LEAST_SCORE) & (leads[everyone, closest] >= lead)
        believed &= ahead.min(axis=1) >= _LEAST_MISFIT_SHARE * (1 - best_score)
        reliefs = np.ones(count, dtype=np.float32)
        maybe_flat = np.flatnonzero(self._flat_gaps[best] >= _FLAT_SCORE)
        flat_score = agreement(seen[maybe_flat], flattened(seen[maybe_flat]), self.cutoff)
        reliefs[maybe_flat] = (best_score[maybe_flat] - flat_score) / self._flat_gaps[best][maybe_flat]
        plain = believed & (reliefs < LEAST_RELIEF)
        believed &= ~plain
        return Classified(
            np.where(believed, self.of_template[best], State.UNKNOWN).astype(np.uint8),
            best,
            best_score,
            np.where(plain, State.UNKNOWN, self.of_template[considered[everyone, closest]]).astype(np.uint8),
            scores[everyone, closest],
            leads[everyone, closest],
            reliefs,
        )


def _revised(found: Classified, which: Indices, cells: Image, by: Numbers | Flags) -> Classified:
    """Replace what some cells show if other signs than a match of pixels tell another state."""
    seen = by.recognise(cells, found.states[which])
    other = seen.states != found.states[which]
    changed = replace(
        found.some(which[other]),
        states=seen.states[other],
        templates=seen.templates[other],
        scores=seen.scores[other],
        reliefs=np.ones(int(other.sum()), dtype=np.float32),
    )
    return found.replaced(which[other], changed)
