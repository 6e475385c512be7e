"""Reading boards at first sight: any skin, no calibration."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sweepbot.board import Board, State, cells_in
from sweepbot.errors import NoBoardFoundError
from sweepbot.geometry import Image
from sweepbot.level import LEVELS
from sweepbot.vision.cells.classified import Classified
from sweepbot.vision.cells.doubt import only_certain_zeros
from sweepbot.vision.detect.locate import READ_SIZES, same_place
from sweepbot.vision.extent import SIDES, goes_on, not_seen_to_end
from sweepbot.vision.first_sight.network import Floats, network
from sweepbot.vision.first_sight.places import MOST_ODDS, Place, on_edges, place_at, places
from sweepbot.vision.first_sight.rules import Told, tell
from sweepbot.vision.grid import LEAST_CELLS, Grid
from sweepbot.vision.lattices.lattice import searches
from sweepbot.vision.reading import UNKNOWN, Reading

_LEVEL_SIZES = {(level.columns, level.rows): level.mines for level in LEVELS.values()}
_SQUARES = 8, 9, 10, 12, 15, 16, 20, 24
_USUAL_SIZES = {(side, side) for side in _SQUARES} | {
    *((10, 8), (8, 10), (18, 14), (24, 20), (30, 16), (16, 30), (30, 20), (30, 24)),
}
"""Sizes of boards that clients offer, as (columns, rows). Equal tiles may be anything, until one of them is opened."""

_FEWEST_CELLS = 6  # of a whole board along each side: no client offers fewer
_LEAST_EVIDENCE = 1.2  # mean over a board's cells; see `Place`
_LEAST_CONFIDENCE = (
    0.88  # mean, of the cells that nothing covers: real boards have 0.92, puzzles and tables at most 0.86
)
_SETTLED_EVIDENCE = 3.0  # from which on no other search is made
_MOST_BROKEN_SHARE = 0.08  # of the numbers of a board, that contradict the cells around them
_SHOW_ALL = "show the whole board, with what is around it"
_NUMBERS_WITHOUT_OPENING = 12  # as few are opened one by one on hard boards, too
_NAMED = 2  # contradictions that are named


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class FirstSight(Reading):
    """A reading by the network and the rules of the game.

    Attributes:
        told: What they told.
        chances: The network's, of shape (rows, columns, states).
        evidence: That of its `Place`.
    """

    told: Told
    chances: Floats
    evidence: float


def read_at_first_sight(image: Image, mines: int | None = None) -> list[FirstSight]:
    """Read every board in a picture, in any skin; a trusted one with the most cells comes first.

    Args:
        image: uint8 array of shape (height, width, 3), blue, green, red.
        mines: How many mines the board has; None for those of the level of its size, if it has one.

    Raises:
        NoBoardFoundError: There is none.
    """
    found: list[FirstSight] = []
    for place in _distinct(places(image, searches(image, READ_SIZES), network())):
        found.append(_reading(image, place, mines))
        if not found[-1].problems and place.evidence >= _SETTLED_EVIDENCE:
            break
    if not found:
        raise NoBoardFoundError(
            f"no board found at first sight: searched {image.shape[1]}x{image.shape[0]} pixels for cells of"
            f" {READ_SIZES.smallest:g} to {READ_SIZES.largest:g} pixels",
            hint=f"show the whole board (at least {LEAST_CELLS}x{LEAST_CELLS} cells), without anything over it",
        )
    return sorted(found, key=lambda one: (bool(one.problems), -one.evidence * one.board.cells.size))


def _distinct(proposed: Iterator[Place]) -> Iterator[Place]:
    """Yield the places that are boards, each part of the picture once."""
    known: list[Place] = []
    for place in proposed:
        region = place.grid.region
        if _is_board(place) and not any(same_place(region, other.grid.region) for other in known):
            known.append(place)
            yield place


def _is_board(place: Place) -> bool:
    """Whether the network is as sure of the cells of a place as it is of real ones."""
    return place.evidence >= _LEAST_EVIDENCE and _confidence(place) >= _LEAST_CONFIDENCE


def _confidence(place: Place) -> float:
    """Return how sure the network is of the cells of a place that nothing covers, on average."""
    chances, _ = place.cells
    free = chances.argmax(2) != State.UNKNOWN
    return float(chances.max(2)[free].mean()) if free.any() else 0.0


def _reading(image: Image, place: Place, mines: int | None) -> FirstSight:
    """Settle a board's lines and ends, and tell what its cells show."""
    place, told = min(((one, tell(*one.cells)) for one in (place, *place.others())), key=_strangeness)
    grid, sides = _on_lines(image, place.grid, told)
    if mines is None:
        mines = _LEVEL_SIZES.get((grid.columns, grid.rows))
    settled = place_at(image, grid, network(), place.evidence)
    reading = _told(max(settled, place, key=_confidence), grid, mines)
    return replace(
        reading, doubts=(*sides, *_too_small(reading.board), *reading.doubts), hint=_SHOW_ALL if sides else ""
    )


