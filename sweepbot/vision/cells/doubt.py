"""Cells that the rest of the board speaks against: by the rules of the game, or by how others of their kind look."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from sweepbot.board import State, around, shows
from sweepbot.geometry import Image
from sweepbot.vision.cells.classify import Classified, Classifier

_MINES = State.MINE, State.EXPLODED
_MAY_BE_MINES = (State.HIDDEN, State.FLAG, State.QUESTION, State.UNKNOWN, *_MINES)

_LEAST_AS_OTHERS = 0.15  # of a score: what an open cell without a number may agree less than others do


def reconsidered(classifier: Classifier, board: Image, size: tuple[int, int], found: Classified) -> Classified:
    """What the cells of a rectified board show, those looked at again that the rules of the game speak against."""
    doubtful = doubtful_cells(found.states)
    if not doubtful.size:
        return found
    return found.replaced(doubtful, classifier.reconsider(board, size, doubtful))


def without_odd_zeros(found: Classified) -> Classified:
    """The same with those zeros refused that agree much worse with their template than the others of the board.

    A zero has no figure to lose: what covers most of a number in a colour like the ground's makes it one.
    """
    zeros = found.states == 0
    if not zeros.any():
        return found
    odd = zeros & (found.scores < np.median(found.scores[zeros]) - _LEAST_AS_OTHERS)
    return replace(found, states=np.where(odd, np.uint8(State.UNKNOWN), found.states))


def contradicted(states: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Find the numbers that cannot be.

    These are the rules of `Board.problems`, which names what is wrong; this only asks whether, of all cells at once.

    Args:
        states: uint8 array of shape (rows, columns), 0 to 8 or a `State`.
    """
    shown, room, hidden = (around(shows(states, *of)) for of in (_MINES, _MAY_BE_MINES, (State.HIDDEN,)))
    wrong: NDArray[np.bool_] = (shown > states) | (room < states) | ((states == 0) & (hidden > 0))
    return wrong & (states < State.HIDDEN)


def doubtful_cells(states: NDArray[np.uint8]) -> NDArray[np.intp]:
    """Find the numbers that cannot be, and the cells around them, any of which may have been misread.

    Args:
        states: uint8 array of shape (rows, columns), 0 to 8 or a `State`.

    Returns:
        Cells numbered in reading order.
    """
    wrong = contradicted(states)
    if not wrong.any():
        return np.empty(0, dtype=np.intp)
    return np.flatnonzero(wrong | (around(wrong) > 0))
