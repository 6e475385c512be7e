"""Games, as the pictures of their open cells, and the numbers that these show by the rules."""

from collections import Counter
from collections.abc import Iterable, Iterator

import numpy as np

from sweepbot.calibrate.labels.constraints import (
    MINE,
    OF_NUMBERS,
    SAFE,
    UNDECIDED,
    UNOPENED,
    LabelConstraints,
    Record,
    only_number,
)
from sweepbot.calibrate.labels.log import Read
from sweepbot.calibrate.labels.looks import Looks, PatchStore, same_shape
from sweepbot.calibrate.thresholds import EVIDENCE
from sweepbot.errors import ImpossibleBoardError
from sweepbot.geometry import Cell


class Numbers:
    """Games, and the meanings of looks that follow from all of them.

    Attributes:
        games: The record of each game, with pictures instead of looks, the current one last.
        looks: The looks of open cells.
        meanings: For each look the numbers that it may stand for, as bits.
    """

    def __init__(self, patches: PatchStore) -> None:
        self.patches = patches
        self.looks = Looks(patches)
        self.games: list[Record] = []
        self.meanings: dict[int, int] = {}

    @property
    def game(self) -> Record:
        """The current game."""
        return self.games[-1]

    def open(self, cells: Iterable[tuple[Cell, int]]) -> None:
        """Add open cells of the current game with their pictures."""
        for cell, picture in cells:
            self.game.open(cell, picture)
            self.looks.add([picture])

    def take(self, read: Read) -> None:
        """Add what was read by a calibration in the current game."""
        for cell, number in read.numbers:
            self.game.open(cell, OF_NUMBERS[number])
        for known, cells in ((MINE, read.mines), (SAFE, read.safe)):
            for cell in cells:  # even if it seemed open in the middle of a change
                self.game.looks[cell], self.game.mines[cell] = UNOPENED, known

    def withdraw(self) -> None:
        """Remove the current game, and every look that no other game has shown."""
        self.games.pop()
        shown = [picture for game in self.games for picture in np.unique(game.looks[game.looks > UNOPENED]).tolist()]
        self.looks = Looks(self.patches, shown)

    def conclude(self) -> None:
        """Infer the meanings of looks from all games.

        Raises:
            ImpossibleBoardError: The games contradict the rules.
        """
        knowledge = LabelConstraints(list(map(self._with_looks, self.games)))
        knowledge.probe_looks(self.looks.all())
        self.meanings = knowledge.meanings

    def knowledge(self, game: Record) -> LabelConstraints:
        """Return what follows for a game from the known meanings of looks.

        Raises:
            ImpossibleBoardError: It contradicts them.
        """
        return LabelConstraints([self._with_looks(game)], self.meanings)

    def allows(self, game: Record) -> bool:
        """Whether a game is consistent with the known meanings of looks."""
        try:
            self.knowledge(game)
        except ImpossibleBoardError:
            return False
        return True

    def number_of(self, picture: int) -> int | None:
        """Return the number that a picture shows; None if it is unknown, or was never seen on an open cell."""
        return only_number(self.meanings.get(self.looks.of(picture), 0)) if picture in self.looks else None

    def shown(self) -> dict[str, Counter[int]]:
        """For each number, by name, count how many cells showed each of its pictures.

        Pictures of unknown numbers are left out, and so is what may have been taken in the middle of a change: a number
        seen only once, in a game whose mines are not all known, or a look seen once whose number has a commoner one.
        Also left out is a rare look with another figure than the usual one, because if play goes on after a mine was
        hit, the mine's look may agree with some number by chance.
        """
        found: dict[str, Counter[int]] = {}
        confirmed: set[str] = set()
        for game in self.games:
            for picture in game.looks[~game.unopened].tolist():
                number = self.number_of(picture)
                if number is not None:
                    found.setdefault(str(number), Counter())[picture] += 1
                    confirmed |= set() if (game.mines == UNDECIDED).any() else {str(number)}
        for name, pictures in [*found.items()]:
            cells: Counter[int] = Counter()
            for picture, count in pictures.items():
                cells[self.looks.of(picture)] += count
            if pictures.total() == 1 and name not in confirmed:
                del found[name]
            elif max(cells.values()) > 1:
                usual = cells.most_common(1)[0][0]
                kept = {look for look, count in cells.items() if count >= self._fewest(look, name, usual)}
                found[name] = Counter({it: count for it, count in pictures.items() if self.looks.of(it) in kept})
        return found

    def _fewest(self, look: int, number: str, usual: int) -> int:
        """Return on how many cells a look of a number must be seen: on more if its figure is not the usual one."""
        is_usual = number == "0" or look == usual or same_shape(self.patches[look], self.patches[usual])
        return EVIDENCE.times if is_usual else EVIDENCE.witnesses

    def open_questions(self) -> Iterator[str]:
        """Yield the looks whose number is unknown, in words."""
        for look, members in self.looks.all().items():
            if self.number_of(look) is None:
                possible = " or ".join(str(number) for number in range(9) if self.meanings.get(look, 0) >> number & 1)
                yield f"a look of {len(members)} pictures is unclear: {possible}"

    def recognise(self, pictures: Iterable[int]) -> None:
        """Add pictures that are almost known ones of open cells, as on a gradient, to their looks."""
        waiting = set(pictures)
        while found := {picture for picture in waiting if self.looks.includes(picture)}:
            self.looks.add(sorted(found))
            waiting -= found

    def _with_looks(self, game: Record) -> Record:
        return Record(self.looks.of_each(game.looks), game.mines.copy())
