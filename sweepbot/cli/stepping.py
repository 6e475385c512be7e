"""A run in the terminal, step by step, by keys."""

from collections.abc import Callable, Sequence

from rich.console import Console, Group
from rich.text import Text

from sweepbot.board import CHARACTERS, State
from sweepbot.cli.keys import pressed_key
from sweepbot.render.text import percent
from sweepbot.replay.steps import Step
from sweepbot.trace.differences import Difference

_HIDDEN = CHARACTERS[State.HIDDEN]
_BACK, _ON = ("\x1b[D", "\xe0K", "h", "p"), ("\x1b[C", "\xe0M", "l", "n", " ")
_HELP = "arrow keys: back, on · g: next guess · d: next doubt · x: next difference · q: quit"


def walk(steps: Sequence[Step], differences: Sequence[Difference], console: Console) -> None:
    """Show one step after the other, as keys ask for them, until `q`."""
    differ = {difference.step for difference in differences}
    wanted: dict[str, Callable[[Step], bool]] = {
        "g": lambda step: step.is_guess,
        "d": lambda step: bool(step.doubt),
        "x": lambda step: step.number in differ,
    }
    place = 0
    while steps:
        console.clear()
        step = steps[place]
        console.print(shown(step, [of for of in differences if of.step == step.number], len(steps)), soft_wrap=False)
        key = pressed_key()
        if key in ("q", "\x1b"):
            return
        if key in _BACK:
            place = max(0, place - 1)
        elif key in _ON:
            place = min(len(steps) - 1, place + 1)
        elif key in wanted:
            place = next((number for number in range(place + 1, len(steps)) if wanted[key](steps[number])), place)


def shown(step: Step, differences: Sequence[Difference], steps: int) -> Group:
    """A step: its board, with chances where cells are hidden, and what was made of it and done."""
    head = Text(f"step {step.number} of {steps}, {step.rested / 1e6:.2f} s: {step.phase}", style="bold")
    lines = [head, _board(step), *(Text(line) for line in _words(step))]
    lines += [_difference(of) for of in differences]
    return Group(*lines, Text(_HELP, style="dim"))


def _words(step: Step) -> list[str]:
    words = [f"! not trusted: {step.doubt}"] if step.doubt else []
    decision = step.decision
    if decision is not None and decision.best is not None:
        row, column = decision.best
        certain = f"{len(decision.safe)} certain, first" if decision.safe else "? guess"
        words.append(f"{certain} row {row}, column {column}: {decision.reason}")
    clicks = sum(act.at is not None for act in step.acts)
    keys = [act.key for act in step.acts if act.at is None]
    if step.acts:
        words.append(f"{clicks} clicks" + (f", keys {', '.join(keys)}" if keys else ""))
    return words + step.notes


def _board(step: Step) -> Text:
    """The board, three characters a cell: what is seen, and in percent what may be a mine where it is hidden."""
    text = Text()
    chances = None if step.decision is None else step.decision.chances
    best = None if step.decision is None else step.decision.best
    for row, line in enumerate(step.rows):
        for column, character in enumerate(line):
            chance = None if chances is None else chances[row][column]
            cell, style = {"0": "·"}.get(character, character), ""
            if chance is not None and character == _HIDDEN:
                cell = "ok" if chance == 0 else "*" if chance == 1 else percent(chance)
                style = "bold" if chance in (0, 1) else "dim"
            text.append(f"{cell:>2} ", "reverse bold" if (row, column) == best else style)
        text.append("\n")
    return text


def _difference(difference: Difference) -> Text:
    was, now = difference.was or "nothing", difference.now or "nothing"
    return Text(f"≠ {difference.kind}\n  was: {was}\n  now: {now}", style="bold")
