"""Infers what a person has opened between two positions of the same game. Pure: no screen, no clock.

A number that no newly opened zero touches must have been opened by itself. Zeros that touch each other are one flood:
whichever of them was opened, the same cells opened with it.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from sweepbot.board import MAY_BE_CLOSED, Board, Phase, State
from sweepbot.geometry import Cell


@dataclass(frozen=True, slots=True)
class Opening:
    """The cells that one opening has opened.

    Attributes:
        starts: The cells one of which was opened: several if it caused a flood.
        opened: All cells that opened with it, in reading order.
        is_mine: Whether it was a mine.
    """

    starts: tuple[Cell, ...]
    opened: tuple[Cell, ...]
    is_mine: bool = False


@dataclass(frozen=True, slots=True)
class Changes:
    """What differs between two positions.

    Attributes:
        openings: What was opened, in reading order; mines last.
        hidden_loss: Whether a mine was opened too, without the client showing which one.
        marks: How many marks the person has set or removed; 0 at the end of a game, when clients set them.
        chords: How many clicks fewer there were if openings around a number with all its flags came from one chord.
    """

    openings: tuple[Opening, ...]
    hidden_loss: bool
    marks: int
    chords: int


def is_same_game(before: Board, after: Board) -> bool:
    """Whether a position belongs to the same game as the one before it: what was open is still open."""
    if before.cells.shape != after.cells.shape or (before.phase() is not Phase.FRESH and after.phase() is Phase.FRESH):
        return False
    was_open, unread = before.cells < State.HIDDEN, after.cells == State.UNKNOWN
    if before.phase() in (Phase.WON, Phase.LOST) and after.phase() is Phase.PLAYING:
        return False
    return bool(((before.cells == after.cells) | ~was_open | unread).all())


def changes(before: Board, after: Board) -> Changes:
    """Return what a person has done between two positions of the same game."""
    opened = {cell for cell in before if before[cell] in MAY_BE_CLOSED and after[cell] < State.HIDDEN}
    exploded = [cell for cell in after.where(State.EXPLODED) if before[cell] != State.EXPLODED]
    numbers = sorted(_split_openings(after, opened), key=lambda opening: opening.starts)
    mines = [Opening((cell,), (cell,), is_mine=True) for cell in exploded]
    lost_now = after.phase() is Phase.LOST and before.phase() is not Phase.LOST
    is_over = after.phase() in (Phase.WON, Phase.LOST)
    both = (before.cells >= State.HIDDEN) & (after.cells >= State.HIDDEN)
    read = (before.cells != State.UNKNOWN) & (after.cells != State.UNKNOWN)
    return Changes(
        openings=(*numbers, *mines),
        hidden_loss=lost_now and not exploded,
        marks=0 if is_over else int((both & read & (before.cells != after.cells)).sum()),
        chords=_clicks_saved(before, after, numbers + mines),
    )


def after_opening(before: Board, after: Board, opening: Opening) -> Board:
    """Return the position after a single one of the openings."""
    cells = before.cells.copy()
    for cell in opening.opened:
        cells[cell] = after.cells[cell]
    return Board(cells, before.mines)


def _split_openings(after: Board, opened: set[Cell]) -> Iterator[Opening]:
    """Split the opened cells by opening."""
    left = set(opened)
    for start in sorted(opened):
        if after[start] == 0 and start in left:
            flood, waiting = {start}, [start]
            while waiting:
                more = [cell for cell in after.neighbours(waiting.pop()) if cell in opened and cell not in flood]
                flood.update(more)
                waiting += [cell for cell in more if after[cell] == 0]
            left -= flood
            yield Opening(tuple(sorted(cell for cell in flood if after[cell] == 0)), tuple(sorted(flood)))
    yield from (Opening((cell,), (cell,)) for cell in left)


def _clicks_saved(before: Board, after: Board, openings: list[Opening]) -> int:
    """Count the clicks that chords have saved, if openings around a number with all its flags came from one chord."""
    left = {cell: opening for opening in openings for cell in opening.starts}
    saved = 0
    for number in before:
        around = before.neighbours(number)
        flags = [
            cell for cell in around if State.FLAG in (before[cell], after[cell]) or after[cell] == State.WRONG_FLAG
        ]
        if not before[number] < State.HIDDEN or before[number] == 0 or len(flags) != before[number]:
            continue
        unflagged = [cell for cell in around if before[cell] in MAY_BE_CLOSED and cell not in flags]
        by_it = {id(left[cell]): left[cell] for cell in unflagged if cell in left}
        is_whole = all(after[cell] < State.HIDDEN or after[cell] == State.EXPLODED for cell in unflagged)
        if len(by_it) > 1 and is_whole:
            saved += len(by_it) - 1
            left = {cell: opening for cell, opening in left.items() if id(opening) not in by_it}
    return saved
