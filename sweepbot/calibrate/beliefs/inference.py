"""What follows from the log of a client's games: a pure function of it.

First sight says what a cell shows. The end of a game proves it for numbers: each says as many as there are mines around
it. So only games that were won, or lost with all mines shown, teach anything, and only if all their numbers agree.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sweepbot.board import State, around, shows
from sweepbot.calibrate.beliefs.log import PlayedGame, Shown
from sweepbot.calibrate.thresholds import EVIDENCE
from sweepbot.level import FirstClick
from sweepbot.vision.calibration import NAME_OF_STATE

_SHOWN_AT_END = (State.MINE, State.EXPLODED, State.WRONG_FLAG)
_MARKS = (State.FLAG, State.QUESTION)


@dataclass(frozen=True, slots=True, eq=False)
class Beliefs:
    """What a client's games have confirmed.

    Attributes:
        states: For each state, by name, how many cells showed each picture.
        games: How many games have proven their numbers.
        contradicting: How many have ended with numbers that do not fit the mines shown.
        totals: All numbers of mines that boards had, in order.
        first_click: What the client promises for the first click; None if that is unknown.
        ends_by_itself: Whether a won game showed flags on all its mines, which the bot had not set.
    """

    states: Mapping[str, Counter[int]]
    games: int
    contradicting: int
    totals: tuple[int, ...]
    first_click: FirstClick | None
    ends_by_itself: bool

    def why(self, state: str) -> str:
        """Return the evidence for a state, in words."""
        count = self.states[state].total()
        shown = f"{count} cell{'s' * (count != 1)}, seen so at first sight"
        in_lost = f"{shown} in lost games, with all numbers around them in agreement"
        reasons = {
            "hidden": f"{shown}, that later were open",
            "flag": f"{shown} in play, that held a mine",
            "question": f"{shown} in play, that held a mine",
            **dict.fromkeys(("mine", "exploded", "wrong_flag"), in_lost),
        }
        return reasons.get(state, f"{shown}, with as many mines around each at the ends of {self.games} games")


@dataclass(frozen=True, slots=True, eq=False)
class _Proof:
    """What the end of a game proves.

    Attributes:
        numbers: The numbers that have as many mines around them as they say, bool of shape (rows, columns).
        total: How many mines the board has; None if some cells are unread.
    """

    numbers: NDArray[np.bool_]
    total: int | None


def infer(log: Sequence[PlayedGame]) -> Beliefs:
    """Return what follows from a log."""
    proofs = [_proof(game) for game in log]
    proven = [(game, proof) for game, proof in zip(log, proofs, strict=True) if proof is not None]
    states: dict[str, Counter[int]] = defaultdict(Counter)
    for game, proof in proven:
        for shown in game.shown:
            if _is_confirmed(shown, game, proof):
                states[NAME_OF_STATE[shown.state]][shown.picture] += 1
    return Beliefs(
        states=dict(states),
        games=len(proven),
        contradicting=sum(_contradicts(game) for game, proof in zip(log, proofs, strict=True) if proof is None),
        totals=tuple(sorted({proof.total for _, proof in proven if proof.total is not None})),
        first_click=_first_click(log, proven),
        ends_by_itself=any(game.result == "won" and game.board.count(State.FLAG) == it.total for game, it in proven),
    )


def _proof(game: PlayedGame) -> _Proof | None:
    """Return what the end of a game proves; None if its numbers do not agree with the mines, or none are shown.

    In a won game all closed cells are mines. A lost one shows all of them or only the one that was hit: they are taken
    for all if the numbers agree. Numbers beside unread cells prove nothing.
    """
    board = game.board
    if game.misreads or game.result == "aborted":
        return None
    mines = shows(board.cells, State.MINE, State.EXPLODED, State.FLAG)
    if game.result == "won":
        mines = (board.cells >= State.HIDDEN) & (board.cells != State.UNKNOWN)
    unread = board.cells == State.UNKNOWN
    numbers = (board.cells < State.HIDDEN) & (around(unread) == 0)
    is_shown = game.result == "won" or board.count(State.MINE) >= EVIDENCE.times
    if not is_shown or not numbers.any() or (around(mines) != board.cells)[numbers].any():
        return None
    return _Proof(numbers, None if unread.any() else int(mines.sum()))


def _contradicts(game: PlayedGame) -> bool:
    """Whether an end that proves nothing was seen whole."""
    return game.misreads > 0 or (game.result == "won" and not game.board.count(State.UNKNOWN))


def _is_confirmed(shown: Shown, game: PlayedGame, proof: _Proof) -> bool:
    """Whether a state that a cell showed agrees with its state at the end of its game.

    A mark at the end may be a mine that was taken for one, and a mine before the end is none. What was hidden is open
    later: else it may be anything that stays.
    """
    last = int(game.board[shown.cell])
    is_mine = last >= State.HIDDEN and last != State.UNKNOWN
    if shown.state in _MARKS:
        return is_mine and not shown.at_end
    if shown.state in _SHOWN_AT_END:
        return shown.at_end and game.result == "lost" and last == shown.state
    if shown.state < State.HIDDEN:
        return last == shown.state and bool(proof.numbers[shown.cell])
    return last < State.HIDDEN


def _first_click(log: Sequence[PlayedGame], proven: Sequence[tuple[PlayedGame, _Proof]]) -> FirstClick | None:
    """Return what the client promises for the first click; None if there were too few to tell.

    It promises nothing if one has lost a game, as nothing was open then. It is safe if none did and that would be very
    unlikely by chance.
    """
    if any(game.result == "lost" and not (game.board.cells < State.HIDDEN).any() for game in log):
        return FirstClick.NONE
    opened = [game.opened_first for game, _ in proven if game.opened_first is not None]
    if len(opened) >= EVIDENCE.opening_games and min(opened) > 1:
        return FirstClick.OPEN
    by_chance = math.prod(1 - it.total / game.board.cells.size for game, it in proven if it.total is not None)
    return FirstClick.SAFE if by_chance <= EVIDENCE.max_chance else None
