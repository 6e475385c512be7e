"""The rectangle of cells that is most likely a board."""

import numpy as np
from numpy.typing import NDArray


def largest_sum(values: NDArray[np.floating]) -> tuple[range, range, float]:
    """Return the rows and columns of the rectangle with the largest sum of values, and that sum.

    Kadane's algorithm along the rows, for each pair of a first and a last column at once.
    """
    rows, columns = values.shape
    sums = np.concatenate([np.zeros((rows, 1)), np.cumsum(values, axis=1)], axis=1)
    first, last = np.triu_indices(columns + 1, 1)
    strips = sums[:, last] - sums[:, first]
    best, top, bottom = np.full(len(first), -np.inf), np.zeros(len(first), np.intp), np.zeros(len(first), np.intp)
    running, start = np.zeros(len(first)), np.zeros(len(first), np.intp)
    for row in range(rows):
        anew = running <= 0
        running = np.where(anew, strips[row], running + strips[row])
        start = np.where(anew, row, start)
        better = running > best
        best = np.where(better, running, best)
        top, bottom = np.where(better, start, top), np.where(better, row, bottom)
    one = int(best.argmax())
    return range(int(top[one]), int(bottom[one]) + 1), range(int(first[one]), int(last[one])), float(best[one])
