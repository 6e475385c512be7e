"""New arrays for compiled functions.

Each of numpy's functions is compiled anew for every combination of the types that it is called with, and a slice that
is assigned to brings in the formatting of an error message; so kernels make, fill and copy their arrays here.
"""

import numpy as np
from numpy.typing import NDArray

from sweepbot.solver.compiled import helper


@helper
def new_ints(size: int) -> NDArray[np.int32]:
    """An int32 array of this size, not initialised."""
    return np.empty(size, np.int32)


@helper
def filled_ints(size: int, value: int) -> NDArray[np.int32]:
    """An int32 array of this size, full of `value`."""
    made = new_ints(size)
    for i in range(size):
        made[i] = value
    return made


@helper
def new_rows(rows: int, columns: int) -> NDArray[np.int32]:
    """An int32 array of shape (rows, columns), not initialised."""
    return np.empty((rows, columns), np.int32)


@helper
def with_room(rows: NDArray[np.int32], least: int) -> NDArray[np.int32]:
    """`rows` themselves where there are at least `least`, else a copy with twice as many."""
    if rows.shape[0] >= least:
        return rows
    grown = new_rows(2 * least, rows.shape[1])
    for row in range(rows.shape[0]):
        for column in range(rows.shape[1]):
            grown[row, column] = rows[row, column]
    return grown


@helper
def zero_longs(size: int) -> NDArray[np.int64]:
    """An int64 array of this size, full of zeros."""
    made = np.empty(size, np.int64)
    for i in range(size):
        made[i] = 0
    return made


@helper
def zero_floats(size: int) -> NDArray[np.float64]:
    """A float64 array of this size, full of zeros."""
    made = np.empty(size, np.float64)
    for i in range(size):
        made[i] = 0.0
    return made


@helper
def no_flags(size: int) -> NDArray[np.bool_]:
    """A bool array of this size, full of False."""
    made = np.empty(size, np.bool_)
    for i in range(size):
        made[i] = False
    return made


@helper
def no_flag_rows(rows: int, columns: int) -> NDArray[np.bool_]:
    """A bool array of shape (rows, columns), full of False."""
    made = np.empty((rows, columns), np.bool_)
    for row in range(rows):
        for column in range(columns):
            made[row, column] = False
    return made


@helper
def new_bytes(size: int) -> NDArray[np.uint8]:
    """A uint8 array of this size, not initialised."""
    return np.empty(size, np.uint8)
