"""The frontier of a position: its numbers, the unopened cells around them, and boxes of interchangeable cells."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sweepbot.board import Board
from sweepbot.errors import ImpossibleBoardError
from sweepbot.solver.compiled import helper, kernel, listed
from sweepbot.solver.flat_board import HIDDEN, UNKNOWN, FlatBoard, cell_at, is_mine, lists_of, may_be_mine


class Frontier(NamedTuple):
    """The unopened cells of a position and the numbers beside them; int32 arrays of flat indices.

    A *box* is a maximal set of unopened cells under exactly the same numbers: its cells are interchangeable.
    """

    cells: NDArray[np.uint8]
    """The state of each flat cell; the array of the position itself."""
    mines_left: int
    """How many of the unopened cells hold a mine: the total of mines minus those shown."""
    unopened: NDArray[np.int32]
    """Every cell that may or may not be a mine, in reading order: hidden, flagged, questioned or unreadable."""
    interior: NDArray[np.int32]
    """The unopened cells that no number touches, in reading order."""
    numbers: NDArray[np.int32]
    """The open cells with at least one unopened neighbour, in reading order."""
    missing: NDArray[np.int32]
    """How many of the unopened neighbours of each of `numbers` are mines."""
    around: NDArray[np.int32]
    """A table: the unopened neighbours of each of `numbers`, in reading order."""
    box_of: NDArray[np.int32]
    """The box of each cell of the board; -1 for open and interior cells."""
    boxes: NDArray[np.int32]
    """A table: the cells of each box, in reading order."""
    over: NDArray[np.int32]
    """A table: the numbers over each box, as indices into `numbers`, ascending."""
    broken: int
    """A cell whose number no placement of mines around it satisfies; -1 if there is none."""

    @classmethod
    def of(cls, board: Board) -> "Frontier":
        """Return the frontier of a position.

        Raises:
            UsageError: The board's total of mines is not known.
            ImpossibleBoardError: A number is higher than its neighbours allow or lower than the mines shown around it,
                or the total of mines does not fit.
        """
        frontier = read_frontier(FlatBoard.of(board))
        if frontier.broken >= 0:
            cell = cell_at(board, int(frontier.broken))
            raise ImpossibleBoardError(
                f"{cell}: no placement of mines gives this cell the number {board[cell]}",
                hint="check the cells around it",
            )
        if not 0 <= frontier.mines_left <= len(frontier.unopened):
            shown = (board.mines or 0) - frontier.mines_left
            raise ImpossibleBoardError(
                f"{board.mines} mines, {shown} of them shown, do not fit in {len(frontier.unopened)} unopened cells",
                hint="check the total of mines",
            )
        return frontier

    @property
    def openable(self) -> NDArray[np.int32]:
        """The unopened cells that are readable."""
        readable: NDArray[np.int32] = self.unopened[self.cells[self.unopened] != UNKNOWN]
        return readable


class Neighbourhoods(NamedTuple):
    """The numbers of a frontier and their cells as lists, which plain Python reads several times faster."""

    missing: list[int]
    """How many unopened neighbours of each number are mines."""
    around: list[list[int]]
    """The unopened neighbours of each number, in reading order."""
    over: list[list[int]]
    """The numbers over each cell of the board, ascending."""

    @classmethod
    def of(cls, frontier: Frontier) -> "Neighbourhoods":
        """Return the neighbourhoods of a frontier."""
        around = lists_of(frontier.around)
        over: list[list[int]] = [[] for _ in frontier.box_of]
        for number, cells in enumerate(around):
            for cell in cells:
                over[cell].append(number)
        return cls(frontier.missing.tolist(), around, over)


@kernel
def read_frontier(position: FlatBoard) -> Frontier:  # noqa: C901  (calls take as long as the work)
    """Return the frontier of a position.

    Of numbers that contradict each other, only one that is wrong by itself is noticed, as `broken`.
    """
    cells = position.cells
    states, beside_of = listed(cells), listed(position.around.reshape(-1))
    unopened, interior = np.empty(cells.size, np.int32), np.empty(cells.size, np.int32)
    numbers = np.empty(cells.size, np.int32)
    missing, beside = np.empty(cells.size, np.int32), np.empty((cells.size, 9), np.int32)
    over = np.empty((cells.size, 9), np.int32)  # for each cell of the board; ascending, as numbers come in order
    unopened_count, number_count, shown, broken = 0, 0, 0, -1
    may_be, known = listed(np.zeros(cells.size, np.bool_)), listed(np.zeros(cells.size, np.bool_))
    for cell in range(cells.size):
        over[cell, 8] = 0
        may_be[cell], known[cell] = may_be_mine(states[cell]), is_mine(states[cell])
    for cell in range(cells.size):
        if may_be[cell]:
            unopened[unopened_count] = cell
            unopened_count += 1
        shown += known[cell]
        if states[cell] >= HIDDEN:
            continue
        need, count = int(states[cell]), 0
        for i in range(9 * cell, 9 * cell + beside_of[9 * cell + 8]):
            other = beside_of[i]
            need -= known[other]
            if may_be[other]:
                beside[number_count, count] = other
                over[other, over[other, 8]] = number_count
                over[other, 8] += 1
                count += 1
        if not 0 <= need <= count:
            broken = cell
        if count > 0:
            numbers[number_count], missing[number_count], beside[number_count, 8] = cell, need, count
            number_count += 1
    box_of, boxes = np.full(cells.size, -1, np.int32), np.empty((unopened_count, 9), np.int32)
    over_box, box_count, inside = np.empty((unopened_count, 9), np.int32), 0, 0
    for cell in unopened[:unopened_count]:
        if over[cell, 8] == 0:
            interior[inside] = cell
            inside += 1
            continue
        box = _box_with_same_numbers(beside, over, box_of, cell)
        if box < 0:
            box = box_count
            boxes[box, 8] = 0
            for i in range(9):
                over_box[box, i] = over[cell, i]
            box_count += 1
        box_of[cell] = box
        boxes[box, boxes[box, 8]] = cell
        boxes[box, 8] += 1
    return Frontier(
        cells,
        position.mines - shown,
        unopened[:unopened_count],
        interior[:inside],
        numbers[:number_count],
        missing[:number_count],
        beside[:number_count],
        box_of,
        boxes[:box_count],
        over_box[:box_count],
        broken,
    )


@helper
def _box_with_same_numbers(
    around: NDArray[np.int32], over: NDArray[np.int32], box_of: NDArray[np.int32], cell: int
) -> int:
    """Return the box of an earlier cell under exactly the numbers over `cell`, -1 if there is none.

    Such a cell is a neighbour of the first of these numbers, so at most seven have to be compared.
    """
    count, first = over[cell, 8], over[cell, 0]
    for i in range(around[first, 8]):
        other = around[first, i]
        if box_of[other] >= 0 and over[other, 8] == count:
            same = True
            for j in range(count):
                same = same and over[cell, j] == over[other, j]
            if same:
                return int(box_of[other])
    return -1


@helper
def may_have_layouts(frontier: Frontier) -> bool:
    """Whether no number is wrong by itself, and the mines that are left fit in the unopened cells."""
    return frontier.broken < 0 and 0 <= frontier.mines_left <= frontier.unopened.size
