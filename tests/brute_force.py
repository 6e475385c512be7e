"""Layouts and chances to win of small boards by trying everything, sharing no code with the solver."""

from itertools import combinations

from sweepbot.board import MAY_BE_CLOSED, Board, State
from sweepbot.geometry import Cell

Layout = frozenset[Cell]


def layouts_of(board: Board) -> list[Layout]:
    """Every set of mines that gives each open cell its number, those that are shown included."""
    shown = frozenset(board.where(State.MINE, State.EXPLODED))
    numbers = [(board.neighbours(cell), board[cell]) for cell in board if board[cell] < State.HIDDEN]
    assert board.mines is not None
    missing = board.mines - len(shown)
    placements = combinations(board.where(*MAY_BE_CLOSED), missing) if missing >= 0 else ()
    layouts = (shown.union(placed) for placed in placements)
    return [mines for mines in layouts if all(sum(map(mines.__contains__, around)) == of for around, of in numbers)]


def wins(board: Board, layouts: list[Layout]) -> int:
    """In how many of some layouts the best play wins."""
    if len(layouts) == 1 or board.count(State.HIDDEN) == board.mines:
        return len(layouts)
    cells = [cell for cell in board.where(State.HIDDEN) if any(cell not in mines for mines in layouts)]
    safe = [cell for cell in cells if all(cell not in mines for mines in layouts)]
    return max(wins_by(board, layouts, cell) for cell in safe[:1] or cells)


def wins_by(board: Board, layouts: list[Layout], cell: Cell) -> int:
    """In how many of some layouts the best play wins that opens a cell next."""
    total = 0
    for number in range(9):
        left = [mines for mines in layouts if cell not in mines and len(mines & {*board.neighbours(cell)}) == number]
        if left:
            shown = board.cells.copy()
            shown[cell] = number
            total += wins(Board(shown, board.mines), left)
    return total
