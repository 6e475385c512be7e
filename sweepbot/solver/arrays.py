"""Array helpers for kernels: what numpy and numba do differently, or slowly."""

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

    What is written into a list does not reach the array, so a caller that fills one must keep using the list. It has no
    slices that share its memory, and only `len` for its size.
    """
    return cast("_Array", array.tolist())


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
