"""Every board in a picture, of known clients and of any other."""

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from sweepbot.board import State, are_numbers
from sweepbot.geometry import Image, Region
from sweepbot.vision.doubts import is_offered, is_usual, of_partings, with_size
from sweepbot.vision.extent import OpenSide
from sweepbot.vision.grid import Grid
from sweepbot.vision.known.looks import Look
from sweepbot.vision.lattices.lattice import CellSizes, Lattice, searches
from sweepbot.vision.pictures.board import apart, board_picture
from sweepbot.vision.places.lines import by_axis, to_the_pixel
from sweepbot.vision.places.offset import Known, by_looks, by_sight
from sweepbot.vision.places.place import Place, place_at, whole
from sweepbot.vision.telling import Seen, at_first_sight, by_both
from sweepbot.vision.trust import Cells, Floats

READ_SIZES = CellSizes(11.5, 165.0)
"""The sizes of cells that are read.

Boards with cells of 12 to 160 pixels are promised; before its lines are settled, a lattice may be off by some per cent.
"""

_LATTICES_TRIED = 6  # of each search, the most periodic first: a board's is always among the first three
_OVERLAP_SHARE = 0.3  # of the smaller board's area: two findings that share more are the same board
_MIN_EVIDENCE = 1.2  # mean over the cells of a board of no known look; see `Place`
_MIN_CONFIDENCE = 0.88  # mean, of the cells that nothing covers: real boards have 0.92, puzzles and tables at most 0.86
_MIN_LOOK_SHARE = 0.5  # of a board's cells that must have a client's look for it to be this client's
_MIN_NAMED_SHARE = 0.25  # the same if a person has named the client
_SETTLED_SHARE = 0.97  # of its cells, from which on no other lines are tried
_A_PIXEL_OFF = tuple(itertools.product((-1, 0, 1), repeat=2))  # to the right and down
_SAMPLED_CELLS = 150  # by which lines are compared
_SURER_CHANCE = 0.004  # mean, by which cells between the surest lines must be surer than between those on edges
_SURE_CHANCE = 0.99  # mean, of the cells between some lines, from which on no others are tried
_SAMPLED_SIDE_CELLS = 12  # of a corner of a board of no known look, by which that is told
_SETTLED_EVIDENCE = 3.0  # from which on no other search is made
_RIVAL_SHARE = 0.75  # of the best look's agreement, from which on another client may be meant

Sides = Callable[[Image, Grid, Cells, Look | None], list[OpenSide]]
"""Returns the sides at which a board is not known to end, given its lines and cells."""


@dataclass(frozen=True, slots=True, eq=False)
class FoundBoard:
    """A board in a picture.

    Attributes:
        grid: Its lines.
        seen: What its cells show, for each client that it may belong to, the likeliest first; the last may be of no
            known look.
        sides: Those at which it is not known to end.
        evidence: That of its `Place`.
        is_by_look: Whether its lines are those of a known look; only then are they true to a part of a pixel.
    """

    grid: Grid
    seen: tuple[Seen, ...]
    sides: tuple[OpenSide, ...]
    evidence: float
    is_by_look: bool = False

    @property
    def region(self) -> Region:
        """Where it is."""
        return self.grid.region

    @property
    def shows_any(self) -> bool:
        """Whether any of its cells can be read, or all are painted over: otherwise it is no board."""
        return self.seen[0].shows_win or self.seen[0].agreement > 0

    @property
    def rank(self) -> tuple[bool, bool, float]:
        """The higher, the likelier it is that this is the board that a person means."""
        return not self.sides, self.seen[0].look is not None, self.seen[0].agreement


def boards_in(image: Image, known: Known, sides: Sides, *, named: bool = False) -> list[FoundBoard]:
    """Find and read every board in a picture, the likeliest first.

    Boards of known looks are searched for first; others only if there are none of these.

    Args:
        image: uint8 array of shape (height, width, 3), blue, green, red.
        known: The looks that boards may have.
        sides: Judges the sides of a board.
        named: Whether a person has named the client: then a board may look like it in part only.
    """
    found: list[FoundBoard] = []
    for lattices in searches(image, READ_SIZES):
        for place in _distinct(image, lattices[:_LATTICES_TRIED], known):
            rivals = [other for other in found if same_place(place.grid.region, other.region)]
            if any(_is_certain(other, known) for other in rivals):
                continue
            board = _settled(image, place, known, sides, named=named)
            if board.shows_any and all(board.rank > other.rank for other in rivals):
                found = [*(other for other in found if other not in rivals), board]
        if any(_is_certain(board, known) for board in found):
            break
    return sorted(found, key=lambda board: board.rank, reverse=True)


