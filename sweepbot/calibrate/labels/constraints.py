"""What the rules of the game say about looks whose meaning nobody has told.

An open cell shows how many mines are around it. So for every open cell

    (mines among its unopened neighbours) = (the number that its look stands for)

holds, with both sides unknown at first. A look is known by the set of numbers that it may still stand for; a cell that
is not open by whether it is a mine. From 0 to 8 the sets only ever shrink:

- Bounds. A number is at least the mines already known around its cell and at most those that there is room for, at
  every cell that shows it. Once a number is as large or as small as it can be, the unopened neighbours are decided.
- An opened 0 opens its neighbours. So a look with an unopened cell beside it is no 0, and one without is nothing else.
- A mine. A board on which all cells are open has none, and there is no such board.
- Contradiction. What leads to a contradiction when it is assumed, of a look or of a cell, is not so.

Nothing is ever taken away that a layout of mines could bring about: where one number is left it is the only consistent
labelling.
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
"""In `Record.looks`, for each number: this cell is known to show it, whatever that looks like."""

UNDECIDED, SAFE, MINE = -1, 0, 1
"""What is known of a cell in `Record.mines`."""

_ALL = (1 << 9) - 1  # the numbers 0 to 8 as bits


@dataclass(slots=True, eq=False)
class Record:
    """All that is known of one game's layout of mines.

    Attributes:
        looks: intp array of shape (rows, columns): the look of each open cell, else `UNOPENED`. Where the number that
            it shows is known it is that of `OF_NUMBERS`.
        mines: int8 array of the same shape: `MINE`, `SAFE` or `UNDECIDED`; open cells are `SAFE`.
    """

    looks: NDArray[np.intp]
    mines: NDArray[np.int8]

    @classmethod
    def fresh(cls, rows: int, columns: int) -> Self:
        """A game of which nothing is known yet."""
        return cls(np.full((rows, columns), UNOPENED, np.intp), np.full((rows, columns), UNDECIDED, np.int8))

    def copy(self) -> "Record":
        """The same, to try something on."""
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
    """What looks may mean and which cells are mines, as far as some games together tell.

    Args:
        records: The games.
        meanings: What looks may stand for by other evidence; anything by default.

    Attributes:
        meanings: For each look the numbers that it may stand for, as bits.

    Raises:
        ImpossibleBoardError: Nothing that the looks could stand for brings these games about: pictures of different
            numbers were taken for one look, or a record is wrong.
    """

    def __init__(self, records: Sequence[Record], meanings: Mapping[int, int] | None = None) -> None:
        self.meanings = {look: 1 << number for number, look in enumerate(OF_NUMBERS)} | dict(meanings or {})
        self._records = records
        # Cells are places in one list, one game after the other; numbers are open cells, by their order.
        self._values: list[int] = []
        self._numbers: list[tuple[int, list[int]]] = []  # the look of each, and the unopened cells around it
        self._beside: list[list[int]] = []  # for each cell the numbers beside it
        self._showing: dict[int, list[int]] = defaultdict(list)  # for each look the numbers that have it
        for record in records:
            self._add(record)
        self._settle(range(len(self._numbers)))

    def _add(self, record: Record) -> None:
        rows, columns = record.looks.shape
        unopened, around, start = record.unopened, neighbours(rows, columns), len(self._values)
        if not unopened.any():
            raise ImpossibleBoardError("all cells are open, and no board is without mines")
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
        """What a look stands for, None where that is not settled."""
        return only_number(self.meanings.get(look, _ALL))

    def mines(self) -> NDArray[np.int8]:
        """What is known of each cell of the first game."""
        mines = self._records[0].mines
        return np.array(self._values[: mines.size], dtype=np.int8).reshape(mines.shape)

    def probe_looks(self, looks: Iterable[int]) -> None:
        """Assume each number that each look may stand for, and strike out what cannot be."""
        for look in looks:
            for number in range(9):
                meaning = self.meanings.get(look, _ALL)
                is_open = meaning >> number & 1 and meaning.bit_count() > 1
                if is_open and not self._may(partial(self._narrow, look, 1 << number)):
                    self._settle(self._narrow(look, meaning & ~(1 << number)))

    def probe_cells(self) -> None:
        """Assume of each cell of the first game beside a number that it is a mine, and that it is none."""
        for cell in range(self._records[0].mines.size):
            for value in (MINE, SAFE) if self._beside[cell] else ():
                if self._values[cell] == UNDECIDED and not self._may(partial(self._decide, cell, value)):
                    self._settle(self._decide(cell, 1 - value))

    def _may(self, assume: Callable[[], list[int]]) -> bool:
        """Whether something may be so that leads to more about some numbers; all is afterwards as it was before."""
        kept = dict(self.meanings), list(self._values)
        try:
            self._settle(assume())
        except ImpossibleBoardError:
            return False
        finally:
            self.meanings, self._values = kept
        return True

    def _settle(self, numbers: Iterable[int]) -> None:
        """Draw the bounds' conclusions from some numbers, and from all that these tell more about.

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
        """Let a look stand for no other numbers; the places that this tells more about."""
        before = self.meanings.get(look, _ALL)
        self.meanings[look] = after = before & meaning
        if not after:
            raise ImpossibleBoardError(f"look {look} can stand for no number")
        return [*self._showing[look]] if after != before else []

    def _decide(self, cell: int, value: int) -> list[int]:
        """Take a cell for a mine or for none; the places that this tells more about."""
        self._values[cell] = value
        return self._beside[cell]


def only_number(meaning: int) -> int | None:
    """The one number that a look may stand for, by its bits; None where that may be several."""
    return meaning.bit_length() - 1 if meaning.bit_count() == 1 else None
