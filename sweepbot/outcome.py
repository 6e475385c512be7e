"""The verdict on a game after some clicks: a pure function of the position before, the clicks, and what is seen."""

from collections.abc import Collection
from dataclasses import dataclass, replace
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from sweepbot.board import Board, Phase, State, are_numbers, around, cells_in, neighbours, shows
from sweepbot.geometry import Cell

ANOTHER_GAME_SHARE = 0.1
"""Of the cells that were open: if more are closed, or others, it is another game; a message hides fewer."""
_SAME_NUMBERS_SHARE = 0.5  # of a board's numbers, that are as before only in the same game

_MIN_APART_PLACES = 3  # places apart from each other, at which mines are shown
_MAX_UNREADABLE_SHARE = 0.5  # of the cells of a board: if more are unreadable, or numbers others, it shows no end
_MIN_RELIT_SHARE = 0.5  # of the numbers that must look as before in another light, as words may be over the others


class Verdict(Enum):
    """How a game stands."""

    WON = "won"
    LOST = "lost"
    PLAYING = "playing"
    BEGUN_ANEW = "begun anew"
    """Another game is on the board, and the end of the one before was not seen."""
    ENDED_BY_HAND = "ended by hand"
    """A person hit a mine."""
    UNCLEAR = "unclear"


@dataclass(frozen=True, slots=True)
class Clicked:
    """The clicks of a round.

    Attributes:
        cells: The cells that they were to open.
        marked: The cells that they were to flag.
        certain: Whether the opened cells were certainly safe, or a guess.
        are_last: Whether no other safe cell can have been left.
        may_end: Whether they can have ended the game: not if all cells are seen to be open, and others are left.
    """

    cells: Collection[Cell] = ()
    marked: Collection[Cell] = ()
    certain: bool = False
    are_last: bool = False
    may_end: bool = True


@dataclass(frozen=True, slots=True, eq=False)
class SeenAfter:
    """What is seen after the clicks.

    Attributes:
        board: What the cells show; unreadable ones are `UNKNOWN`.
        phase: How far the game has come, by its cells and by the client's face if it has one.
        is_trusted: Whether the whole reading is trusted.
        had_dialog: Whether the client has shown a dialog since, even if it is closed now.
        is_loss_known: Whether it is known what a mine that was hit looks like.
        flags_to_win: Whether the client only counts a game as won once every mine is flagged.
        changed: Which cells look otherwise than before the clicks: bool of shape (rows, columns); None if unknown.
        likely_mines: Cells that cannot be read, and are mines sooner than anything else.
        relit: Which cells look as before the clicks, but in another light: bool of shape (rows, columns); None if
            unknown.
        is_total_known: Whether the board's number of mines is more than that of the usual level of its size.
    """

    board: Board
    phase: Phase
    is_trusted: bool = True
    had_dialog: bool = False
    is_loss_known: bool = True
    flags_to_win: bool = False
    changed: NDArray[np.bool_] | None = None
    likely_mines: Collection[Cell] = ()
    relit: NDArray[np.bool_] | None = None
    is_total_known: bool = True


@dataclass(frozen=True, slots=True)
class Outcome:
    """A verdict, and the reason for it in words."""

    verdict: Verdict
    why: str

    @property
    def is_final(self) -> bool:
        """Whether the game is won or lost."""
        return self.verdict in (Verdict.WON, Verdict.LOST)


def outcome(before: Board, clicked: Clicked, seen: SeenAfter) -> Outcome:
    """Judge a game after some clicks. It is only won or lost if that was seen.

    Args:
        before: The position before the clicks.
        clicked: The clicks.
        seen: What is seen after them.
    """
    is_another = _is_another_game(before, seen.board)
    if is_another and seen.phase in (Phase.WON, Phase.LOST):
        return Outcome(Verdict.BEGUN_ANEW, "the board shows the end of another game")
    seen = seen if is_another else _without_paint(before, seen)
    states = [State(seen.board[cell]) if seen.board[cell] >= State.HIDDEN else None for cell in clicked.cells]
    if any(state in (State.MINE, State.EXPLODED) for state in states):
        return Outcome(Verdict.LOST, "a clicked cell shows a mine")
    if seen.board.count(State.MINE) and any(cell in seen.likely_mines for cell in clicked.cells):
        return Outcome(Verdict.LOST, "mines are shown, and most likely one on a clicked cell, too")
    by_unread = _judge_unread_clicks(before, clicked, seen)
    if by_unread is not None or seen.is_trusted:
        return by_unread or _judge_trusted(before, clicked, seen)
    return _judge_untrusted(before, clicked, seen)


