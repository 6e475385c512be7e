"""Judging how a game has ended, or probably has, if the board alone does not show it: pure functions."""

from collections.abc import Collection
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from sweepbot.board import CLOSED, MAY_BE_CLOSED, Board, Phase, State, are_numbers, around, cells_in, shows
from sweepbot.errors import StuckError
from sweepbot.geometry import Cell
from sweepbot.outcome import ANOTHER_GAME_SHARE, Clicked, Outcome, Verdict, are_others
from sweepbot.player.states import Effect, Examined, Position, Progress, Unreadable
from sweepbot.solver.unknown_total import may_be_over
from sweepbot.vision.pictures.board import apart, changed
from sweepbot.vision.reading import Reading

_HIDDEN_SHARE = 0.5  # of the cells of a board, or of its numbers: as many are not seen if the client hides it
_OTHER_LIGHT_SHARE = 0.5  # of the hidden cells: if more look otherwise, it is the light
_RIM_PX = 3  # of a cell's picture that does not count, as its neighbours show there
_SAMPLED_CELLS = 20  # hidden cells with which others are compared
_MIN_ALIKE_MINES = 3  # mines of a board that are shown, the cell itself included
_MIN_DRAWN_LEVELS = 4.0  # standard deviation of the greys of a cell that has anything drawn on it
_MIN_LIKENESS = 0.9  # correlation of the greys of a cell with those before, in whatever light
_DRAWN_ANEW_LEVELS = 1.0  # mean difference between two pictures of a hidden cell: by less, only its lines differ
_ALIKE_LEVELS = 6.0  # mean difference between two cells with the same mark, which may be cut out half a pixel apart


def judge_stuck(before: Board, game: Progress, attempts: int, *, is_loss_known: bool) -> Verdict | StuckError:
    """Return how a game ended whose board has not reacted to `attempts` rounds of clicks; an error if that is unclear.

    `is_loss_known` says whether it is known what a mine that was hit looks like.
    """
    is_unread = game.guessed is not None and not is_loss_known and before[game.guessed] == State.UNKNOWN
    if is_unread and not may_be_over(before):  # else it may be the last cell, with a number that was never seen
        return Verdict.LOST
    # If no loss is known, a guess may have hit a mine; and no click changes a mere picture of a board.
    if game.has_changed and before.mines is None and may_be_over(before) and is_loss_known:
        return Verdict.WON
    return StuckError(
        f"the board has not changed after {attempts} rounds of clicks",
        hint="is its window in front, does another program hold the mouse, or must a dialog or a button be answered?",
    )


def is_hidden(now: Board, before: Board) -> bool:
    """Whether a client shows something else instead of its board, as while it is paused: no move changes a number."""
    was_number = are_numbers(before.cells)
    gone = int(np.count_nonzero(was_number & (now.cells != before.cells)))
    is_unread = now.count(State.UNKNOWN) >= _HIDDEN_SHARE * now.cells.size
    return is_unread or gone > _HIDDEN_SHARE * int(np.count_nonzero(was_number))


def is_another(now: Board, over: Board) -> bool:
    """Whether a board is another than that of a finished game, which some clients go on showing as unfinished.

    A message may be in front of it. Where nothing was open, a loss at the first click may show mines that nobody can
    read: what could not be read must be hidden then.
    """
    was_open, was_unread = ~np.isin(over.cells, MAY_BE_CLOSED), over.cells == State.UNKNOWN
    if now.cells.shape != over.cells.shape or not (was_open | was_unread).any():
        return True
    if not was_open.any():
        return bool((now.cells[was_unread] == State.HIDDEN).mean() > ANOTHER_GAME_SHARE)
    return are_others(now, over, was_open)


def is_other_game(now: Reading, over: Reading) -> bool:
    """Whether a reading shows another game than one that is over; a cell that looks as it did shows what it did."""
    picture, earlier, board = now.seen.picture, over.seen.picture, now.board
    if picture.shape != earlier.shape or board.cells.shape != over.board.cells.shape:
        return is_another(board, over.board)
    differ = changed(picture, earlier)
    cells = np.where(differ, board.cells, over.board.cells)
    return bool(differ.any()) and is_another(Board(cells, board.mines), over.board)


def is_played_out(position: Position) -> bool:
    """Whether no cell is left to open on a board whose total is unknown, so that only mines can be left."""
    decision, board = position.decision, position.reading.board
    return decision is not None and decision.best is None and board.mines is None and not board.count(State.UNKNOWN)


def is_won_played_out(position: Position, *, flags_to_win: bool) -> bool:
    """Whether a board that is played out is won; if the client requires flags, only once every mine has one."""
    board = position.reading.board
    return is_played_out(position) and not (flags_to_win and board.count(State.HIDDEN, State.QUESTION))


