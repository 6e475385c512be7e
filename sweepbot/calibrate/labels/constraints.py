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

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Self

import numpy as np
from numpy.typing import NDArray

from sweepbot.board import neighbours
from sweepbot.errors import ImpossibleBoardError
from sweepbot.geometry import Cell

UNOPENED = -1
"""In `Record.looks`: this cell shows no number."""

OF_NUMBERS = tuple(range(-2, -11, -1))
"""In `Record.looks`, for each number: this cell is known to show it, whatever that looks like."""

UNDECIDED, SAFE, MINE = -1, 0, 1
"""What is known of a cell in `Record.mines`."""

ALL_NUMBERS = (1 << 9) - 1
"""The numbers 0 to 8 as bits."""


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
        return cls(
            np.full((rows, columns), UNOPENED, dtype=np.intp), np.full((rows, columns), UNDECIDED, dtype=np.int8)
        )

    def copy(self) -> "Record":
        """The same, to try something on."""
        return Record(self.looks.copy(), self.mines.copy())

    def open(self, cell: Cell, look: int) -> None:
        """Take down that an opened cell shows a look."""
        self.looks[cell] = look
        self.mines[cell] = SAFE

    @property
    def unopened(self) -> NDArray[np.bool_]:
        """Which cells are not open."""
        unopened: NDArray[np.bool_] = self.looks == UNOPENED
        return unopened


@dataclass(slots=True)
class _Number:
    """One open cell: its look, its undecided neighbours and the mines known to be around it."""

    look: int
    cells: tuple[int, ...]
    known: int = 0


