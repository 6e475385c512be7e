"""What holds for all tests: the solver is compiled before any that plays, and no game goes into a person's history."""

import os
import tempfile
import time
from itertools import pairwise
from pathlib import Path

import pytest

# As the command does, before numpy is loaded: workers whose products share the cores wait for each other.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
# Nothing goes into the history or the calibrations of the person who runs the tests, and none of theirs is tried.
os.environ |= {name: tempfile.mkdtemp(prefix="sweepbot-tests-") for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME")}
# Programs that tests start elsewhere are of this very tree: an installed copy would have the solver compiled anew.
os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, (str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH"))))

from sweepbot.solver import Preparation
from sweepbot.solver.preparation import PATIENCE_SECONDS, STAGES, is_prepared

_POLL_SECONDS = 0.1


def _decides(item: pytest.Item) -> bool:
    """Whether a test may want the solver: the eyes know nothing of it."""
    return not item.path.name.startswith("test_vision")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Put tests of the eyes first in the share of each worker: they run while the solver is compiled.

    Those of real clients are in one share, and early: workers steal from the end of each other's, and whoever runs one
    of them has to start a display.
    """
    shares: int = getattr(config, "workerinput", {}).get("workercount", 1)
    eyes = [item for item in items if not _decides(item)]
    others = sorted(filter(_decides, items), key=lambda item: item.get_closest_marker("live") is None)
    ends = [len(others) * share // shares for share in range(shares + 1)]
    items[:] = [
        item for share, (start, end) in enumerate(pairwise(ends)) for item in (*eyes[share::shares], *others[start:end])
    ]


@pytest.fixture(scope="session")
def _preparation(worker_id: str) -> Preparation | None:
    """Have the first worker compile the solver, once."""
    return Preparation(STAGES) if worker_id in ("master", "gw0") else None


@pytest.fixture(autouse=True)
def _compiled_solver(request: pytest.FixtureRequest, _preparation: Preparation | None) -> None:
    """Let no test wait for the solver inside what it measures or bounds."""
    if not _decides(request.node):
        return
    if _preparation is not None:
        _preparation.wait(STAGES[-1])
    give_up = time.monotonic() + PATIENCE_SECONDS
    while not all(map(is_prepared, STAGES)):
        assert time.monotonic() < give_up, "the first worker has not compiled the solver"
        time.sleep(_POLL_SECONDS)
