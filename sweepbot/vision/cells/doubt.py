"""Doubt cells, or believe them, by the rest of the board: by the rules of the game, or by how others look."""

from collections.abc import Iterator
from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from sweepbot.board import State, around, shows
from sweepbot.vision.cells.classified import LEAST_RELIEF, MINES, SURE_SCORE, Classified
from sweepbot.vision.cells.classify import CAREFUL_LEAD, Classifier
from sweepbot.vision.cells.familiar import only_familiar
from sweepbot.vision.cells.likeness import agreement, flattened, most_alike_tinted, planes, tinted
from sweepbot.vision.pictures.patches import Patches, softened

_MAY_BE_MINES = (State.HIDDEN, State.FLAG, State.QUESTION, State.UNKNOWN, *MINES)

_OTHER_ZEROS = 5  # the most similar ones, with which a plain cell is compared
_AROUND = np.ones((3, 3), dtype=np.uint8)  # a cell and its neighbours
_EDGE_CELLS = 3  # unread cells beside a zero at the edge of a window; a pointer leaves one or two
_MOST_PRESSED_CELLS = 9  # that a mouse button holds down at once
_ODD_SCORES = (0, 0.1), (State.HIDDEN, 0.25)  # below the median of the state: hidden tiles of one theme differ by 0.18


def in_context(classifier: Classifier, patches: Patches, found: Classified, scale: float) -> Classified:
    """Revise what was found by what the cells of a board say about each other.

    Args:
        classifier: What read the cells.
        patches: The cells.
        found: What each cell shows on its own.
        scale: The size of a cell in the picture, as a multiple of the calibration's.
    """
    *_, (_, revised) = revisions(classifier, patches, found, scale)
    return revised


def revisions(
    classifier: Classifier, patches: Patches, found: Classified, scale: float
) -> Iterator[tuple[str, Classified]]:
    """Yield each revision of `in_context`, with the reason why it refuses a cell."""
    found = reconsidered(classifier, patches, with_zeros_like_others(classifier, patches, found))
    yield f"it or a neighbour breaks the rules of the game, and it leads its rival by less than {CAREFUL_LEAD}", found
    found = without_odd_blanks(found)
    yield "its score is much lower than those of the other cells of its state on this board", found
    if classifier.spread is not None:
        found = only_familiar(classifier, classifier.spread, patches, found, scale)
        yield "it looks unlike the cells learned from, and the calibration has `unmet` states", found


def reconsidered(classifier: Classifier, patches: Patches, found: Classified) -> Classified:
    """Classify again, in full, the cells that break the rules of the game."""
    doubtful = doubtful_cells(found.states)
    if not doubtful.size:
        return found
    return found.replaced(doubtful, classifier.reconsider(patches, doubtful))


def with_zeros_like_others(classifier: Classifier, patches: Patches, found: Classified) -> Classified:
    """Believe zeros with too little relief against their template, if they have as much as other zeros of the board.

    Over a gradient, or if some cells are a fraction of a pixel wider, the lines around cells vary, and templates have
    stronger ones. A plain patch that covers a cell has no lines at all.

    Args:
        classifier: What read the cells.
        patches: The cells.
        found: What was read.
    """
    plain = (found.states == State.UNKNOWN) & (found.rivals == State.UNKNOWN) & (found.scores >= SURE_SCORE)
    which = np.flatnonzero(plain & (classifier.of_template[found.templates] == 0))
    others = np.flatnonzero(found.states == 0)
    if not which.size or not others.size:
        return found
    cells, known = (softened(classifier.cells(patches, of)) for of in (which, others))
    cutoff, seen, lined = classifier.cutoff, planes(cells), planes(known)
    flat = agreement(seen, flattened(seen), cutoff)
    relief = 1 - agreement(lined, flattened(lined), cutoff)
    believed = np.zeros(len(which), dtype=np.bool_)
    for nearest in most_alike_tinted(cells, known, _OTHER_ZEROS).T:
        leads = agreement(seen, tinted(lined[nearest], seen), cutoff) - flat
        believed |= (leads >= LEAST_RELIEF * relief[nearest]) & (leads > 0)
    states = found.states.copy()
    states.ravel()[which[believed]] = 0
    return replace(found, states=states)