def _judge_untrusted(before: Board, clicked: Clicked, seen: SeenAfter) -> Outcome:
    """Judge by a board of which only some cells can be read, or that contradicts itself."""
    if seen.board.count(State.MINE, State.EXPLODED, State.WRONG_FLAG):
        if _is_hit_by_hand(clicked, seen):
            return _HIT_BY_HAND
        are_open = bool(clicked.cells) and _are_open(clicked, seen.board)
        if not (clicked.certain or are_open):
            return Outcome(Verdict.LOST, "mines are shown on the part of the board that can be read")
        # What the end draws over the board may cover the cells that were clicked last.
        is_covered = not seen.board.count(State.EXPLODED) and all(
            seen.board[cell] < State.HIDDEN or seen.board[cell] == State.UNKNOWN for cell in clicked.cells
        )
        is_told = clicked.certain and seen.had_dialog
        if clicked.are_last and (is_told or ((is_covered or are_open) and not before.count(State.UNKNOWN))):
            return Outcome(Verdict.WON, "the last safe cells were opened, and then the client shows an end")
        return Outcome(Verdict.UNCLEAR, "mines are shown, but no clicked cell is seen to be one")
    if _has_other_numbers(before, seen.board):
        return Outcome(Verdict.UNCLEAR, "open cells do not show what they did")
    return _judge_half_hidden(before, clicked, seen)


def _judge_unread_clicks(before: Board, clicked: Clicked, seen: SeenAfter) -> Outcome | None:
    """Judge if mines are shown and some clicked cells cannot be read: they are unknown numbers, or a mine.

    A client may show the mines of a won game like those of a lost one. None if anything else is hidden or unreadable.
    """
    now = seen.board
    unread = now.cells == State.UNKNOWN
    explained = (before.cells == State.UNKNOWN) | (seen.is_trusted & (before.cells < State.HIDDEN))
    for cell in clicked.cells:
        explained[cell] = True
    others = now.count(State.HIDDEN, State.QUESTION, State.EXPLODED, State.WRONG_FLAG)
    if others or not now.count(State.MINE) or not unread.any() or (unread & ~explained).any():
        return None
    if clicked.certain:
        return Outcome(Verdict.WON, "mines are shown, none was clicked, and nothing else is left to open")
    if now.mines is None or not seen.is_total_known:
        return Outcome(Verdict.UNCLEAR, "mines are shown, and the guessed cell cannot be read: a number, or a mine")
    if now.count(State.MINE, State.FLAG) == now.mines:
        return Outcome(Verdict.WON, "all mines are shown, and the guessed cell is not one of them")
    return Outcome(Verdict.LOST, "all mines are shown except the one that was guessed")


def _judge_trusted(before: Board, clicked: Clicked, seen: SeenAfter) -> Outcome:
    """Judge by a board that can be read completely."""
    if _is_another_game(before, seen.board):
        return _judge_another_game(before, clicked, seen)
    if not clicked.certain and _are_flagged_by_themselves(before, clicked, seen.board):
        return Outcome(Verdict.LOST, "flags have come up that nobody has set, one of them on the guessed cell")
    if seen.phase is Phase.WON:
        return Outcome(Verdict.WON, "the board shows a won game")
    if seen.phase is Phase.LOST:
        return _judge_shown_mines(clicked, seen)
    if _has_hit(before, clicked, seen):
        return _HAS_HIT
    return Outcome(Verdict.PLAYING, "cells are left to open")


