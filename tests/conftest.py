"""For all tests: the solver is compiled before any that plays, and nothing touches a person's own files."""

import os
import signal
import tempfile
import threading
from functools import cache
from pathlib import Path

import platformdirs
import pytest
from hypothesis import settings

from tests.commands import Answer, Command
from tests.user_folders import user_folders
from tools.places import PROJECT

# Before OpenCV is loaded: with several threads each, workers would wait for each other's cores.
os.environ.setdefault("OPENCV_FOR_THREADS_NUM", "1")
# Compiled code is kept, but a person's history and calibrations are neither read nor written.
os.environ.setdefault("NUMBA_CACHE_DIR", str(platformdirs.user_cache_path("sweepbot", appauthor=False) / "kernels"))
os.environ |= user_folders(Path(tempfile.mkdtemp(prefix="sweepbot-tests-")))
# Programs started in other folders run from this tree: an installed copy would compile the solver again.
os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, (str(PROJECT), os.environ.get("PYTHONPATH"))))

from sweepbot.cli import main
from sweepbot.solver.compiled import FORMS
from sweepbot.solver.kernel_cache import compile_now, why_uncompiled
from sweepbot.vision.first_sight.network import Network
from tests.looked_once import BOARDS_ONCE, JUDGE_ONCE

settings.register_profile("busy", deadline=None)  # a busy machine makes no test fail
settings.load_profile("busy")

SIGNALS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK") if hasattr(signal, name)]
"""Those that a command heeds."""


_UNDECIDING = (
    *("vision", "win32", "desktop", "demo", "render", "training"),
    *("control/test_blobs.py", "trace/test_stream.py", "test_board.py", "test_clock.py", "test_game.py"),
    *("test_geometry.py", "test_imports.py", "test_interrupts.py", "test_outcome.py", "test_replacing.py"),
)
"""Folders and files of tests in which nothing is decided."""


@cache
def _decides(path: Path) -> bool:
    """Whether tests in a file may need the compiled solver."""
    return not any(path.is_relative_to(PROJECT / "tests" / name) for name in _UNDECIDING)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Put tests that decide nothing first in each worker's share: they run while the solver is compiled.

    Tests of real clients come early and in one share: each worker that runs one must start a display, and workers steal
    from the end of each other's shares. Those of a file stay together: what they have in common is made once.
    """
    shares: int = getattr(config, "workerinput", {}).get("workercount", 1)
    undeciding = [item for item in items if not _decides(item.path)]
    others = [item for item in items if _decides(item.path)]
    others.sort(key=lambda item: item.get_closest_marker("live") is None)
    items[:] = [
        item
        for share in range(shares)
        for part in (undeciding, others)
        for item in part[len(part) * share // shares : len(part) * (share + 1) // shares]
    ]


def pytest_xdist_auto_num_workers() -> int | None:
    """One worker more than there are cores, unless the environment says how many.

    Tests of real clients wait for them most of the time.
    """
    return None if "PYTEST_XDIST_AUTO_NUM_WORKERS" in os.environ else 1 + (os.cpu_count() or 1)


def pytest_sessionstart() -> None:
    """Start compiling in the background, unless the environment forbids it; others who ask meanwhile wait for it."""
    if why_uncompiled() is None:
        threading.Thread(target=compile_now, daemon=True).start()


@pytest.fixture
def sweepbot(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    """Run a command in this process."""

    def run(*words: object) -> Answer:
        monkeypatch.setattr("sys.argv", ["sweepbot", *map(str, words)])
        capsys.readouterr()
        before = {number: signal.getsignal(number) for number in SIGNALS}
        code = main()
        for number, handler in before.items():
            signal.signal(number, handler)
        return Answer(code, *capsys.readouterr())

    return run


@pytest.fixture
def own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty set of user folders, all in one."""
    for name, folder in user_folders(tmp_path).items():
        monkeypatch.setenv(name, folder)
    return tmp_path


@pytest.fixture(autouse=True)
def _looked_once(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Find and judge no picture twice for the same client, but in `tests/vision`, where that itself is tested."""
    if request.path.parent.name != "vision":
        monkeypatch.setattr("sweepbot.vision.eyes.boards_in", BOARDS_ONCE)
        monkeypatch.setattr("sweepbot.vision.reader.boards_in", BOARDS_ONCE)
        monkeypatch.setattr(Network, "judge", JUDGE_ONCE)


@pytest.fixture(scope="session")
def _compiled() -> None:
    """Compile and load the solver, if it may be compiled: the tests play thousands of games."""
    if why_uncompiled() is None:
        compile_now()
        FORMS.load()


@pytest.fixture(autouse=True)
def _compiled_solver(request: pytest.FixtureRequest) -> None:
    """Keep waiting for the solver out of what a test measures or limits."""
    if _decides(request.path):
        request.getfixturevalue("_compiled")