def all_opened(reading: Reading, opened: Collection[Cell], mines: Collection[Cell] = ()) -> Reading | None:
    """Return the end of a game with every safe cell open, though some cannot be read; None if one may be left.

    Those that were `opened` as certain ones are open, and those with a zero beside them; certain `mines` are closed. It
    is for boards on which no cell is left to open by what is known of their mines.
    """
    board, closed = reading.board, np.isin(reading.board.cells, CLOSED)
    for cell in mines:
        closed[cell] = True
    may_be_closed = (board.cells == State.UNKNOWN) & (around(board.cells == 0) == 0) & ~closed
    for cell in opened:
        may_be_closed[cell] = False
    end = Board(np.where(closed, np.uint8(State.FLAG), around(closed)), board.mines)
    is_proven = board.mines in (None, int(closed.sum())) and not may_be_closed.any()
    agrees = (end.cells == board.cells)[board.cells < State.HIDDEN].all()
    return replace(reading, board=end, phase=Phase.WON) if is_proven and agrees else None


def is_whole(reading: Reading) -> bool:
    """Whether a reading shows the end of a game with every cell readable."""
    return reading.over and not reading.board.count(State.UNKNOWN)


def likely_ending(
    unread: Unreadable, place: Reading, clicked: Clicked | None, *, is_first_game: bool, is_window_known: bool
) -> str | None:
    """Return how a game with an unreadable board has probably ended, `won` or `lost`, to close its dialogs; else None.

    Args:
        unread: What was seen of the board.
        place: Its reading before.
        clicked: What was clicked since.
        is_first_game: Whether what covers the board may have been there before the first game.
        is_window_known: Whether there is information on the client's window.
    """
    if place.over:
        return str(place.phase.value)
    if clicked is None and is_first_game and is_window_known:
        return "lost"
    board = unread.doubt.reading.board
    if board.count(State.MINE, State.EXPLODED, State.WRONG_FLAG):
        return "lost"
    # A page that brings up its dialog at once may not have shown the cells that were opened last.
    opened = 0 if clicked is None else sum(board[cell] in CLOSED for cell in clicked.cells)
    closed = board.count(*CLOSED) - opened
    may_be_won = place.board.mines is None or closed <= place.board.mines  # in mid-game more are closed
    is_readable = board.count(State.UNKNOWN) < board.cells.size
    # If no window is known, a board that is covered as a whole after our click is as good as a dialog.
    hides_all = not is_window_known and not is_readable
    if clicked is not None and (may_be_won or not clicked.certain) and (hides_all or unread.is_dialog_up):
        is_won = clicked.certain or clicked.are_last or hides_all
        return "won" if is_won else "lost"
    return None if board.count(State.HIDDEN, State.QUESTION) or not is_readable else "won"


def complete_won_board(before: Board, clicked: Collection[Cell], now: Board) -> Board | None:
    """Return the whole final board of a won game that can be read only in part; None if its mines are unknown.

    Cells that were open before or were clicked are open. The other cells not seen open, or else the flagged ones, are
    the mines if they are as many as there are, or if that is unknown, if all numbers agree. All numbers follow from the
    mines.
    """
    closed = (now.cells >= State.HIDDEN) & (before.cells >= State.HIDDEN)
    for cell in clicked:
        closed[cell] = False
    known = np.where(before.cells < State.HIDDEN, before.cells, now.cells)  # what covers a number does not change it
    for mines in (closed, now.cells == State.FLAG):
        agree = (around(mines) == known)[known < State.HIDDEN]
        if int(mines.sum()) == now.mines or (now.mines is None and agree.size and agree.all()):
            return Board(np.where(mines, np.uint8(State.FLAG), around(mines)), now.mines)
    return None


def likely_mines(now: Reading) -> list[Cell]:
    """Return the cells that first sight does not read, but takes for mines sooner than for anything else."""
    if now.seen.told is None:
        return []
    return cells_in((now.board.cells == State.UNKNOWN) & shows(now.seen.told.likeliest, State.MINE, State.EXPLODED))


def changed_cells(before: Reading, now: Reading) -> NDArray[np.bool_] | None:
    """Return which cells look otherwise in two readings of a board; None if it was read at another size.

    If most hidden cells have changed, it is the light that has: then only those unread cells count that look unlike
    hidden ones, and like at least two others.
    """
    picture, board = now.seen.picture, now.board.cells
    if picture.shape != before.seen.picture.shape:
        return None
    differ = changed(picture, before.seen.picture)
    hidden = (before.board.cells == State.HIDDEN) & (board == State.HIDDEN)
    apart_levels = np.abs(apart(picture).astype(np.int16) - apart(before.seen.picture)).mean(axis=(1, 2, 3))
    differ &= ~hidden | (apart_levels.reshape(hidden.shape) >= _DRAWN_ANEW_LEVELS)
    if not hidden.any() or differ[hidden].mean() <= _OTHER_LIGHT_SHARE:
        return differ
    cells = apart(picture)[:, _RIM_PX:-_RIM_PX, _RIM_PX:-_RIM_PX].astype(np.int16)
    plain = cells[np.flatnonzero(hidden)[:_SAMPLED_CELLS]]
    unread = np.flatnonzero(differ & (board == State.UNKNOWN) & (before.board.cells == State.HIDDEN))
    marks = [it for it in unread if not _like(cells[it], plain).any()]
    differ &= board < State.HIDDEN
    differ.flat[[it for it in marks if _like(cells[it], cells[marks]).sum() >= _MIN_ALIKE_MINES]] = True
    return differ


