"""Zeros that may be something else: hidden cells held down, or the inside of a plain window."""

import cv2
import numpy as np
from numpy.typing import NDArray

from sweepbot.board import State, around

_AROUND = np.ones((3, 3), dtype=np.uint8)  # a cell and its neighbours
_EDGE_CELLS = 3  # unread cells beside a zero at the edge of a window; a pointer leaves one or two
_MAX_PRESSED_CELLS = 9  # that a mouse button holds down at once


def without_pressed(states: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Make zeros unread that may be hidden cells: a few beside other hidden ones.

    Clients draw hidden cells as open ones while a mouse button is held down over them, one cell, or three by three for
    a chord, and some do under the pointer. More such zeros are refused by the rules of the game.

    Args:
        states: uint8 array of shape (rows, columns).
    """
    pressed = (states == 0) & (around(states == State.HIDDEN) > 0)
    return np.where(pressed & (pressed.sum() <= _MAX_PRESSED_CELLS), np.uint8(State.UNKNOWN), states)


def only_certain_zeros(states: NDArray[np.uint8], covered: NDArray[np.bool_]) -> NDArray[np.uint8]:
    """Make zeros unread that may be hidden cells, or the inside of a plain window in front of the board.

    An opening ends at numbers. So zeros are not believed if covered cells bound them instead: zeros beside several
    covered cells, zeros between two of them in a row or column, and a group of zeros that touches more of them than
    numbers. A flag beside a zero counts as a covered cell.

    Args:
        states: uint8 array of shape (rows, columns).
        covered: Which cells something may cover, of the same shape.
    """
    found = without_pressed(states)
    zero, number = found == 0, (found > 0) & (found < State.HIDDEN)
    if not (zero.any() and covered.any()):
        return found
    at_edge = zero & (around(covered | (states == State.FLAG)) >= _EDGE_CELLS)
    uncertain = _between(zero, covered) | _between(zero.T, covered.T).T | at_edge
    found[uncertain] = State.UNKNOWN
    # Removing those may have split a group of zeros.
    covered = covered | uncertain
    groups, group_of = cv2.connectedComponents((found == 0).astype(np.uint8), connectivity=8)
    for group in range(1, groups):
        inside = group_of == group
        border = cv2.dilate(inside.astype(np.uint8), _AROUND).astype(np.bool_) & ~inside
        if (border & covered).sum() > (border & number).sum():
            found[inside] = State.UNKNOWN
    return found


def _between(of: NDArray[np.bool_], ends: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which cells lie in an unbroken run, within their row, that has one of `ends` at both its ends."""
    rows, columns = np.ogrid[: of.shape[0], : of.shape[1]]
    before = np.maximum.accumulate(np.where(of, -1, columns), axis=1)
    after = np.minimum.accumulate(np.where(of, of.shape[1], columns)[:, ::-1], axis=1)[:, ::-1]
    padded = np.pad(ends, ((0, 0), (1, 1)))
    return np.asarray(of & padded[rows, before + 1] & padded[rows, after + 1])
