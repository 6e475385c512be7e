"""The rules of Minesweeper, with hidden mines: what happens when a cell is opened, flagged or chorded."""

import random
from collections.abc import Collection, Iterable
from typing import Self

import numpy as np

from sweepbot.board import Board, Phase, State, cells_in, neighbours
from sweepbot.errors import UsageError
from sweepbot.geometry import Cell
from sweepbot.level import FirstClick, Level

_OPENABLE = frozenset({State.HIDDEN, State.QUESTION})
"""The states of cells that a click opens."""


class Game:
    """One game of Minesweeper, from the first click to the last.

    Mines are placed at the first opening, to keep the promise of `first_click`. If there are too many mines for `OPEN`,
    as few as possible are placed around the first cell.

    Args:
        level: Size and number of mines.
        first_click: The first-click rule.
        rng: The source of the mines.
        question_marks: Whether `mark` goes from flag to question mark to hidden, or straight from flag to hidden.
    """

    def __init__(
        self, level: Level, first_click: FirstClick, rng: random.Random, *, question_marks: bool = True
    ) -> None:
        self.level = level
        self.phase = Phase.FRESH
        self._first_click = first_click
        self._rng = rng
        self._question_marks = question_marks
        self._mines: frozenset[Cell] | None = None
        self._neighbours = neighbours(level.rows, level.columns)
        self._cells = np.full((level.rows, level.columns), State.HIDDEN, dtype=np.uint8)
        self._unopened_safe = level.columns * level.rows - level.mines

    @classmethod
    def with_mines(cls, columns: int, rows: int, mines: Iterable[Cell]) -> Self:
        """Return a game with given mines, which are not moved for the first click."""
        placed = frozenset(mines)
        game = cls(Level(columns, rows, len(placed)), FirstClick.SAFE, random.Random(0))
        if outside := sorted(placed - game._neighbours.keys()):
            raise UsageError(f"a mine at {outside[0]} is not on a board of {columns}x{rows} cells")
        game._mines = placed
        return game

    @property
    def board(self) -> Board:
        """The position that a player sees."""
        return Board(self._cells.copy(), self.level.mines)

    @property
    def mines(self) -> frozenset[Cell]:
        """The mines; empty until the first opening has placed them."""
        return self._mines or frozenset()

    @property
    def over(self) -> bool:
        """Whether the game is won or lost."""
        return self.phase in (Phase.WON, Phase.LOST)

    @property
    def mines_left(self) -> int:
        """What the mine counter shows: mines minus flags, which may be negative."""
        flags = (self._cells == State.FLAG) | (self._cells == State.WRONG_FLAG)
        return self.level.mines - int(np.count_nonzero(flags))

    def open(self, cell: Cell) -> None:
        """Open a hidden or questioned cell; do nothing if it is another, or the game is over."""
        if not self.over and int(self._cells[cell]) in _OPENABLE:
            self._open_all([cell])

    def mark(self, cell: Cell) -> None:
        """Change the mark of an unopened cell to the next one: hidden, flag, question mark, hidden."""
        if not self.over:
            after_flag = State.QUESTION if self._question_marks else State.HIDDEN
            following: dict[int, int] = {State.HIDDEN: State.FLAG, State.FLAG: after_flag, State.QUESTION: State.HIDDEN}
            state = int(self._cells[cell])
            self._cells[cell] = following.get(state, state)

    def chord(self, cell: Cell) -> None:
        """Open the unflagged neighbours of a number that has as many flags around it as it says."""
        number = int(self._cells[cell])
        if self.over or number >= State.HIDDEN:
            return
        around = self._neighbours[cell]
        if sum(self._cells[other] == State.FLAG for other in around) == number:
            self._open_all([other for other in around if int(self._cells[other]) in _OPENABLE])

    def _open_all(self, cells: Collection[Cell]) -> None:
        if not cells:
            return
        if self._mines is None:
            self._mines = self._place_mines(next(iter(cells)))
        self.phase = Phase.PLAYING
        exploded = [cell for cell in cells if cell in self._mines]
        for cell in cells:
            if cell not in self._mines:
                self._flood(cell)
        if exploded:
            self._lose(exploded)
        elif self._unopened_safe == 0:
            self._win()

    def _place_mines(self, first: Cell) -> frozenset[Cell]:
        around = self._neighbours[first] if self._first_click is FirstClick.OPEN else ()
        kept = () if self._first_click is FirstClick.NONE else (first, *around)
        elsewhere = [cell for cell in self._neighbours if cell not in kept]
        missing = self.level.mines - len(elsewhere)
        if missing > 0:
            return frozenset([*elsewhere, *self._rng.sample(list(around), missing)])
        return frozenset(self._rng.sample(elsewhere, self.level.mines))

    def _flood(self, start: Cell) -> None:
        """Open `start` and flood from every 0; flagged cells stay closed, questioned ones are opened."""
        cells, mines, around = self._cells, self.mines, self._neighbours
        stack = [start]
        while stack:
            cell = stack.pop()
            if int(cells[cell]) not in _OPENABLE:
                continue
            number = len(mines.intersection(around[cell]))
            cells[cell] = number
            self._unopened_safe -= 1
            if number == 0:
                stack.extend(around[cell])

    def _lose(self, exploded: Iterable[Cell]) -> None:
        self.phase = Phase.LOST
        flags = set(cells_in(self._cells == State.FLAG))
        for cell in self.mines - flags:
            self._cells[cell] = State.MINE
        for cell in flags - self.mines:
            self._cells[cell] = State.WRONG_FLAG
        for cell in exploded:
            self._cells[cell] = State.EXPLODED

    def _win(self) -> None:
        self.phase = Phase.WON
        for cell in self.mines:
            self._cells[cell] = State.FLAG
