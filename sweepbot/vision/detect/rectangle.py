"""Find the rectangle of a lattice that is the board: the one with most evidence for cells of one board.

A frame, a panel or a page beside a board may be read as cells too, but with less relief than the board's own, or as
empty cells only. So cells that are read count for the rectangle, by their scores; cells that are not, or that differ
from the others of their state, count against it. Rows and columns at its rim that show nothing but empty cells are
left out.
"""

import cv2
import numpy as np
from numpy.typing import NDArray

from sweepbot.vision.cells.classified import Classified
from sweepbot.vision.cells.doubt import contradicted
from sweepbot.vision.grid import LEAST_CELLS

_LEAST_LINE_SHARE = 0.25  # mean score of typical cells in a row or column, as part of the largest such mean
_LEAST_RELIEF_SHARE = 0.66  # of the mean relief around a cell: frames have up to 0.64, the board's rim 0.68 and more
_BEST_PERCENTILE = 95  # of the scores of a state, with which the others are compared
_BELOW_BEST_SCORE = 0.2  # a page that nearly has a hidden cell's colour is 0.27 below the best
_AROUND_CELLS = 5  # a side of the window for the mean relief: small, as a theme may be lit from above
_ROUNDING_SCORE = 1e-6  # sums that differ by less are equal


def board_part(shown: Classified) -> tuple[range, range]:
    """Return the columns and rows of the rectangle with most evidence; empty ranges if there is none.

    A board that is almost all open is widened by rows and columns of empty cells to the least size of a board.
    """
    typical, zeros = _are_typical(shown), shown.states == 0
    typical &= ~(zeros & contradicted(shown.states))  # a page beside hidden cells reads as zeros
    figures = typical & ~zeros
    evidence = typical * shown.scores
    part = slice(None), slice(None)
    # Twice, as the first time what is beside the board lowers the share of its rows and columns.
    for _ in range(2):
        least = _LEAST_LINE_SHARE * max(evidence[part].mean(axis=axis).max(initial=0) for axis in (0, 1))
        columns, rows = _largest_sum(evidence - least)
        part = slice(rows.start, rows.stop), slice(columns.start, columns.stop)
        columns, rows = (
            _with_figures(columns, figures[part].any(axis=0)),
            _with_figures(rows, figures[part].any(axis=1)),
        )
        if not (columns and rows):
            return range(0), range(0)
        part = slice(rows.start, rows.stop), slice(columns.start, columns.stop)
    return _widened(columns, zeros[part[0]].mean(axis=0)), _widened(rows, zeros[:, part[1]].mean(axis=1))


def _widened(lines: range, zeros: NDArray[np.floating]) -> range:
    """Widen a range of rows or columns by neighbours of empty cells, up to the least size of a board."""
    while lines and len(lines) < LEAST_CELLS:
        before, after = (zeros[at] if 0 <= at < len(zeros) else 0.0 for at in (lines.start - 1, lines.stop))
        if max(before, after) < 1 - _LEAST_LINE_SHARE:
            break
        lines = range(lines.start - 1, lines.stop) if before > after else range(lines.start, lines.stop + 1)
    return lines


def _with_figures(lines: range, have: NDArray[np.bool_]) -> range:
    """Leave out rows or columns at either end that have no figure: a page may read as empty cells."""
    told = np.flatnonzero(have)
    return range(lines.start + int(told[0]), lines.start + int(told[-1]) + 1) if told.size else range(0)


def _are_typical(shown: Classified) -> NDArray[np.bool_]:
    """Return which cells score nearly as high as the best of their state, with as much relief as those around them.

    Each state is drawn alike all over a board.
    """
    typical = np.zeros(shown.states.shape, dtype=np.bool_)
    for state in np.unique(shown.states[shown.believed]):
        of_state = (shown.states == state).astype(np.float32)
        reliefs, counts = (_sum_around(of) for of in (of_state * shown.reliefs, of_state))
        best = np.percentile(shown.scores[of_state > 0], _BEST_PERCENTILE)
        alike = shown.scores >= best - _BELOW_BEST_SCORE
        typical |= (of_state > 0) & alike & (shown.reliefs * counts >= _LEAST_RELIEF_SHARE * reliefs)
    return typical


def _sum_around(values: NDArray[np.floating]) -> NDArray[np.float32]:
    """Return the sum over a window around each place."""
    window = _AROUND_CELLS, _AROUND_CELLS
    return np.asarray(
        cv2.boxFilter(values.astype(np.float32), -1, window, normalize=False, borderType=cv2.BORDER_CONSTANT)
    )


def _largest_sum(values: NDArray[np.floating]) -> tuple[range, range]:
    """Return the columns and rows of the smallest rectangle with the largest sum (Bentley, 1984)."""
    sums = np.pad(values, 1)[:-1, :-1].cumsum(axis=0).cumsum(axis=1)
    best, found = 2 * _ROUNDING_SCORE, (range(0), range(0))
    for top in range(len(values)):
        bands = sums[top + 1 :] - sums[top]  # from `top` to each lower line, up to each column
        lowest = np.minimum.accumulate(bands, axis=1)
        bottom, right = np.unravel_index(int((bands - lowest).argmax()), bands.shape)
        total = float(bands[bottom, right] - lowest[bottom, right])
        if total >= best - _ROUNDING_SCORE:  # of equal ones the smallest, which begins last
            band = bands[bottom]
            left = int(np.flatnonzero(band[: right + 1] <= lowest[bottom, right] + _ROUNDING_SCORE)[-1])
            best, found = total, (range(left, int(right)), range(top, top + int(bottom) + 1))
    return found