def without_pressed(states: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Make zeros unread that may be hidden cells: a few beside other hidden ones.

    Clients draw hidden cells as open ones while a mouse button is held down over them, one cell, or three by three for
    a chord, and some do under the pointer. More such zeros are refused by the rules of the game.

    Args:
        states: uint8 array of shape (rows, columns).
    """
    pressed = (states == 0) & (around(states == State.HIDDEN) > 0)
    return np.where(pressed & (pressed.sum() <= _MOST_PRESSED_CELLS), np.uint8(State.UNKNOWN), states)


def only_certain_zeros(states: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Make zeros unread that may be hidden cells, or the inside of a plain window in front of the board.

    An opening ends at numbers. So zeros are not believed if unread cells bound them instead: zeros beside several
    unread cells, zeros between two of them in a row or column, and a group of zeros that touches more of them than
    numbers. A flag beside a zero counts as an unread cell.

    Args:
        states: uint8 array of shape (rows, columns).
    """
    found = without_pressed(states)
    zero, unread, number = found == 0, found == State.UNKNOWN, (found > 0) & (found < State.HIDDEN)
    if not (zero.any() and unread.any()):
        return found
    at_edge = zero & (around(unread | (states == State.FLAG)) >= _EDGE_CELLS)
    found[_between(zero, unread) | _between(zero.T, unread.T).T | at_edge] = State.UNKNOWN
    # Removing those may have split a group of zeros.
    unread = found == State.UNKNOWN
    groups, group_of = cv2.connectedComponents((found == 0).astype(np.uint8), connectivity=8)
    for group in range(1, groups):
        inside = group_of == group
        border = cv2.dilate(inside.astype(np.uint8), _AROUND).astype(np.bool_) & ~inside
        if (border & unread).sum() > (border & number).sum():
            found[inside] = State.UNKNOWN
    return found


def _between(of: NDArray[np.bool_], ends: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which cells lie in an unbroken run, within their row, that has one of `ends` at both its ends."""

    def bounded(of: NDArray[np.bool_], ends: NDArray[np.bool_]) -> NDArray[np.bool_]:
        after = np.zeros_like(of)
        for column in range(1, of.shape[1]):
            after[:, column] = of[:, column] & (ends[:, column - 1] | after[:, column - 1])
        return after

    return bounded(of, ends) & bounded(of[:, ::-1], ends[:, ::-1])[:, ::-1]


def without_odd_blanks(found: Classified) -> Classified:
    """Make zeros and hidden cells unread that score much lower than the others of the board.

    A number looks like a zero, and a flag like a hidden cell, if most of it is covered in a colour like the ground's.
    """
    states = found.states.copy()
    for state, below in _ODD_SCORES:
        blank = found.states == state
        if blank.any():
            states[blank & (found.scores < np.median(found.scores[blank]) - below)] = State.UNKNOWN
    return replace(found, states=states)


def contradicted(states: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Find the numbers that break the rules of the game.

    The rules are those of `Board.problems`, which names what is wrong; here all cells are checked at once.

    Args:
        states: uint8 array of shape (rows, columns), 0 to 8 or a `State`.
    """
    shown, room, hidden = (around(shows(states, *of)) for of in (MINES, _MAY_BE_MINES, (State.HIDDEN,)))
    wrong: NDArray[np.bool_] = (shown > states) | (room < states) | ((states == 0) & (hidden > 0))
    return wrong & (states < State.HIDDEN)


def share_contradicted(states: NDArray[np.uint8]) -> float:
    """Return the share of inner cells, or of inner numbers if that is larger, that break the rules; 0 on a board.

    Numbers at the rim are left out: if a picture shows only part of a board, they count mines outside it.
    """
    wrong, inner = contradicted(states)[1:-1, 1:-1], states[1:-1, 1:-1]
    numbers = (inner > 0) & (inner < State.HIDDEN)
    return max(float(wrong.mean()), float(wrong[numbers].sum() / max(1, numbers.sum())))


def doubtful_cells(states: NDArray[np.uint8]) -> NDArray[np.intp]:
    """Find the numbers that break the rules, and the cells around them: any of these may have been misread.

    Args:
        states: uint8 array of shape (rows, columns), 0 to 8 or a `State`.

    Returns:
        Cells numbered in reading order.
    """
    wrong = contradicted(states)
    if not wrong.any():
        return np.empty(0, dtype=np.intp)
    return np.flatnonzero(wrong | (around(wrong) > 0))
