"""What a picture shows: the result of reading it, whoever read it."""

from dataclasses import dataclass, replace

from sweepbot.board import Board, Phase, State, unread
from sweepbot.geometry import Point
from sweepbot.vision.extent import OpenSide
from sweepbot.vision.grid import Grid
from sweepbot.vision.header.panel import NOTHING, Header
from sweepbot.vision.telling import Seen
from sweepbot.vision.zeros import without_pressed

UNKNOWN = "unknown"
"""The client of a board that no calibration knows."""

_MAX_UNREAD_SHARE = 0.5  # of the cells of a board: as many are unread of a chequerboard in two colours of a client's


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Reading:
    """What a picture shows.

    Attributes:
        client: The name of the calibration it was read with; `UNKNOWN` if it was read at first sight.
        board: The position; its mines are what the counter says, else those of the level of that size, else None.
        grid: Where its cells are, in pixels of the picture.
        scale: The size of a cell in the picture, as a multiple of the calibration's.
        seen: What its cells show, each with how sure that is, and how that was told.
        phase: How far the game is, by its cells, and by its face if that was read.
        shown: What was read above the board; `NOTHING` where only the cells were looked at.
        open_sides: Those at which it is not known to end; empty if only the cells were looked at.
        doubts: What speaks against its size, these sides first, in words; empty if only the cells were looked at.
        dimmed: Whether it is much darker than before, as at the end of a game or behind a dialog.
        hint: What to do if it is not trusted; empty if the cause is not known.
    """

    client: str
    board: Board
    grid: Grid
    scale: float
    seen: Seen
    phase: Phase
    shown: Header = NOTHING
    open_sides: tuple[OpenSide, ...] = ()
    doubts: tuple[str, ...] = ()
    dimmed: bool = False
    hint: str = ""

    @property
    def shows_win(self) -> bool:
        """Whether the client has painted over its open cells, as after a win; no cell is read then."""
        return self.seen.shows_win

    @property
    def unread(self) -> int:
        """The number of cells that could not be read. Each may be hidden, flagged or open, and costs only itself."""
        return self.board.count(State.UNKNOWN)

    @property
    def problems(self) -> list[str]:
        """Why the reading is not trusted, in words: doubts about its size, and contradictions among its cells.

        Unread cells are no problem as long as they are fewer than half.
        """
        few = [unread(self.board)] if self.unread >= _MAX_UNREAD_SHARE * self.board.cells.size else []
        return [*self.doubts, *few, *(problem.text for problem in self.board.problems())]

    @property
    def may_end_unseen(self) -> bool:
        """Whether all that is doubted is that something may cover cells beyond its sides."""
        return len(self.doubts) == len(self.open_sides) and not any(side.is_cut for side in self.open_sides)

    @property
    def confidence(self) -> float:
        """The mean trust in all cells, in [0, 1]; an unread cell counts as 0."""
        return self.seen.cells.agreement / self.board.cells.size

    @property
    def over(self) -> bool:
        """Whether the game is won or lost."""
        return self.phase in (Phase.WON, Phase.LOST)

    @property
    def mines_left(self) -> int | None:
        """Mines minus flags, by the client's counter if it was read, else by the cells.

        None if the number of mines is unknown, or if unread cells may be flags.
        """
        if self.shown.mines_left is not None:
            return self.shown.mines_left
        return None if self.board.mines is None or self.unread else self.board.mines - self.board.count(State.FLAG)

    def with_mines(self, mines: int | None) -> "Reading":
        """Return the same reading of a board with this number of mines."""
        return replace(self, board=Board(self.board.cells, mines))

    def without_pressed(self) -> "Reading":
        """Return the same reading without zeros that may be hidden cells held down, or under the pointer."""
        return replace(self, board=Board(without_pressed(self.board.cells), self.board.mines))

    def moved(self, by: Point) -> "Reading":
        """Return the same reading with its grid shifted, as from a part of the screen to the whole of it."""
        return replace(self, grid=self.grid.moved(by))

    def beside_board(self, offset: tuple[int, int]) -> Point:
        """Return the pixel at `offset` = (right, down), at scale 1, from the middle of the board's upper edge."""
        return self.grid.beside(offset, self.scale)

    def on_board(self, place: tuple[float, float]) -> Point:
        """Return the pixel at a place given as shares of the board's width and height."""
        (left, right), (top, bottom) = ((lines[0], lines[-1]) for lines in (self.grid.xs, self.grid.ys))
        return Point(round(left + place[0] * (right - left)), round(top + place[1] * (bottom - top)))
