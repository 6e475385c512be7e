"""A round of play, as a value: what was known before, what was clicked, and what was learned meanwhile."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Self

from sweepbot.board import Board, State
from sweepbot.geometry import Cell
from sweepbot.outcome import Clicked
from sweepbot.plan import Click, Kind
from sweepbot.solver import Decision
from sweepbot.solver.unknown_total import may_be_over

UNOPENED = (State.HIDDEN, State.FLAG, State.QUESTION)
"""States of a cell that can be read and was not opened."""


@dataclass(frozen=True, slots=True)
class Round:
    """A round of clicks, which goes on while they make more cells certain.

    Attributes:
        before: What was known before it.
        certain: Whether no cell was opened that may have held a mine.
        known: What is known since; cells not at rest are unreadable.
        opened: The cells that were clicked to be opened.
        marked: The cells of which a mark was set or changed.
        decision: What was decided.
    """

    before: Board
    certain: bool
    known: Board
    opened: tuple[Cell, ...] = ()
    marked: tuple[Cell, ...] = ()
    decision: Decision | None = None

    @classmethod
    def after(cls, decision: Decision, board: Board) -> Self:
        """A round in which nothing was clicked yet."""
        return cls(board, bool(decision.safe), board, decision=decision)

    def clicking(self, clicks: Iterable[Click]) -> Self:
        """The same with more clicks."""
        clicks = tuple(clicks)
        opened = tuple(cell for click in clicks for cell in click.opens)
        marked = tuple(click.at for click in clicks if click.kind is Kind.MARK)
        return replace(self, opened=self.opened + opened, marked=self.marked + marked)

    def missed(self, now: Board) -> list[Cell]:
        """The cells that do not show that they were clicked."""
        unopened = [cell for cell in self.opened if now[cell] in UNOPENED]
        return unopened + [cell for cell in self.marked if now[cell] == self.before[cell]]

    def clicked(self) -> Clicked:
        """What was clicked, and whether only mines can be left beside it."""
        if self.known.mines is None:
            # No game is over with its first click, though by the rules every other cell may hold a mine.
            are_last = bool((self.known.cells < State.HIDDEN).any()) and may_be_over(self.known, self.opened)
        else:
            # What could not be read before the round is open: only such a board is played on.
            left = (self.known.cells >= State.HIDDEN) & (self.before.cells != State.UNKNOWN)
            for cell in self.opened:
                left[cell] = False
            are_last = int(left.sum()) == self.known.mines
        return Clicked(self.opened, self.marked, certain=self.certain, are_last=are_last)
