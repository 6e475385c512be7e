"""Kernels: functions of arrays and numbers that may be compiled. Until they are they run as they are written.

numba compiles them for this machine, in a process of low priority, and keeps the result in a folder of its own for each
version of the solver, of numba, of Python and each kind of processor, below the user's cache folder;
`NUMBA_CACHE_DIR` names another place. Both forms give the same results.
"""

import atexit
import functools
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import cache
from importlib.metadata import version
from pathlib import Path
from types import FunctionType
from typing import Any, Generic, ParamSpec, TypeVar, cast

import platformdirs

from sweepbot.errors import SweepbotError

_P = ParamSpec("_P")
_T = TypeVar("_T")
_F = TypeVar("_F", bound=Callable[..., object])

_LOADING_S = 0.2
"""About what loading the compiled form takes until positions are counted: importing numba, and the first call."""

_SETTINGS = {"NUMBA_OPT": "1", "NUMBA_LOOP_VECTORIZE": "0", "NUMBA_SLP_VECTORIZE": "0"}
"""Loops are too short to be vectorised: without it games are played faster by a twentieth, and compiling is quicker."""

_kernels: list["Kernel[..., Any]"] = []
_helpers: list[tuple[FunctionType, FunctionType]] = []  # as they are written, and what is compiled in their place


class Kernel(Generic[_P, _T]):
    """A function in the form that is at hand."""

    def __init__(self, plain: Callable[_P, _T]) -> None:
        functools.update_wrapper(self, plain)
        self.plain = self.form = plain

    def __call__(self, *args: _P.args, **kwargs: _P.kwargs) -> _T:
        """Call the form that is at hand."""
        return self.form(*args, **kwargs)


def kernel(function: Callable[_P, _T]) -> Kernel[_P, _T]:
    """Let a function be compiled; it can be called from Python and from other kernels."""
    made = Kernel(function)
    _kernels.append(made)
    return made


def helper(function: _F) -> _F:
    """Let a function be compiled that only kernels and other helpers call."""
    return compiled_as(function)(function)


def compiled_as(other: Callable[..., object]) -> Callable[[_F], _F]:
    """Let another function be compiled in the place of a helper: one with the same results, and faster then."""

    def decorate(function: _F) -> _F:
        _helpers.append((cast("FunctionType", function), cast("FunctionType", other)))
        return function

    return decorate


class Forms:
    """Which form the kernels of this process have, and when the compiled one is worth its loading.

    It is loaded once what plain Python has taken so far, and will take for what is asked next, exceeds what loading
    takes: never more than twice the least that could have been spent (the ski rental rule; Karlin et al. 1988). Where
    it is not in the cache yet, that is when compiling begins.
    """

    def __init__(self) -> None:
        self.is_compiled = False
        self._may_compile = True
        self._spent_s = 0.0
        self._begun: subprocess.Popen[bytes] | None = None

    def expect(self, plain_s: float) -> None:
        """Choose the form for what takes about `plain_s` seconds in plain Python."""
        self._spent_s += plain_s
        if self._may_compile and not self.is_compiled and self._spent_s > _LOADING_S:
            self.prepare()

    def prepare(self) -> None:
        """Load the compiled form where it is in the cache, else have it compiled by another process."""
        if is_cached():
            self.load()
        elif self._begun is None:
            self._begun = _compiling("--background", stderr=subprocess.DEVNULL)

    def load(self) -> None:
        """Give every kernel its compiled form; what is not in the cache is compiled at its first call."""
        if not self.is_compiled:
            for made, form in zip(_kernels, _compiled(), strict=True):
                made.form = form
            self.is_compiled = True

    def stay_plain(self) -> None:
        """Run kernels as they are written from now on, whatever is in the cache."""
        self._may_compile = self.is_compiled = False
        for made in _kernels:
            made.form = made.plain


FORMS = Forms()
"""Those of this process."""


