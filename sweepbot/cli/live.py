"""A live view of a game: board, chances and last move in a terminal, plain lines elsewhere."""

import math

from rich.console import Console, Group
from rich.live import Live
from rich.text import Text

from sweepbot.board import Board
from sweepbot.cli.board_view import board_view
from sweepbot.cli.output import counted
from sweepbot.render.text import percent
from sweepbot.trace.events import Chosen, Decided, Ended, Event, Found, GameResult, HandedOver, Read, Resized, Waiting
from sweepbot.vision.grid import Grid

_REFRESHES = 12  # a second
_LINES_BELOW = 3  # of words under the board
_LONG = 6  # digits from which a count is given as a power of ten


class LiveView:
    """Shows the events of a player, which is given its `observe`.

    Args:
        console: Where to show them.
        games: How many games will be played; None if not known in advance.
    """

    def __init__(self, console: Console, games: int | None) -> None:
        self._console = console
        self._games = games
        self._rows: list[str] = []
        self._live = Live(console=console, refresh_per_second=_REFRESHES) if console.is_terminal else None

    def close(self) -> None:
        """Leave what is shown last."""
        if self._live is not None:
            self._live.stop()

    def observe(self, event: Event) -> None:
        """Show an event."""
        match event:
            case Found(rows=rows):
                self._console.print(found_in_words(event))
                self._rows = rows
            case Chosen() | Resized():
                self._console.print(str(event))
            case Waiting():
                self._console.print(str(event), style="dim")
            case Read(rows=rows):
                self._rows = rows
            case Decided(best=best):
                if event.cut_short and best is not None and not event.safe:
                    self._console.print(f"no time to look further ahead: opening {best}")
                self._show(event, "\n".join(move_in_words(event)))
            case HandedOver():
                self._show(None, "it is your turn")
                self._console.print(str(event))
            case Ended(number=number, board=rows):
                self._rows = rows
                self._show(None, result_in_words(event))
                of_all = "" if self._games is None else f" of {self._games}"
                self._console.print(f"game {number}{of_all}: {result_in_words(event)}")

    def _show(self, decision: Decided | None, words: str) -> None:
        """Replace the board and the words under it."""
        if self._live is None:
            return
        self._live.start()  # not before there is a board: other progress is shown until then
        board = board_view(Board.parse(self._rows), decision, self._console.width, self._console.height - _LINES_BELOW)
        self._live.update(Group(board, Text(words, style="dim")))


def found_in_words(event: Found) -> str:
    """Say which board was found, and where."""
    mines = "an unknown number of mines" if event.mines is None else counted(event.mines, "mine")
    grid = Grid(event.xs, event.ys)
    across, down = grid.pitch
    cells = f"{across:.3g}" if round(across, 1) == round(down, 1) else f"{across:.3g}x{down:.3g}"
    return f"found {event.client}, {grid.columns}x{grid.rows} cells of {cells} px with {mines}, at {grid.region}"


def result_in_words(result: GameResult) -> str:
    """Say how a game ended, with its figures."""
    counts = [
        counted(result.clicks, "click"),
        counted(result.reads, "read"),
        counted(result.guesses, "guess", "guesses"),
    ]
    if result.cut_short:
        counts.append(f"{result.cut_short} of them cut short")
    if result.misreads:
        counts.append(counted(result.misreads, "misread"))
    clock = "" if result.client_seconds is None else f", the client's clock says {result.client_seconds}"
    return f"{result.result} in {result.seconds:.2f} s{clock} ({', '.join(counts)})"


def move_in_words(decision: Decided) -> tuple[str, str]:
    """Say what is opened next and why, and what is left to find: a line each."""
    if decision.best is None:
        what = "only mines are left"
    elif decision.safe:
        what = f"{len(decision.safe)} certain, first {decision.best}: {decision.reason}"
    else:
        chance = percent(decision.chances[decision.best.row][decision.best.column] or 0.0)
        what = f"guess {decision.best}, {chance}% a mine: {decision.reason}"
    left = "any number of mines" if decision.mines_left is None else counted(decision.mines_left, "mine")
    layouts = "" if decision.layouts is None else f", {_layouts_in_words(decision.layouts)}"
    return what, f"{left} left{layouts}"


def _layouts_in_words(layouts: float) -> str:
    """Put a number of layouts into words, given its logarithm to base 2: it may be too large for a float."""
    exponent = layouts * math.log10(2)
    return counted(round(2**layouts), "layout") if exponent < _LONG else f"about 10^{math.floor(exponent)} layouts"
