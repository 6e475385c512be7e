"""Kernels: functions of arrays and numbers that run as plain Python until they have been compiled.

numba compiles them for this machine in a low-priority process. The results are kept in the user's cache folder, or in
the one that `NUMBA_CACHE_DIR` names, in a subfolder for each version of the solver, numba and Python and each kind of
processor. Both forms give the same results. If `NUMBA_DISABLE_JIT` is set, kernels stay plain Python.
"""

import functools
import math
import sys
from collections.abc import Callable
from types import FunctionType
from typing import Any, Generic, ParamSpec, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from sweepbot.solver.kernel_cache import compile_in_background, is_cached, kernel_folder, why_uncompiled

_P = ParamSpec("_P")
_T = TypeVar("_T")
_F = TypeVar("_F", bound=Callable[..., object])
_Array = TypeVar("_Array", bound=NDArray[Any])

_LOADING_S = 0.2
"""Approximate time to load the compiled form: importing numba, and the first call."""

_OPTIONS = {"error_model": "numpy", "no_cfunc_wrapper": True}
"""Division by 0 raises no error, and nothing calls kernels from C."""

_compilable: list[tuple[Any, Any, dict[str, Any]]] = []
"""For each kernel or helper: the object that callers use, the function to compile, and options."""


class Kernel(Generic[_P, _T]):
    """A function in its current form, plain Python or compiled."""

    def __init__(self, plain: Callable[_P, _T]) -> None:
        functools.update_wrapper(self, plain)
        self.plain = self.form = plain

    def __call__(self, *args: _P.args, **kwargs: _P.kwargs) -> _T:
        """Call the current form."""
        return self.form(*args, **kwargs)


def kernel(function: Callable[_P, _T]) -> Kernel[_P, _T]:
    """Register a function to be compiled; it can be called from Python and from other kernels."""
    wrapped = Kernel(function)
    _compilable.append((wrapped, function, {"cache": True}))
    return wrapped


def helper(function: _F) -> _F:
    """Register a function to be compiled; only kernels and other helpers can call it then."""
    _compilable.append((function, function, {"no_cpython_wrapper": True}))
    return function


def compiled_as(other: Callable[..., object]) -> Callable[[_F], _F]:
    """Have `other` compiled in place of the decorated helper: it has the same results but compiles to faster code."""

    def decorate(function: _F) -> _F:
        _compilable.append((function, other, {"no_cpython_wrapper": True, "inline": "always"}))
        return function

    return decorate


def _unchanged(array: _Array) -> _Array:
    return array


@compiled_as(_unchanged)
def listed(array: _Array) -> _Array:
    """Return a 1-D array in the form that is fastest to index: the array itself if compiled, else a Python list.

    Writes to the list do not reach the array, so a caller that fills one must go on using the list. Its slices are
    copies, and it has `len` but no `size`.
    """
    return cast("_Array", array.tolist())


@helper
def with_room(values: _Array, least: int) -> _Array:
    """Return the 1-D array `values` if its size is at least `least`, else a copy with room for twice that many."""
    if values.size >= least:
        return values
    grown: Any = np.empty(2 * least, values.dtype)
    old = listed(values)
    for i in range(values.size):
        grown[i] = old[i]
    return grown  # type: ignore[no-any-return]  # numba knows no casts


class Forms:
    """Decides when the kernels of this process switch to their compiled form.

    They switch once the time spent in plain Python, the next call included, exceeds the time that loading takes, so the
    total is at most twice the optimum (the ski rental rule; Karlin et al. 1988). If nothing is cached yet, compiling
    begins at that point.
    """

    def __init__(self) -> None:
        self.is_compiled = False
        self._spent_s = 0.0
        self._compiler: object = None  # the process that compiles

    def expect(self, plain_s: float) -> None:
        """Choose the form for work that takes about `plain_s` seconds in plain Python."""
        self._spent_s += plain_s
        if self.is_compiled or self._spent_s <= _LOADING_S:
            return
        if is_cached():
            self.load()
        elif self._compiler is None and why_uncompiled() is None:
            self._compiler = compile_in_background()

    def load(self) -> None:
        """Give every kernel its compiled form; one that is not in the cache is compiled at its first call."""
        if not self.is_compiled:
            for caller_sees, form in _compiled():
                if isinstance(caller_sees, Kernel):
                    caller_sees.form = form
            self.is_compiled = True

    def stay_plain(self) -> None:
        """Run kernels in plain Python from now on, even if they are cached."""
        self.is_compiled, self._spent_s = False, -math.inf
        for caller_sees, _, _ in _compilable:
            if isinstance(caller_sees, Kernel):
                caller_sees.form = caller_sees.plain


FORMS = Forms()
"""The one instance in this process."""


def _compiled() -> list[tuple[Any, Any]]:
    """Pair what callers use with its numba dispatcher; the dispatchers' namespaces refer to each other."""
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
