"""What a position says about its unopened cells: numbers, the cells under them, boxes and components.

Everything is flat: a cell is its index `row * columns + column`. Lists of lists are one array of members and one of
starts, so that list `k` is `members[starts[k]:starts[k + 1]]`. The same arrays serve the rules written in Python and
the compiled counting.
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sweepbot.board import Board, State
from sweepbot.errors import ImpossibleBoardError, UsageError
from sweepbot.geometry import Cell
from sweepbot.solver.compiled import compiled

HIDDEN, FLAG, QUESTION, MINE, EXPLODED, WRONG_FLAG, UNKNOWN = (
    int(State.HIDDEN),
    int(State.FLAG),
    int(State.QUESTION),
    int(State.MINE),
    int(State.EXPLODED),
    int(State.WRONG_FLAG),
    int(State.UNKNOWN),
)


class Frontier(NamedTuple):
    """The unopened cells of a position and the numbers that speak of them; int32 arrays of flat indices.

    A *box* is a largest set of unopened cells under exactly the same numbers: within it cells are interchangeable.
    A *component* is a set of boxes linked by shared numbers; components do not restrict each other but for the total.
    """

    mines_left: int
    """Mines of the whole board that are not shown: how many of the unopened cells hold one."""
    unopened: NDArray[np.int32]
    """Every cell that may or may not be a mine, in reading order: hidden, flagged, questioned or unreadable."""
    interior: NDArray[np.int32]
    """The unopened cells that no number touches, in reading order."""
    numbers: NDArray[np.int32]
    """The open cells with at least one unopened neighbour, in reading order."""
    missing: NDArray[np.int32]
    """For each of `numbers`: how many of its unopened neighbours are mines."""
    starts: NDArray[np.int32]
    members: NDArray[np.int32]
    """The unopened neighbours of number `k`, in reading order: `members[starts[k]:starts[k + 1]]`."""
    box_of: NDArray[np.int32]
    """For each cell of the board the box it is in; -1 for open and interior cells."""
    box_starts: NDArray[np.int32]
    box_cells: NDArray[np.int32]
    """The cells of box `b`, in reading order: `box_cells[box_starts[b]:box_starts[b + 1]]`."""
    box_number_starts: NDArray[np.int32]
    box_numbers: NDArray[np.int32]
    """The numbers over box `b`, as indices into `numbers`: `box_numbers[box_number_starts[b]:...[b + 1]]`."""
    component_of: NDArray[np.int32]
    """For each box its component, counted from 0."""
    components: int
    """How many components there are."""
    broken: int
    """A cell whose number no placement of mines can satisfy by itself; -1 where there is none."""

    @classmethod
    def of(cls, board: Board) -> "Frontier":
        """Read a position.

        Raises:
            UsageError: The board's total of mines is not known.
            ImpossibleBoardError: A number asks for more mines than it has room for or shows fewer than are around
                it, or the total of mines fits no placement.
        """
        if board.mines is None:
            raise UsageError("the chances of a board need its number of mines", hint="give the total, shown mines too")
        frontier = read_frontier(flat_cells(board), neighbour_table(board.rows, board.columns), board.mines)
        if frontier.broken >= 0:
            cell = Cell(*divmod(int(frontier.broken), board.columns))
            raise ImpossibleBoardError(
                f"{cell}: no placement of mines gives this cell the number {board[cell]}",
                hint="check the cells around it",
            )
        if not 0 <= frontier.mines_left <= len(frontier.unopened):
            shown = board.mines - frontier.mines_left
            raise ImpossibleBoardError(
                f"{board.mines} mines, {shown} of them shown, do not fit in {len(frontier.unopened)} unopened cells",
                hint="check the total of mines",
            )
        return frontier

    def around(self, number: int) -> NDArray[np.int32]:
        """The unopened neighbours of the number at position `number` of `numbers`."""
        return self.members[self.starts[number] : self.starts[number + 1]]

    def box(self, box: int) -> NDArray[np.int32]:
        """The cells of a box."""
        return self.box_cells[self.box_starts[box] : self.box_starts[box + 1]]


def flat_cells(board: Board) -> NDArray[np.uint8]:
    """The cells of a board in a flat array that may be written to; compiled code knows no other."""
    return board.cells.flatten()


@lru_cache(maxsize=64)
def neighbour_table(rows: int, columns: int) -> NDArray[np.int32]:
    """For each flat cell its neighbours in reading order, shape (cells, 9): padded with -1; the last is the count."""
    table = np.full((rows * columns, 9), -1, dtype=np.int32)
    table[:, 8] = 0
    grid = np.arange(rows * columns, dtype=np.int32).reshape(rows, columns)
    for down in (-1, 0, 1):
        for right in (-1, 0, 1):
            if (down, right) == (0, 0):
                continue
            here = grid[max(-down, 0) : rows - max(down, 0), max(-right, 0) : columns - max(right, 0)].reshape(-1)
            table[here, table[here, 8]] = here + down * columns + right
            table[here, 8] += 1
    return table


@compiled
def may_be_mine(state: int) -> bool:
    """Whether a cell in this state is neither open nor known: marks are a player's claims."""
    return state in (HIDDEN, FLAG, QUESTION, UNKNOWN)


@compiled
def is_mine(state: int) -> bool:
    """Whether a cell in this state is known to be a mine."""
    return state in (MINE, EXPLODED)


class _Numbers(NamedTuple):
    """The numbers of a position and their cells; fields as in `Frontier`."""

    mines_left: int
    unopened: NDArray[np.int32]
    numbers: NDArray[np.int32]
    missing: NDArray[np.int32]
    starts: NDArray[np.int32]
    members: NDArray[np.int32]
    over: NDArray[np.int32]
    over_count: NDArray[np.int32]
    """For each cell the numbers around it, shape (cells, 8), ascending because numbers are met in reading order."""
    broken: int


