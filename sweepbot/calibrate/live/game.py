"""One game of an unknown client while it is played: what is open, what follows from that, and what to click next.

It is played in order to learn: marks and chords are tried on the way, and some games are lost on purpose.
"""

import random
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sweepbot.behaviour import Restart
from sweepbot.board import cells_in, neighbours
from sweepbot.calibrate.labels.belief import Belief
from sweepbot.calibrate.labels.constraints import MINE, SAFE, UNDECIDED, LabelConstraints
from sweepbot.calibrate.labels.log import Began, Ended, FirstOpening, Marked, Mask, Opened, Pictures
from sweepbot.calibrate.live.board_tracker import BoardTracker, Scene
from sweepbot.calibrate.live.dialog_dismisser import DialogDismisser
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
        games: How many games were started.
        has_flags: Whether the client is known to have flags.
        question_marks: Whether a second right click sets a question mark.
        chord_button: The button of a chord.
        flags_to_win: Whether a game is won only when every mine is flagged.
        marks: How often marks were tried.
        chord: Whether a chord was tried.
        losses: How many games were lost on purpose.
    """

    games: int = 0
    has_flags: bool = False
    question_marks: bool | None = None
    chord_button: Button | None = None
    flags_to_win: bool | None = None
    marks: int = 0
    chord: bool = False
    losses: int = 0


@dataclass(slots=True)
class LastClick:
    """The last click that had an effect.

    Attributes:
        cell: The clicked cell.
        scene: The board after it.
        behind: Cells of which something in front of the board may hide a part there.
    """

    cell: Cell
    scene: Scene
    behind: frozenset[Cell] = frozenset()


class LiveGame:
    """One game.

    Attributes:
        first: What the first click opened on an untouched board; None before, and if cells were open at the start.
        last: The last click that had an effect.
        over: Whether the game is certainly over.
    """

    def __init__(self, tracker: BoardTracker, belief: Belief, tried: Tried, rng: random.Random) -> None:
        self.first: FirstOpening | None = None
        self.last: LastClick | None = None
        self.over = False
        self._flags: set[Cell] = set()  # cells that were flagged and, by the rules, hold a mine
        self._misflags: set[Cell] = set()  # cells that were marked and hold none
        self._unanswered: frozenset[Cell] = frozenset()  # the cells of the clicks after the last, which had no effect
        self._now = tracker.touch.clock.now
        self._start_s = self._now()
        self._tracker = tracker
        self._belief = belief
        self._tried = tried
        self._rng = rng
        self._hits = {**belief.marks.of("exploded"), **belief.marks.of("mine")}
        self._neighbours = neighbours(tracker.place.rows, tracker.place.columns)
        tried.games += 1
        belief.add(Began((tracker.place.rows, tracker.place.columns)))
        # The cells that the last click opened, with their pictures, which are numbers if the game goes on.
        self._pending: dict[Cell, int] = {cell: int(tracker.now[cell]) for cell in cells_in(~tracker.hidden)}
        self._confirm_pending()

    # ------------------------------------------------------------------ cells

    @property
    def _opened(self) -> Mask:
        """Which cells are known to be open."""
        return ~self._belief.numbers.game.unopened

    def _clickable(self, mask: Mask) -> list[Cell]:
        """Return those of some cells that are not open, pending or marked."""
        marked = self._flags | self._misflags
        return [cell for cell in self._unopened() if mask[cell] and cell not in marked]

    def _unopened(self) -> list[Cell]:
        return [cell for cell in cells_in(~self._opened) if cell not in self._pending]

    def _hidden(self, mask: Mask) -> list[Cell]:
        """Return those of some cells that are clickable and look hidden."""
        return self._clickable(mask & self._tracker.hidden)

    def _any_hidden(self) -> Cell:
        cells = cells_in(self._tracker.hidden)
        return self._rng.choice(cells) if cells else Cell(0, 0)

    # ------------------------------------------------------------------ choosing the next click

    def step(self) -> bool:
        """Open the cells that teach most, after trying marks and chords; return whether the game goes on."""
        if self.last is None:
            middle = Cell(self._tracker.place.rows // 2, self._tracker.place.columns // 2)
            self._open([self._any_hidden() if self._opened.any() else middle], self._belief.numbers.game.mines)
            return not self.over
        mines = self._knowledge().mines()
        safe, mine = self._clickable(mines == SAFE), None
        if safe and self._opened.any():
            self._try_marks(mines)
            self._try_chord(mines)
            mine = self._prepare_loss(mines) if self._is_time_to_lose(mines) else None
        safe = [cell for cell in safe if self._tracker.hidden[cell]]
        unopened = self._unopened()
        if mine is not None:
            self._tried.losses += 1
            self._open([mine], mines)
        elif safe:
            is_near_end = len(unopened) <= PACE.alone_share * self._opened.size
            self._open(safe[: 1 if is_near_end else PACE.opened_together], mines)
        elif any(mines[cell] != MINE for cell in unopened):
            self._open([self._guess(mines)], mines)
        elif self._finish():
            self.over = True
        else:
            self._open([self._any_hidden()], mines)
        return not self.over

    def _knowledge(self) -> LabelConstraints:
        """Return what follows for the game, including the pending cells if they are consistent with it."""
        for pending in (self._pending, {}):  # the last click may have ended the game, so that these are no numbers
            game = self._belief.numbers.game.copy()
            for cell, picture in pending.items():
                game.open(cell, picture)
            with suppress(ImpossibleBoardError):
                knowledge = self._belief.numbers.knowledge(game)
                if not self._clickable(knowledge.mines() == SAFE):
                    knowledge.probe_cells()
                return knowledge
        raise ImpossibleBoardError("the open cells contradict the rules")

    def _guess(self, mines: Knowns) -> Cell:
        """Return an undecided cell, one away from all numbers if there is any, since most of those are safe."""
        undecided, opened = self._clickable(mines == UNDECIDED), self._opened
        apart = [cell for cell in undecided if not any(opened[other] for other in self._neighbours[cell])]
        return self._rng.choice(apart or undecided) if undecided else self._any_hidden()

    def _is_time_to_lose(self, mines: Knowns) -> bool:
        """Whether losing this game now would teach more than going on, with enough numbers open to confirm the loss."""
        unseen = not {"mine", "wrong_flag"} <= set(self._belief.marks.shown)
        ends = Counter(ending.result for ending in self._belief.endings)
        tried = max(ends["lost"], self._tried.losses) >= PACE.enough_lost
        is_turn_to_win = self._tried.losses > ends["won"]  # a win may show what a loss has not
        is_long = self._now() - self._start_s > PACE.long_game_s
        teaches = is_long or (self._tried.games > 1 and unseen and not tried)
        enough = self._opened.mean() > PACE.half_open_share and len(self._clickable(mines == MINE)) > 1
        return teaches and enough and not (is_turn_to_win or self._misflags)

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
            self._misflags.add(cell)

    def _try_chord(self, mines: Knowns) -> None:
        """Flag all mines around a number, and see which button opens the other cells around it."""
        if self._tried.chord or not self._tried.has_flags:
            return
        opened = self._opened
        for cell in cells_in(opened):
            around = [other for other in self._neighbours[cell] if not opened[other]]
            to_flag = [other for other in around if mines[other] == MINE]
            safe = [other for other in around if mines[other] == SAFE and self._tracker.hidden[other]]
            if not safe or not to_flag or len(safe) + len(to_flag) != len(around):
                continue
            if (self._flags | self._pending.keys()).intersection(around):
                continue
            if not all(map(self._flag, to_flag)):
                return
            self._flags.update(to_flag)
            self._tried.chord = True
            for button in _CHORD_BUTTONS:
                self._tracker.click(cell, button)
                if any(not self._tracker.hidden[other] for other in safe):
                    self._tried.chord_button = button
                    self._pending = self._newly_open(self._tracker.scene())
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
            self._misflags.add(safe[0])
        if self._flag(certain[0]):
            self._flags.add(certain[0])
        return certain[1]

    def _finish(self) -> bool:
        """Set flags if a win needs them, once all other cells are open; return whether the game is over."""
        hidden = [cell for cell in self._unopened() if self._tracker.hidden[cell]]
        if not hidden or not self._tried.has_flags:
            return not hidden
        for number, cell in enumerate(hidden):
            if self._flag(cell):
                self._flags.add(cell)
            elif number == 0:  # no flags can be set in a game that is over
                return True
        if len(hidden) > 1:
            self._tried.flags_to_win = True
            if self.last is not None:
                self.last.scene = self._tracker.scene()
        return True

    # ------------------------------------------------------------------ openings

    def _open(self, cells: Sequence[Cell], known: Knowns) -> None:
        """Open cells, or another one if they do not react.

        The game is over if no cell reacts any more, or if a click changes cells that opening a cell cannot change.
        Several cells are known to be safe and are not the last ones of the board; `known` is what is known about all.
        """
        cell, tracker = cells[-1], self._tracker
        elsewhere = [other for other in self._hidden(~self._opened) if other != cell]
        others = self._rng.sample(elsewhere, min(1, len(elsewhere)))
        for target, hold_s in zip((cell, cell, *others, *others), (*PACE.holds_s, PACE.holds_s[-1]), strict=False):
            tracker.watch(self._opened)
            before = tracker.now
            for other in cells[:-1]:
                tracker.tap(other)
            if tracker.click(target, "left", hold_s).any():
                self._confirm_pending()
                is_new = not self._belief.numbers.looks.includes(int(tracker.now[target]))
                if is_new or self._has_reached_further(before, target, cells):
                    tracker.look(patiently=True)
                self.last = LastClick(target, tracker.scene())
                self._pending = self._newly_open(self.last.scene)
                if self._pending and not self._opened.any():
                    self.first = FirstOpening(len(self._pending), int(tracker.now[target]))
                # If a mine was hit, known as one or by its look, the game is over even if the client lets play go on.
                is_hit = known[target] == MINE or int(tracker.now[target]) in self._hits
                self.over = is_hit or self._has_reached_further(before, target, cells)
                return
        self._unanswered = frozenset((cell, *others))
        self.over = True

    def _has_reached_further(self, before: Pictures, clicked: Cell, also: Sequence[Cell]) -> bool:
        """Whether open cells have changed, or cells not connected to the clicked ones through changed cells.

        Of the cells that were clicked `also`, those count that have changed.
        """
        changed: Mask = self._tracker.now != before
        if (changed & self._opened).any():
            return True
        reached = {clicked, *(cell for cell in also if changed[cell])}
        waiting = list(reached)
        while waiting:
            new = {other for other in self._neighbours[waiting.pop()] if changed[other]} - reached
            reached |= new
            waiting += new
        return int(changed.sum()) > len(reached)

    def _newly_open(self, scene: Scene) -> dict[Cell, int]:
        """Return the cells that look open and are not known to be, with their pictures."""
        opened = cells_in(~scene.hidden & ~self._opened)
        return {cell: int(scene.pictures[cell]) for cell in opened if cell not in self._flags | self._misflags}

    def _confirm_pending(self) -> None:
        """Log the pending cells as open, once the game is known to go on."""
        if self._pending:
            self._belief.add(Opened(tuple(self._pending.items())))
        self._pending = {}

    # ------------------------------------------------------------------ the end

    def uncover(self, dismisser: DialogDismisser) -> None:
        """Remove what has come up in front of the board or beside it."""
        tracker, last = self._tracker, self.last
        if tracker.is_covered and tracker.find_again() and last is not None:
            last.scene = tracker.scene()
        is_covered = tracker.is_covered
        if not (is_covered or self._unanswered or dismisser.sees_box()):
            return
        front, behind = tracker.scene(covered=True), dismisser.covered()
        is_gone = dismisser.take_away()
        if last is None:
            return
        if is_gone and not tracker.is_fresh:
            last.scene = tracker.scene()
            return
        last.behind = behind
        if is_covered and not is_gone:
            self._belief.add(self.ended(replace(last, scene=tracker.scene(covered=True)), is_covered=True))
        elif is_covered and not front.hidden[last.cell]:
            last.scene = front  # the next game may have started, so use what was seen around the box

    def ended(self, last: LastClick, *, is_covered: bool = False) -> Ended:
        """Return the log entry of the game's end."""
        scene, marked = last.scene, (frozenset(self._flags), frozenset(self._misflags))
        where = scene.pictures, scene.hidden, last.cell
        return Ended(*where, *marked, last.behind, scene.rested, is_covered, self._unanswered)
