"""Compiled functions: how they are made, where they are kept, and telling a person who waits for them.

numba compiles each of them once for this machine and keeps the result beside the source, or in the user's cache folder
where that is not writable; `NUMBA_CACHE_DIR` names another place. Later runs load it. Where none of these can be
written to, every run compiles again, and `announcing` says so every time.
"""

from collections.abc import Callable
from typing import TypeVar, cast

from numba import njit
from numba.core import event

_F = TypeVar("_F", bound=Callable[..., object])


def compiled(function: _F) -> _F:
    """Compile a function of arrays and numbers at its first call; division follows numpy's rules, not Python's."""
    try:
        dispatcher = njit(function, cache=True, error_model="numpy")
    except RuntimeError:  # numba's word for having no place to keep it
        dispatcher = njit(function, error_model="numpy")
    return cast("_F", dispatcher)


class _Listener(event.Listener):
    """Calls `announce` when the first function is really compiled; loading a kept one is no such event."""

    def __init__(self, announce: Callable[[str], None]) -> None:
        self._announce = announce
        self._announced = False

    def on_start(self, event: object) -> None:  # noqa: ARG002  (the event says which function; a person need not know)
        if not self._announced:
            self._announced = True
            self._announce("compiling the solver for this machine, once: about a minute")

    def on_end(self, event: object) -> None:
        """Nothing to tell."""


def announcing(work: Callable[[], object], announce: Callable[[str], None]) -> None:
    """Do `work`; where it compiles anything, `announce` a sentence about it beforehand, once."""
    with event.install_listener("numba:compile", _Listener(announce)):
        work()
