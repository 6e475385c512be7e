"""Where simulated games come from: mines dealt from a seed, or boards listed in a file."""

import random
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Never, Self, TypeAlias

import msgspec
import numpy as np

from sweepbot.errors import SweepbotError, UsageError, refused_as
from sweepbot.game import Game
from sweepbot.geometry import Cell
from sweepbot.level import FirstClick, Level, first_cell
from sweepbot.sharing import from_mbf
from sweepbot.solver.no_guess import is_deducible

_MOST_DEALT = 10_000
"""Boards dealt for one that needs no guess; one in seven is such on expert boards, one in a thousand on 30x16/130."""


@dataclass(frozen=True, slots=True)
class Deal:
    """A fresh game, and the cell that it begins with."""

    game: Game
    first: Cell


@dataclass(frozen=True, slots=True)
class SeededDeals:
    """Games whose mines come from a seed: those of number i depend on the seed and on i, and on nothing else.

    Attributes:
        level: Size and number of mines.
        first_click: What is promised of the first cell opened.
        games: How many there are, at least 1.
        seed: Any integer; other seeds give other games.
        no_guess: Whether deduction solves each of them from its first cell: boards are dealt until one is such.
        start: The number, among the games of the seed, of the first one of this series.
    """

    level: Level
    first_click: FirstClick
    games: int
    seed: int = 0
    no_guess: bool = False
    start: int = 0

    def __post_init__(self) -> None:
        if self.games < 1:
            raise UsageError(f"{self.games} games cannot be played", hint="give at least 1")

    def __len__(self) -> int:
        return self.games

    def deal(self, number: int) -> Deal:
        """Game `number`, from 0 on, as if it had never been dealt before; it begins with `first_cell`.

        Raises:
            UsageError: Boards of such a level hardly ever need no guess.
        """
        # Seeding with text goes through SHA-512: neighbouring seeds and numbers share nothing.
        rng = random.Random(f"{self.seed}/{self.start + number}")
        first = first_cell(self.level, self.first_click)
        if not self.no_guess:
            return Deal(Game(self.level, self.first_click, rng), first)
        # Each board that needs no guess is as likely as any other, which mending others would not give.
        for _ in range(_MOST_DEALT):
            game = Game(self.level, self.first_click, rng)
            game.open(first)
            mine = np.zeros((self.level.rows, self.level.columns), np.bool_)
            mine[tuple(zip(*game.mines, strict=True))] = True
            if is_deducible(mine, first):
                return Deal(Game.with_mines(self.level.columns, self.level.rows, game.mines), first)
        raise UsageError(
            f"none of {_MOST_DEALT:,} boards of {self.level} can be solved without a guess", hint="give fewer mines"
        )

    def part(self, numbers: range) -> "SeededDeals":
        """The games of these numbers, in steps of 1, as a series that is small enough to send to a worker."""
        return replace(self, start=self.start + numbers.start, games=len(numbers))

    def identity(self) -> dict[str, str | int]:
        """Level, first-click rule, seed and start: what tells the series, however many of its games are played."""
        rule = "no-guess" if self.no_guess else self.first_click.value
        return {"level": str(self.level), "rule": rule, "seed": self.seed, "start": self.start}


class ListedBoard(msgspec.Struct, frozen=True):
    """One line of a boards file. Places are x, y: the column first."""

    w: int
    h: int
    mines: tuple[tuple[int, int], ...]
    first: tuple[int, int]


@dataclass(frozen=True, slots=True)
class ListedDeals:
    """Games whose mines are listed: each begins with the cell it names, and no mine is moved for it."""

    boards: tuple[ListedBoard, ...]

    @classmethod
    def read(cls, path: Path) -> Self:
        """Read JSON lines `{"w", "h", "mines": [[x, y], ...], "first": [x, y]}`; x is the column; skip blank lines.

        Or read a board of an MBF file, or those of a folder in the order of their names. They name no first cell: it is
        the upper left corner or, where that is a mine, the next cell in reading order that is none.

        Raises:
            SweepbotError: The file cannot be read, holds no board, or a line is wrong: file and line are named.
        """
        with refused_as(SweepbotError, f"{path}: cannot be read"):
            if path.is_dir() or path.suffix.lower() == ".mbf":
                files = [path] if path.is_file() else sorted(path.glob("*.mbf"))
                return cls(tuple(_of_mbf(file.read_bytes(), str(file)) for file in files) or _no_boards(path))
            lines = path.read_bytes().splitlines()
        boards = tuple(_read_line(line, f"{path}:{number}") for number, line in enumerate(lines, 1) if line.strip())
        return cls(boards or _no_boards(path))

    def __len__(self) -> int:
        return len(self.boards)

    def deal(self, number: int) -> Deal:
        """The board on line `number`, counted from 0 and without the blank lines."""
        board = self.boards[number]
        mines = (Cell(y, x) for x, y in board.mines)
        return Deal(Game.with_mines(board.w, board.h, mines), Cell(board.first[1], board.first[0]))

    def part(self, numbers: range) -> "ListedDeals":
        """The boards of these numbers."""
        return ListedDeals(self.boards[numbers.start : numbers.stop])

    def identity(self) -> dict[str, str | int]:
        """The number of boards and their checksum."""
        return {"boards": len(self.boards), "sha256": sha256(msgspec.json.encode(self.boards)).hexdigest()}


Deals: TypeAlias = SeededDeals | ListedDeals
"""A numbered series of games, each dealt the same way on every machine and in any order."""

_HINT = 'one board a line: {"w": 9, "h": 9, "mines": [[x, y], ...], "first": [x, y]}, x to the right, y down, from 0'


def _no_boards(path: Path) -> Never:
    raise SweepbotError(f"{path}: holds no boards", hint=_HINT)


def _of_mbf(content: bytes, name: str) -> ListedBoard:
    mine = from_mbf(content, name)
    rows, columns = mine.shape
    if mine.all():
        raise SweepbotError(f"{name}: no cell is without a mine")
    row, column = divmod(int(np.argmin(mine)), columns)
    mines = tuple((int(x), int(y)) for y, x in np.argwhere(mine))
    return ListedBoard(columns, rows, mines, (column, row))


def _read_line(line: bytes, place: str) -> ListedBoard:
    try:
        board = msgspec.json.decode(line, type=ListedBoard)
        Level(board.w, board.h, len(board.mines))
    except (msgspec.MsgspecError, UnicodeDecodeError, UsageError) as error:
        raise SweepbotError(f"{place}: {error}", hint=_HINT) from error
    for name, (x, y) in [*(("mines", mine) for mine in board.mines), ("first", board.first)]:
        if not (0 <= x < board.w and 0 <= y < board.h):
            raise SweepbotError(f"{place}: {name}: [{x}, {y}] is not on a board of {board.w}x{board.h}", hint=_HINT)
    if len(set(board.mines)) < len(board.mines):
        twice = next(list(mine) for mine in board.mines if board.mines.count(mine) > 1)
        raise SweepbotError(f"{place}: mines: {twice} is listed twice", hint=_HINT)
    return board
