"""New arrays for kernels, which make, fill and copy theirs here.

Each of numpy's functions is compiled anew for every combination of the types that it is called with, and a slice that
is assigned to brings in the formatting of an error message.
"""

from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from sweepbot.solver.compiled import compiled_as, helper

_Array = TypeVar("_Array", bound=NDArray[Any])


def _itself(array: _Array) -> _Array:
    return array


@compiled_as(_itself)
def listed(array: _Array) -> _Array:
    """An array of one dimension as what is fastest to index: itself once compiled, else a list of Python's numbers.

    What is written into a list does not reach the array, so whoever fills one goes on with the list. It has no slices
    that share its memory, and only `len` for its size.
    """
    return cast("_Array", array.tolist())


@helper
def new_ints(size: int) -> NDArray[np.int32]:
    """An int32 array of this size, not initialised."""
    return np.empty(size, np.int32)


@helper
def filled_ints(size: int, value: int) -> NDArray[np.int32]:
    """An int32 array of this size, full of `value`."""
    return np.full(size, value, np.int32)


@helper
def new_rows(rows: int, columns: int) -> NDArray[np.int32]:
    """An int32 array of shape (rows, columns), not initialised."""
    return np.empty((rows, columns), np.int32)


@helper
def with_room(values: _Array, least: int) -> _Array:
    """`values` themselves, of one dimension, where there are at least `least`, else a copy with room for twice that."""
    if values.size >= least:
        return values
    grown: Any = np.empty(2 * least, values.dtype)
    old = listed(values)
    for i in range(values.size):
        grown[i] = old[i]
    return grown  # type: ignore[no-any-return]  # numba knows no casts


@helper
def zero_longs(size: int) -> NDArray[np.int64]:
    """An int64 array of this size, full of zeros."""
    return np.zeros(size, np.int64)


@helper
def zero_floats(size: int) -> NDArray[np.float64]:
    """A float64 array of this size, full of zeros."""
    return np.zeros(size, np.float64)


@helper
def no_flags(size: int) -> NDArray[np.bool_]:
    """A bool array of this size, full of False."""
    return np.zeros(size, np.bool_)


@helper
def no_flag_rows(rows: int, columns: int) -> NDArray[np.bool_]:
    """A bool array of shape (rows, columns), full of False."""
    return np.zeros((rows, columns), np.bool_)


@helper
def new_bytes(size: int) -> NDArray[np.uint8]:
    """A uint8 array of this size, not initialised."""
    return np.empty(size, np.uint8)
