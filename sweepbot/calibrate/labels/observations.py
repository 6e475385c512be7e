"""What has been seen of a client so far: its games as pictures of cells, and what the rules make of them."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sweepbot.calibrate.labels.constraints import UNOPENED, LabelConstraints, Record
from sweepbot.calibrate.labels.patches import TOLERANCES, Looks, PatchStore
from sweepbot.errors import ImpossibleBoardError, UntrustedReadingError
from sweepbot.geometry import Cell


@dataclass(slots=True, eq=False)
class Sheet:
    """One game as it was seen: the picture of each open cell, and what is known of mines besides.

    Attributes:
        pictures: intp array of shape (rows, columns): the number of each open cell's picture, else `UNOPENED`.
        mines: int8 array of the same shape, as in `rules.Record`.
    """

    pictures: NDArray[np.intp]
    mines: NDArray[np.int8]

    @classmethod
    def fresh(cls, rows: int, columns: int) -> "Sheet":
        """A game of which nothing is known yet."""
        record = Record.fresh(rows, columns)
        return cls(record.looks, record.mines)

    def open(self, cell: Cell, picture: int) -> None:
        """Take down what an opened cell shows."""
        self.pictures[cell] = picture
        self.mines[cell] = 0


class Observations:
    """Games, and the meanings of looks that follow from all of them.

    Args:
        patches: Where the pictures are.
    """

    def __init__(self, patches: PatchStore) -> None:
        self.patches = patches
        self.looks = Looks(patches, TOLERANCES[0])
        self.sheets: list[Sheet] = []
        """The games, the one now being played last."""
        self.meanings: dict[int, int] = {}
        """For each look of an open cell the numbers that it may stand for, as bits."""

    @property
    def sheet(self) -> Sheet:
        """The game now being played."""
        return self.sheets[-1]

    def record(self, sheet: Sheet) -> Record:
        """A game with looks in the place of pictures."""
        looks = np.full(sheet.pictures.shape, UNOPENED, dtype=np.intp)
        for row, column in np.argwhere(sheet.pictures != UNOPENED):
            looks[row, column] = self.looks.of(int(sheet.pictures[row, column]))
        return Record(looks, sheet.mines.copy())

    def open(self, cells: Iterable[tuple[Cell, int]]) -> bool:
        """Take down opened cells of the current game and their pictures; whether a new look is among them."""
        before = set(self.looks.all())
        for cell, picture in cells:
            self.sheet.open(cell, picture)
            self.looks.add([picture])
        return set(self.looks.all()) != before

    def forget(self) -> Sheet:
        """Leave out the current game, and every look that it alone has shown."""
        sheet = self.sheets.pop()
        self.looks = Looks(self.patches, self.looks.tolerance)
        for kept in self.sheets:
            self.looks.add(int(picture) for picture in np.unique(kept.pictures[kept.pictures != UNOPENED]))
        return sheet

    def conclude(self) -> None:
        """Draw every conclusion about looks from all games.

        Where the rules contradict themselves, pictures of different numbers were taken for one look: they are told
        apart more finely.

        Raises:
            UntrustedReadingError: The games contradict the rules however finely looks are told apart.
        """
        before = self.looks
        pictures = [picture for members in before.all().values() for picture in members]
        contradiction: ImpossibleBoardError | None = None
        for tolerance in TOLERANCES:
            if tolerance < before.tolerance:
                self.looks = Looks(self.patches, tolerance)
                self.looks.add(pictures)
            if tolerance <= before.tolerance:
                try:
                    knowledge = LabelConstraints.of([self.record(sheet) for sheet in self.sheets])
                    knowledge.probe_looks(self.looks.all())
                except ImpossibleBoardError as error:
                    contradiction = error
                else:
                    self.meanings = knowledge.meanings
                    return
        self.looks = before
        raise UntrustedReadingError(
            f"what was seen cannot have come from Minesweeper: {contradiction}",
            hint="is something in front of the board, or moving on it? Name the board's place: --region WxH+X+Y",
        ) from contradiction

    def current(self) -> LabelConstraints:
        """What follows for the game now being played, given what looks mean.

        Raises:
            ImpossibleBoardError: Nothing; the game contradicts what was concluded.
        """
        return LabelConstraints.of([self.record(self.sheet)], self.meanings)

    def allows(self, sheet: Sheet) -> bool:
        """Whether the current game may be as `sheet` says, given all that is known."""
        try:
            LabelConstraints.of([self.record(sheet)], self.meanings)
        except ImpossibleBoardError:
            return False
        return True

    def number_of(self, picture: int) -> int | None:
        """What number a picture shows, None where that is not settled or it was never seen on an open cell."""
        if picture not in self.looks:
            return None
        meaning = self.meanings.get(self.looks.of(picture), 0)
        return meaning.bit_length() - 1 if meaning.bit_count() == 1 else None

    def is_number(self, picture: int) -> bool:
        """Whether a picture has the look of an open cell seen in play, whatever its number."""
        return picture in self.looks

    def resembles_number(self, picture: int) -> bool:
        """Whether a picture has, or nearly has, the look of an open cell seen in play."""
        known = [member for members in self.looks.all().values() for member in members]
        return picture in self.looks or bool((self.patches.distances(picture, known) <= self.looks.tolerance).any())

    def recognise(self, pictures: Iterable[int]) -> None:
        """Add pictures that nearly are known ones of open cells, as over a gradient, to their looks."""
        waiting = {picture for picture in pictures if picture not in self.looks}
        found = waiting
        while found:
            known = [member for members in self.looks.all().values() for member in members]
            found = {
                picture for picture in waiting if (self.patches.distances(picture, known) <= self.looks.tolerance).any()
            }
            self.looks.add(sorted(found))
            waiting -= found
