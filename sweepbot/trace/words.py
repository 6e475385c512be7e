"""What a line of a trace says, in words: for people who watch a run or look at a trace."""

from collections.abc import Sequence

from sweepbot.geometry import Cell
from sweepbot.trace.entries import Click, Entry, Key, Look, Move, Pointer, Windows
from sweepbot.trace.events import (
    Changed,
    Chosen,
    ClosingDialogs,
    Decided,
    Doubted,
    Ended,
    Finished,
    FollowUp,
    HandedOver,
    Learned,
    Lesson,
    Observed,
    Read,
    Resized,
    Restarting,
    Rested,
    Scene,
    Unnoticed,
    Waiting,
)

_MOST_CELLS = 6  # cells that are named


def in_words(entry: Entry | None) -> str:  # noqa: C901, PLR0911, PLR0912  (one case a kind of line)
    """What a line says, in a few words."""
    match entry:
        case Look(region=None):
            return "a look at everything"
        case Look(region=region):
            return f"a look at {list(region or ())}"
        case Pointer():
            return "the pointer asked for"
        case Move(to=to):
            return f"the pointer moved to {to[0]},{to[1]}"
        case Click(at=at, button=button):
            return f"{button} click at {at[0]},{at[1]}"
        case Key(key=key):
            return f"the key {key}"
        case Windows(asked=asked, about=about):
            return f"the windows asked: {asked} {list(about)}"
        case Rested():
            return "a picture at rest"
        case Read(rows=rows, phase=phase, doubt=doubt):
            return f"{phase}{f', not trusted: {doubt}' if doubt else ''}: {'/'.join(rows)}"
        case Decided(safe=safe, best=best):
            return f"open {_cells(safe)}" if safe else f"guess {_cells([best] if best else [])}"
        case FollowUp(safe=safe):
            return f"open also {_cells(safe)}"
        case Changed(phase=phase, changed=changed):
            return f"{phase}, {changed} cells changed"
        case Unnoticed(cells=cells):
            return f"clicks not noticed: {_cells(cells)}"
        case Restarting(key=key, click=click, on_board=on_board):
            by = f"the key {key}" if key is not None else f"a click at {click or on_board}"
            return f"a new game by {by}"
        case ClosingDialogs(after=after):
            return f"dialogs closed that come after a game {after}"
        case Doubted(text=text) | Lesson(text=text):
            return text
        case Ended(number=number, result=result, clicks=clicks, three_bv=None):
            return f"game {number} {result} after {clicks} clicks"
        case Ended(number=number, result=result, clicks=clicks, three_bv=int(three_bv), zini=zini):
            greedy = "" if zini is None else f", ZiNi {zini}"
            return f"game {number} {result} after {clicks} clicks: 3BV {three_bv}{greedy}, IOE {three_bv / clicks:.2f}"
        case Waiting(why=why):
            return f"waiting: {why}"
        case Chosen(others=1):
            return "another window looks like a Minesweeper by its title: the one in front is played"
        case Chosen(others=others):
            return f"{others} other windows look like a Minesweeper by their titles: the one in front is played"
        case Resized(before=(*_, width, height), now=(*_, wider, higher)) if (width, height) == (wider, higher):
            return "moved the client's window on to the screen; it is put back at the end"
        case Resized(before=(*_, width, height), now=(*_, wider, higher)):
            return f"made the client's window larger, {width}x{height} to {wider}x{higher}; it is put back at the end"
        case HandedOver(cell=cell, chance=chance):
            guess = f"{cell}, {chance:.1%} a mine"
            return f"your turn: nothing is certain. The best guess is under the pointer: {guess}"
        case Scene(name=name, rows=rows):
            return f"{name}: {'/'.join(rows)}"
        case Observed(what=what, data=data):
            return f"{what}: {data}"
        case Learned(states=states, restart=restart):
            return f"learned {', '.join(states)}; restart: {', '.join(restart)}"
        case Finished(exit=code, error=error):
            return f"the end, exit {code}{f': {error}' if error else ''}"
        case _:
            return ""


def _cells(cells: Sequence[Cell]) -> str:
    named = ", ".join(f"({row},{column})" for row, column in cells[:_MOST_CELLS])
    return named + (f" and {len(cells) - _MOST_CELLS} more" if len(cells) > _MOST_CELLS else "") if cells else "nothing"
