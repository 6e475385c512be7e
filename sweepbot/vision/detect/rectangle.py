"""Which cells of a lattice are a board's: the rectangle in which most speaks for cells of one board.

A frame, a panel or a page beside a board may read as cells, too: but seldom in as much relief as the board's own, or as
empty ones only. So a cell that is read counts for the rectangle that holds it, what is not read, or is but a little
like the others of its state, against it; and lines at its rim that show nothing but empty cells are left out.
"""

import cv2
import numpy as np
from numpy.typing import NDArray

from sweepbot.vision.cells.classified import Classified
from sweepbot.vision.cells.doubt import contradicted

LEAST_CELLS = 4
"""A board has at least so many rows and columns."""

_LEAST_LINE = 0.3  # of the clearest line's share of such cells: what a line at the rim has
_LEAST_RELIEF = 0.66  # of the relief of cells of its state around it: frames have up to 0.64, rims 0.68 and more
_BEST_PERCENTILE = 95  # of the scores of a state's cells: what they are held against
_BELOW_BEST = 0.2  # of score: those of a page that is nearly in a hidden cell's colour are 0.27 less than the best
_AROUND_CELLS = 5  # a side, in which these are: a theme may be lit from above, and a frame is told from the next lines
_ROUNDING = 1e-6  # by which sums may differ and be the same


def board_part(shown: Classified) -> tuple[range, range]:
    """The columns and rows of the rectangle with the largest sum of evidence; of no extent where there is none.

    Of a board that is all but open, with the lines of empty cells that are missing to the least size of a board.
    """
    typical, zeros = _are_typical(shown), shown.states == 0
    typical &= ~(zeros & contradicted(shown.states))  # a page is plain up to the hidden cells
    figures = typical & ~zeros
    part = slice(None), slice(None)
    # What is beside the board dilutes its lines: a second look sees less of it.
    for _ in range(2):
        least = _LEAST_LINE * max(typical[part].mean(axis=axis).max(initial=0) for axis in (0, 1))
        columns, rows = _largest_sum(typical - least)
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
    """Some lines with as many beside them as a board has at least, where these are empty cells: on the side of more."""
    while lines and len(lines) < LEAST_CELLS:
        before, after = (zeros[at] if 0 <= at < len(zeros) else 0.0 for at in (lines.start - 1, lines.stop))
        if max(before, after) < 1 - _LEAST_LINE:
            break
        lines = range(lines.start - 1, lines.stop) if before > after else range(lines.start, lines.stop + 1)
    return lines


def _with_figures(lines: range, have: NDArray[np.bool_]) -> range:
    """Some lines without those at either end that have no figure: a page may read as empty cells."""
    told = np.flatnonzero(have)
    return range(lines.start + int(told[0]), lines.start + int(told[-1]) + 1) if told.size else range(0)


def _are_typical(shown: Classified) -> NDArray[np.bool_]:
    """Which cells agree as well as those of their state do at best, and are in as much relief as those around them.

    Each state is drawn alike all over a board.
    """
    typical = np.zeros(shown.states.shape, dtype=np.bool_)
    for state in np.unique(shown.states[shown.believed]):
        of_state = (shown.states == state).astype(np.float32)
        reliefs, counts = (_sum_around(of) for of in (of_state * shown.reliefs, of_state))
        alike = shown.scores >= np.percentile(shown.scores[of_state > 0], _BEST_PERCENTILE) - _BELOW_BEST
        typical |= (of_state > 0) & alike & (shown.reliefs * counts >= _LEAST_RELIEF * reliefs)
    return typical


def _sum_around(values: NDArray[np.floating]) -> NDArray[np.float32]:
    """The sum of what is in a window around each place."""
    window = _AROUND_CELLS, _AROUND_CELLS
    return np.asarray(
        cv2.boxFilter(values.astype(np.float32), -1, window, normalize=False, borderType=cv2.BORDER_CONSTANT)
    )


def _largest_sum(values: NDArray[np.floating]) -> tuple[range, range]:
    """The columns and rows of the smallest rectangle with the largest sum (Bentley, 1984)."""
    sums = np.pad(values, 1)[:-1, :-1].cumsum(axis=0).cumsum(axis=1)
    best, found = 2 * _ROUNDING, (range(0), range(0))
    for top in range(len(values)):
        bands = sums[top + 1 :] - sums[top]  # from `top` to each lower line, up to each column
        lowest = np.minimum.accumulate(bands, axis=1)
        bottom, right = np.unravel_index(int((bands - lowest).argmax()), bands.shape)
        total = float(bands[bottom, right] - lowest[bottom, right])
        if total >= best - _ROUNDING:  # of equal ones the smallest, which begins last
            band = bands[bottom]
            left = int(np.flatnonzero(band[: right + 1] <= lowest[bottom, right] + _ROUNDING)[-1])
            best, found = total, (range(left, int(right)), range(top, top + int(bottom) + 1))
    return found
