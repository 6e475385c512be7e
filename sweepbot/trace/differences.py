"""What differs between a run and its replay, in words."""

import math

import msgspec

from sweepbot.trace.entries import (
    CellIndex,
    Click,
    Decision,
    Dialog,
    Doubt,
    Entry,
    Finished,
    GameOver,
    Key,
    Learned,
    Lesson,
    Look,
    Move,
    Observed,
    Outcome,
    Pointer,
    Reading,
    Restart,
    Rested,
    Retry,
    Scene,
    WentOn,
    Windows,
)

_SAME_CHANCE = 1e-3  # two chances that differ by less are the same: a trace rounds them
_MOST_CELLS = 6  # cells that are named
_UNCOMPARED = {
    "t",
    "patches",
    "failed",
    "confidence",
    "weakest",
    "chances",
    "reason",
    "xs",
    "ys",
    "picture",
    "windows",
    "ids",
    "box",
    "text",
    "cut_short",
    "doubt",
    "error",
}
"""Fields that are an answer, a time, words, or a number that another processor rounds otherwise."""


class Difference(msgspec.Struct, frozen=True):
    """Something that is not as it was.

    Attributes:
        step: The step in which it is, from 1.
        kind: What: `look`, `click`, `key`, `reading`, `decision` or another kind of line.
        was: What the trace says; empty where it says nothing.
        now: What comes out today; empty where that is nothing.
    """

    step: int
    kind: str
    was: str
    now: str


def differing(was: Entry, now: Entry) -> bool:
    """Whether two lines say different things: times, scores and words are left aside."""
    if type(was) is not type(now):
        return True
    if isinstance(was, Pointer):
        return False
    if isinstance(was, Decision) and isinstance(now, Decision) and _chances_differ(was, now):
        return True
    if isinstance(was, Reading) and isinstance(now, Reading) and bool(was.doubt) != bool(now.doubt):
        return True  # whether it is trusted counts, not in which words it is not
    fields = (field for field in was.__struct_fields__ if field not in _UNCOMPARED)
    # As JSON, in which a list and a tuple are the same.
    return any(msgspec.json.encode(getattr(was, name)) != msgspec.json.encode(getattr(now, name)) for name in fields)


def _chances_differ(was: Decision, now: Decision) -> bool:
    pairs = [pair for rows in zip(was.chances, now.chances, strict=False) for pair in zip(*rows, strict=False)]
    return any(_chance_differs(one, other) for one, other in pairs)


def _chance_differs(one: float | None, other: float | None) -> bool:
    is_known, other_is_known = (chance is not None and not math.isnan(chance) for chance in (one, other))
    if one is None or other is None or not (is_known and other_is_known):
        return is_known != other_is_known
    return abs(one - other) > _SAME_CHANCE


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
        case Reading(rows=rows, phase=phase, doubt=doubt):
            return f"{phase}{f', not trusted: {doubt}' if doubt else ''}: {'/'.join(rows)}"
        case Decision(safe=safe, best=best):
            return f"open {_cells(safe)}" if safe else f"guess {_cells([best] if best else [])}"
        case WentOn(safe=safe):
            return f"open also {_cells(safe)}"
        case Outcome(phase=phase, changed=changed):
            return f"{phase}, {changed} cells changed"
        case Retry(cells=cells):
            return f"clicks not noticed: {_cells(cells)}"
        case Restart(key=key, click=click, on_board=on_board):
            by = f"the key {key}" if key is not None else f"a click at {click or on_board}"
            return f"a new game by {by}"
        case Dialog(after=after):
            return f"dialogs closed that come after a game {after}"
        case Doubt(text=text) | Lesson(text=text):
            return text
        case GameOver(number=number, result=result, clicks=clicks):
            return f"game {number} {result} after {clicks} clicks"
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


def _cells(cells: list[CellIndex]) -> str:
    named = ", ".join(f"({row},{column})" for row, column in cells[:_MOST_CELLS])
    return named + (f" and {len(cells) - _MOST_CELLS} more" if len(cells) > _MOST_CELLS else "") if cells else "nothing"
