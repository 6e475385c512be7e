"""Compiled functions: how they are made, and where they are kept.

numba compiles each of them once for this machine and keeps the result in a folder of its own for each version of the
solver, of numba, of Python and each kind of processor, below the user's cache folder; `NUMBA_CACHE_DIR` names another
place. Where neither can be written to, they are kept until the process ends.
"""

import atexit
import hashlib
import shutil
import sys
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, cast

import llvmlite.binding
import numba
import platformdirs
from numba import config, njit, types

_F = TypeVar("_F", bound=Callable[..., object])

_OPTIONS: dict[str, Any] = {"error_model": "numpy", "no_cfunc_wrapper": True}
"""Division follows numpy's rules, not Python's; nothing calls these functions from C."""

_settings: Any = config  # its attributes come from the environment


def kernel(function: _F) -> _F:
    """Compile a function of arrays and numbers at its first call, and keep it."""
    before, _settings.CACHE_DIR = (
        _settings.CACHE_DIR,
        str(kernel_folder()),
    )
    try:
        dispatcher = njit(function, cache=True, **_OPTIONS)
    except RuntimeError:  # numba's word for a function that is in no file
        dispatcher = njit(function, **_OPTIONS)
    finally:
        _settings.CACHE_DIR = before
    return cast("_F", _of_plain_types(dispatcher))


def helper(function: _F) -> _F:
    """Compile a function that only kernels and other helpers call: it has no face for Python, and is kept with them."""
    return cast("_F", _of_plain_types(njit(function, **_OPTIONS | {"no_cpython_wrapper": True})))


def _of_plain_types(dispatcher: Any) -> Any:  # noqa: ANN401  (numba has no types)
    """Let compiled callers share one variant: numba would compile one for each size of integer, and each constant."""
    template_of = dispatcher.get_call_template
    dispatcher.get_call_template = lambda args, kws: template_of(tuple(map(_plain, args)), kws)
    return dispatcher


def _plain(kind: types.Type) -> types.Type:
    kind = types.unliteral(kind)  # type: ignore[no-untyped-call]
    if isinstance(kind, types.Integer):
        return types.int64
    return types.float64 if isinstance(kind, types.Float) else kind


@cache
def kernel_folder() -> Path:
    """Where compiled functions are kept; the folder is there and can be written to."""
    above = Path(_settings.CACHE_DIR or platformdirs.user_cache_path("sweepbot", appauthor=False) / "kernels")
    folder = above / _version()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
    except OSError:
        above = Path(tempfile.mkdtemp(prefix="sweepbot-kernels-"))
        atexit.register(shutil.rmtree, above, ignore_errors=True)
        folder = above / _version()
        folder.mkdir()
    return folder


def _version() -> str:
    """What compiled functions depend on, as a name for a folder.

    All of the solver's sources, and where they are: numba by itself looks at the file of a kernel only, and not at
    those of its helpers.
    """
    here = Path(__file__).parent
    digest = hashlib.sha256(str(here).encode("utf-8", "surrogateescape"))  # numba keeps code by the place of its source
    for path in sorted(here.rglob("*.py")):
        digest.update(path.read_bytes())
    digest.update(f"{numba.__version__} {sys.version} {llvmlite.binding.get_host_cpu_name()}".encode())
    return digest.hexdigest()[:16]
