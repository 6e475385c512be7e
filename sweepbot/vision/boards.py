"""Every board in a picture, of known clients and of any other."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from sweepbot.board import State
from sweepbot.geometry import Image, Region
from sweepbot.vision.doubts import with_size
from sweepbot.vision.extent import OpenSide
from sweepbot.vision.first_sight.rules import tell
from sweepbot.vision.grid import Grid
from sweepbot.vision.known.looks import Look, Patches
from sweepbot.vision.lattices.lattice import CellSizes, Lattice, searches
from sweepbot.vision.pictures.board import apart, board_picture
from sweepbot.vision.places.offset import Known, by_looks, by_sight
from sweepbot.vision.places.place import Place, place_at, whole
from sweepbot.vision.settling import SURE_CHANCE, surest, to_its_ends
from sweepbot.vision.telling import Seen, at_first_sight, by_both

READ_SIZES = CellSizes(11.5, 165.0)
"""The sizes of cells that are read.

Boards with cells of 12 to 160 pixels are promised; before its lines are settled, a lattice may be off by some per cent.
"""

_LATTICES_TRIED = 6  # of each search, the most periodic first: a board's is always among the first three
_OVERLAP_SHARE = 0.3  # of the smaller board's area: two findings that share more are the same board
_MIN_EVIDENCE = 1.2  # mean over the cells of a board of no known look; see `Place`
_MIN_CONFIDENCE = 0.88  # mean, of the cells that nothing covers: real boards have 0.92, puzzles and tables at most 0.86
_MIN_READ_SHARE, _MIN_NUMBERS = 0.85, 10  # of cells less sure than that, if all numbers fit: puzzles have 0.65
_MIN_LOOK_SHARE = 0.5  # of a board's cells that must have a client's look for it to be this client's
_MIN_NAMED_SHARE = 0.25  # the same if a person has named the client
_SETTLED_EVIDENCE = 3.0  # from which on no other search is made
_RIVAL_SHARE = 0.75  # of the best look's agreement, from which on another client may be meant


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


def boards_in(image: Image, known: Known, *, named: bool = False) -> list[FoundBoard]:
    """Find and read every board in a picture, the likeliest first.

    Boards of known looks are searched for first; others only if there are none of these.

    Args:
        image: uint8 array of shape (height, width, 3), blue, green, red.
        known: The looks that boards may have.
        named: Whether a person has named the client: then a board may look like it in part only.
    """
    found: list[FoundBoard] = []
    for lattices in searches(image, READ_SIZES):
        for place in _distinct(image, lattices[:_LATTICES_TRIED], known):
            rivals = [other for other in found if same_place(place.grid.region, other.region)]
            if any(_is_certain(other, known) for other in rivals):
                continue
            board = _settled(image, place, known, named=named)
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
            if _confidence(place) >= SURE_CHANCE:
                return


def _is_board(place: Place) -> bool:
    """Whether the network, or a known look, is as sure of the cells of a place as of real ones, or the rules are."""
    if place.look is not None and place.weight >= _MIN_LOOK_SHARE * place.grid.cells:
        return True
    return place.evidence >= _MIN_EVIDENCE and (_confidence(place) >= _MIN_CONFIDENCE or _fits_the_rules(place))


def _fits_the_rules(place: Place) -> bool:
    """Whether the rules tell nearly all cells of a place, and none of many numbers contradicts them."""
    told = tell(place.cells[1], place.cells[0])
    numbers = (told.states > 0) & (told.states < State.HIDDEN)
    is_read = (told.states != State.UNKNOWN).mean() >= _MIN_READ_SHARE
    return bool(is_read and numbers.sum() >= _MIN_NUMBERS and not (told.broken >= 1).any())


def _confidence(place: Place) -> float:
    """Return how sure the network is of the cells of a place that nothing covers, on average."""
    _, chances = place.cells
    free = chances.argmax(2) != State.UNKNOWN
    return float(chances.max(2)[free].mean()) if free.any() else 0.0


def _settled(image: Image, place: Place, known: Known, *, named: bool) -> FoundBoard:
    """Settle a board's lines and ends, and tell what its cells show."""
    ends = to_its_ends(image, place)
    place, grid, doubts = ends.place, ends.grid, ends.doubts
    # Templates are compared between exact lines alone.
    is_sure = not known.looks and _confidence(place) >= SURE_CHANCE and not place.is_covered
    settled = place if is_sure else place_at(image, grid, place.evidence, place.look)
    if place.look is None:
        seen_beyond = {side: OpenSide(side, is_cut=True) for side in settled.goes_on}
        doubts = list(({doubt.side: doubt for doubt in doubts} | seen_beyond).values())
    options = [settled, place] if place.look is None else [settled]
    looks, best = max(
        ((_looks_of(one.cells[0], known, grid.pitch[0], named=named), one) for one in options),
        key=lambda fitting: max(fitting[0].values(), default=0.0),
    )
    if not looks and place.look is not None:  # its sides were judged as that client's
        return _settled(image, replace(place, look=None), known, named=named)
    if not looks:
        best = surest(image, place, settled)
    seen_as = [by_both(*best.cells, look) for look in looks]
    if not seen_as:  # the next picture of it is cut out between its lines, and compared with this one
        seen = ends.seen if best is place else at_first_sight(*best.cells)
        seen_as = [replace(seen, picture=board_picture(image, grid))]
    doubted = with_size(doubts, grid, seen_as[0].look)
    return FoundBoard(grid, tuple(seen_as), doubted, place.evidence, place.look is not None)


def _looks_of(picture: Image, known: Known, pitch: float, *, named: bool) -> dict[Look, float]:
    """Return the look that a board has by each client that it may belong to, and how many cells have it, most first."""
    if not known.looks:
        return {}
    cells = apart(picture)
    known = known.near(round(pitch))
    best: dict[str, tuple[float, Look]] = {}
    for look, matches in known.bank.match(Patches(cells)):
        agreement, name = look.agreement(matches), look.calibration.name
        if name not in best or agreement > best[name][0]:
            best[name] = agreement, look
    ranked = sorted(best.values(), key=lambda one: -one[0])
    least = max((_MIN_NAMED_SHARE if named else _MIN_LOOK_SHARE) * len(cells), _RIVAL_SHARE * ranked[0][0])
    return {look: agreement for agreement, look in ranked if agreement >= least}