class _Boxes(NamedTuple):
    """The boxes of a position; fields as in `Frontier`."""

    box_of: NDArray[np.int32]
    starts: NDArray[np.int32]
    cells: NDArray[np.int32]
    number_starts: NDArray[np.int32]
    numbers: NDArray[np.int32]


@compiled
def read_frontier(cells: NDArray[np.uint8], around: NDArray[np.int32], mines: int) -> Frontier:
    """The frontier of a position; `around` is the `neighbour_table` of its size.

    Promises nothing of a position whose numbers contradict each other beyond the single number in `broken`.
    """
    read = _read_numbers(cells, around, mines)
    boxes = _group_boxes(read)
    component_of, components = _components(read, boxes)
    return Frontier(
        read.mines_left,
        read.unopened,
        read.unopened[read.over_count[read.unopened] == 0],
        read.numbers,
        read.missing,
        read.starts,
        read.members,
        boxes.box_of,
        boxes.starts,
        boxes.cells,
        boxes.number_starts,
        boxes.numbers,
        component_of,
        components,
        read.broken,
    )


@compiled
def _read_numbers(cells: NDArray[np.uint8], around: NDArray[np.int32], mines: int) -> _Numbers:
    """Read a position in one pass over its cells."""
    unopened, numbers = np.empty(cells.size, np.int32), np.empty(cells.size, np.int32)
    missing, starts = np.empty(cells.size, np.int32), np.empty(cells.size + 1, np.int32)
    members = np.empty(8 * cells.size, np.int32)
    over, over_count = np.empty((cells.size, 8), np.int32), np.zeros(cells.size, np.int32)
    unopened_count, number_count, first, shown, broken = 0, 0, 0, 0, -1
    for cell in range(cells.size):
        if may_be_mine(cells[cell]):
            unopened[unopened_count] = cell
            unopened_count += 1
        shown += is_mine(cells[cell])
        if cells[cell] >= HIDDEN:
            continue
        need, after = int(cells[cell]), first
        for i in range(around[cell, 8]):
            other = around[cell, i]
            need -= is_mine(cells[other])
            if may_be_mine(cells[other]):
                members[after] = other
                after += 1
        if not 0 <= need <= after - first:
            broken = cell
        if after > first:
            for i in range(first, after):
                other = members[i]
                over[other, over_count[other]] = number_count
                over_count[other] += 1
            numbers[number_count], missing[number_count], starts[number_count] = cell, need, first
            number_count += 1
            first = after
    starts[number_count] = first
    return _Numbers(
        mines - shown,
        unopened[:unopened_count],
        numbers[:number_count],
        missing[:number_count],
        starts[: number_count + 1],
        members[:first],
        over,
        over_count,
        broken,
    )


@compiled
def _group_boxes(read: _Numbers) -> _Boxes:
    """Group the cells under the same numbers."""
    box_of = np.full(read.over_count.size, -1, np.int32)
    first_cell, size = np.empty(read.unopened.size, np.int32), np.zeros(read.unopened.size, np.int32)
    boxes, boxed = 0, 0
    for cell in read.unopened:
        if read.over_count[cell] > 0:
            box = _box_with_same_numbers(read, box_of, cell)
            if box < 0:
                box = boxes
                first_cell[box] = cell
                boxes += 1
            box_of[cell] = box
            size[box] += 1
            boxed += 1
    starts, number_starts = np.zeros(boxes + 1, np.int32), np.zeros(boxes + 1, np.int32)
    for box in range(boxes):
        starts[box + 1] = starts[box] + size[box]
        number_starts[box + 1] = number_starts[box] + read.over_count[first_cell[box]]
    cells, filled = np.empty(boxed, np.int32), starts.copy()
    for cell in read.unopened:
        box = box_of[cell]
        if box >= 0:
            cells[filled[box]] = cell
            filled[box] += 1
    numbers = np.empty(number_starts[boxes], np.int32)
    for box in range(boxes):
        for i in range(read.over_count[first_cell[box]]):
            numbers[number_starts[box] + i] = read.over[first_cell[box], i]
    return _Boxes(box_of, starts, cells, number_starts, numbers)


@compiled
def _box_with_same_numbers(read: _Numbers, box_of: NDArray[np.int32], cell: int) -> int:
    """The box of an earlier cell under exactly the numbers over `cell`, -1 where there is none.

    Such a cell lies under the first of these numbers, so at most seven have to be compared.
    """
    count, first = read.over_count[cell], read.over[cell, 0]
    for i in range(read.starts[first], read.starts[first + 1]):
        other = read.members[i]
        if box_of[other] >= 0 and read.over_count[other] == count:
            same = True
            for j in range(count):
                same = same and read.over[cell, j] == read.over[other, j]
            if same:
                return int(box_of[other])
    return -1


@compiled
def _components(read: _Numbers, boxes: _Boxes) -> tuple[NDArray[np.int32], int]:
    """For each box its component, by flooding from box to box over shared numbers; and how many there are."""
    component_of = np.full(boxes.starts.size - 1, -1, np.int32)
    stack = np.empty(component_of.size, np.int32)
    components = 0
    for seed in range(component_of.size):
        if component_of[seed] >= 0:
            continue
        component_of[seed] = components
        stack[0], height = seed, 1
        while height > 0:
            height -= 1
            box = stack[height]
            for i in range(boxes.number_starts[box], boxes.number_starts[box + 1]):
                number = boxes.numbers[i]
                for j in range(read.starts[number], read.starts[number + 1]):
                    other = boxes.box_of[read.members[j]]
                    if component_of[other] < 0:
                        component_of[other] = components
                        stack[height] = other
                        height += 1
        components += 1
    return component_of, components
