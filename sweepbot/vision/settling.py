"""Where a board ends, and where its lines are to the pixel: of several hypotheses, the one with least against it."""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np

from sweepbot.board import State, are_numbers
from sweepbot.geometry import Image
from sweepbot.vision.doubts import is_offered, is_usual, of_sides
from sweepbot.vision.extent import OpenSide
from sweepbot.vision.grid import Grid
from sweepbot.vision.known.looks import Look
from sweepbot.vision.pictures.board import apart, board_picture
from sweepbot.vision.places.lines import by_axis, to_the_pixel
from sweepbot.vision.places.place import Place, place_at
from sweepbot.vision.telling import Seen, at_first_sight, by_both
from sweepbot.vision.trust import Cells, Floats

SURE_CHANCE = 0.99
"""The mean, of the cells between some lines, from which on no others are tried."""

_SETTLED_SHARE = 0.97  # of its cells, from which on no other lines are tried
_A_PIXEL_OFF = tuple(itertools.product((-1, 0, 1), repeat=2))  # to the right and down
_SAMPLED_CELLS = 150  # by which lines are compared
_SURER_CHANCE = 0.004  # mean, by which cells between the surest lines must be surer than between those on edges
_SAMPLED_SIDE_CELLS = 12  # of a corner of a board of no known look, by which that is told


@dataclass(frozen=True, slots=True, eq=False)
class Ends:
    """A hypothesis of where a board ends.

    Attributes:
        place: The board with these ends.
        seen: What its cells then show.
        grid: Its lines to the pixel.
        doubts: The sides at which it is not known to end.
    """

    place: Place
    seen: Seen
    grid: Grid
    doubts: list[OpenSide]

    @property
    def against(self) -> tuple[int, int, bool, int]:
        """What speaks against it, most first: broken rules, sides in doubt, a size of no level's, undecided lines."""
        is_other = not is_offered((self.grid.columns, self.grid.rows), self.place.look)
        return _broken(self.seen), len(self.doubts), is_other, self.place.undecided_sides


def to_its_ends(image: Image, place: Place) -> Ends:
    """Return the likeliest ends of a board."""
    best = _ends(image, place, _seen_in(place))
    while any(best.against):
        others = ((other, _seen_in(other)) for other in best.place.others())
        # Finding doubts takes longer than reading, and those of a board that breaks more rules do not matter.
        likely = [_ends(image, *other) for other in others if _broken(other[1]) <= _broken(best.seen)]
        better = min(likely, key=lambda one: one.against, default=best)
        if better.against >= best.against:
            break
        best = better
    return best


def _ends(image: Image, place: Place, seen: Seen) -> Ends:
    return Ends(place, seen, *_on_lines(image, place, seen))


def _broken(seen: Seen) -> int:
    return 0 if seen.told is None else int((seen.told.broken >= 1).sum())


def _seen_in(place: Place) -> Seen:
    return at_first_sight(*place.cells) if place.look is None else by_both(*place.cells, place.look)


def _on_lines(image: Image, place: Place, seen: Seen) -> tuple[Grid, list[OpenSide]]:
    """Settle a board's lines to the pixel, and say at which sides it is not known to end.

    The lines of a known look are those at which most cells have it; of others, those with fewest doubts.
    """
    if (look := place.look) is not None:
        shares: dict[Grid, float] = {}
        even = place.grid.whole()
        beside = [] if even is None else [even.shifted(*by) for by in _A_PIXEL_OFF]
        for grid in (*to_the_pixel(image, place.grid), *beside):
            shares[grid] = _share_of(look, board_picture(image, grid))
            if shares[grid] >= _SETTLED_SHARE:
                break
        grid = max(shares, key=lambda lines: shares[lines])
        return grid, of_sides(image, grid, seen.cells, look)
    return fewest_doubts(image, place.grid, seen.cells)


def _share_of(look: Look, picture: Image) -> float:
    """Return the share of a board's cells that have a look."""
    cells = apart(picture)
    cells = cells[:: max(1, len(cells) // _SAMPLED_CELLS)]
    return look.agreement(look.match(cells)) / len(cells)


def fewest_doubts(image: Image, grid: Grid, cells: Cells) -> tuple[Grid, list[OpenSide]]:
    """Return the lines of a board of no known look at which the fewest sides are doubted, and these.

    Those across are tried first, then those down, then even ones on whole pixels. If the size is no usual one, others
    than the likeliest may only tell that a board does not go on: a window's edge looks like a frame at some lines.

    Args:
        image: uint8 array of shape (height, width, 3), blue, green, red.
        grid: Its lines, up to a fifth of a cell off.
        cells: What they show.
    """
    across, down = by_axis(image, grid)
    best = Grid(across[0], down[0])
    doubts = of_sides(image, best, cells, None)

    def options() -> Iterator[Grid]:
        yield from (Grid(xs, best.ys) for xs in across[1:])
        yield from (Grid(best.xs, ys) for ys in down[1:])
        if (whole := best.whole()) is not None:
            yield whole

    usual = is_usual((grid.columns, grid.rows), None)
    for option in options():
        if not doubts or not (usual or all(side.is_cut for side in doubts)):
            break
        if len(others := of_sides(image, option, cells, None)) < len(doubts):
            best, doubts = option, others
    return best, doubts


def surest(image: Image, place: Place, settled: Place) -> Place:
    """Return a place on those of its possible lines between which the network is surest of its cells.

    Of large boards two opposite corners are compared, where lines that are a little off are off by most.
    """
    if _sureness(settled.cells[1]) >= SURE_CHANCE:
        return settled
    lines = settled.grid
    rows, columns = (min(_SAMPLED_SIDE_CELLS, cells) for cells in (lines.rows, lines.columns))
    corners = {
        (range(rows), range(columns)),
        (range(lines.rows - rows, lines.rows), range(lines.columns - columns, lines.columns)),
    }

    @cache
    def sureness(grid: Grid) -> float:
        return sum(_sureness(place_at(image, grid.part(*corner)).cells[1]) for corner in corners)

    across, down = by_axis(image, place.grid) if _tells_lines(place) else ([], [])
    best = lines
    while True:
        beside = (
            *(Grid(xs, best.ys) for xs in (place.grid.xs, *across)),
            *(Grid(best.xs, ys) for ys in (place.grid.ys, *down)),
        )
        surer = max(best, *beside, key=sureness)
        if sureness(surer) <= sureness(best):
            break
        best = surer
    found = place_at(image, best, place.evidence)
    return found if _sureness(found.cells[1]) > _sureness(settled.cells[1]) + _SURER_CHANCE else settled


def _tells_lines(place: Place) -> bool:
    """Whether first sight sees numbers on a board, and nothing over it: hidden cells are as sure between many lines."""
    likeliest = place.cells[1].argmax(2).astype(np.uint8)
    return bool((likeliest != State.UNKNOWN).all() and are_numbers(likeliest).any())


def _sureness(chances: Floats) -> float:
    """Return how sure the network is of cells, on average."""
    return float(chances.max(2).mean())
