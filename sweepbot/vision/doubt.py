"""Cells that the rules of the game speak against, and that are therefore looked at again."""

import numpy as np
from numpy.typing import NDArray

from sweepbot.board import State, around
from sweepbot.vision.cells import Image
from sweepbot.vision.classify import Classified, Classifier

_MINES = State.MINE, State.EXPLODED
_MAY_BE_MINES = (State.HIDDEN, State.FLAG, State.QUESTION, State.UNKNOWN, *_MINES)


def reconsidered(classifier: Classifier, board: Image, size: tuple[int, int], found: Classified) -> Classified:
    """What the cells of a rectified board show, those looked at again that the rules of the game speak against."""
    doubtful = doubtful_cells(found.states)
    if not doubtful.size:
        return found
    return found.replaced(doubtful, classifier.reconsider(board, size, doubtful))


def doubtful_cells(states: NDArray[np.uint8]) -> NDArray[np.intp]:
    """Find the numbers that cannot be, and the cells around them, any of which may have been misread.

    These are the rules of `Board.problems`, which names what is wrong; this only asks whether, of all cells at once.

    Args:
        states: uint8 array of shape (rows, columns), 0 to 8 or a `State`.

    Returns:
        Cells numbered in reading order.
    """
    numbers = states < State.HIDDEN
    shown, room, hidden = (around(np.isin(states, of)) for of in (_MINES, _MAY_BE_MINES, (State.HIDDEN,)))
    wrong = numbers & ((shown > states) | (room < states) | ((states == 0) & (hidden > 0)))
    if not wrong.any():
        return np.empty(0, dtype=np.intp)
    return np.flatnonzero(wrong | (around(wrong) > 0))