def same_place(one: Region, other: Region) -> bool:
    """Whether two regions overlap so much that they are the same board."""
    return one.overlap(other) > _OVERLAP_SHARE


def _is_certain(board: FoundBoard, known: Known) -> bool:
    """Whether no other search could find a better board."""
    settled = board.evidence >= _SETTLED_EVIDENCE and not known.looks
    return not board.sides and (board.is_by_look or settled)


def _distinct(image: Image, lattices: Sequence[Lattice], known: Known) -> Iterator[Place]:
    """Yield the boards on lattices, each once, those with sure evidence all over the largest area first.

    Counted in cells, a plain board divided into ever finer ones would have ever more.
    """
    placed: list[Place] = []
    for lattice in lattices:
        region = lattice.grid.region
        if not any(place.is_well_known and same_place(region, place.grid.region) for place in placed):
            found = (whole(image, grid, look) for grid, look in by_looks(image, lattice, known))
            placed += [place for place in found if place is not None]
    if not placed:
        placed = [place for lattice in lattices for place in _seen_on(image, lattice)]
    kept: list[Place] = []
    for place in sorted(
        placed, key=lambda one: one.weight * math.prod(one.grid.pitch) * _confidence(one), reverse=True
    ):
        if _is_board(place) and not any(same_place(place.grid.region, other.grid.region) for other in kept):
            kept.append(place)
            yield place


def _seen_on(image: Image, lattice: Lattice) -> Iterator[Place]:
    """Yield the boards that first sight sees on a lattice, and with square cells unless it is sure without."""
    for like in (lattice, *lattice.squared()):
        grid = by_sight(image, like)
        place = None if grid is None else whole(image, grid, None)
        if place is not None:
            yield place
            if _confidence(place) >= _SURE_CHANCE:
                return


def _is_board(place: Place) -> bool:
    """Whether the network, or a known look, is as sure of the cells of a place as of real ones."""
    if place.look is not None and place.weight >= _MIN_LOOK_SHARE * place.grid.cells:
        return True
    return place.evidence >= _MIN_EVIDENCE and _confidence(place) >= _MIN_CONFIDENCE


