"""What the rules of the game say about looks of unknown meaning: constraint propagation over looks and cells.

An open cell shows how many mines are around it. So for every open cell

    (mines among its unopened neighbours) = (the number that its look stands for)

with both sides unknown at first. For each look there is a set of numbers that it may stand for, at first all from 0 to
8; for each unopened cell, whether it is a mine. The sets are narrowed by these rules:

- Bounds. At every cell that shows it, a number is at least the known mines around the cell, and at most these plus the
  undecided cells. If it can only be the least or the most, the undecided cells are decided.
- Zeros. An opened 0 opens its neighbours. So a look with an unopened cell beside it is not 0, and one without is 0.
- Mines. A board has at least one mine, so not all cells can be open.
- Contradiction. An assumption about a look or a cell that leads to a contradiction is false.

These rules never exclude what some layout of mines makes possible, so a number that is left alone is certain.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Self

import numpy as np
from numpy.typing import NDArray

from sweepbot.board import cells_in, neighbours
from sweepbot.errors import ImpossibleBoardError
from sweepbot.geometry import Cell

UNOPENED = -1
"""In `Record.looks`: this cell shows no number."""

OF_NUMBERS = tuple(range(-2, -11, -1))
"""In `Record.looks`, for each number: this cell is known to show it, whatever it looks like."""

UNDECIDED, SAFE, MINE = -1, 0, 1
"""In `Record.mines`: what is known about a cell."""

_ALL = (1 << 9) - 1  # the numbers 0 to 8 as bits


@dataclass(slots=True, eq=False)
class Record:
    """What is known about one game.

    Attributes:
        looks: intp array of shape (rows, columns): the look of each open cell, that in `OF_NUMBERS` if its number is
            known; `UNOPENED` for all other cells.
        mines: int8 array of the same shape: `MINE`, `SAFE` or `UNDECIDED`; open cells are `SAFE`.
    """

    looks: NDArray[np.intp]
    mines: NDArray[np.int8]

    @classmethod
    def fresh(cls, rows: int, columns: int) -> Self:
        """Return the record of a game about which nothing is known."""
        return cls(np.full((rows, columns), UNOPENED, np.intp), np.full((rows, columns), UNDECIDED, np.int8))

    def copy(self) -> "Record":
        """Return a copy."""
        return Record(self.looks.copy(), self.mines.copy())

    def open(self, cell: Cell, look: int) -> None:
        """Note that an opened cell shows a look."""
        self.looks[cell] = look
        self.mines[cell] = SAFE

    @property
    def unopened(self) -> NDArray[np.bool_]:
        """Which cells are not open."""
        unopened: NDArray[np.bool_] = self.looks == UNOPENED
        return unopened


class LabelConstraints:
    """What looks may stand for and which cells are mines, inferred from some games together.

    Args:
        records: The games.
        meanings: What looks may stand for by other evidence; any number by default.

    Attributes:
        meanings: For each look the numbers that it may stand for, as bits.

    Raises:
        ImpossibleBoardError: No meaning of the looks is consistent with these games: pictures of different numbers were
            taken for one look, or a record is wrong.
    """

    def __init__(self, records: Sequence[Record], meanings: Mapping[int, int] | None = None) -> None:
        self.meanings = {look: 1 << number for number, look in enumerate(OF_NUMBERS)} | dict(meanings or {})
        self._records = records
        # Cells are indices into one list, one game after the other; numbers are open cells, by their order.
        self._values: list[int] = []
        self._numbers: list[tuple[int, list[int]]] = []  # the look of each, and the unopened cells around it
        self._beside: list[list[int]] = []  # for each cell, the numbers beside it
        self._showing: dict[int, list[int]] = defaultdict(list)  # for each look, the numbers that have it
        for record in records:
            self._add(record)
        self._settle(range(len(self._numbers)))

    def _add(self, record: Record) -> None:
        rows, columns = record.looks.shape
        unopened, around, start = record.unopened, neighbours(rows, columns), len(self._values)
        if not unopened.any():
            raise ImpossibleBoardError("all cells are open, but a board has at least one mine")
        self._values.extend(record.mines.ravel().tolist())
        self._beside.extend([] for _ in range(rows * columns))
        for cell in cells_in(~unopened):
            cells = [start + other.row * columns + other.column for other in around[cell] if unopened[other]]
            look = int(record.looks[cell])
            for other in cells:
                self._beside[other].append(len(self._numbers))
            self._showing[look].append(len(self._numbers))
            self._numbers.append((look, cells))
            self._narrow(look, _ALL - 1 if cells else 1)

    def number_of(self, look: int) -> int | None:
        """Return the number that a look stands for; None if it is unknown."""
        return only_number(self.meanings.get(look, _ALL))

    def mines(self) -> NDArray[np.int8]:
        """Return what is known about each cell of the first game, as in `Record.mines`."""
        mines = self._records[0].mines
        return np.array(self._values[: mines.size], dtype=np.int8).reshape(mines.shape)

    def probe_looks(self, looks: Iterable[int]) -> None:
        """Exclude each number of each look that leads to a contradiction."""
        for look in looks:
            for number in range(9):
                meaning = self.meanings.get(look, _ALL)
                is_open = meaning >> number & 1 and meaning.bit_count() > 1
                if is_open and not self._is_possible(partial(self._narrow, look, 1 << number)):
                    self._settle(self._narrow(look, meaning & ~(1 << number)))

    def probe_cells(self) -> None:
        """Decide each cell beside a number in the first game for which a mine, or none, leads to a contradiction."""
        for cell in range(self._records[0].mines.size):
            for value in (MINE, SAFE) if self._beside[cell] else ():
                if self._values[cell] == UNDECIDED and not self._is_possible(partial(self._decide, cell, value)):
                    self._settle(self._decide(cell, 1 - value))

    def _is_possible(self, assume: Callable[[], list[int]]) -> bool:
        """Whether an assumption, which returns the numbers that it affects, leads to no contradiction; undoes it."""
        kept = dict(self.meanings), list(self._values)
        try:
            self._settle(assume())
        except ImpossibleBoardError:
            return False
        finally:
            self.meanings, self._values = kept
        return True

    def _settle(self, numbers: Iterable[int]) -> None:
        """Apply the bounds to some numbers, and to all numbers that this affects.

        Raises:
            ImpossibleBoardError: They contradict each other.
        """
        waiting = dict.fromkeys(numbers)
        while waiting:
            look, cells = self._numbers[waiting.popitem()[0]]
            values = [self._values[cell] for cell in cells]
            known, undecided = values.count(MINE), values.count(UNDECIDED)
            more = self._narrow(look, ((2 << undecided) - 1) << known)
            meaning = self.meanings[look]
            lowest, highest = (meaning & -meaning).bit_length() - 1, meaning.bit_length() - 1
            if undecided and (highest == known or lowest == known + undecided):
                for cell in (cell for cell in cells if self._values[cell] == UNDECIDED):
                    more += self._decide(cell, SAFE if highest == known else MINE)
            waiting.update(dict.fromkeys(more))

    def _narrow(self, look: int, meaning: int) -> list[int]:
        """Narrow what a look may stand for, and return the numbers that this affects."""
        before = self.meanings.get(look, _ALL)
        self.meanings[look] = after = before & meaning
        if not after:
            raise ImpossibleBoardError(f"look {look} can stand for no number")
        return [*self._showing[look]] if after != before else []

    def _decide(self, cell: int, value: int) -> list[int]:
        """Decide that a cell is a mine or safe, and return the numbers that this affects."""
        self._values[cell] = value
        return self._beside[cell]


def only_number(meaning: int) -> int | None:
    """Return the one number that a set of bits leaves; None if it leaves several."""
    return meaning.bit_length() - 1 if meaning.bit_count() == 1 else None