def relit_cells(before: Reading, now: Reading) -> NDArray[np.bool_] | None:
    """Return which cells of a board most of which cannot be read look as before, but lighter or darker.

    None if most can be read, or it was read at another size.
    """
    shape, pictures = now.board.cells.shape, [reading.seen.picture for reading in (before, now)]
    if now.unread <= _OTHER_LIGHT_SHARE * now.board.cells.size or pictures[0].shape != pictures[1].shape:
        return None
    greys = (
        apart(it)[:, _RIM_PX:-_RIM_PX, _RIM_PX:-_RIM_PX].mean(axis=3).reshape(shape[0] * shape[1], -1)
        for it in pictures
    )
    was, seen = (grey - grey.mean(axis=1, keepdims=True) for grey in greys)
    spreads = was.std(axis=1), seen.std(axis=1)
    is_drawn = np.minimum(*spreads) >= _MIN_DRAWN_LEVELS
    likeness = (was * seen).mean(axis=1) / np.maximum(spreads[0] * spreads[1], 1)
    return np.asarray(is_drawn & (likeness >= _MIN_LIKENESS)).reshape(shape)


def unlike_hidden(now: Reading) -> list[Cell]:
    """Return the cells that are read as hidden and look unlike nearly all of those nearest to the board's end."""
    hidden = np.flatnonzero(now.board.cells == State.HIDDEN)
    cells = apart(now.seen.picture)[:, _RIM_PX:-_RIM_PX, _RIM_PX:-_RIM_PX].astype(np.int16)
    if len(hidden) <= _SAMPLED_CELLS:
        return []

    def is_unlike(number: int) -> bool:
        plain = cells[hidden[hidden != number][-_SAMPLED_CELLS:]]
        return int(_like(cells[number], plain).sum()) < _MIN_ALIKE_MINES

    return [Cell(*divmod(it, now.board.columns)) for it in hidden.tolist() if is_unlike(it)]


def _like(cell: NDArray[np.int16], others: NDArray[np.int16]) -> NDArray[np.bool_]:
    """Return which of several cells look like one."""
    return np.asarray(np.abs(others - cell).mean(axis=(1, 2, 3)) <= _ALIKE_LEVELS)


def end_of(effect: Effect, seen: Examined, outcome: Outcome, beside: Reading | None = None) -> Position:
    """Return the last position of a game that is over, even if its end is not seen as a whole.

    If closing what had come up has begun the next game, `beside` is what could be read beside it.
    """
    before, now = effect.before, seen.reading
    is_next = isinstance(seen, Position) and not now.over and is_another(now.board, before.reading.board)
    shown = seen if isinstance(seen, Position) and not is_next else before
    if shown is before and not is_next and before.reading.phase is Phase.FRESH:  # a new game has nothing open, either
        shown = replace(before, reading=now)
    if shown is seen and (is_whole(now) or outcome.verdict is not Verdict.WON):
        return shown
    last = now if not is_next else beside or before.reading
    end = complete_won_board(before.reading.board, effect.clicked.cells, last.board)
    is_counted = last is not before.reading or last.board.mines is not None  # else zeros were opened that nobody saw
    if outcome.verdict is Verdict.WON and end is not None and is_counted:
        return replace(before, reading=replace(last, board=end, phase=Phase.WON))
    # What is flagged now is a mine if nobody has set the flag.
    flags = (last.board.cells == State.FLAG) & (before.reading.board.cells == State.HIDDEN)
    shows_mines = last.board.phase() is Phase.LOST or set(cells_in(flags)).difference(effect.clicked.marked)
    if outcome.verdict is Verdict.LOST and is_next and shows_mines:
        return replace(before, reading=replace(last, phase=Phase.LOST))
    return shown


def idle_click(before: Board, now: Board) -> Cell | None:
    """Return an open 0, on which a click does nothing, if all that is new is that open cells cannot be read now.

    The numbers of a page may all look different at once when its text is selected, and a click ends the selection.
    """
    unread, open_before = now.cells == State.UNKNOWN, before.cells < State.HIDDEN
    is_other = open_before & ~unread & (now.cells != before.cells)
    zeros = [cell for cell in now.where(0) if before[cell] == 0]  # while paused, a hidden cell may look like one
    return zeros[0] if zeros and unread.any() and not ((unread & ~open_before) | is_other).any() else None
