"""One game of an unknown client while it is played: what is open, what follows from that, and what to click next.

It is played in order to learn: marks and chords are tried on the way, and some games are lost on purpose.
"""

import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sweepbot.behaviour import Restart
from sweepbot.board import cells_in, neighbours
from sweepbot.calibrate.labels.belief import Belief
from sweepbot.calibrate.labels.constraints import MINE, SAFE, UNDECIDED, LabelConstraints
from sweepbot.calibrate.labels.log import Began, Ended, FirstOpening, Marked, Mask, Opened
from sweepbot.calibrate.live.board_tracker import BoardTracker, Scene
from sweepbot.calibrate.live.restart_ways import CLOSES
from sweepbot.calibrate.thresholds import PACE
from sweepbot.desktop.mouse import Button
from sweepbot.errors import ImpossibleBoardError
from sweepbot.geometry import Cell

Knowns = NDArray[np.int8]
"""What is known about each cell, as in `constraints.Record.mines`."""

_CHORD_BUTTONS: tuple[Button, ...] = ("middle", "left")


@dataclass(slots=True)
class Tried:
    """What was tried, and found out by that, in all games; None if unknown.

    Attributes:
        has_flags: Whether the client is known to have flags.
        question_marks: Whether a second right click sets a question mark.
        chord_button: The button of a chord.
        flags_to_win: Whether a game is won only when every mine is flagged.
        marks: How often marks were tried.
        chord: Whether a chord was tried.
        losses: How many games were lost on purpose.
    """

    has_flags: bool = False
    question_marks: bool | None = None
    chord_button: Button | None = None
    flags_to_win: bool | None = None
    marks: int = 0
    chord: bool = False
    losses: int = 0