def compile_now() -> None:
    """Have everything compiled, and wait for it.

    Raises:
        SweepbotError: It could not be compiled.
    """
    with _compiling(stderr=subprocess.PIPE) as process:
        _, errors = process.communicate()
    if process.returncode != 0:
        last = errors.decode(errors="replace").strip().splitlines()[-1:] or ["no reason was given"]
        raise SweepbotError(
            f"the solver could not be compiled: {last[0]}", hint=f"is there room in {kernel_folder().parent}?"
        )


def _compiling(*options: str, stderr: int) -> "subprocess.Popen[bytes]":
    """A process that compiles; it goes on when this one ends."""
    # The working directory may hold another package of this name.
    path = os.pathsep.join(filter(None, (str(Path(__file__).parents[2]), os.environ.get("PYTHONPATH"))))
    return subprocess.Popen(  # noqa: S603  (this very program)
        [sys.executable, "-P", "-m", "sweepbot.solver.compiling", *options],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=stderr,
        env=os.environ | _SETTINGS | {"PYTHONPATH": path, "NUMBA_CACHE_DIR": str(kernel_folder().parent)},
        creationflags=getattr(subprocess, "BELOW_NORMAL_PRIORITY_CLASS", 0) if options else 0,
    )


def _compiled() -> list[Callable[..., Any]]:
    """The kernels as numba's dispatchers, in namespaces in which they see each other's and the helpers' instead."""
    import numba  # noqa: PLC0415  (takes longer than the usual position does in plain Python)

    njit: Any = numba.njit
    options = {"error_model": "numpy", "no_cfunc_wrapper": True}  # a division by 0 raises no error
    plain = [(made.plain, cast("FunctionType", made.plain)) for made in _kernels]
    spaces: dict[str, dict[str, Any]] = {}
    forms: dict[int, Any] = {}
    settings: Any = numba.config  # its attributes come from the environment
    before, settings.CACHE_DIR = settings.CACHE_DIR, str(kernel_folder())
    try:
        for of, more in ((_helpers, {"no_cpython_wrapper": True}), (plain, {"cache": True})):
            for name, function in of:
                space = spaces.setdefault(function.__module__, dict(vars(sys.modules[function.__module__])))
                copy = FunctionType(function.__code__, space, function.__name__)
                copy.__qualname__, copy.__module__ = function.__qualname__, function.__module__
                inlined = {} if name is function else {"inline": "always"}
                forms[id(name)] = njit(**options, **more, **inlined)(copy)
    finally:
        settings.CACHE_DIR = before
    forms |= {id(made): forms[id(made.plain)] for made in _kernels}
    for space in spaces.values():
        space |= {name: forms[id(value)] for name, value in space.items() if id(value) in forms}
    return [forms[id(made)] for made in _kernels]


def is_cached() -> bool:
    """Whether all that the solver needs is compiled for this machine."""
    done = _done()
    return done.exists() and done.read_text(encoding="utf-8") == _processor()


def mark_cached() -> None:
    """Note that all is compiled."""
    _done().write_text(_processor(), encoding="utf-8")


def _done() -> Path:
    return kernel_folder() / "done"


def _processor() -> str:
    """The kind of processor, as the compiler names it: a cache may have been filled on another machine."""
    import llvmlite.binding  # noqa: PLC0415  (a quarter of what loading takes)

    return str(llvmlite.binding.get_host_cpu_name())


@cache
def kernel_folder() -> Path:
    """Where compiled functions are kept; a folder of this process alone where nothing can be written to the usual."""
    usual = os.environ.get("NUMBA_CACHE_DIR") or platformdirs.user_cache_path("sweepbot", appauthor=False) / "kernels"
    folder = Path(usual) / _version()
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
    """What compiled functions depend on, as a name for a folder."""
    # All of the solver's sources, and where they are: numba by itself looks at the file of a kernel only.
    here = Path(__file__).parent
    digest = hashlib.sha256(str(here).encode("utf-8", "surrogateescape"))
    for path in sorted(here.rglob("*.py")):
        digest.update(path.read_bytes())
    digest.update(f"{version('numba')} {version('llvmlite')} {sys.version}".encode())
    return digest.hexdigest()[:16]
