"""A live view of a game: board, chances and last move in a terminal, plain lines elsewhere."""

import math
import time

from msgspec.structs import replace
from rich.console import Console, Group
from rich.live import Live
from rich.text import Text

from sweepbot.board import Board
from sweepbot.cli.board_view import board_view
from sweepbot.explaining import move_in_words
from sweepbot.render.text import counted
from sweepbot.trace import events
from sweepbot.vision.grid import Grid

_REFRESH_S = 0.08  # between two pictures, as more would slow the game down
_LINES_BELOW = 4  # of words under the board


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
        self._mines: int | None = None
        self._decided: events.Decided | None = None
        # No thread of its own refreshes it, which would wait for its turn while the game goes on.
        self._live = Live(console=console, auto_refresh=False) if console.is_terminal else None
        self._refreshed_s = -math.inf

    def close(self) -> None:
        """Leave the board as it was seen last."""
        if self._rows:
            self._show("", is_last=True)
        if self._live is not None:
            self._live.stop()

    def observe(self, event: events.Event) -> None:
        """Show an event."""
        match event:
            case events.Found() | events.Read():
                is_doubted = isinstance(event, events.Read) and event.doubt
                self._rows = self._with_numbers(event.rows) if is_doubted else event.rows
                self._mines = event.mines
                if isinstance(event, events.Found):
                    self._console.print(found_in_words(event))
            case events.Chosen() | events.Resized() | events.GoesOn() | events.Waiting():
                self._console.print(str(event), style="dim")
            case events.Decided(best=best):
                if event.cut_short and best is not None and not event.safe:
                    self._console.print(f"no time to look further ahead: opening {best}")
                self._decided = event
                self._show("\n".join(move_in_words(event, Board.parse(self._rows, self._mines))))
            case events.FollowUp(rows=rows, safe=safe):
                self._rows = rows
                # Its other chances are those of the decision: to count them anew would slow the game down.
                self._decided = self._decided and replace(self._decided, safe=safe, best=safe[0])
                self._show(str(event))
            case events.Restarting():
                self._rows = []
            case events.HandedOver():
                self._show("it is your turn")
                self._console.print(str(event))
            case events.Ended(number=number, board=rows):
                self._rows = self._with_numbers(rows)
                self._show("", is_last=True)
                which = {None: f"game {number}: ", 1: ""}.get(self._games, f"game {number} of {self._games}: ")
                self._console.print(f"{which}{result_in_words(event)}")

    def _with_numbers(self, rows: list[str]) -> list[str]:
        """Return rows with the numbers of this game that were seen before, as the client's own box may be over them."""
        if [*map(len, rows)] != [*map(len, self._rows)]:
            return rows
        pairs = (zip(*rows, strict=True) for rows in zip(self._rows, rows, strict=True))
        return ["".join(was if was.isdigit() and now in "#." else now for was, now in row) for row in pairs]

    def _show(self, words: str, *, is_last: bool = False) -> None:
        """Replace the board and the words under it, unless that was done just before; the last one has no chances."""
        now = time.monotonic()
        if self._live is None or (not is_last and now < self._refreshed_s + _REFRESH_S):
            return
        self._refreshed_s = now
        self._live.start()  # not before there is a board: other progress is shown until then
        decided, height = None if is_last else self._decided, self._console.height - _LINES_BELOW
        board = board_view(Board.parse(self._rows), decided, self._console.width, height)
        below = [Text(words, style="dim", no_wrap=False, overflow="fold")] if words else []
        self._live.update(Group(board, *below), refresh=True)


def found_in_words(event: events.Found) -> str:
    """Say which board was found, and where."""
    mines = "an unknown number of mines" if event.mines is None else counted(event.mines, "mine")
    grid = Grid(event.xs, event.ys)
    across, down = grid.pitch
    cells = f"{across:.3g}" if round(across, 1) == round(down, 1) else f"{across:.3g}x{down:.3g}"
    return f"found {event.client}, {grid.columns}x{grid.rows} cells of {cells} px with {mines}, at {grid.region}"


def result_in_words(result: events.GameResult) -> str:
    """Say how a game ended, with its figures."""
    counts = [counted(result.clicks, "click"), counted(result.reads, "read")]
    counts.append(counted(result.guesses, "guess", "guesses"))
    if result.cut_short:
        counts.append(f"{result.cut_short} of them cut short")
    if result.misreads:
        counts.append(counted(result.misreads, "misread"))
    clock = "" if result.client_seconds is None else f", the client's clock says {result.client_seconds}"
    return f"{result.result} in {result.seconds:.2f} s{clock} ({', '.join(counts)})"