@dataclass(slots=True)
class LabelConstraints:
    """What looks may mean and which cells are mines, as far as the records tell. Made by `LabelConstraints.of`.

    Attributes:
        meanings: For each look the numbers that it may stand for, as bits.
    """

    meanings: dict[int, int]
    _values: list[int] = field(default_factory=list)
    _numbers: list[_Number] = field(default_factory=list)
    _over: list[list[int]] = field(default_factory=list)
    _showing: dict[int, list[int]] = field(default_factory=dict)
    _starts: list[int] = field(default_factory=list)
    _shapes: list[tuple[int, int]] = field(default_factory=list)

    @classmethod
    def of(cls, records: Sequence[Record], meanings: dict[int, int] | None = None) -> Self:
        """What follows from some games together.

        Args:
            records: The games.
            meanings: What looks may stand for by other evidence; anything by default.

        Raises:
            ImpossibleBoardError: Nothing that the looks could stand for brings these games about: pictures of different
                numbers were taken for one look, or a record is wrong.
        """
        knowledge = cls({look: 1 << number for number, look in enumerate(OF_NUMBERS)} | (meanings or {}))
        queue: list[int] = []
        for record in records:
            knowledge._add(record, queue)
        knowledge._settle(queue)
        return knowledge

    def number_of(self, look: int) -> int | None:
        """What a look stands for, None where that is not settled."""
        meaning = self.meanings.get(look, ALL_NUMBERS)
        return meaning.bit_length() - 1 if meaning.bit_count() == 1 else None

    def mines(self, record: int) -> NDArray[np.int8]:
        """What is known of each cell of a record, by its place among the records."""
        rows, columns = self._shapes[record]
        start = self._starts[record]
        return np.array(self._values[start : start + rows * columns], dtype=np.int8).reshape(rows, columns)

    def probe_looks(self, looks: Iterable[int]) -> None:
        """Assume each number that each look may stand for, and strike out what cannot be."""
        for look in looks:
            for number in range(9):
                meaning = self.meanings.get(look, ALL_NUMBERS)
                if meaning >> number & 1 and meaning.bit_count() > 1 and not self._possible({look: 1 << number}, {}):
                    self._assume({look: meaning & ~(1 << number)}, {})

    def probe_cells(self, record: int) -> None:
        """Assume of each cell of a record beside a number that it is a mine, and that it is none."""
        rows, columns = self._shapes[record]
        start = self._starts[record]
        for cell in range(start, start + rows * columns):
            if self._values[cell] == UNDECIDED and self._over[cell]:
                for value in (MINE, SAFE):
                    if self._values[cell] == UNDECIDED and not self._possible({}, {cell: value}):
                        self._assume({}, {cell: 1 - value})

    def _possible(self, meanings: dict[int, int], values: dict[int, int]) -> bool:
        """Whether something can be assumed; everything is afterwards as it was before."""
        kept = dict(self.meanings), list(self._values), [number.known for number in self._numbers]
        try:
            self._assume(meanings, values)
        except ImpossibleBoardError:
            return False
        finally:
            self.meanings, self._values = kept[0], kept[1]
            for number, known in zip(self._numbers, kept[2], strict=True):
                number.known = known
        return True

    def _assume(self, meanings: dict[int, int], values: dict[int, int]) -> None:
        """Take something for granted and draw the bounds' conclusions.

        Raises:
            ImpossibleBoardError: It contradicts what is known.
        """
        queue: list[int] = []
        for look, meaning in meanings.items():
            self._narrow(look, meaning, queue)
        for cell, value in values.items():
            self._decide(cell, value, queue)
        self._settle(queue)

    def _settle(self, queue: list[int]) -> None:
        waiting = set(queue)
        while queue:
            index = queue.pop()
            waiting.discard(index)
            number = self._numbers[index]
            undecided = [cell for cell in number.cells if self._values[cell] == UNDECIDED]
            more: list[int] = []
            room = ((2 << len(undecided)) - 1) << number.known
            self._narrow(number.look, room, more)
            meaning = self.meanings[number.look]
            lowest, highest = (meaning & -meaning).bit_length() - 1, meaning.bit_length() - 1
            if undecided and highest == number.known:
                for cell in undecided:
                    self._decide(cell, SAFE, more)
            elif undecided and lowest == number.known + len(undecided):
                for cell in undecided:
                    self._decide(cell, MINE, more)
            for other in more:
                if other not in waiting:
                    waiting.add(other)
                    queue.append(other)

    def _narrow(self, look: int, meaning: int, queue: list[int]) -> None:
        before = self.meanings.get(look, ALL_NUMBERS)
        after = before & meaning
        if not after:
            raise ImpossibleBoardError(f"look {look} can stand for no number")
        if after != before:
            self.meanings[look] = after
            queue.extend(self._showing.get(look, ()))

    def _decide(self, cell: int, value: int, queue: list[int]) -> None:
        if self._values[cell] == value:
            return
        if self._values[cell] != UNDECIDED:
            raise ImpossibleBoardError(f"cell {cell} is a mine and is none")
        self._values[cell] = value
        for index in self._over[cell]:
            self._numbers[index].known += value == MINE
            queue.append(index)

    def _add(self, record: Record, queue: list[int]) -> None:
        """Take one game into account."""
        rows, columns = record.looks.shape
        if not record.unopened.any():
            raise ImpossibleBoardError("all cells are open, and no board is without mines")
        start = len(self._values)
        self._starts.append(start)
        self._shapes.append((rows, columns))
        self._values.extend(int(value) for value in record.mines.ravel())
        self._over.extend([] for _ in range(rows * columns))
        around = neighbours(rows, columns)
        for row, column in np.argwhere(~record.unopened):
            cell = Cell(int(row), int(column))
            unopened = [other for other in around[cell] if record.looks[other] == UNOPENED]
            look = int(record.looks[cell])
            number = _Number(
                look,
                tuple(
                    start + other.row * columns + other.column for other in unopened if record.mines[other] == UNDECIDED
                ),
                sum(int(record.mines[other] == MINE) for other in unopened),
            )
            index = len(self._numbers)
            self._numbers.append(number)
            self._showing.setdefault(look, []).append(index)
            for other in number.cells:
                self._over[other].append(index)
            meaning = self.meanings.get(look, ALL_NUMBERS) & (ALL_NUMBERS - 1 if unopened else 1)
            if not meaning:
                raise ImpossibleBoardError(f"look {look} is a 0 in one place and none in another")
            self.meanings[look] = meaning
            queue.append(index)