def _judge_shown_mines(clicked: Clicked, seen: SeenAfter) -> Outcome:
    """Judge by a board that can be read completely, and shows mines."""
    if _is_hit_by_hand(clicked, seen):
        return _HIT_BY_HAND
    has_hidden, has_exploded = seen.board.count(State.HIDDEN, State.QUESTION) > 0, seen.board.count(State.EXPLODED) > 0
    if clicked.cells and _are_open(clicked, seen.board) and not (has_hidden and has_exploded):
        if has_hidden and not (clicked.certain and clicked.are_last):
            return _HIT_BY_HAND
        return Outcome(Verdict.WON, "mines are shown, and every clicked cell is open")
    return Outcome(Verdict.LOST, "the board shows a lost game")


def _judge_another_game(before: Board, clicked: Clicked, seen: SeenAfter) -> Outcome:
    """Judge a game that has been replaced by another one, as closing a dialog may do."""
    if not seen.had_dialog or not clicked.may_end:
        return Outcome(Verdict.BEGUN_ANEW, "the board shows another game")
    if _may_have_hit(before, seen):
        return _MAY_HAVE_HIT
    if clicked.certain and clicked.cells:  # safe clicks can only end a game by winning it
        return Outcome(Verdict.WON, "certain cells were opened, and the client's dialog has led to the next game")
    if clicked.cells and not (clicked.certain or clicked.are_last):
        return Outcome(Verdict.LOST, "a guess was made, and the client's dialog has led to the next game")
    return Outcome(Verdict.UNCLEAR, "the client's dialog has led to the next game")


def _judge_half_hidden(before: Board, clicked: Clicked, seen: SeenAfter) -> Outcome:
    """Judge by a board on which some cells cannot be read, and none of the others shows a mine."""
    # Unreadable cells count as they were before: an open cell stays open.
    covered = (seen.board.cells == State.UNKNOWN) & (before.cells < State.HIDDEN)
    remembered = Board(np.where(covered, before.cells, seen.board.cells), seen.board.mines)
    are_open = bool(clicked.cells) and _are_open(clicked, seen.board)
    if are_open and remembered.phase(flags_to_win=seen.flags_to_win) is Phase.WON:
        return Outcome(Verdict.WON, "every cell without a mine has been seen open")
    if (clicked.certain or are_open) and clicked.are_last and seen.had_dialog:
        if _may_have_hit(before, seen):
            return _MAY_HAVE_HIT
        return Outcome(Verdict.WON, "the last cells were opened, and the client says that the game is over")
    hidden_from_sight = seen.board.count(State.UNKNOWN)
    is_no_win = clicked.cells and not clicked.certain and not clicked.are_last and not are_open
    new_looks = (seen.board.cells == State.UNKNOWN) & (before.cells != State.UNKNOWN)
    # If only clicked cells are unreadable, they may be numbers that were never seen before.
    if is_no_win and not seen.is_loss_known and new_looks.sum() > len(clicked.cells):
        return Outcome(Verdict.LOST, "a guess was made, and the board shows looks that are new for this client")
    if _has_hit(before, clicked, seen):
        return _HAS_HIT
    is_readable = hidden_from_sight <= _MAX_UNREADABLE_SHARE * seen.board.cells.size
    judged = (_judge_mostly_readable if is_readable else _judge_mostly_covered)(before, clicked, seen)
    return judged or Outcome(Verdict.UNCLEAR, f"{hidden_from_sight} of {seen.board.cells.size} cells cannot be read")


