"""A round of play, as a value: what was known before, what was clicked, and what is known since."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from sweepbot.board import CLOSED, Board, State
from sweepbot.geometry import Cell
from sweepbot.outcome import Clicked
from sweepbot.plan import Action, PlannedClick
from sweepbot.solver import Choice, Decision
from sweepbot.solver.unknown_total import may_be_over


@dataclass(frozen=True, slots=True)
class Round:
    """A round of clicks, which is extended while they make more cells certain.

    Attributes:
        before: The board before it.
        decision: What was decided on it.
        known: The board as known since; cells not at rest are unreadable.
        opened: The cells that were clicked to open them.
        marked: The cells that were clicked to set or change their mark.
    """

    before: Board
    decision: Decision
    known: Board
    opened: tuple[Cell, ...] = ()
    marked: tuple[Cell, ...] = ()

    @property
    def certain(self) -> bool:
        """Whether only certain cells were opened."""
        return bool(self.decision.safe)

    @property
    def guess(self) -> Choice | None:
        """The guess that was opened; None if none was."""
        return self.decision.guess if self.opened else None

    def with_clicks(self, clicks: Iterable[PlannedClick]) -> Self:
        """Return the round with more clicks."""
        clicks = tuple(clicks)
        opened = tuple(cell for click in clicks for cell in click.opens)
        marked = tuple(click.at for click in clicks if click.action is Action.MARK)
        return replace(self, opened=self.opened + opened, marked=self.marked + marked)

    def missed(self, now: Board) -> list[Cell]:
        """Return the clicked cells that do not show it."""
        unopened = [cell for cell in self.opened if now[cell] in CLOSED]
        return unopened + [cell for cell in self.marked if now[cell] == self.before[cell]]

    def seeing(self, now: Board) -> Self:
        """Return the round with what is seen open since: a click may also open what was left for another one."""
        is_open = (now.cells < State.HIDDEN) & (self.known.cells >= State.HIDDEN)
        return replace(self, known=Board(np.where(is_open, now.cells, self.known.cells), self.known.mines))

    def clicked(self) -> Clicked:
        """Return what was clicked, whether all other cells may be mines, and whether that can have ended the game."""
        if self.known.mines is None:
            # A game is never over after its first click, though by the rules every other cell may be a mine.
            are_last = bool((self.known.cells < State.HIDDEN).any()) and may_be_over(self.known, self.opened)
        else:
            # Cells that could not be read before the round are open, or the board would not have been played on.
            left = (self.known.cells >= State.HIDDEN) & (self.before.cells != State.UNKNOWN)
            for cell in self.opened:
                left[cell] = False
            are_last = int(left.sum()) == self.known.mines
        # A guess may be a mine, a zero opens others, and a mark may be the last that is needed; a number ends nothing.
        mines, unseen = set(self.decision.mines), [cell for cell in self.opened if self.known[cell] not in range(1, 9)]
        may_open = any(not self.certain or mines.isdisjoint(self.known.neighbours(cell)) for cell in unseen)
        may_end = are_last or may_open or bool(self.marked) or not self.opened
        return Clicked(self.opened, self.marked, certain=self.certain, are_last=are_last, may_end=may_end)
