"""Kernels: functions of arrays and numbers that may be compiled. Until they are they run as they are written.

numba compiles them for this machine, in a process of low priority, and keeps the result in a folder of its own for each
version of the solver, of numba, of Python and each kind of processor, below the user's cache folder;
`NUMBA_CACHE_DIR` names another place. Both forms give the same results.
"""

import functools
import math
import sys
from collections.abc import Callable
from types import FunctionType
from typing import Any, Generic, ParamSpec, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from sweepbot.solver.kernel_cache import compile_meanwhile, is_cached, kernel_folder

_P = ParamSpec("_P")
_T = TypeVar("_T")
_F = TypeVar("_F", bound=Callable[..., object])
_Array = TypeVar("_Array", bound=NDArray[Any])

_LOADING_S = 0.2
"""About what loading the compiled form takes until positions are counted: importing numba, and the first call."""

_OPTIONS = {"error_model": "numpy", "no_cfunc_wrapper": True}
"""A division by 0 raises no error, and nothing calls kernels from C."""

_compilable: list[tuple[Any, Any, dict[str, Any]]] = []
"""For each kernel or helper: the object that callers use, the function to compile, and options."""


class Kernel(Generic[_P, _T]):
    """A function in the form that is loaded: plain Python or compiled."""

    def __init__(self, plain: Callable[_P, _T]) -> None:
        functools.update_wrapper(self, plain)
        self.plain = self.form = plain

    def __call__(self, *args: _P.args, **kwargs: _P.kwargs) -> _T:
        """Call the form that is loaded."""
        return self.form(*args, **kwargs)


def kernel(function: Callable[_P, _T]) -> Kernel[_P, _T]:
    """Register a function to be compiled; it can be called from Python and from other kernels."""
    made = Kernel(function)
    _compilable.append((made, function, {"cache": True}))
    return made


def helper(function: _F) -> _F:
    """Register a function to be compiled that only kernels and other helpers call."""
    _compilable.append((function, function, {"no_cpython_wrapper": True}))
    return function


def compiled_as(other: Callable[..., object]) -> Callable[[_F], _F]:
    """Have another function compiled instead of a helper: one with the same results that compiles to faster code."""

    def decorate(function: _F) -> _F:
        _compilable.append((function, other, {"no_cpython_wrapper": True, "inline": "always"}))
        return function

    return decorate


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


class Forms:
    """Which form the kernels of this process have, and when loading the compiled form pays.

    It is loaded once what plain Python has taken so far, and will take for what is asked next, exceeds what loading
    takes: never more than twice the least that could have been spent (the ski rental rule; Karlin et al. 1988). Where
    it is not in the cache yet, that is when compiling begins.
    """

    def __init__(self) -> None:
        self.is_compiled = False
        self._spent_s = 0.0
        self._begun: object = None  # the process that compiles

    def expect(self, plain_s: float) -> None:
        """Choose the form for what takes about `plain_s` seconds in plain Python."""
        self._spent_s += plain_s
        if self.is_compiled or self._spent_s <= _LOADING_S:
            return
        if is_cached():
            self.load()
        elif self._begun is None:
            self._begun = compile_meanwhile()

    def load(self) -> None:
        """Give every kernel its compiled form; what is not in the cache is compiled at its first call."""
        if not self.is_compiled:
            for caller_sees, form in _compiled():
                if isinstance(caller_sees, Kernel):
                    caller_sees.form = form
            self.is_compiled = True

    def stay_plain(self) -> None:
        """Run kernels in plain Python from now on, whatever is in the cache."""
        self.is_compiled, self._spent_s = False, -math.inf
        for caller_sees, _, _ in _compilable:
            if isinstance(caller_sees, Kernel):
                caller_sees.form = caller_sees.plain


FORMS = Forms()
"""Those of this process."""


def _compiled() -> list[tuple[Any, Any]]:
    """For all that can be compiled a numba dispatcher, in namespaces in which they see each other's."""
    import numba  # noqa: PLC0415  (takes longer than the usual position does in plain Python)

    njit: Any = numba.njit
    settings: Any = numba.config  # its attributes come from the environment
    before, settings.CACHE_DIR = settings.CACHE_DIR, str(kernel_folder())
    spaces: dict[str, dict[str, Any]] = {}
    forms: dict[int, tuple[Any, Any]] = {}
    try:
        for caller_sees, function, more in _compilable:
            space = spaces.setdefault(function.__module__, dict(vars(sys.modules[function.__module__])))
            copy = FunctionType(function.__code__, space, function.__name__)
            forms[id(caller_sees)] = caller_sees, njit(**_OPTIONS, **more)(copy)
    finally:
        settings.CACHE_DIR = before
    for space in spaces.values():
        space |= {name: forms[id(value)][1] for name, value in space.items() if id(value) in forms}
    return list(forms.values())