def _judge_mostly_covered(before: Board, clicked: Clicked, seen: SeenAfter) -> Outcome | None:
    """Judge by a board that the client hides itself, since what is left of it is as before; None if nothing is left.

    Its cells may all be in another light, but not those that were clicked: these have changed. Flags that nobody
    has set are the client's, whatever else is covered.
    """
    is_there = bool(((seen.board.cells == before.cells) & (before.cells < State.HIDDEN)).any())
    numbers = are_numbers(before.cells)
    if seen.relit is not None and numbers.any() and not any(seen.relit[cell] for cell in clicked.cells):
        is_there |= bool(seen.relit[numbers].mean() >= _MIN_RELIT_SHARE)
    if not (clicked.cells and clicked.certain) or _may_have_hit(before, seen):
        return None
    if is_there and clicked.are_last:
        return Outcome(Verdict.WON, "every safe cell was opened, and then something has covered the board")
    if _has_flagged(before, clicked, seen.board) and not seen.board.count(State.HIDDEN, State.QUESTION):
        return _FLAGS_THE_REST
    return None


def _judge_mostly_readable(before: Board, clicked: Clicked, seen: SeenAfter) -> Outcome | None:
    """Judge by a board on which most cells can be read; None if these do not decide."""
    now = seen.board
    # What covers the clicked cells themselves may have come with the end of the game.
    are_open = _are_open(clicked, now)
    if now.count(State.HIDDEN, State.QUESTION):
        have_opened = bool(((before.cells == State.HIDDEN) & (now.cells < State.HIDDEN)).any())
        is_going_on = clicked.cells and (are_open or have_opened)
        return Outcome(Verdict.PLAYING, "cells have opened, and others are left") if is_going_on else None
    if clicked.are_last and (clicked.certain or are_open):
        return Outcome(Verdict.WON, "no cell is left hidden on the part of the board that can be read")
    # A guessed cell is no mine if it is seen open, or if all mines are seen elsewhere.
    is_safe = clicked.certain or are_open or (seen.is_total_known and now.count(State.FLAG) == now.mines)
    return _FLAGS_THE_REST if clicked.cells and is_safe and _has_flagged(before, clicked, now) else None


def _has_flagged(before: Board, clicked: Clicked, now: Board) -> bool:
    """Whether flags have come up on hidden cells that nobody has marked."""
    return any(before[it] == State.HIDDEN and it not in clicked.marked for it in now.where(State.FLAG))


def _is_hit_by_hand(clicked: Clicked, seen: SeenAfter) -> bool:
    """Whether a mine went off where nobody clicked, or nothing was clicked at all."""
    # If a client opens all cells at the end, or the total of mines is unknown, a won game may look the same.
    hit = set(seen.board.where(State.EXPLODED)) if seen.board.count(State.HIDDEN, State.QUESTION) else set()
    return bool(hit or not (clicked.cells or clicked.marked)) and hit.isdisjoint((*clicked.cells, *clicked.marked))


_FLAGS_THE_REST = Outcome(Verdict.WON, "the client has flagged the remaining cells, as it does after a won game")
_HIT_BY_HAND = Outcome(Verdict.ENDED_BY_HAND, "the board shows a lost game, and no mine was clicked")
_HAS_HIT = Outcome(Verdict.LOST, "a guess was made, and cells have changed that no click opens: they show mines")
_MAY_HAVE_HIT = Outcome(Verdict.UNCLEAR, "a cell opened earlier cannot be read: a number, or a mine")


def _may_have_hit(before: Board, seen: SeenAfter) -> bool:
    """Whether a mine may have been hit earlier: a client may let play go on, and show it in an unknown way."""
    return not seen.is_loss_known and bool(before.count(State.UNKNOWN))


def _are_open(clicked: Clicked, now: Board) -> bool:
    """Whether every cell that was clicked is seen open."""
    return all(now[cell] < State.HIDDEN for cell in clicked.cells)


def _has_hit(before: Board, clicked: Clicked, seen: SeenAfter) -> bool:
    """Whether a guess has made the client show its mines, which are read as nothing, as flags or as some number."""
    is_guess = bool(clicked.cells) and not clicked.certain and not clicked.are_last
    return is_guess and seen.changed is not None and _are_shown_apart(before, clicked, seen.board, seen.changed)


