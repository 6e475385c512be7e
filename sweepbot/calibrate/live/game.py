"""One game of an unknown client while it is played: what is open, what follows from it, and clicks that open more."""

import random
from collections.abc import Collection, Sequence
from contextlib import suppress

import numpy as np
from numpy.typing import NDArray

from sweepbot.board import cells_in, neighbours
from sweepbot.calibrate.labels.belief import Belief
from sweepbot.calibrate.labels.constraints import MINE, SAFE, UNDECIDED, LabelConstraints
from sweepbot.calibrate.labels.log import Began, Ended, FirstOpening, Mask, Opened, Scene
from sweepbot.calibrate.live.board_tracker import BoardTracker
from sweepbot.calibrate.thresholds import PACE
from sweepbot.errors import ImpossibleBoardError
from sweepbot.geometry import Cell

Knowns = NDArray[np.int8]
"""What is known of the mines of each cell, as in `rules.Record`."""


class LiveGame:
    """One game.

    Attributes:
        flags: Cells that were flagged and hold a mine, as far as the rules tell.
        misflags: Cells that were marked and hold none.
        pending: Cells that the last click opened, with their pictures: numbers if the game goes on.
        clicked: The cell that the last click with an effect was on.
        known: What was known of each cell before that click.
        last: The board after it.
        first: What the first click has opened; None before.
        behind: Cells of which what then stood in front of the board may hide a part.
        unanswered: The cells on which the last clicks were, where they had no effect.
        over: Whether the game is surely over.
        begun: When it began, in seconds of the clock.
    """

    def __init__(self, tracker: BoardTracker, belief: Belief, rng: random.Random, hits: Collection[int] = ()) -> None:
        self.flags: set[Cell] = set()
        self.misflags: set[Cell] = set()
        self.pending: dict[Cell, int] = {}
        self.clicked: Cell | None = None
        self.known: Knowns | None = None
        self.behind: frozenset[Cell] = frozenset()
        self.unanswered: frozenset[Cell] = frozenset()
        self.last: Scene | None = None
        self.first: FirstOpening | None = None
        self.over = False
        self.begun = tracker.touch.clock.now()
        self._tracker = tracker
        self._belief = belief
        self._rng = rng
        self._hits = hits
        self._concluded: set[int] = set()
        self._before = tracker.now
        """What the cells showed before the last clicks."""
        self._reached: set[Cell] = set()
        """The cells that these clicks were on."""
        self._neighbours = neighbours(tracker.place.rows, tracker.place.columns)
        belief.add(Began((tracker.place.rows, tracker.place.columns)))
        self.take({cell: int(tracker.now[cell]) for cell in cells_in(~tracker.hidden)})

    # ------------------------------------------------------------------ cells

    @property
    def opened(self) -> Mask:
        """Which cells are known to be open."""
        return ~self._belief.numbers.game.unopened

    def unopened(self) -> list[Cell]:
        """The cells that are neither open nor about to be known as such."""
        return [cell for cell in cells_in(~self.opened) if cell not in self.pending]

    def clickable(self, mask: Mask) -> list[Cell]:
        """Those of some cells that are neither open nor marked."""
        marked = self.flags | self.misflags
        return [cell for cell in self.unopened() if mask[cell] and cell not in marked]

    def hidden(self, mask: Mask) -> list[Cell]:
        """Those of them that look hidden."""
        return self.clickable(mask & self._tracker.hidden)

    def around(self, cell: Cell) -> list[Cell]:
        """The neighbours of a cell that are not open."""
        return [other for other in self._neighbours[cell] if not self.opened[other]]

    def any_hidden(self) -> Cell:
        """One of the cells that look hidden."""
        cells = cells_in(self._tracker.hidden)
        return self._rng.choice(cells) if cells else Cell(0, 0)

    # ------------------------------------------------------------------ knowledge

    def knowledge(self) -> LabelConstraints:
        """What is known of the game, the pending cells included as far as they make sense."""
        with suppress(ImpossibleBoardError):  # the last click may have been the end, and what it shows no numbers
            return self._probed(self._knowledge_of(self.pending))
        with suppress(ImpossibleBoardError):
            return self._probed(self._knowledge_of({}))
        self._belief.numbers.conclude()
        return self._knowledge_of({})

    def guess(self, knowledge: LabelConstraints) -> Cell:
        """The cell that the numbers around it make least likely to be a mine."""
        mines = knowledge.mines()
        chances = {cell: self._chance(cell, knowledge, mines) for cell in self.clickable(mines == UNDECIDED)}
        if not chances:
            return self.any_hidden()
        least = min(chances.values())
        return self._rng.choice([cell for cell, chance in chances.items() if chance <= least + 0.001])

    def _chance(self, cell: Cell, knowledge: LabelConstraints, mines: Knowns) -> float:
        chance = 0.0
        numbers = self._belief.numbers
        for other in self._neighbours[cell]:
            if self.opened[other]:
                number = knowledge.number_of(numbers.looks.of(int(numbers.game.looks[other])))
                around = [mines[far] for far in self.around(other)]
                missing = (2 if number is None else number) - around.count(MINE)
                chance = max(chance, missing / max(1, around.count(UNDECIDED)))
        return chance or PACE.usual_density

    def _probed(self, knowledge: LabelConstraints) -> LabelConstraints:
        """The same, thought over harder and harder while no cell is known to be safe."""
        if self.clickable(knowledge.mines() == SAFE):
            return knowledge
        knowledge.probe_cells()
        looks = set(self._belief.numbers.looks.all())
        if self.clickable(knowledge.mines() == SAFE) or self._concluded == looks or self.pending:
            return knowledge
        self._belief.numbers.conclude()
        self._concluded = set(self._belief.numbers.looks.all())
        knowledge = self._knowledge_of({})
        knowledge.probe_cells()
        return knowledge

    def _knowledge_of(self, pending: dict[Cell, int]) -> LabelConstraints:
        """What follows from the game and some cells that were opened just now.

        Raises:
            ImpossibleBoardError: They contradict what is known.
        """
        game = self._belief.numbers.game.copy()
        for cell, picture in pending.items():
            game.open(cell, picture)
        return self._belief.numbers.knowledge(game)

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
        for target, hold_s in zip((cell, cell, *others, *others), (*PACE.holds_s, PACE.holds_s[-1]), strict=False):
            if self._tracker.has_changed_by_itself() and not self._goes_on():
                return False
            self._tracker.watch(self.opened)
            self._before = self._tracker.now
            for other in cells[:-1]:
                self._tracker.tap(other)
            if self._tracker.click(target, "left", hold_s).any():
                self.confirm_pending()
                self.clicked, self.known = target, known
                goes_on = self._goes_on()
                if self.pending and self.first is None:
                    self.first = FirstOpening(len(self.pending), int(self._tracker.now[target]))
                return goes_on
        self.unanswered = frozenset((cell, *others))
        self.over = True
        return False

    def _goes_on(self) -> bool:
        """Whether the last click was an opening like others, as far as that can be seen; notes what it shows."""
        is_new = self.clicked is not None and not self._belief.numbers.looks.includes(
            int(self._tracker.now[self.clicked])
        )
        if is_new or self._has_reached_further():
            self._tracker.look(patiently=True)
        self.last = self._tracker.scene()
        self.pending = self._uncounted(self.last)
        self.over = self._is_hit() or self._has_reached_further()
        return not self.over

    def _is_hit(self) -> bool:
        """Whether the last click was on a mine, by what was known or by what it shows: a client may let play go on."""
        if self.clicked is None or self.known is None:
            return False
        return self.known[self.clicked] == MINE or int(self._tracker.now[self.clicked]) in self._hits

    def _has_reached_further(self) -> bool:
        """Whether cells have changed that were open, or that no opening reaches."""
        changed = self._tracker.now != self._before
        return bool((changed & self.opened).any()) or self._is_scattered(changed)

    def _is_scattered(self, changed: Mask) -> bool:
        """Whether cells have changed that no opening reaches from those that were clicked."""
        if self.clicked is None:
            return False
        reached = {self.clicked, *(cell for cell in self._reached if changed[cell])}
        waiting = list(reached)
        while waiting:
            new = {other for other in self._neighbours[waiting.pop()] if changed[other]} - reached
            reached |= new
            waiting += new
        return int(changed.sum()) > len(reached)

    def _uncounted(self, scene: Scene) -> dict[Cell, int]:
        """The cells that look open and were not noted as such, whenever the client painted them."""
        opened = cells_in(~scene.hidden & ~self.opened)
        return {cell: int(scene.pictures[cell]) for cell in opened if cell not in self.flags | self.misflags}

    def confirm_pending(self) -> None:
        """The board goes on: what the last click changed were open cells."""
        self.take(self.pending)
        self.pending = {}

    def ended(self, last: Scene, *, is_covered: bool = False) -> Ended:
        """The end of the game as it is noted.

        Raises:
            ValueError: No click has had an effect.
        """
        if self.clicked is None:
            raise ValueError("no click has ended the game")
        return Ended(
            last.pictures,
            last.hidden,
            self.clicked,
            frozenset(self.flags),
            frozenset(self.misflags),
            self.behind,
            last.rested,
            is_covered,
            self.unanswered,
        )

    def take(self, cells: dict[Cell, int]) -> None:
        """Note open cells with their pictures."""
        if cells:
            self._belief.add(Opened(tuple(cells.items())))

    def take_all(self) -> None:
        """Note every cell that looks open."""
        self.take(self._uncounted(self._tracker.scene()))