class LiveGame:
    """One game.

    Attributes:
        flags: Cells that were flagged and, by the rules, hold a mine.
        misflags: Cells that were marked and hold none.
        pending: Cells that the last click opened, with their pictures, which are numbers if the game goes on.
        clicked: The cell of the last click that had an effect.
        last: The board after that click.
        first: What the first click opened on an untouched board; None before, and if cells were open at the start.
        behind: Cells of which something in front of the board may hide a part in `last`.
        unanswered: The cells of the last clicks, if these had no effect.
        over: Whether the game is certainly over.
        start: When it started, in seconds of the clock.
    """

    def __init__(self, tracker: BoardTracker, belief: Belief, tried: Tried, rng: random.Random) -> None:
        self.flags: set[Cell] = set()
        self.misflags: set[Cell] = set()
        self.clicked: Cell | None = None
        self.behind: frozenset[Cell] = frozenset()
        self.unanswered: frozenset[Cell] = frozenset()
        self.last: Scene | None = None
        self.first: FirstOpening | None = None
        self.over = False
        self.start = tracker.touch.clock.now()
        self._tracker = tracker
        self._belief = belief
        self._tried = tried
        self._rng = rng
        self._hits = {**belief.marks.of("exploded"), **belief.marks.of("mine")}
        self._before = tracker.now  # the cells' pictures before the last clicks
        self._clicked_last: set[Cell] = set()  # the cells of these clicks
        self._neighbours = neighbours(tracker.place.rows, tracker.place.columns)
        belief.add(Began((tracker.place.rows, tracker.place.columns)))
        self.pending: dict[Cell, int] = {cell: int(tracker.now[cell]) for cell in cells_in(~tracker.hidden)}
        self._began_open = bool(self.pending)
        self._confirm_pending()

    # ------------------------------------------------------------------ cells

    @property
    def opened(self) -> Mask:
        """Which cells are known to be open."""
        return ~self._belief.numbers.game.unopened

    def clickable(self, mask: Mask) -> list[Cell]:
        """Return those of some cells that are not open, pending or marked."""
        marked = self.flags | self.misflags
        return [cell for cell in self._unopened() if mask[cell] and cell not in marked]

    def _unopened(self) -> list[Cell]:
        return [cell for cell in cells_in(~self.opened) if cell not in self.pending]

    def _hidden(self, mask: Mask) -> list[Cell]:
        """Return those of some cells that are clickable and look hidden."""
        return self.clickable(mask & self._tracker.hidden)

    def _any_hidden(self) -> Cell:
        cells = cells_in(self._tracker.hidden)
        return self._rng.choice(cells) if cells else Cell(0, 0)

    # ------------------------------------------------------------------ choosing the next click

    def choices(self, is_time_to_lose: Callable[[Knowns], bool]) -> Iterator[tuple[Sequence[Cell], Knowns]]:
        """Yield the cells to open next, with what is known about all cells; in between, try marks and chords.

        When it is time to lose, by what is known about each cell, losing the game would teach more.
        """
        middle = Cell(self._tracker.place.rows // 2, self._tracker.place.columns // 2)
        yield [self._any_hidden() if self.opened.any() else middle], self._belief.numbers.game.mines
        tracker = self._tracker
        while True:
            mines = self._knowledge().mines()
            safe = self.clickable(mines == SAFE)
            if safe and self.opened.any():
                self._try_marks(mines)
                self._try_chord(mines)
                mine = self._prepare_loss(mines) if is_time_to_lose(mines) else None
                if mine is not None:
                    self._tried.losses += 1
                    yield [mine], mines
                    continue
            safe = [cell for cell in safe if tracker.hidden[cell]]
            unopened = self._unopened()
            is_near_end = len(unopened) <= PACE.alone_share * self.opened.size
            if safe:
                yield safe[: 1 if is_near_end else PACE.opened_together], mines
            elif any(mines[cell] != MINE for cell in unopened):
                yield [self._guess(mines)], mines
            elif self._finish():
                self.over = True
                return
            else:
                yield [self._any_hidden()], mines

    def _knowledge(self) -> LabelConstraints:
        """Return what follows for the game, including the pending cells if they are consistent with it."""
        for pending in (self.pending, {}):  # the last click may have ended the game, so that these are no numbers
            game = self._belief.numbers.game.copy()
            for cell, picture in pending.items():
                game.open(cell, picture)
            with suppress(ImpossibleBoardError):
                knowledge = self._belief.numbers.knowledge(game)
                if not self.clickable(knowledge.mines() == SAFE):
                    knowledge.probe_cells()
                return knowledge
        raise ImpossibleBoardError("the open cells contradict the rules")

    def _guess(self, mines: Knowns) -> Cell:
        """Return an undecided cell, one away from all numbers if there is any, since most of those are safe."""
        undecided, opened = self.clickable(mines == UNDECIDED), self.opened
        apart = [cell for cell in undecided if not any(opened[other] for other in self._neighbours[cell])]
        return self._rng.choice(apart or undecided) if undecided else self._any_hidden()

    # ------------------------------------------------------------------ marks, chords, losses and wins

    def _right_click(self, cell: Cell) -> bool:
        """Right-click a cell; return whether only this cell changes, as it does not if a dialog or a menu comes up."""
        tracker = self._tracker
        changed = tracker.click(cell, "right")
        if changed.sum() > 1:
            if not changed.all():  # if all cells change, the game has ended, and a client may quit at this key
                tracker.touch.follow(Restart(key=CLOSES), tracker.place)
                tracker.look()
            return False
        return bool(changed[cell])

    def _flag(self, cell: Cell) -> bool:
        """Flag a hidden cell; return whether it shows a flag now."""
        if not self._tracker.hidden[cell] or not self._right_click(cell):
            return False
        self._confirm_pending()
        self._tried.has_flags = True
        self._belief.add(Marked("flag", int(self._tracker.now[cell])))
        return True

    def _try_marks(self, mines: Knowns) -> None:
        """Right-click a safe hidden cell repeatedly to see its marks, until it looks hidden again."""
        cells, tracker = self._hidden(mines == SAFE), self._tracker
        if self._tried.question_marks is not None or self._tried.marks >= PACE.tries or not cells:
            return
        cell = cells[0]
        self._tried.marks += 1
        if not self._flag(cell):
            return
        self._tried.question_marks = False
        if self._right_click(cell) and not tracker.hidden[cell]:
            maybe_question = int(tracker.now[cell])
            self._right_click(cell)
            if tracker.hidden[cell]:  # else the picture in between was not a mark, but another look of a hidden cell
                self._belief.add(Marked("question", maybe_question))
                self._tried.question_marks = True
        if not tracker.hidden[cell]:
            self.misflags.add(cell)

    def _try_chord(self, mines: Knowns) -> None:
        """Flag all mines around a number, and see which button opens the other cells around it."""
        if self._tried.chord or not self._tried.has_flags:
            return
        opened = self.opened
        for cell in cells_in(opened):
            around = [other for other in self._neighbours[cell] if not opened[other]]
            to_flag = [other for other in around if mines[other] == MINE]
            safe = [other for other in around if mines[other] == SAFE and self._tracker.hidden[other]]
            if not safe or not to_flag or len(safe) + len(to_flag) != len(around):
                continue
            if (self.flags | self.pending.keys()).intersection(around):
                continue
            if not all(map(self._flag, to_flag)):
                return
            self.flags.update(to_flag)
            self._tried.chord = True
            for button in _CHORD_BUTTONS:
                self._tracker.click(cell, button)
                if any(not self._tracker.hidden[other] for other in safe):
                    self._tried.chord_button = button
                    self.pending = self._newly_open(self._tracker.scene())
                    self._confirm_pending()
                    return
            return

    def _prepare_loss(self, mines: Knowns) -> Cell | None:
        """Flag a safe cell and a mine, if the client has flags, and return another mine to click; None if it cannot."""
        safe, certain = self._hidden(mines == SAFE), self._hidden(mines == MINE)
        if certain and self._tried.marks >= PACE.tries and not self._tried.has_flags:
            return certain[0]
        if not safe or len(certain) < 2 or not self._tried.has_flags:  # noqa: PLR2004  (one to flag, one to click)
            return None
        if self._flag(safe[0]):
            self.misflags.add(safe[0])
        if self._flag(certain[0]):
            self.flags.add(certain[0])
        return certain[1]

    def _finish(self) -> bool:
        """Set flags if a win needs them, once all other cells are open; return whether the game is over."""
        hidden = [cell for cell in self._unopened() if self._tracker.hidden[cell]]
        if not hidden or not self._tried.has_flags:
            return not hidden
        for number, cell in enumerate(hidden):
            if self._flag(cell):
                self.flags.add(cell)
            elif number == 0:  # no flags can be set in a game that is over
                return True
        if len(hidden) > 1:
            self._tried.flags_to_win = True
            self.last = self._tracker.scene()
        return True

    # ------------------------------------------------------------------ openings

    def open(self, cells: Sequence[Cell], known: Knowns) -> bool:
        """Open cells, or another one if they do not react; return whether the game goes on.

        It is over if no cell reacts any more, or if a click changes cells that opening a cell cannot change. Several
        cells are known to be safe and are not the last ones of the board; `known` says what is known about each.
        """
        cell = cells[-1]
        self._clicked_last = set(cells)
        elsewhere = [other for other in self._hidden(~self.opened) if other != cell]
        others = self._rng.sample(elsewhere, min(1, len(elsewhere)))
        for target, hold_s in zip((cell, cell, *others, *others), (*PACE.holds_s, PACE.holds_s[-1]), strict=False):
            self._tracker.watch(self.opened)
            self._before = self._tracker.now
            for other in cells[:-1]:
                self._tracker.tap(other)
            if self._tracker.click(target, "left", hold_s).any():
                self._confirm_pending()
                self.clicked = target
                self._notice(target, known)
                if self.pending and self.first is None and not self._began_open:
                    self.first = FirstOpening(len(self.pending), int(self._tracker.now[target]))
                return not self.over
        self.unanswered = frozenset((cell, *others))
        self.over = True
        return False

    def _notice(self, clicked: Cell, known: Knowns) -> None:
        """Note what a click has opened, and whether it has ended the game."""
        tracker = self._tracker
        is_new = not self._belief.numbers.looks.includes(int(tracker.now[clicked]))
        if is_new or self._has_reached_further(clicked):
            tracker.look(patiently=True)
        self.last = tracker.scene()
        self.pending = self._newly_open(self.last)
        # If a mine was hit, known as one or by its look, the game is over even if the client lets play go on.
        is_hit = known[clicked] == MINE or int(tracker.now[clicked]) in self._hits
        self.over = is_hit or self._has_reached_further(clicked)

    def _has_reached_further(self, clicked: Cell) -> bool:
        """Whether open cells have changed, or cells not connected to the clicked ones through changed cells."""
        changed: Mask = self._tracker.now != self._before
        if (changed & self.opened).any():
            return True
        reached = {clicked, *(cell for cell in self._clicked_last if changed[cell])}
        waiting = list(reached)
        while waiting:
            new = {other for other in self._neighbours[waiting.pop()] if changed[other]} - reached
            reached |= new
            waiting += new
        return int(changed.sum()) > len(reached)

    def _newly_open(self, scene: Scene) -> dict[Cell, int]:
        """Return the cells that look open and are not known to be, with their pictures."""
        opened = cells_in(~scene.hidden & ~self.opened)
        return {cell: int(scene.pictures[cell]) for cell in opened if cell not in self.flags | self.misflags}

    def _confirm_pending(self) -> None:
        """Log the pending cells as open, once the game is known to go on."""
        if self.pending:
            self._belief.add(Opened(tuple(self.pending.items())))
        self.pending = {}

    def ended(self, last: Scene, clicked: Cell, *, is_covered: bool = False) -> Ended:
        """Return the log entry of the game's end; `clicked` is the cell of the last click that had an effect."""
        marked = frozenset(self.flags), frozenset(self.misflags)
        return Ended(
            last.pictures, last.hidden, clicked, *marked, self.behind, last.rested, is_covered, self.unanswered
        )
