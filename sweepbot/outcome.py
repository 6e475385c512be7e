"""The verdict on a game after some clicks: a pure function of what was known, what was clicked and what is seen."""

from collections.abc import Collection
from dataclasses import dataclass
from enum import Enum

import numpy as np

from sweepbot.board import Board, Phase, State
from sweepbot.geometry import Cell

_MOST_HIDDEN_FROM_SIGHT = 0.5  # of the cells of a board: where more cannot be read, it shows no end of a game


class Verdict(Enum):
    """How a game stands."""

    WON = "won"
    LOST = "lost"
    PLAYING = "playing"
    BEGUN_ANEW = "begun anew"
    """Another game is on the board, and how the one before ended was not seen."""
    UNCLEAR = "unclear"


@dataclass(frozen=True, slots=True)
class Clicked:
    """What was clicked.

    Attributes:
        cells: The cells that were to be opened.
        marked: The cells that were to be flagged.
        certain: Whether each of them was known to hold no mine; else it was a guess.
        are_last: Whether no other cell without a mine can have been left.
    """

    cells: Collection[Cell] = ()
    marked: Collection[Cell] = ()
    certain: bool = False
    are_last: bool = False


@dataclass(frozen=True, slots=True)
class Seen:
    """What came of it.

    Attributes:
        board: What the cells show; unreadable ones are `UNKNOWN`.
        phase: How far the game is by its cells, and by the client's face where it has one.
        is_trusted: Whether the whole of it is believed.
        had_dialog: Whether the client has put up a dialog since, even if it is closed by now.
        is_loss_known: Whether it is known what a mine looks like that was hit.
        flags_to_win: Whether the client counts a game as won only when every mine is flagged.
    """

    board: Board
    phase: Phase
    is_trusted: bool = True
    had_dialog: bool = False
    is_loss_known: bool = True
    flags_to_win: bool = False


@dataclass(frozen=True, slots=True)
class Outcome:
    """A verdict, and why in words."""

    verdict: Verdict
    why: str

    @property
    def is_final(self) -> bool:
        """Whether the game is won or lost."""
        return self.verdict in (Verdict.WON, Verdict.LOST)


def outcome(before: Board, clicked: Clicked, seen: Seen) -> Outcome:
    """Judge what came of clicks. Nothing is won or lost that was not seen to be.

    Args:
        before: The position that was clicked on.
        clicked: What was clicked.
        seen: What the board shows since.
    """
    states = [State(seen.board[cell]) if seen.board[cell] >= State.HIDDEN else None for cell in clicked.cells]
    if any(state in (State.MINE, State.EXPLODED) for state in states):
        return Outcome(Verdict.LOST, "a mine shows where was clicked")
    told = _of_unread_clicks(before, clicked, seen)
    if told is not None or seen.is_trusted:
        return told or _of_trusted(before, clicked, seen)
    if seen.board.count(State.MINE, State.EXPLODED, State.WRONG_FLAG):
        if not clicked.certain:
            return Outcome(Verdict.LOST, "mines show beside what hides a part of the board")
        if clicked.are_last and seen.had_dialog:  # all of them were certain
            return Outcome(Verdict.WON, "the last cells were opened, and the client says that the game is over")
        return Outcome(Verdict.UNCLEAR, "mines show, yet no cell was clicked that may hold one")
    return _of_half_hidden(before, clicked, seen)


def _of_unread_clicks(before: Board, clicked: Clicked, seen: Seen) -> Outcome | None:
    """The verdict where mines show, and of what was clicked some cannot be read: numbers never met, or a mine.

    A client may show the mines of a won game like those of a lost one. None where anything else is hidden or covered.
    """
    now = seen.board
    unread = now.cells == State.UNKNOWN
    explained = (before.cells == State.UNKNOWN) | (seen.is_trusted & (before.cells < State.HIDDEN))
    for cell in clicked.cells:
        explained[cell] = True
    is_left = now.count(State.HIDDEN, State.QUESTION, State.EXPLODED, State.WRONG_FLAG)
    if is_left or not now.count(State.MINE) or not unread.any() or (unread & ~explained).any():
        return None
    if clicked.certain:
        return Outcome(Verdict.WON, "mines show, none was clicked, and nothing else is left to open")
    if now.mines is None:
        return Outcome(Verdict.UNCLEAR, "mines show, and what was guessed at cannot be read: a number, or a mine")
    if now.count(State.MINE, State.FLAG) == now.mines:
        return Outcome(Verdict.WON, "all mines show, and what was guessed at is none of them")
    return Outcome(Verdict.LOST, "all mines show but the one that was guessed at")


def _of_trusted(before: Board, clicked: Clicked, seen: Seen) -> Outcome:
    """The verdict on a board that can be read as a whole."""
    if _is_another_game(before, seen):
        return _of_another_game(before, clicked, seen)
    if seen.phase is Phase.WON:
        return Outcome(Verdict.WON, "the board shows a won game")
    if seen.phase is Phase.LOST:
        # Where a client opens all cells at the end, or the total of mines is not known, a won game may look so too.
        if clicked.certain and _are_open(clicked, seen.board):
            return Outcome(Verdict.WON, "mines show, and every cell that was clicked is open")
        return Outcome(Verdict.LOST, "the board shows a lost game")
    return Outcome(Verdict.PLAYING, "cells are left to open")


