"""Cells that the rest of the board speaks for or against: by the rules of the game, or by how others look."""

from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from sweepbot.board import State, around, shows
from sweepbot.geometry import Image
from sweepbot.vision.cells.classified import LEAST_RELIEF, MINES, SURE_SCORE, Classified, Templates
from sweepbot.vision.cells.likeness import agreement, flattened, most_alike_tinted, planes, tinted
from sweepbot.vision.pictures.cutting import softened

_MAY_BE_MINES = (State.HIDDEN, State.FLAG, State.QUESTION, State.UNKNOWN, *MINES)

_OTHERS = 5  # zeros that a plain cell is held against, of those most like it
_AROUND = np.ones((3, 3), dtype=np.uint8)  # a cell and its neighbours
_EDGE_CELLS = 3  # unread cells beside a zero: where a window ends there are as many, beside a pointer one or two
_MOST_PRESSED = 9  # cells that a mouse button holds down at once
_WORSE_THAN_OTHERS = 2.0, 0.1  # times what zeros mostly lack of a score, and more: 2.1 lack those of blurred pictures


def reconsidered(classifier: Templates, board: Image, size: tuple[int, int], found: Classified) -> Classified:
    """What the cells of a rectified board show, those looked at again that the rules of the game speak against."""
    doubtful = doubtful_cells(found.states)
    if not doubtful.size:
        return found
    return found.replaced(doubtful, classifier.reconsider(board, size, doubtful))


def with_zeros_like_others(classifier: Templates, board: Image, size: tuple[int, int], found: Classified) -> Classified:
    """The same with those zeros believed that have no relief by their template, but by another zero of the board.

    Over a gradient, or where cells are a part of a pixel wider than others, their lines come and go and templates have
    stronger ones. A plain patch that something has put there has no lines at all.

    Args:
        classifier: What the cells were read by.
        board: The board with its margin, as `cells.rectified` gives it.
        size: Its rows and columns.
        found: What was read.
    """
    plain = (found.states == State.UNKNOWN) & (found.rivals == State.UNKNOWN) & (found.scores >= SURE_SCORE)
    which = np.flatnonzero(plain & (classifier.of_template[found.templates] == 0))
    others = np.flatnonzero(found.states == 0)
    if not which.size or not others.size:
        return found
    cells, known = (softened(classifier.cells(board, size, of)) for of in (which, others))
    cutoff, seen, lined = classifier.cutoff, planes(cells), planes(known)
    flat = agreement(seen, flattened(seen), cutoff)
    relief = 1 - agreement(lined, flattened(lined), cutoff)
    believed = np.zeros(len(which), dtype=np.bool_)
    for nearest in most_alike_tinted(cells, known, _OTHERS).T:
        leads = agreement(seen, tinted(lined[nearest], seen), cutoff) - flat
        believed |= (leads >= LEAST_RELIEF * relief[nearest]) & (leads > 0)
    states = found.states.copy()
    states.ravel()[which[believed]] = 0
    return replace(found, states=states)


def only_certain_zeros(states: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The same states, but no zeros that may be cells held down, or the inside of a plain window in front of the board.

    Clients draw hidden cells as open ones while a mouse button is held down over them: over one, or for a chord over
    three by three. So few zeros beside hidden cells are not believed; of more, the rules of the game speak against all.

    An opening ends at numbers. So what is flat is not believed where unread cells bound it instead: zeros at an edge of
    such, zeros between two of them in a row or a column, and a group of zeros that more of them touch than numbers. A
    flag beside a zero bounds it no more than they do.

    Args:
        states: uint8 array of shape (rows, columns).
    """
    pressed = (states == 0) & (around(states == State.HIDDEN) > 0)
    found = np.where(pressed & (pressed.sum() <= _MOST_PRESSED), np.uint8(State.UNKNOWN), states)
    zero, unread, number = found == 0, found == State.UNKNOWN, (found > 0) & (found < State.HIDDEN)
    if not (zero.any() and unread.any()):
        return found
    at_edge = zero & (around(unread | (states == State.FLAG)) >= _EDGE_CELLS)
    found[_between(zero, unread) | _between(zero.T, unread.T).T | at_edge] = State.UNKNOWN
    # What those were the only way to is a group of its own.
    unread = found == State.UNKNOWN
    groups, group_of = cv2.connectedComponents((found == 0).astype(np.uint8), connectivity=8)
    for group in range(1, groups):
        inside = group_of == group
        border = cv2.dilate(inside.astype(np.uint8), _AROUND).astype(np.bool_) & ~inside
        if (border & unread).sum() > (border & number).sum():
            found[inside] = State.UNKNOWN
    return found


def _between(of: NDArray[np.bool_], ends: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which of some cells lie in an unbroken run of them that has one of `ends` before and behind it in its row."""

    def bounded(of: NDArray[np.bool_], ends: NDArray[np.bool_]) -> NDArray[np.bool_]:
        after = np.zeros_like(of)
        for column in range(1, of.shape[1]):
            after[:, column] = of[:, column] & (ends[:, column - 1] | after[:, column - 1])
        return after

    return bounded(of, ends) & bounded(of[:, ::-1], ends[:, ::-1])[:, ::-1]


def without_odd_zeros(found: Classified) -> Classified:
    """The same with those zeros refused that agree much worse with their template than the others of the board.

    A zero has no figure to lose: what covers most of a number in a colour like the ground's makes it one.
    """
    zeros = found.states == 0
    if not zeros.any():
        return found
    times, more = _WORSE_THAN_OTHERS
    lacks = 1 - found.scores
    odd = zeros & (lacks > times * np.median(lacks[zeros]) + more)
    return replace(found, states=np.where(odd, np.uint8(State.UNKNOWN), found.states))


def contradicted(states: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Find the numbers that cannot be.

    These are the rules of `Board.problems`, which names what is wrong; this only asks whether, of all cells at once.

    Args:
        states: uint8 array of shape (rows, columns), 0 to 8 or a `State`.
    """
    shown, room, hidden = (around(shows(states, *of)) for of in (MINES, _MAY_BE_MINES, (State.HIDDEN,)))
    wrong: NDArray[np.bool_] = (shown > states) | (room < states) | ((states == 0) & (hidden > 0))
    return wrong & (states < State.HIDDEN)


def share_contradicted(states: NDArray[np.uint8]) -> float:
    """The share of inner cells, or of their numbers where that is more, that cannot be: 0 of a board, a few beside one.

    What the rim's numbers count may lie beyond a picture that shows a part of a board.
    """
    wrong, inner = contradicted(states)[1:-1, 1:-1], states[1:-1, 1:-1]
    numbers = (inner > 0) & (inner < State.HIDDEN)
    return max(float(wrong.mean()), float(wrong[numbers].sum() / max(1, numbers.sum())))


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
