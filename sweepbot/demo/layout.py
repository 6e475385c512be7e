"""Where the parts of the client's window are, in pixels from its top left corner. Pure."""

from dataclasses import dataclass

from sweepbot.geometry import Cell, Point, Region

CELL = 16
"""Side of a cell in pixels."""

_LEFT, _TOP, _RIGHT, _BOTTOM = 12, 55, 8, 8
"""What surrounds the board: frame, panel and bevels."""
_PANEL_TOP, _PANEL_HEIGHT = 9, 37
_FACE = 24
_COUNTER_WIDTH, _COUNTER_HEIGHT = 39, 23


@dataclass(frozen=True, slots=True)
class Layout:
    """The geometry of a window with `columns` x `rows` cells, the same as that of the Windows XP client."""

    columns: int
    rows: int

    @property
    def window(self) -> Region:
        """All of the window's inside."""
        return Region(0, 0, _LEFT + CELL * self.columns + _RIGHT, _TOP + CELL * self.rows + _BOTTOM)

    @property
    def board(self) -> Region:
        """The cells, without the bevel around them."""
        return Region(_LEFT, _TOP, CELL * self.columns, CELL * self.rows)

    @property
    def panel(self) -> Region:
        """The sunken field that holds counters and face, its bevel included."""
        board = self.board.grown(3)
        return Region(board.x, _PANEL_TOP, board.width, _PANEL_HEIGHT)

    @property
    def face(self) -> Region:
        """The button with the face, without the line around it."""
        return Region(self.board.centre.x - _FACE // 2, 16, _FACE, _FACE)

    @property
    def mine_counter(self) -> Region:
        """The left counter."""
        return Region(17, 16, _COUNTER_WIDTH, _COUNTER_HEIGHT)

    @property
    def clock(self) -> Region:
        """The right counter."""
        return Region(self.window.right - 15 - _COUNTER_WIDTH, 16, _COUNTER_WIDTH, _COUNTER_HEIGHT)

    def cell_at(self, point: Point) -> Cell | None:
        """The cell under `point`, None beside the board."""
        if point not in self.board:
            return None
        inside = point - self.board.origin
        return Cell(inside.y // CELL, inside.x // CELL)

    def region_of(self, cell: Cell) -> Region:
        """The pixels of `cell`."""
        return Region(self.board.x + CELL * cell.column, self.board.y + CELL * cell.row, CELL, CELL)
