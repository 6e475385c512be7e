"""One game of an unknown client while it is played: what is open, what follows from it, and clicks that open more."""

import random
from collections.abc import Sequence
from contextlib import suppress

import numpy as np
from numpy.typing import NDArray

from sweepbot.board import neighbours
from sweepbot.calibrate.notebook import Notebook, Sheet
from sweepbot.calibrate.rules import MINE, SAFE, UNDECIDED, UNOPENED, Knowledge
from sweepbot.calibrate.table import Mask, Scene, Table
from sweepbot.errors import ImpossibleBoardError
from sweepbot.geometry import Cell

Knowns = NDArray[np.int8]
"""What is known of the mines of each cell, as in `rules.Record`."""

_USUAL_DENSITY = 0.17
"""The share of mines that is assumed where no number speaks of a cell."""

_MOST_IN_VAIN = 12
"""Cells that are clicked to bring to its end a game that is not understood."""


class Round:
    """One game.

    Args:
        table: The board.
        notebook: What is known of looks; its last sheet is this game's.
        rng: Chooses among cells that are equally good.

    Attributes:
        flags: Cells that were flagged and hold a mine, as far as the rules tell.
        misflags: Cells that were marked and hold none.
        pending: Cells that the last click opened, with their pictures: numbers if the game goes on.
        clicked: The cell that the last click with an effect was on.
        known: What was known of each cell before that click.
        last: The board after it.
        first_opening: How many cells the first click opened.
        unanswered: The cell on which the last clicks were, where they had no effect.
        over: Whether the game is surely over.
        begun: When it began, in seconds of the clock.
    """

    def __init__(self, table: Table, notebook: Notebook, rng: random.Random) -> None:
        self.flags: set[Cell] = set()
        self.misflags: set[Cell] = set()
        self.pending: dict[Cell, int] = {}
        self.clicked: Cell | None = None
        self.known: Knowns | None = None
        self.unanswered: Cell | None = None
        self.last: Scene | None = None
        self.first_opening = 0
        self.over = False
        self.begun = table.touch.clock.now()
        self._table = table
        self._notebook = notebook
        self._rng = rng
        self._concluded = False
        self._unanswered_known: Knowns | None = None
        self._before = table.now
        self._reached: set[Cell] = set()
        self._neighbours = neighbours(table.place.rows, table.place.columns)
        notebook.sheets.append(Sheet.fresh(table.place.rows, table.place.columns))
        self.take({cell: int(table.now[cell]) for cell in cells_in(~table.hidden)})

    # ------------------------------------------------------------------ cells

    @property
    def opened(self) -> Mask:
        """Which cells are known to be open."""
        opened: Mask = self._notebook.sheet.pictures != UNOPENED
        return opened

    def unopened(self) -> list[Cell]:
        """The cells that are neither open nor about to be known as such."""
        return [cell for cell in cells_in(~self.opened) if cell not in self.pending]

    def clickable(self, mask: Mask) -> list[Cell]:
        """Those of some cells that are neither open nor marked."""
        return [cell for cell in cells_in(mask) if self._is_closed(cell) and cell not in self.flags | self.misflags]

    def hidden(self, mask: Mask) -> list[Cell]:
        """Those of them that look hidden."""
        return [cell for cell in self.clickable(mask) if self._table.hidden[cell]]

    def around(self, cell: Cell) -> list[Cell]:
        """The neighbours of a cell that are not open."""
        return [other for other in self._neighbours[cell] if not self.opened[other]]

    def any_hidden(self) -> Cell:
        """One of the cells that look hidden."""
        cells = cells_in(self._table.hidden)
        return self._rng.choice(cells) if cells else Cell(0, 0)

    def _is_closed(self, cell: Cell) -> bool:
        return not self.opened[cell] and cell not in self.pending

    # ------------------------------------------------------------------ knowledge

    def knowledge(self) -> Knowledge:
        """What is known of the game, the pending cells included as far as they make sense."""
        with suppress(ImpossibleBoardError):  # the last click may have been the end, and what it shows no numbers
            return self._probed(self._knowledge_of(self.pending))
        with suppress(ImpossibleBoardError):
            return self._probed(self._knowledge_of({}))
        self._notebook.conclude()
        return self._knowledge_of({})

    def guess(self, knowledge: Knowledge) -> Cell:
        """The cell that the numbers around it make least likely to be a mine."""
        mines = knowledge.mines(0)
        chances = {cell: self._chance(cell, knowledge, mines) for cell in self.clickable(mines == UNDECIDED)}
        if not chances:
            return self.any_hidden()
        least = min(chances.values())
        return self._rng.choice([cell for cell, chance in chances.items() if chance <= least + 0.001])

    def _chance(self, cell: Cell, knowledge: Knowledge, mines: Knowns) -> float:
        chance = 0.0
        for other in self._neighbours[cell]:
            if self.opened[other]:
                number = knowledge.number_of(self._notebook.looks.of(int(self._notebook.sheet.pictures[other])))
                around = self.around(other)
                undecided = sum(mines[far] == UNDECIDED for far in around)
                missing = (2 if number is None else number) - sum(mines[far] == MINE for far in around)
                chance = max(chance, missing / max(1, undecided))
        return chance or _USUAL_DENSITY

    def _probed(self, knowledge: Knowledge) -> Knowledge:
        """The same, thought over harder and harder while no cell is known to be safe."""
        if self.clickable(knowledge.mines(0) == SAFE):
            return knowledge
        knowledge.probe_cells(0)
        if self.clickable(knowledge.mines(0) == SAFE) or self._concluded or self.pending:
            return knowledge
        self._notebook.conclude()
        self._concluded = True
        knowledge = self._knowledge_of({})
        knowledge.probe_cells(0)
        return knowledge

    def _knowledge_of(self, pending: dict[Cell, int]) -> Knowledge:
        """What follows from the game and some cells that were opened just now.

        Raises:
            ImpossibleBoardError: They contradict what is known.
        """
        record = self._notebook.record(self._notebook.sheet)
        for cell, picture in pending.items():
            known = picture in self._notebook.looks
            record.open(cell, self._notebook.looks.of(picture) if known else -2 - picture)
        return Knowledge.of([record], self._notebook.meanings)

    # ------------------------------------------------------------------ clicks

    def open(self, cells: Sequence[Cell], known: Knowns) -> bool:
        """Open cells, or another one where they do not react; False where the game is over.

        It is over where nothing reacts any more, and where a click changes what no opening changes.

        Args:
            cells: One cell; or more that are known to be safe, and are not the last ones of the board.
            known: What is known of each cell.
        """
        cell = cells[-1]
        self._reached = set(cells)
        elsewhere = [other for other in self.hidden(~self.opened) if other != cell]
        others = self._rng.sample(elsewhere, min(1, len(elsewhere)))
        for target in (cell, cell, *others, *others):
            if self._table.has_changed_by_itself() and not self._goes_on(self._before):
                return False
            self._table.watch(self.opened)
            self._before = self._table.now
            for other in cells[:-1]:
                self._table.tap(other)
            if not self._table.click(target, "left").any():
                continue
            self.confirm_pending()
            self.clicked, self.known = target, known
            goes_on = self._goes_on(self._before)
            self.first_opening = self.first_opening or len(self.pending)
            return goes_on
        self.unanswered, self._unanswered_known = cell, known
        self.over = True
        return False

    def answered(self) -> None:
        """The board shows what came of the clicks that had no effect: what hid that is gone."""
        if self.unanswered is not None:
            self.confirm_pending()
            self.clicked, self.known = self.unanswered, self._unanswered_known
            self._goes_on(self._before)
            self.over = True

    def _goes_on(self, before: NDArray[np.intp]) -> bool:
        """Whether the last click was an opening like others, as far as that can be seen; takes down what it shows."""
        if self._is_remarkable(before):
            self._table.look(patiently=True)
        changed = self._table.now != before
        self.last = self._table.scene("last")
        self.pending = self._uncounted(self.last)
        self.over = bool((changed & self.opened).any()) or self._is_scattered(changed)
        return not self.over

    def _is_remarkable(self, before: NDArray[np.intp]) -> bool:
        """Whether the game may be over: open cells have changed, far ones have, or one takes a look never seen."""
        changed = self._table.now != before
        if (changed & self.opened).any() or self._is_scattered(changed):
            return True
        return self.clicked is not None and not self._notebook.resembles_number(int(self._table.now[self.clicked]))

    def _is_scattered(self, changed: Mask) -> bool:
        """Whether cells have changed that no opening reaches from the one that was clicked."""
        if self.clicked is None:
            return False
        reached = {self.clicked, *(cell for cell in self._reached if changed[cell])}
        waiting = list(reached)
        while waiting:
            for other in self._neighbours[waiting.pop()]:
                if changed[other] and other not in reached:
                    reached.add(other)
                    waiting.append(other)
        return int(changed.sum()) > len(reached)

    def _uncounted(self, scene: Scene) -> dict[Cell, int]:
        """The cells that look open and were not taken down as such, whenever the client painted them."""
        opened = cells_in(~scene.hidden & ~self.opened)
        return {cell: int(scene.pictures[cell]) for cell in opened if cell not in self.flags | self.misflags}

    def confirm_pending(self) -> None:
        """The board goes on: what the last click changed were open cells."""
        self.take(self.pending)
        self.pending = {}

    def take(self, cells: dict[Cell, int]) -> None:
        """Take down open cells with their pictures."""
        if self._notebook.open(cells.items()):
            self._concluded = False

    def take_all(self) -> None:
        """Take down every cell that looks open."""
        self.take(self._uncounted(self._table.scene("last")))

    def run_out(self) -> None:
        """Bring a game to its end that is not understood: a client may ask before it gives one up."""
        for _ in range(_MOST_IN_VAIN):
            cells = cells_in(self._table.hidden)
            if self.over or not cells:
                return
            self._table.watch(~self._table.hidden)
            self._reached = set()
            before = self._table.now
            self.clicked = self._rng.choice(cells)
            changed = self._table.click(self.clicked, "left")
            self.over = not changed.any() or bool((changed & (before != self._table.baseline)).any())
            self.over = self.over or self._is_scattered(changed)


def cells_in(mask: Mask) -> list[Cell]:
    """The cells that a mask names, in reading order."""
    return [Cell(int(row), int(column)) for row, column in np.argwhere(mask)]
