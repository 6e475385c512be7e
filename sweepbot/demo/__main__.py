"""`python -m sweepbot.demo`: the client in a window, for a person or a bot to play."""

import random
import signal
import sys

import click

from sweepbot.demo.client import Client
from sweepbot.demo.window import READY, TkWindow
from sweepbot.errors import SweepbotError
from sweepbot.game import Game
from sweepbot.level import LEVEL_FORMS, FirstClick, Level


@click.command()
@click.option("--level", default="beginner", show_default=True, help=f"{LEVEL_FORMS}.")
@click.option(
    "--rule",
    type=click.Choice([rule.value for rule in FirstClick]),
    default=FirstClick.SAFE.value,
    show_default=True,
    help="Whether the first cell is never a mine, always a zero, or may be a mine.",
)
@click.option("--seed", type=int, help="The same seed deals the same games.")
@click.option("--question-marks/--no-question-marks", default=True, help="Whether a second right click sets one.")
@click.option("--scale", type=click.IntRange(1, 8), default=1, show_default=True, help="Enlarge every pixel.")
def main(*, level: str, rule: str, seed: int | None, question_marks: bool, scale: int) -> None:
    """Minesweeper in the classic look.

    Left opens, right marks, middle or both chord; F2 or the face starts a new game.
    """
    try:
        rng = random.Random(seed)
        size, first_click = Level.parse(level), FirstClick(rule)
        client = Client(lambda: Game(size, first_click, rng, question_marks=question_marks))
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # Tk would not notice Ctrl-C; there is nothing to clean up
        TkWindow(client, scale).run(ready=lambda: print(READY, flush=True))  # noqa: T201
    except SweepbotError as error:
        click.echo(f"error: {error}" + (f"\n{error.hint}" if error.hint else ""), err=True)
        sys.exit(error.exit_code)


if __name__ == "__main__":
    main(prog_name="python -m sweepbot.demo")