def _share_of(look: Look, picture: Image) -> float:
    """Return the share of a board's cells that have a look."""
    cells = apart(picture)
    cells = cells[:: max(1, len(cells) // _SAMPLED_CELLS)]
    return look.agreement(look.match(cells)) / len(cells)


def _confidence(place: Place) -> float:
    """Return how sure the network is of the cells of a place that nothing covers, on average."""
    _, chances = place.cells
    free = chances.argmax(2) != State.UNKNOWN
    return float(chances.max(2)[free].mean()) if free.any() else 0.0


def _settled(image: Image, place: Place, known: Known, sides: Sides, *, named: bool) -> FoundBoard:
    """Settle a board's lines and ends, and tell what its cells show."""
    place, seen = _with_best_ends(place)
    grid, doubts = _on_lines(image, place, seen, sides)
    if doubts:
        for wider, as_seen in _wider(place, seen):
            lines, doubted = _on_lines(image, wider, as_seen, sides)
            if len(doubted) < len(doubts):
                place, grid, doubts = wider, lines, doubted
    settled = place_at(image, grid, place.evidence, place.look)
    if place.look is None:
        doubts = [*doubts, *(OpenSide(side, is_cut=True) for side in settled.goes_on)]
    options = [settled, place] if place.look is None else [settled]
    looks, best = max(
        ((_looks_of(one.cells[0], known, grid.pitch[0], named=named), one) for one in options),
        key=lambda fitting: max(fitting[0].values(), default=0.0),
    )
    if not looks and place.look is not None:  # its sides were judged as that client's
        return _settled(image, replace(place, look=None), known, sides, named=named)
    if not looks:
        best = _surest(image, place, settled)
    seen_as = [by_both(*best.cells, look) for look in looks] or [at_first_sight(*best.cells)]
    doubted = with_size(doubts, grid, seen_as[0].look)
    return FoundBoard(grid, tuple(seen_as), doubted, place.evidence, place.look is not None)


def _tells_lines(place: Place) -> bool:
    """Whether first sight sees numbers on a board, and nothing over it: hidden cells are as sure between many lines."""
    likeliest = place.cells[1].argmax(2).astype(np.uint8)
    return bool((likeliest != State.UNKNOWN).all() and are_numbers(likeliest).any())


def _surest(image: Image, place: Place, settled: Place) -> Place:
    """Return a place on those of its possible lines between which the network is surest of its cells.

    Of large boards two opposite corners are compared, where lines that are a little off are off by most.
    """
    if _sureness(settled.cells[1]) >= _SURE_CHANCE:
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
    surest = lines
    while True:
        beside = (
            *(Grid(xs, surest.ys) for xs in (place.grid.xs, *across)),
            *(Grid(surest.xs, ys) for ys in (place.grid.ys, *down)),
        )
        surer = max(surest, *beside, key=sureness)
        if sureness(surer) <= sureness(surest):
            break
        surest = surer
    found = place_at(image, surest, place.evidence)
    return found if _sureness(found.cells[1]) > _sureness(settled.cells[1]) + _SURER_CHANCE else settled


def _sureness(chances: Floats) -> float:
    """Return how sure the network is of cells, on average."""
    return float(chances.max(2).mean())


def _with_best_ends(place: Place) -> tuple[Place, Seen]:
    """Return a place with those ends at which its cells break the rules least, and what they show."""
    best = place, _seen_in(place)
    while True:
        others = ((other, _seen_in(other)) for other in best[0].others())
        better = min((best, *others), key=_strangeness)
        if _strangeness(better) >= _strangeness(best):
            return best
        best = better


def _wider(place: Place, seen: Seen) -> Iterator[tuple[Place, Seen]]:
    """Yield a board with further lines of cells, if it may go on, and these can be read and break no rules.

    A frame that covers a pixel of the outermost cells makes them unlike all others.
    """
    least = _strangeness((place, seen))
    for other in place.others():
        wider = other, _seen_in(other)
        is_wider = other.grid.contains(place.grid) and other.grid != place.grid
        if is_wider and _strangeness(wider)[:2] <= least[:2] and not of_partings(wider[1].cells):
            yield wider


def _seen_in(place: Place) -> Seen:
    return at_first_sight(*place.cells) if place.look is None else by_both(*place.cells, place.look)


def _strangeness(hypothesis: tuple[Place, Seen]) -> tuple[int, bool, int]:
    """Return how many cells of a board break the rules, whether it is of no level's size, and its undecided sides."""
    place, seen = hypothesis
    grid = place.grid
    strange = 0 if seen.told is None else int((seen.told.broken >= 1).sum())
    return strange, not is_offered((grid.columns, grid.rows), place.look), place.undecided_sides


def _on_lines(image: Image, place: Place, seen: Seen, sides: Sides) -> tuple[Grid, list[OpenSide]]:
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
        return grid, sides(image, grid, seen.cells, look)
    return fewest_doubts(image, place.grid, lambda grid: sides(image, grid, seen.cells, None))


def fewest_doubts(image: Image, grid: Grid, sides: Callable[[Grid], list[OpenSide]]) -> tuple[Grid, list[OpenSide]]:
    """Return the lines of a board at which the fewest sides are doubted, and these.

    Those across are tried first, then those down, then even ones on whole pixels. If the size is no usual one, others
    than the likeliest may only tell that a board does not go on: a window's edge looks like a frame at some lines.

    Args:
        image: uint8 array of shape (height, width, 3), blue, green, red.
        grid: Its lines, up to a fifth of a cell off.
        sides: Returns the sides at which a board is not known to end, given its lines.
    """
    across, down = by_axis(image, grid)
    best = Grid(across[0], down[0])
    doubts = sides(best)

    def options() -> Iterator[Grid]:
        yield from (Grid(xs, best.ys) for xs in across[1:])
        yield from (Grid(best.xs, ys) for ys in down[1:])
        if (whole := best.whole()) is not None:
            yield whole

    usual = is_usual((grid.columns, grid.rows), None)
    for option in options():
        if not doubts or not (usual or all(side.is_cut for side in doubts)):
            break
        if len(others := sides(option)) < len(doubts):
            best, doubts = option, others
    return best, doubts


def _looks_of(picture: Image, known: Known, pitch: float, *, named: bool) -> dict[Look, float]:
    """Return the look that a board has by each client that it may belong to, and how many cells have it, most first."""
    if not known.looks:
        return {}
    cells = apart(picture)
    known = known.near(round(pitch))
    best: dict[str, tuple[float, Look]] = {}
    for look, matches in known.bank.match(cells):
        agreement, name = look.agreement(matches), look.calibration.name
        if name not in best or agreement > best[name][0]:
            best[name] = agreement, look
    ranked = sorted(best.values(), key=lambda one: -one[0])
    least = max((_MIN_NAMED_SHARE if named else _MIN_LOOK_SHARE) * len(cells), _RIVAL_SHARE * ranked[0][0])
    return {look: agreement for agreement, look in ranked if agreement >= least}
