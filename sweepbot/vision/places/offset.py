"""Where the cells of a lattice begin: by the shapes of known looks, else by what the network sees."""

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache

import numpy as np

from sweepbot.geometry import Image
from sweepbot.vision.first_sight.network import LATTICE_ODDS, network, weighed
from sweepbot.vision.grid import Grid
from sweepbot.vision.known.looks import Bank, Look, Patches
from sweepbot.vision.known.shapes import Shapes, moved
from sweepbot.vision.lattices.lattice import Lattice
from sweepbot.vision.pictures.board import CELL_PX, apart, board_picture
from sweepbot.vision.places.lines import to_the_pixel
from sweepbot.vision.trust import Floats

_COARSE_PX, _FINE_PX = CELL_PX // 4, CELL_PX // 8  # steps of the offset, of a cell as the network sees it
_STEPS_PX = range(-CELL_PX // 2, CELL_PX // 2, _COARSE_PX)
_COARSE = sorted(itertools.product(_STEPS_PX, _STEPS_PX), key=lambda offset: abs(offset[0]) + abs(offset[1]))
_FINE = list(itertools.product((-_FINE_PX, 0, _FINE_PX), (-_FINE_PX, 0, _FINE_PX)))
_AS_LIKELY = 0.03  # by which the mean chance of a sample's cells may differ between offsets that are as likely
_MIN_BOARD_CHANCE = 0.5  # mean, of the cells of a sample, for its lattice to be followed up
_MIN_COARSE_CHANCE = 0.2  # the same a quarter of a cell off, at worst an eighth from where it is seen
_SEEN_CHANCE = 0.75  # the same, from which on only finer steps are tried: lines are mostly found where cells begin
_DENSITIES = 1.0, 0.93, 1.07, 1.25, 1.5, 2.0  # pixels per pixel that a client draws; a tenth for what is in between
_MIN_LOOK_SHARE = 0.35  # of the cells of a sample that are near the templates of one look
_STEPS_SHARE = (-0.083, -0.042, 0.0, 0.042, 0.083)  # of a cell, by which the best offset by shapes may be off
_STEPS = tuple(itertools.product(_STEPS_SHARE, _STEPS_SHARE))
_FIRST_STEPS = 12, 6, 8, 16, 18  # of these, at which all looks are tried: none, and half of the most on both sides
_LOOKS_TRIED = 4  # at the other steps, those that the most cells had
_FINE_STEPS = 2 * ((-0.021, 0.0), (0.021, 0.0), (0.0, -0.021), (0.0, 0.021))  # of a cell, each taken if it is better
_OFFSETS_TRIED = 2  # of a lattice, those by shapes


@dataclass(frozen=True, eq=False)
class Known:
    """The looks that boards are compared with.

    Attributes:
        looks: Those of the clients to search for; none for first sight alone.
    """

    looks: tuple[Look, ...]

    @lru_cache(maxsize=64)  # noqa: B019  (there are a few of these, kept for as long as the program runs)
    def near(self, pitch: float) -> "Known":
        """Return, of each theme, the looks drawn at about a pitch, or at what a screen of high density makes of it."""
        themes: dict[tuple[str, int], list[Look]] = {}
        for look in self.looks:
            themes.setdefault((look.calibration.name, look.theme), []).append(look)
        kept = {
            min(looks, key=lambda look: abs(math.log(look.width * density / pitch)))
            for looks in themes.values()
            for density in _DENSITIES
        }
        return Known(tuple(look for look in self.looks if look in kept))

    @cached_property
    def bank(self) -> Bank:
        """All looks, compared at once."""
        return Bank(self.looks)

    @cached_property
    def shapes(self) -> Shapes:
        """All shapes, compared at once."""
        return Shapes(self.looks)


def by_looks(image: Image, lattice: Lattice, known: Known) -> Iterator[tuple[Grid, Look]]:
    """Yield the lines between cells on a lattice, with the known look that most of them have."""
    known = known.near(round(lattice.grid.pitch[0]))
    for offset in known.shapes.offsets(image, lattice)[:_OFFSETS_TRIED]:
        grid, bank = moved(lattice.grid, offset), Bank(offset.looks)
        part = lattice.sample(grid)
        by_edges = [(lines, lines.over(grid.region)) for lines in to_the_pixel(image, part)]
        shifts = [(right * grid.pitch[0], down * grid.pitch[1]) for right, down in _STEPS]
        tried = [*((part.shifted(*by), grid.shifted(*by)) for by in shifts), *by_edges]
        cut_out = [Patches(apart(board_picture(image, lines))) for lines, _ in tried]
        looks = _likely([cut_out[number] for number in _FIRST_STEPS], bank)
        found = [(*_best(cells, looks), *grids) for cells, grids in zip(cut_out, tried, strict=True)]
        agreement, look, lines, wider = max(found, key=lambda one: one[0])
        for right, down in _FINE_STEPS:
            by = right * grid.pitch[0], down * grid.pitch[1]
            again = look.agreement(look.match(apart(board_picture(image, lines.shifted(*by)))))
            if again > agreement:
                agreement, lines, wider = again, lines.shifted(*by), wider.shifted(*by)
        if agreement >= _MIN_LOOK_SHARE * part.cells:
            yield wider, look


def _likely(cut_out: Sequence[Patches], bank: Bank) -> list[Look]:
    """Return the looks, in the light of a picture, that most of the cells between some lines have, and the first.

    These have the most similar shapes, even if the lines are too far off for cells to equal their templates.
    """
    best: dict[tuple[str, int, int], tuple[float, Look]] = {}
    for cells in cut_out:
        for look, matches in bank.match(cells):
            name, agreement = (look.calibration.name, look.theme, look.width), look.agreement(matches)
            if name not in best or agreement > best[name][0]:
                best[name] = agreement, look
    ranked = sorted(best.values(), key=lambda one: -one[0])
    return [*(look for _, look in ranked[:_LOOKS_TRIED]), *bank.looks[:_LOOKS_TRIED]]


def _best(cells: Patches, looks: Sequence[Look]) -> tuple[float, Look]:
    """Return how many cells have the look that most of them have, and that look."""
    return max(((look.agreement(look.told(cells)), look) for look in looks), key=lambda one: one[0])


def by_sight(image: Image, lattice: Lattice) -> Grid | None:
    """Move a lattice so that the network sees its cells; None if it sees none."""
    grid, part = lattice.grid, lattice.sample(lattice.grid)
    picture = part.rectify(image, (CELL_PX, CELL_PX), margin=CELL_PX)
    height, width = part.rows * CELL_PX, part.columns * CELL_PX

    @cache
    def chances(offset: tuple[int, int]) -> Floats:
        left, top = (CELL_PX + off for off in offset)
        return network().judge(np.ascontiguousarray(picture[top : top + height, left : left + width]))

    def is_board(offset: tuple[int, int], least: float) -> bool:
        return _likelihood(weighed(chances(offset), LATTICE_ODDS)) >= least

    if lattice.exact:
        return grid if is_board((0, 0), _MIN_BOARD_CHANCE) else None
    seen = (offset for offset in _COARSE if _likelihood(chances(offset)) >= _SEEN_CHANCE)
    best = next(seen, None) or max(_COARSE, key=lambda offset: _likelihood(chances(offset)))
    if not is_board(best, _MIN_COARSE_CHANCE):
        return None
    while True:
        beside = ((best[0] + right, best[1] + down) for right, down in _FINE)
        near = [offset for offset in beside if max(map(abs, offset)) <= CELL_PX]
        likely = np.array([_likelihood(chances(offset)) for offset in near])
        before, best = best, near[int(likely.argmax())]
        if likely.max() - _likelihood(chances(before)) < _AS_LIKELY:
            break
    if not is_board(best, _MIN_BOARD_CHANCE):
        return None
    # It reads cells that are a little off as well: about the middle of where it does, they are true.
    weights = np.maximum(0, likely - likely.max() + _AS_LIKELY)
    middle = weights @ np.array(near) / weights.sum()
    across, down = (middle * grid.pitch / CELL_PX).tolist()
    return grid.shifted(across, down)


def _likelihood(chances: Floats) -> float:
    """Return how likely it is, on average, that cells are a board's and show what they most likely do."""
    return float(((1 - chances[..., -1]) * chances[..., :-1].max(2)).mean())
