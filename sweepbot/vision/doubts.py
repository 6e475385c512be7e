"""What speaks against a board that was read: its sides, its size, and what contradicts the rules all over it."""

from collections.abc import Iterator, Sequence

from sweepbot.board import Board, State, around, cells_in, shows
from sweepbot.geometry import Image
from sweepbot.level import LEVELS
from sweepbot.vision.extent import OpenSide, Side, edges_run_past, goes_on, is_longest, not_seen_to_end
from sweepbot.vision.first_sight.rules import Told
from sweepbot.vision.grid import MIN_UNKNOWN_CELLS, Grid
from sweepbot.vision.known.looks import Look
from sweepbot.vision.trust import Cells

LEVEL_SIZES = {(level.columns, level.rows): level.mines for level in LEVELS.values()}
"""The mines of the usual levels by their sizes, (columns, rows)."""

_MIN_SQUARE_CELLS = 8  # a side of a square board; what is square and smaller may be anything
_OBLONG_SIZES = {(10, 8), (18, 14), (24, 20), (30, 16), (30, 20), (30, 24)}  # the others that clients mostly offer

_MAX_BROKEN_SHARE = 0.08  # of the numbers of a board, that contradict the cells around them
_MAX_LOOKS_SHARE = 0.2  # different looks, or marks, of hidden cells, as a share of all: gradients have at most 0.07
_NUMBERS_WITHOUT_OPENING = 12  # as few are opened one by one on hard boards, too
_NAMED = 2  # contradictions that are named


def level_sizes(look: Look | None) -> set[tuple[int, int]]:
    """Return the sizes of the levels of a look's client, or the usual ones, as (columns, rows)."""
    levels = () if look is None else look.calibration.levels.values()
    return {(level.columns, level.rows) for level in levels} or set(LEVEL_SIZES)


def is_offered(size: tuple[int, int], look: Look | None) -> bool:
    """Whether it is the size of a level, as (columns, rows), also on its side."""
    return not level_sizes(look).union(_OBLONG_SIZES).isdisjoint((size, size[::-1]))


def is_usual(size: tuple[int, int], look: Look | None) -> bool:
    """Whether boards mostly have such a size: other things with equal tiles seldom do, nor what a window leaves."""
    return is_offered(size, look) or size[0] == size[1] >= _MIN_SQUARE_CELLS


def of_sides(image: Image, grid: Grid, cells: Cells, look: Look | None) -> list[OpenSide]:
    """Return the sides at which a board is not known to end."""
    levels = level_sizes(look)
    begun = goes_on(image, grid, cells.states, is_level=(grid.columns, grid.rows) in levels)
    unseen = not_seen_to_end(image, grid, levels)
    if look is None:
        unseen += edges_run_past(image, grid, is_usual=is_usual((grid.columns, grid.rows), None))
    return [OpenSide(side, side in begun) for side in Side if side in {*begun, *unseen}]


def with_size(sides: Sequence[OpenSide], grid: Grid, look: Look | None) -> tuple[OpenSide, ...]:
    """Return the sides at which a board is not known to end, given its size.

    A board of a usual size ends at a single side at which it is not seen to, and a square one at two opposite ones, as
    between a header and a footer, unless a larger one would go on there. A window over a corner may leave any size.
    """
    is_along = {side.side in (Side.LEFT, Side.RIGHT) for side in sides}
    may_end = len(sides) == 1 or (len(is_along) == 1 and grid.columns == grid.rows)
    if not may_end or any(side.is_cut for side in sides) or not is_usual((grid.columns, grid.rows), look):
        return tuple(sides)
    return tuple(side for side in sides if not is_longest(grid, side.side, level_sizes(look) | _OBLONG_SIZES))


def of_partings(cells: Cells) -> list[str]:
    """Name the rows and columns that cannot be read at all: they may part two boards, or a board may go on there."""
    believed = cells.believed
    return [
        f"{name} {line} cannot be read at all: there may be two boards, or a larger one"
        for name, axis in (("row", 1), ("column", 0))
        for line in range(believed.shape[1 - axis])
        if not believed.take(line, axis=1 - axis).any()
    ]


def of_size(board: Board, *, is_told: bool) -> Iterator[str]:
    """Say that a few cells may be a part of a board, and equal tiles none, unless it `is_told` that they are one."""
    size = board.columns, board.rows
    if not is_told and min(size) < MIN_UNKNOWN_CELLS:
        yield f"{board.columns}x{board.rows} cells: too small to be told from a part of a larger board"
    elif not (is_told or board.count(*range(State.HIDDEN)) or is_usual(size, None)):
        yield f"{board.columns}x{board.rows} equal tiles may be no board: that is no usual size, and nothing is open"


def of_emptiness(board: Board) -> Iterator[str]:
    """Say that no game shows only zeros, as paper with squares seems to."""
    if board.count(0) == board.cells.size:
        yield f"{board.columns}x{board.rows} equal tiles may be no board: no cell shows a number or is hidden"


def of_variety(told: Told) -> Iterator[str]:
    """Say that a board on which nothing is open looks too varied: what cannot be read may be written on its cells.

    Nor are many marks put where no number tells of a mine.
    """
    looks, marks = int(told.looks.max()) + 1, int(shows(told.likeliest, State.FLAG, State.QUESTION).sum())
    if (told.likeliest == State.HIDDEN).all() and looks > _MAX_LOOKS_SHARE * told.looks.size:
        yield f"no cell is open, yet they look {looks} ways: they may show what cannot be read"
    elif not (told.likeliest < State.HIDDEN).any() and marks > _MAX_LOOKS_SHARE * told.looks.size:
        yield f"no cell is open, yet {marks} are marked: they may show what cannot be read"


def of_contradictions(told: Told) -> Iterator[str]:
    """Say that the rules contradict what was seen, where they do so all over a board."""
    numbers = (told.likeliest > 0) & (told.likeliest < State.HIDDEN)
    wrong = cells_in((told.broken >= 1) & (told.likeliest < State.HIDDEN))
    if len(wrong) > _MAX_BROKEN_SHARE * max(1, int(numbers.sum())):
        named = ", ".join(f"the {told.likeliest[cell]} at {cell}" for cell in wrong[:_NAMED])
        more = f" and {len(wrong) - _NAMED} more" if len(wrong) > _NAMED else ""
        yield f"the cells around them contradict {named}{more}"


def of_openings(board: Board) -> Iterator[str]:
    """Say that hidden cells may be zeros, or none: among so many open cells there is nearly always an opening."""
    numbers = board.count(*range(1, State.HIDDEN))
    if numbers >= max(_NUMBERS_WITHOUT_OPENING, board.count(State.UNKNOWN)) and not board.count(0):
        yield f"{numbers} numbers and no zero: what is told as hidden may be open"
    is_open = board.cells < State.HIDDEN
    alone = int((is_open & (around(is_open) == 0)).sum())
    if alone >= _NUMBERS_WITHOUT_OPENING and 2 * alone > numbers:
        yield f"{alone} open cells stand alone: they may be specks on what is no board"
