"""The clicks of one round: a pure function of the position, the decision, and the style of play."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum, StrEnum

from sweepbot.behaviour import Behaviour
from sweepbot.board import Board, Phase, State
from sweepbot.geometry import Cell
from sweepbot.level import Level, first_cell
from sweepbot.solver import Choice, Decision
from sweepbot.solver.efficiency import Efficient, chords, most_efficient

_UNFLAGGED = (State.HIDDEN, State.QUESTION)
_MARKS = (State.FLAG, State.QUESTION)


class Style(StrEnum):
    """A style of play."""

    NOFLAG = "noflag"
    """Cells are opened one by one; flags are set only if the client needs them for a win."""
    FLAG = "flag"
    """Every mine is flagged as soon as it is certain."""
    CHORD = "chord"
    """Cells are opened by chords if that takes fewer clicks."""
    EFFICIENT = "efficient"
    """One opening or chord per round: the one with the fewest clicks to the end, averaged over layouts."""

    @property
    def chords(self) -> bool:
        """Whether it needs a client that has chords."""
        return self in (Style.CHORD, Style.EFFICIENT)


class Action(Enum):
    """What a click does."""

    OPEN = "open"
    MARK = "mark"
    """Set a flag, or remove a mark from a cell before it is opened."""
    CHORD = "chord"


@dataclass(frozen=True, slots=True)
class PlannedClick:
    """A click on a cell, and the cells that it opens."""

    at: Cell
    action: Action
    opens: tuple[Cell, ...] = ()


def as_promised(decision: Decision, board: Board, phase: Phase, behaviour: Behaviour) -> Decision:
    """Return a decision with what a client promises: the best first click under its rule instead of the first guess.

    The reason of a later guess says so if the client promises boards that need none.
    """
    if phase is Phase.FRESH:
        if board.mines is None or decision.safe:
            return decision
        cell = first_cell(Level(board.columns, board.rows, board.mines), behaviour.first_click)
        if board[cell] != State.HIDDEN:  # it may be open, with what cannot be read
            return decision
        guess = Choice(cell, "first click", float(decision.mine_probability[cell]))
        return replace(decision, guess=guess, cut_short=False)
    if decision.guess is None or not behaviour.no_guess:
        return decision
    reason = f"{decision.guess.reason}; though the client should deal only boards that need none"
    return replace(decision, guess=replace(decision.guess, reason=reason))


def clicks_for(board: Board, decision: Decision, style: Style, *, flags_to_win: bool) -> list[PlannedClick]:
    """Return the clicks of one round, in order: the flags that a chord needs come before it.

    A mark on a cell to open is changed by one click, and the rest is left for the next round, since clients differ in
    what follows a flag. Flags that may be wrong are the person's; they are removed before anything is opened, because a
    burst may click a cell again that a flood has just opened, which some clients take for a chord. All safe cells of
    the decision are opened, or its best one; if `flags_to_win`, every mine is flagged, too.
    """
    to_open = decision.safe or ((decision.best.cell,) if decision.best else ())
    flags = board.where(State.FLAG)
    doubtful = [cell for cell in flags if cell not in decision.mines]
    if doubtful:
        return [PlannedClick(cell, Action.MARK) for cell in doubtful]
    efficient = most_efficient(board, decision) if style is Style.EFFICIENT else None
    if efficient is not None and efficient.is_chord:
        to_open = ()
    elif efficient is not None:
        to_open = efficient.opens
    marked = [cell for cell in to_open if board[cell] in _MARKS]
    clicks = [PlannedClick(cell, Action.MARK) for cell in marked]
    left = [cell for cell in to_open if cell not in marked]
    flagged = set(flags)
    if style.chords and decision.safe:
        chosen = [efficient] if efficient is not None and efficient.is_chord else []
        for chord in chosen if efficient is not None else _saving_chords(chords(board, decision), left):
            clicks += [PlannedClick(cell, Action.MARK) for cell in chord.flags]
            clicks.append(PlannedClick(chord.cell, Action.CHORD, chord.opens))
            flagged |= set(chord.flags)
            left = [cell for cell in left if cell not in chord.opens]
    clicks += opening(left)
    if style is Style.FLAG or flags_to_win:
        mines = (cell for cell in decision.mines if board[cell] in _UNFLAGGED and cell not in flagged)
        clicks += [PlannedClick(cell, Action.MARK) for cell in mines]
    return clicks


def opening(cells: Iterable[Cell]) -> list[PlannedClick]:
    """Return clicks that open cells one by one, in an order that keeps the pointer's moves short."""
    return [PlannedClick(cell, Action.OPEN, (cell,)) for cell in _nearest_next(cells)]


def _saving_chords(possible: Sequence[Efficient], to_open: Collection[Cell]) -> Iterator[Efficient]:
    """Yield the chords that save clicks, the one that saves most first, with the flags it still needs."""
    left, flagged = set(to_open), set[Cell]()
    while possible:
        # A flag serves every chord around it, and a cell is opened only once.
        flags = (tuple(cell for cell in chord.flags if cell not in flagged) for chord in possible)
        opens = (tuple(cell for cell in chord.opens if cell in left) for chord in possible)
        possible = [chord._replace(flags=f, opens=o) for chord, f, o in zip(possible, flags, opens, strict=True)]
        best = max(possible, key=lambda chord: len(chord.opens) - len(chord.flags))
        if len(best.opens) - len(best.flags) <= 1:  # opening the cells one by one takes no more clicks
            return
        flagged |= set(best.flags)
        left -= set(best.opens)
        yield best


def _nearest_next(cells: Iterable[Cell]) -> list[Cell]:
    """Order cells so that the pointer's moves are short: from each to the nearest one left."""
    left = list(cells)
    ordered = [left.pop(0)] if left else []
    while left:
        last = ordered[-1]
        nearest = min(left, key=lambda cell: (cell.row - last.row) ** 2 + (cell.column - last.column) ** 2)
        left.remove(nearest)
        ordered.append(nearest)
    return ordered
