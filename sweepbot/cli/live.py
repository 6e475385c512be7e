"""A game as it is played: live board, chances and last move in a terminal, plain lines elsewhere."""

from types import TracebackType
from typing import Self

import numpy as np
from rich.console import Console, Group
from rich.live import Live
from rich.text import Text

from sweepbot.board import CHARACTERS, Board, State
from sweepbot.player import Decided, Ended, Event, GameResult
from sweepbot.render.text import percent
from sweepbot.solver import Decision
from sweepbot.vision.reader import Reading

_REFRESHES = 12  # a second
_STYLES = {
    "0": "bright_black",
    "1": "bright_blue",
    "2": "green",
    "3": "bright_red",
    "4": "blue",
    "5": "red",
    "6": "cyan",
    "7": "bold",
    "8": "bright_black bold",
    "F": "bold yellow",
    "*": "bold red",
    "X": "bold white on red",
}


class LiveView:
    """Shows what a player tells; use it as a context manager and give the player its `observe`.

    Args:
        console: Where to.
        games: How many games will be played.
    """

    def __init__(self, console: Console, games: int) -> None:
        self._console = console
        self._games = games
        self._live = Live(console=console, refresh_per_second=_REFRESHES) if console.is_terminal else None

    def __enter__(self) -> Self:
        if self._live is not None:
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._live is not None:
            self._live.stop()

    def observe(self, event: Event) -> None:
        """Take note of what a player tells."""
        if isinstance(event, Ended):
            self._console.print(f"game {event.number} of {self._games}: {_in_words(event.result)}")
        if not isinstance(event, Decided):
            return
        if event.decision.cut_short and event.decision.best is not None:
            self._console.print(f"no time to look further ahead: {event.decision.best.cell} is opened")
        if self._live is not None:
            self._live.update(Group(_board(event.reading.board, event.decision), _move(event.reading, event.decision)))


def _in_words(result: GameResult) -> str:
    count = f"{result.clicks} clicks, {result.reads} reads, {result.guesses} guesses"
    wrong = f", {result.misreads} misreads" if result.misreads else ""
    hasty = f", {result.cut_short} of them cut short by the clock" if result.cut_short else ""
    return f"{result.result} in {result.seconds:.2f} s ({count}{hasty}{wrong})"


def _board(board: Board, decision: Decision) -> Text:
    """The board, three characters a cell: what is open, and in percent what may be a mine where it is not."""
    text = Text()
    best = None if decision.best is None else decision.best.cell
    for row in range(board.rows):
        for column in range(board.columns):
            state, chance = board[row, column], float(decision.mine_probability[row, column])
            if state == 0:
                cell, style = "·", _STYLES["0"]
            elif state < State.HIDDEN or np.isnan(chance):
                cell, style = CHARACTERS[state], _STYLES.get(CHARACTERS[state], "")
            elif chance == 1:
                cell, style = "*", _STYLES["*"]
            else:
                cell, style = percent(chance), "black on green" if chance == 0 else _shade(chance)
            if (row, column) == best:
                style = "bold black on bright_white"
            text.append(f"{cell:>2} ", style)
        text.append("\n")
    return text


def _shade(chance: float) -> str:
    """Darker where a mine is likelier: readable without telling colours apart."""
    level = round(230 - 150 * chance)
    return f"{'black' if level > 140 else 'white'} on rgb({level},{level},{min(255, level + 25)})"  # noqa: PLR2004  (half way)


def _move(reading: Reading, decision: Decision) -> Text:
    if decision.best is None:
        return Text("nothing left to open")
    move = decision.best
    if decision.safe:
        what = f"{len(decision.safe)} certain, first {move.cell}: {move.reason}"
    else:
        what = f"guess {move.cell}, {percent(move.mine_probability)}% a mine: {move.reason}"
    # A large board's layouts are beyond any float.
    layouts = "" if decision.layouts is None else f", about 10^{len(str(decision.layouts)) - 1} layouts"
    left = "any number of" if reading.mines_left is None else reading.mines_left
    return Text(f"{what}\n{left} mines left{layouts}", style="dim")
