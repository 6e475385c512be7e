"""A run in the terminal, step by step, by keys."""

from collections.abc import Callable, Sequence

from rich.console import Console, Group
from rich.text import Text

from sweepbot.board import Board
from sweepbot.cli.board_view import board_view
from sweepbot.cli.keys import pressed_key
from sweepbot.replay.steps import Step
from sweepbot.trace.differences import Difference
from sweepbot.trace.entries import Click, Key

_BACK, _ON = ("\x1b[D", "\xe0K", "h", "p"), ("\x1b[C", "\xe0M", "l", "n", " ")
_HELP = "arrow keys: back, on · g: next guess · d: next doubt · x: next difference · q: quit"


def walk(steps: Sequence[Step], differences: Sequence[Difference], console: Console) -> None:
    """Show steps one after the other, moved through by keys, until `q`."""
    differ = {difference.step for difference in differences}
    wanted: dict[str, Callable[[Step], bool]] = {
        "g": lambda step: step.is_guess,
        "d": lambda step: bool(step.read.doubt),
        "x": lambda step: step.number in differ,
    }
    place = 0
    while steps:
        console.clear()
        step = steps[place]
        of_step = [of for of in differences if of.step == step.number]
        console.print(shown(step, of_step, len(steps), console.width, console.height), soft_wrap=False)
        key = pressed_key()
        if key in ("q", "\x1b"):
            return
        if key in _BACK:
            place = max(0, place - 1)
        elif key in _ON:
            place = min(len(steps) - 1, place + 1)
        elif key in wanted:
            place = next((number for number in range(place + 1, len(steps)) if wanted[key](steps[number])), place)


def shown(step: Step, differences: Sequence[Difference], steps: int, width: int, height: int) -> Group:
    """A step: its board, with chances where cells are hidden, and what was made of it and done."""
    head = Text(f"step {step.number} of {steps}, {step.rested / 1e6:.2f} s: {step.read.phase}", style="bold")
    words = [*(Text(line) for line in _words(step)), *map(_difference, differences), Text(_HELP, style="dim")]
    below = sum(str(line).count("\n") + 1 for line in words)
    board = board_view(Board.parse("\n".join(step.read.rows)), step.decided, width, height - below - 1)
    return Group(head, board, *words)


def _words(step: Step) -> list[str]:
    words = [f"! not trusted: {step.read.doubt}"] if step.read.doubt else []
    decision = step.decided
    if decision is not None and decision.best is not None:
        certain = f"{len(decision.safe)} certain, first" if decision.safe else "? guess"
        words.append(f"{certain} {decision.best}: {decision.reason}")
    clicks = sum(isinstance(act, Click) for act in step.acts)
    keys = [act.key for act in step.acts if isinstance(act, Key)]
    if step.acts:
        words.append(f"{clicks} clicks" + (f", keys {', '.join(keys)}" if keys else ""))
    return words + step.notes


def _difference(difference: Difference) -> Text:
    was, now = difference.was or "nothing", difference.now or "nothing"
    return Text(f"≠ {difference.kind}\n  was: {was}\n  now: {now}", style="bold")
