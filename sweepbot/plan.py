"""What is clicked in one round: a pure function of the position, what was decided, and the style of play."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum, StrEnum

from sweepbot.board import Board, State
from sweepbot.geometry import Cell
from sweepbot.level import FirstClick, Level, first_cell
from sweepbot.solver import Decision, Move
from sweepbot.solver.efficiency import Efficient, chords, most_efficient

_UNFLAGGED = (State.HIDDEN, State.QUESTION)
_MARKS = (State.FLAG, State.QUESTION)


class Style(StrEnum):
    """How a person would like it played."""

    NOFLAG = "noflag"
    """Cells are opened one by one; flags are set only if the client counts no win without them."""
    FLAG = "flag"
    """Every mine is flagged as soon as it is certain."""
    CHORD = "chord"
    """Cells are opened together, around a number that has its flags, where that takes fewer clicks."""
    EFFICIENT = "efficient"
    """One opening or chord a round: the one with the fewest clicks to the end, estimated over layouts."""

    @property
    def chords(self) -> bool:
        """Whether it needs a client that has chords."""
        return self in (Style.CHORD, Style.EFFICIENT)


class Kind(Enum):
    """What a click does."""

    OPEN = "open"
    MARK = "mark"
    """Set a flag, or remove a mark from a cell before it is opened."""
    CHORD = "chord"


@dataclass(frozen=True, slots=True)
class Click:
    """A click on a cell, and the cells that it opens."""

    at: Cell
    kind: Kind
    opens: tuple[Cell, ...] = ()


def with_first_click(decision: Decision, board: Board, promise: FirstClick | None) -> Decision:
    """The same decision, with the first click where it is worth most given the client's promise."""
    if board.mines is None or decision.safe:
        return decision
    cell = first_cell(Level(board.columns, board.rows, board.mines), promise)
    guess = Move(cell, "first click", float(decision.mine_probability[cell]))
    return replace(decision, guess=guess, cut_short=False)


def against_promise(decision: Decision) -> Decision:
    """The same guess, with the remark that a board that needs no guess should not have required it."""
    assert decision.guess is not None  # noqa: S101  (who calls this has seen it)
    reason = f"{decision.guess.reason}; the client deals boards that need none, if not told otherwise"
    return replace(decision, guess=replace(decision.guess, reason=reason))


def clicks_for(board: Board, decision: Decision, style: Style, *, flags_to_win: bool) -> list[Click]:
    """The clicks of one round, in their order: flags that a chord needs come before it.

    A mark is changed by one click, and the rest is for the next round, since clients differ in what follows a flag.
    Flags that are not known to be right are a person's, and are taken away before anything is opened: what a flood
    opens while a burst is on its way is clicked again, which some clients take for a chord.

    Args:
        board: The position.
        decision: What was decided: all its safe cells are opened, or its best one.
        style: How it is played.
        flags_to_win: Whether the client counts a game as won only when every mine is flagged.
    """
    to_open = decision.safe or ((decision.best.cell,) if decision.best else ())
    flags = board.where(State.FLAG)
    unproved = [cell for cell in flags if cell not in decision.mines]
    if unproved:
        return [Click(cell, Kind.MARK) for cell in unproved]
    efficient = most_efficient(board, decision) if style is Style.EFFICIENT else None
    if efficient is not None and efficient.is_chord:
        to_open = ()
    elif efficient is not None:
        to_open = efficient.opens
    marked = [cell for cell in to_open if board[cell] in _MARKS]
    clicks = [Click(cell, Kind.MARK) for cell in marked]
    left = [cell for cell in to_open if cell not in marked]
    flagged = set(flags)
    if style.chords and decision.safe:
        of_efficient = [efficient] if efficient is not None and efficient.is_chord else []
        for chord in of_efficient if efficient is not None else _saving(chords(board, decision), left):
            clicks += [*(Click(cell, Kind.MARK) for cell in chord.flags), Click(chord.cell, Kind.CHORD, chord.opens)]
            flagged |= set(chord.flags)
            left = [cell for cell in left if cell not in chord.opens]
    clicks += opening(left)
    if style is Style.FLAG or flags_to_win:
        mines = (cell for cell in decision.mines if board[cell] in _UNFLAGGED and cell not in flagged)
        clicks += [Click(cell, Kind.MARK) for cell in mines]
    return clicks


def opening(cells: Iterable[Cell]) -> list[Click]:
    """Clicks that open cells one by one, in an order that keeps the pointer's moves short."""
    return [Click(cell, Kind.OPEN, (cell,)) for cell in _nearest_next(cells)]


def _saving(possible: Sequence[Efficient], to_open: Collection[Cell]) -> Iterator[Efficient]:
    """The chords that save clicks, the one that saves most first: each with the flags it needs and what it opens."""
    left, flagged = set(to_open), set[Cell]()
    while possible:
        # A flag that is set, and a cell that is open, serve every chord around them.
        flags = (tuple(cell for cell in chord.flags if cell not in flagged) for chord in possible)
        opens = (tuple(cell for cell in chord.opens if cell in left) for chord in possible)
        possible = [chord._replace(flags=f, opens=o) for chord, f, o in zip(possible, flags, opens, strict=True)]
        best = max(possible, key=lambda chord: len(chord.opens) - len(chord.flags))
        if len(best.opens) - len(best.flags) <= 1:  # opened one by one they take as many clicks
            return
        flagged |= set(best.flags)
        left -= set(best.opens)
        yield best


def _nearest_next(cells: Iterable[Cell]) -> list[Cell]:
    """Cells in an order that keeps the pointer's moves short: from each to the nearest one left."""
    left = list(cells)
    ordered = [left.pop(0)] if left else []
    while left:
        last = ordered[-1]
        nearest = min(left, key=lambda cell: (cell.row - last.row) ** 2 + (cell.column - last.column) ** 2)
        left.remove(nearest)
        ordered.append(nearest)
    return ordered
