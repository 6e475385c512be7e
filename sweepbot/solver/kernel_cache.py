"""Where compiled kernels are kept, and the process that compiles them."""

import atexit
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

import platformdirs

from sweepbot.errors import SweepbotError

_SETTINGS = {"NUMBA_OPT": "1", "NUMBA_LOOP_VECTORIZE": "0", "NUMBA_SLP_VECTORIZE": "0"}
"""Loops are too short to be vectorised: without it games run a twentieth faster, and compiling is quicker."""


def compile_now() -> None:
    """Compile the solver in another process, and wait for it.

    Raises:
        SweepbotError: It could not be compiled, or must not be.
    """
    if (reason := why_uncompiled()) is not None:
        raise SweepbotError(f"the solver cannot be compiled: {reason[0]}", hint=reason[1])
    with _compiling(stderr=subprocess.PIPE) as process:
        _, errors = process.communicate()
    if process.returncode != 0:
        last = errors.decode(errors="replace").strip().splitlines()[-1:] or ["no reason was given"]
        raise SweepbotError(
            f"the solver could not be compiled: {last[0]}", hint=f"is there room in {kernel_folder().parent}?"
        )


def compile_in_background() -> "subprocess.Popen[bytes]":
    """Start a low-priority process that compiles the solver; it outlives this one."""
    return _compiling("--background", stderr=subprocess.DEVNULL)


def _compiling(*options: str, stderr: int) -> "subprocess.Popen[bytes]":
    """Start a process that compiles the solver."""
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


def why_uncompiled() -> tuple[str, str] | None:
    """Return why nothing is compiled in this environment, and what to do about it; None if it may be."""
    setting = os.environ.get("NUMBA_DISABLE_JIT", "0")  # by which numba runs functions as they are written
    if setting not in ("", "0"):
        return f"NUMBA_DISABLE_JIT is {setting!r}", "unset it"
    if find_spec("numba") is None:
        return "numba is missing, as in the program of one file", "for faster games install sweepbot with pip"
    return None


def is_cached() -> bool:
    """Whether everything that decisions need is compiled for this machine, and may be used."""
    return why_uncompiled() is None and done_marker().exists()


def done_marker() -> Path:
    """Return the file that marks a complete cache; it names the processor, as the cache may be another machine's."""
    import llvmlite.binding  # noqa: PLC0415  (a quarter of the time that loading takes)

    return kernel_folder() / f"done-{llvmlite.binding.get_host_cpu_name()}"


@cache
def kernel_folder() -> Path:
    """Return the folder of compiled functions; a temporary one of this process if the usual one is not writable."""
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
    """Return a folder name that depends on everything that compiled functions depend on."""
    # All of the solver's sources and their location: numba itself only looks at the file that a kernel is in.
    here = Path(__file__).parent
    digest = hashlib.sha256(str(here).encode("utf-8", "surrogateescape"))
    for path in sorted(here.rglob("*.py")):
        digest.update(path.read_bytes())
    digest.update(f"{version('numba')} {version('llvmlite')} {sys.version}".encode())
    return digest.hexdigest()[:16]
