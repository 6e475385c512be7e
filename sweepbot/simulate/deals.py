"""The games to simulate: mines dealt from a seed, or boards listed in a file."""

import random
from collections import Counter
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Never, Self, TypeAlias

import msgspec
import numpy as np

from sweepbot.errors import SweepbotError, UsageError
from sweepbot.formats.mbf import from_mbf
from sweepbot.game import Game
from sweepbot.geometry import Cell
from sweepbot.level import FirstClick, Level, first_cell
from sweepbot.solver.no_guess import is_deducible
from sweepbot.strangers import read_file

_MAX_BOARDS = 10_000
"""Boards dealt to find a no-guess board: one in seven is one at expert level, one in a thousand on 30x16/130."""

_MAX_BYTES = 256_000_000  # of a list of boards: a quarter of a million at expert level
_MAX_MBF_BYTES = 200_000  # a little more than a mine in every cell takes


@dataclass(frozen=True, slots=True)
class Deal:
    """A fresh game, and the first cell to open."""

    game: Game
    first: Cell


@dataclass(frozen=True, slots=True)
class SeededDeals:
    """Games whose mines come from a seed: game number i depends only on the seed and on i.

    Attributes:
        level: Size and number of mines.
        first_click: The first-click rule.
        games: How many there are, at least 1.
        seed: Any integer; other seeds give other games.
        no_guess: Whether they are no-guess boards: boards are dealt until deduction solves one from its first cell.
        start: The number, among the games of the seed, of the first game of this series.
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
        """Deal game `number`, counted from 0; it begins with `first_cell`.

        Raises:
            UsageError: No-guess boards are too rare at this level.
        """
        # A text seed goes through SHA-512, so that neighbouring seeds and numbers share nothing.
        rng = random.Random(f"{self.seed}/{self.start + number}")
        first = first_cell(self.level, self.first_click)
        if not self.no_guess:
            return Deal(Game(self.level, self.first_click, rng), first)
        # Each no-guess board is equally likely, which would not be so if other boards were repaired.
        for _ in range(_MAX_BOARDS):
            game = Game(self.level, self.first_click, rng)
            game.open(first)
            mine = np.zeros((self.level.rows, self.level.columns), np.bool_)
            mine[tuple(zip(*game.mines, strict=True))] = True
            if is_deducible(mine, first):
                return Deal(Game.with_mines(self.level.columns, self.level.rows, game.mines), first)
        raise UsageError(
            f"none of {_MAX_BOARDS:,} boards of {self.level} can be solved without a guess", hint="give fewer mines"
        )

    def part(self, numbers: range) -> "SeededDeals":
        """Return the games with these numbers, a range in steps of 1, as a series of its own."""
        return replace(self, start=self.start + numbers.start, games=len(numbers))

    def identity(self) -> dict[str, str | int]:
        """Return what identifies the series, however many of its games are played."""
        rule = "no-guess" if self.no_guess else self.first_click.value
        return {"level": str(self.level), "rule": rule, "seed": self.seed, "start": self.start}


class ListedBoard(msgspec.Struct, frozen=True):
    """One line of a boards file. Cells are x, y: the column first."""

    w: int
    h: int
    mines: tuple[tuple[int, int], ...]
    first: tuple[int, int]


@dataclass(frozen=True, slots=True)
class ListedDeals:
    """Games whose mines and first cells are listed; no mine is moved for the first cell."""

    boards: tuple[ListedBoard, ...]

    @classmethod
    def read(cls, path: Path) -> Self:
        """Read JSON lines `{"w", "h", "mines": [[x, y], ...], "first": [x, y]}`, x being the column; skip blank lines.

        Or read the board in an MBF file, or those in a folder in the order of their names. They have no first cell: it
        is the first cell in reading order that is not a mine.

        Raises:
            SweepbotError: The file cannot be read, has no board, or a line is wrong; the message has file and line.
        """
        if path.is_dir() or path.suffix.lower() == ".mbf":
            files = sorted(path.glob("*.mbf")) if path.is_dir() else [path]
            boards = tuple(_read_mbf(read_file(file, _MAX_MBF_BYTES), str(file)) for file in files)
            return cls(boards or _no_boards(path))
        lines = read_file(path, _MAX_BYTES).splitlines()
        boards = tuple(_read_line(line, f"{path}:{number}") for number, line in enumerate(lines, 1) if line.strip())
        return cls(boards or _no_boards(path))

    def __len__(self) -> int:
        return len(self.boards)

    def deal(self, number: int) -> Deal:
        """Deal the board on line `number`, counted from 0 without blank lines."""
        board = self.boards[number]
        mines = (Cell(y, x) for x, y in board.mines)
        return Deal(Game.with_mines(board.w, board.h, mines), Cell(board.first[1], board.first[0]))

    def part(self, numbers: range) -> "ListedDeals":
        """Return the games with these numbers as a series of its own."""
        return ListedDeals(self.boards[numbers.start : numbers.stop])

    def identity(self) -> dict[str, str | int]:
        """Return the number of boards and their checksum."""
        return {"boards": len(self.boards), "sha256": sha256(msgspec.json.encode(self.boards)).hexdigest()}


Deals: TypeAlias = SeededDeals | ListedDeals
"""A numbered series of games, each dealt alike on every machine and in any order."""

_HINT = 'one board a line: {"w": 9, "h": 9, "mines": [[x, y], ...], "first": [x, y]}, x to the right, y down, from 0'


def _no_boards(path: Path) -> Never:
    raise SweepbotError(f"{path}: there are no boards in it", hint=_HINT)


def _read_mbf(content: bytes, name: str) -> ListedBoard:
    mine = from_mbf(content, name)
    rows, columns = mine.shape
    if mine.all():
        raise SweepbotError(f"{name}: every cell is a mine")
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
        ((twice, _),) = Counter(board.mines).most_common(1)
        raise SweepbotError(f"{place}: mines: {list(twice)} is listed twice", hint=_HINT)
    return board