def _of_another_game(before: Board, clicked: Clicked, seen: Seen) -> Outcome:
    """The verdict on a game in whose place there is another one: closing a dialog may have begun that at once."""
    if seen.had_dialog and _may_have_hit(before, seen):
        return _MAY_HAVE_HIT
    if seen.had_dialog and clicked.certain and clicked.cells:  # by such clicks a game is ended in one way only
        return Outcome(Verdict.WON, "certain cells were opened, and the client's dialog has led to the next game")
    if seen.had_dialog and clicked.cells and not (clicked.certain or clicked.are_last):
        return Outcome(Verdict.LOST, "a guess was made, and the client's dialog has led to the next game")
    if seen.had_dialog:
        return Outcome(Verdict.UNCLEAR, "the client's dialog has led to the next game")
    return Outcome(Verdict.BEGUN_ANEW, "the board shows another game")


def _of_half_hidden(before: Board, clicked: Clicked, seen: Seen) -> Outcome:
    """The verdict on a board of which some cells cannot be read, and none of the others shows a mine."""
    # Unreadable cells are taken as they were before: an open cell stays open.
    covered = (seen.board.cells == State.UNKNOWN) & (before.cells < State.HIDDEN)
    remembered = Board(np.where(covered, before.cells, seen.board.cells), seen.board.mines)
    are_open = bool(clicked.cells) and _are_open(clicked, seen.board)
    if are_open and remembered.phase(flags_to_win=seen.flags_to_win) is Phase.WON:
        return Outcome(Verdict.WON, "every cell without a mine has been seen open")
    if clicked.certain and clicked.are_last and seen.had_dialog:
        if _may_have_hit(before, seen):
            return _MAY_HAVE_HIT
        return Outcome(Verdict.WON, "the last cells were opened, and the client says that the game is over")
    hidden_from_sight = seen.board.count(State.UNKNOWN)
    is_no_win = clicked.cells and not clicked.certain and not clicked.are_last
    # What was clicked alone may be a number that was never seen.
    if is_no_win and not seen.is_loss_known and hidden_from_sight > len(clicked.cells):
        return Outcome(Verdict.LOST, "a guess was made, and the board shows what was never seen of this client")
    if hidden_from_sight <= _MOST_HIDDEN_FROM_SIGHT * seen.board.cells.size:
        judged = _of_partly_hidden(before, clicked, seen.board)
        if judged is not None:
            return judged
    return Outcome(Verdict.UNCLEAR, f"{hidden_from_sight} of {seen.board.cells.size} cells cannot be read")


def _of_partly_hidden(before: Board, clicked: Clicked, now: Board) -> Outcome | None:
    """The verdict where most cells can be read; None where these do not tell."""
    # What hides the very cells that were clicked may have come with the end of the game.
    are_open = _are_open(clicked, now)
    if now.count(State.HIDDEN, State.QUESTION):
        is_going_on = clicked.cells and are_open
        return Outcome(Verdict.PLAYING, "what was clicked is open, and cells are left to open") if is_going_on else None
    if clicked.are_last and (clicked.certain or are_open):
        return Outcome(Verdict.WON, "nothing is left hidden on what can be seen of the board")
    # What was guessed at is no mine where it is seen open, or where every mine is seen.
    is_safe = clicked.certain or are_open or now.count(State.FLAG) == now.mines
    has_flagged = any(before[it] == State.HIDDEN and it not in clicked.marked for it in now.where(State.FLAG))
    if clicked.cells and is_safe and has_flagged:
        return Outcome(Verdict.WON, "the client has flagged what was left, as it does after a won game")
    return None


_MAY_HAVE_HIT = Outcome(Verdict.UNCLEAR, "a cell that was opened before cannot be read: a number, or a mine")


def _may_have_hit(before: Board, seen: Seen) -> bool:
    """Whether a mine may have been hit before: a client may let play go on, and nobody knows what it shows then."""
    return not seen.is_loss_known and bool(before.count(State.UNKNOWN))


def _are_open(clicked: Clicked, now: Board) -> bool:
    """Whether every cell that was clicked is seen to be open."""
    return all(now[cell] < State.HIDDEN for cell in clicked.cells)


def _is_another_game(before: Board, seen: Seen) -> bool:
    """Whether numbers that were there before are gone: no cell of a game is ever closed again."""
    if seen.phase not in (Phase.FRESH, Phase.PLAYING) or seen.board.cells.shape != before.cells.shape:
        return False
    was_open = before.cells < State.HIDDEN
    closed_again = was_open & (seen.board.cells >= State.HIDDEN) & (seen.board.cells != State.UNKNOWN)
    return bool(closed_again.any())