def _are_shown_apart(before: Board, clicked: Clicked, now: Board, changed: NDArray[np.bool_]) -> bool:
    """Whether hidden cells have changed as no click opens them, in places apart from each other and from the clicks'.

    They have become unreadable, or flags, as the clicked ones have; or numbers with no zero beside them, or zeros with
    a hidden cell beside them, as which those may be read, too.
    """
    near, shown = neighbours(before.rows, before.columns), {int(now[cell]) for cell in clicked.cells}
    left, todo, places = set(cells_in(changed & (before.cells == State.HIDDEN))), list(clicked.cells), 0
    is_alone = are_numbers(now.cells) & (around(now.cells == 0) == 0)
    is_alone |= (now.cells == 0) & (around(now.cells == State.HIDDEN) > 0)
    if min(shown) > State.HIDDEN:
        # Flags that nobody has set may be mines as well; a client that flags what a win has left hides nothing else.
        flags = () if not now.count(State.HIDDEN) else (State.FLAG,)
        is_mine = is_alone | shows(now.cells, State.UNKNOWN, *flags)
    else:
        is_mine = is_alone & shows(now.cells, *shown)
    mines = left.intersection(cells_in(is_mine)).difference(clicked.marked)
    while todo or left:
        todo = todo or [left.pop()]
        place = set(todo)
        while todo:
            found = left.intersection(near[todo.pop()])
            left -= found
            place |= found
            todo += found
        places += bool(mines & place) and not place.intersection(clicked.cells)
    return places >= _MIN_APART_PLACES


def _are_flagged_by_themselves(before: Board, clicked: Clicked, now: Board) -> bool:
    """Whether a cell that was opened shows a flag now, and so does another one: a client's mines may look like that."""
    new = (now.cells == State.FLAG) & (before.cells == State.HIDDEN)
    for cell in clicked.marked:
        new[cell] = False
    return int(new.sum()) > 1 and any(new[cell] for cell in clicked.cells)


def _is_another_game(before: Board, now: Board) -> bool:
    """Whether a board shows another game: so many open cells are closed that nothing drawn over a few explains it."""
    if now.cells.shape != before.cells.shape or not _closed_again(before, now).any():
        return False
    return are_others(now, before, before.cells < State.HIDDEN)


def are_others(now: Board, before: Board, was_open: NDArray[np.bool_]) -> bool:
    """Whether too many open cells have become others for what is drawn over a few, and most numbers are not as before.

    Zeros may look like hidden cells once a client dims its board; another game has other numbers.
    """
    stayed, numbers = now.cells == before.cells, was_open & are_numbers(before.cells)
    if numbers.any() and stayed[numbers].mean() > _SAME_NUMBERS_SHARE:
        return False
    differs = was_open & ~stayed & (now.cells != State.UNKNOWN)
    return int(differs.sum()) > ANOTHER_GAME_SHARE * int(was_open.sum())


def _has_other_numbers(before: Board, now: Board) -> bool:
    """Whether numbers seem to have changed, as if a client that is paused shows one colour instead of its board."""
    was_number = are_numbers(before.cells)
    others = was_number & (now.cells < State.HIDDEN) & (now.cells != before.cells)
    return int(others.sum()) > _MAX_UNREADABLE_SHARE * int(was_number.sum())


def _without_paint(before: Board, seen: SeenAfter) -> SeenAfter:
    """Return what is seen without what is drawn over open cells, as a message: an open cell stays as it was."""
    now = seen.board
    if now.cells.shape != before.cells.shape:
        return seen
    painted = _closed_again(before, now)
    covered = seen.is_trusted & (now.cells == State.UNKNOWN) & (before.cells < State.HIDDEN)
    if not (painted | covered).any():
        return seen
    under = Board(np.where(painted | covered, before.cells, now.cells), now.mines)
    phase = under.phase(flags_to_win=seen.flags_to_win)
    board = Board(np.where(painted, before.cells, now.cells), now.mines)
    return replace(seen, board=board, phase=phase if painted.any() or seen.phase is Phase.PLAYING else seen.phase)


def _closed_again(before: Board, now: Board) -> NDArray[np.bool_]:
    return np.asarray((before.cells < State.HIDDEN) & (now.cells >= State.HIDDEN) & (now.cells != State.UNKNOWN))
