"""A game as it is played: live board, chances and last move in a terminal, plain lines elsewhere."""

from types import TracebackType
from typing import Self

from rich.console import Console, Group
from rich.live import Live
from rich.text import Text

from sweepbot.cli.board_view import board_view
from sweepbot.cli.output import counted
from sweepbot.player import Chosen, Decided, Ended, Event, Found, GameResult, HandedOver, Resized, Waiting
from sweepbot.render.text import percent
from sweepbot.solver import Decision
from sweepbot.vision.reader import Reading

_REFRESHES = 12  # a second
_LINES_BELOW = 3  # of words under the board


class LiveView:
    """Shows what a player tells; use it as a context manager and give the player its `observe`.

    Args:
        console: Where to.
        games: How many games will be played; None where that is not known before.
    """

    def __init__(self, console: Console, games: int | None) -> None:
        self._console = console
        self._games = games
        self._live = Live(console=console, refresh_per_second=_REFRESHES) if console.is_terminal else None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._live is not None:
            self._live.stop()

    def observe(self, event: Event) -> None:
        """Take note of what a player tells."""
        match event:
            case Found(reading=reading):
                self._console.print(found(reading), markup=False)
            case Chosen(others=others):
                also = "another window looks" if others == 1 else f"{others} other windows look"
                self._console.print(f"{also} like a Minesweeper by its title: the one in front is played")
            case Resized(before=before, now=now):
                sizes = f"{before.width}x{before.height}", f"{now.width}x{now.height}"
                what = f"made the client's window larger, {' to '.join(sizes)}"
                what = what if len(set(sizes)) > 1 else "moved the client's window on to the screen"
                self._console.print(f"{what}; it is put back at the end")
            case Waiting(why=why):
                self._console.print(f"waiting: {why}", markup=False, style="dim")
            case Decided(reading=reading, decision=decision):
                if decision.cut_short and decision.best is not None and not decision.safe:
                    self._console.print(f"no time to look further ahead: {decision.best.cell} is opened")
                self._show(reading, decision, move_in_words(reading, decision))
            case HandedOver(reading=reading, guess=guess):
                cell, chance = guess.cell, percent(guess.mine_probability)
                self._show(reading, None, "it is your turn")
                self._console.print(
                    f"your turn: nothing is certain. The best guess is under the pointer: {cell}, {chance}% a mine",
                    markup=False,
                )
            case Ended(number=number, result=result, reading=reading):
                words = result_in_words(result)
                self._show(reading, None, words)
                of_all = "" if self._games is None else f" of {self._games}"
                self._console.print(f"game {number}{of_all}: {words}")

    def _show(self, reading: Reading, decision: Decision | None, words: str) -> None:
        """Put a board and words about it in the place of the last ones."""
        if self._live is None:
            return
        self._live.start()  # not before there is a board to show: other progress is shown until then
        board = board_view(reading.board, decision, self._console.width, self._console.height - _LINES_BELOW)
        self._live.update(Group(board, Text(words, style="dim")))


def found(reading: Reading) -> str:
    """Which board was found, and where."""
    board, region = reading.board, reading.grid.region
    mines = "an unknown number of mines" if board.mines is None else counted(board.mines, "mine")
    across, down = reading.grid.pitch
    cells = f"{across:.3g}" if round(across, 1) == round(down, 1) else f"{across:.3g}x{down:.3g}"
    return (
        f"found {reading.client}, {board.columns}x{board.rows} cells of {cells} px with {mines},"
        f" at {region.width}x{region.height}+{region.x}+{region.y}"
    )


def result_in_words(result: GameResult) -> str:
    """How a game ended, and in how much of what."""
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


def move_in_words(reading: Reading, decision: Decision) -> str:
    """What is opened next and why, and what is left to find."""
    if decision.best is None:
        what = "only mines are left"
    elif decision.safe:
        what = f"{len(decision.safe)} certain, first {decision.best.cell}: {decision.best.reason}"
    else:
        move = decision.best
        what = f"guess {move.cell}, {percent(move.mine_probability)}% a mine: {move.reason}"
    left = "any number of mines" if reading.mines_left is None else counted(reading.mines_left, "mine")
    layouts = "" if decision.layouts is None else f", {_layouts_in_words(decision.layouts)}"
    return f"{what}\n{left} left{layouts}"


def _layouts_in_words(layouts: int) -> str:
    """A count, as a power of ten where it is long: a large board's layouts are beyond any float."""
    # The digits of a number as long as those are not to be had from str(), which is too slow for that.
    exponent = (layouts.bit_length() - 1) * 30_103 // 100_000  # log10(2)
    return counted(layouts, "layout") if layouts < 10**6 else f"about 10^{exponent} layouts"