def read_again(image: Image, place: Reading) -> FirstSight:
    """Read a board whose lines and mines are known from an earlier reading, in another picture of the same place."""
    return _told(place_at(image, place.grid, network(), MOST_ODDS), place.grid, place.board.mines)


def _told(place: Place, grid: Grid, mines: int | None) -> FirstSight:
    """Tell what the cells of a place show, whose lines are those of a grid; nothing is said of its sides."""
    chances, picture = place.cells
    told = tell(chances, picture)
    states = only_certain_zeros(told.states)
    board = Board(states, mines)
    if any(problem.cell is None for problem in board.problems()):
        board = Board(states)  # of a level's size, but dealt with another number
    return FirstSight(
        client=UNKNOWN,
        board=board,
        grid=grid,
        scale=1.0,
        classified=_classified(chances, told, states),
        phase=board.phase(),
        doubts=(*_contradictions(told), *_without_opening(board)),
        told=told,
        chances=chances,
        evidence=place.evidence,
    )


def _strangeness(hypothesis: tuple[Place, Told]) -> tuple[int, bool]:
    """Return how many cells of a board would break the rules, and whether it is of no usual size."""
    place, told = hypothesis
    return int((told.broken >= 1).sum()), (place.grid.columns, place.grid.rows) not in _USUAL_SIZES


def _on_lines(image: Image, grid: Grid, told: Told) -> tuple[Grid, list[str]]:
    """Settle a board's lines to the pixel, and say at which sides it is not known to end; of several, the best."""
    tried: list[tuple[Grid, list[str]]] = []
    for lines in on_edges(image, grid):
        tried.append((lines, _sides(image, lines, told)))
        if not tried[-1][1]:
            break
    return min(tried, key=lambda one: len(one[1]))


def _too_small(board: Board) -> Iterator[str]:
    """Say that a few cells, or equal tiles, may be no whole board."""
    size = board.columns, board.rows
    if min(size) < _FEWEST_CELLS:
        yield f"{board.columns}x{board.rows} cells are hardly a whole board"
    elif not board.count(*range(State.HIDDEN)) and size not in _USUAL_SIZES:
        yield f"{board.columns}x{board.rows} equal tiles may be no board: that is no usual size, and nothing is open"


def _sides(image: Image, grid: Grid, told: Told) -> list[str]:
    """Say at which sides a board is not known to end."""
    begun = goes_on(image, grid, told.states, is_level=(grid.columns, grid.rows) in _LEVEL_SIZES)
    unseen = not_seen_to_end(image, grid, _LEVEL_SIZES)
    return [
        f"cut off {side}" if side in begun else f"not seen to end {side}" for side in SIDES if side in {*begun, *unseen}
    ]


def _contradictions(told: Told) -> Iterator[str]:
    """Say that the rules contradict what was seen, where they do so all over a board."""
    numbers = (told.likeliest > 0) & (told.likeliest < State.HIDDEN)
    wrong = cells_in((told.broken >= 1) & (told.likeliest < State.HIDDEN))
    if len(wrong) > _MOST_BROKEN_SHARE * max(1, int(numbers.sum())):
        named = ", ".join(f"the {told.likeliest[cell]} at {cell}" for cell in wrong[:_NAMED])
        more = f" and {len(wrong) - _NAMED} more" if len(wrong) > _NAMED else ""
        yield f"the cells around them contradict {named}{more}"


def _without_opening(board: Board) -> Iterator[str]:
    """Say that hidden cells may be zeros: among so many open cells there is nearly always one that opened others."""
    numbers = board.count(*range(1, State.HIDDEN))
    if numbers >= _NUMBERS_WITHOUT_OPENING and not board.count(0, State.UNKNOWN):
        yield f"{numbers} numbers and no zero: what is told as hidden may be open"


def _classified(chances: Floats, told: Told, states: NDArray[np.uint8]) -> Classified:
    """Return what was told in the form in which templates tell it."""
    order = np.argsort(-chances, axis=2)
    second = np.take_along_axis(chances, order[..., 1:2], axis=2)[..., 0]
    own = np.take_along_axis(chances, told.likeliest[..., None].astype(np.intp), axis=2)[..., 0]
    scores = np.where(states == State.UNKNOWN, own, told.chances).astype(np.float32)
    rivals = order[..., 1].astype(np.uint8)
    return Classified(states, order[..., 0], scores, rivals, second, scores - second, np.ones_like(scores))
