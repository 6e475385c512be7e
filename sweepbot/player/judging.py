"""How a game has ended, or likely has, where the board alone does not tell: pure functions of what was seen."""

import numpy as np

from sweepbot.board import Board, State
from sweepbot.errors import StuckError
from sweepbot.geometry import Cell
from sweepbot.outcome import Clicked, Verdict
from sweepbot.player.round import UNOPENED
from sweepbot.player.states import Position
from sweepbot.solver.unknown_total import may_be_over
from sweepbot.vision.reader import Reading


def end_of_stuck(
    before: Board, guessed: Cell | None, attempts: int, *, has_changed: bool, is_loss_known: bool
) -> Verdict | StuckError:
    """How a game ended whose board no longer changes with any click; an error if that cannot be told.

    Args:
        before: The board.
        guessed: The cell of the guess that has changed it last; None where certain cells have.
        attempts: How many rounds of clicks have changed nothing.
        has_changed: Whether any click of the game has changed it: a picture of a board takes none.
        is_loss_known: Whether it is known what a mine looks like that was hit.
    """
    is_unread = guessed is not None and not is_loss_known and before[guessed] == State.UNKNOWN
    if is_unread and not may_be_over(before):  # else it may be the last cell, with a number that was never seen
        return Verdict.LOST
    # Where no loss is known a guess may have hit a mine.
    if has_changed and before.mines is None and may_be_over(before) and is_loss_known:
        return Verdict.WON
    return StuckError(
        f"the board has not changed after {attempts} rounds of clicks",
        hint="is the client's window in front, and does another window wait for an answer?",
    )


def is_another(now: Board, over: Board) -> bool:
    """Whether a board is another one than that of a finished game, which some clients still show as unfinished."""
    was_open = ~np.isin(over.cells, (*UNOPENED, State.UNKNOWN))
    if now.cells.shape != over.cells.shape or not was_open.any():
        return True
    return bool((now.cells[was_open] != over.cells[was_open]).any())


def is_played_out(position: Position) -> bool:
    """Whether nothing is left to open on a board whose total is not known: only mines can be left."""
    decision, board = position.decision, position.reading.board
    return decision is not None and decision.best is None and board.mines is None and not board.count(State.UNKNOWN)


def is_won_played_out(position: Position, *, flags_to_win: bool) -> bool:
    """Whether such a board is won: where the client asks for flags, once every mine has one."""
    board = position.reading.board
    return is_played_out(position) and not (flags_to_win and board.count(State.HIDDEN, State.QUESTION))


def is_whole(reading: Reading) -> bool:
    """Whether a reading shows the end of a game, and every cell of it."""
    return reading.over and not reading.board.count(State.UNKNOWN)


def likely_ending(
    now: Reading,
    place: Reading,
    clicked: Clicked | None,
    *,
    is_first_game: bool,
    is_window_known: bool,
    is_dialog_up: bool,
) -> str | None:
    """How a game has likely ended whose board cannot be read, so that its dialogs can be closed; None if it has not.

    Args:
        now: What is made of the board.
        place: What it was before.
        clicked: What was clicked since.
        is_first_game: Whether what covers the board may be there from before the first game.
        is_window_known: Whether the system tells of the client's window.
        is_dialog_up: Whether a dialog is seen.
    """
    if place.over:
        return str(place.phase.value)
    if clicked is None and is_first_game and is_window_known:
        return "lost"
    board = now.board
    if board.count(State.MINE, State.EXPLODED, State.WRONG_FLAG):
        return "lost"
    # A page that asks at once may not have shown yet what was opened last.
    opened = 0 if clicked is None else sum(board[cell] in UNOPENED for cell in clicked.cells)
    closed = board.count(*UNOPENED) - opened
    may_be_won = place.board.mines is None or closed <= place.board.mines  # more are closed in the middle of a game
    is_readable = board.count(State.UNKNOWN) < board.cells.size
    # Where no window is known, a board that a click of ours has had covered as a whole tells as much.
    hides_all = not is_window_known and not is_readable
    if clicked is not None and (may_be_won or not clicked.certain) and (hides_all or is_dialog_up):
        is_won = clicked.certain or clicked.are_last or hides_all
        return "won" if is_won else "lost"
    return None if board.count(State.HIDDEN, State.QUESTION) or not is_readable else "won"


def idle_click(before: Board, now: Board) -> Cell | None:
    """An open 0, on which a click does nothing, where only cells cannot be read that were read as numbers before.

    Numbers look another all at once as selected text does on a page, and an idle click lets them look as they did.
    """
    unread, open_before = now.cells == State.UNKNOWN, before.cells < State.HIDDEN
    zeros = now.where(0)
    return zeros[0] if zeros and unread.any() and not (unread & ~open_before).any() else None
