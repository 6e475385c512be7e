"""What holds for all tests: the solver is compiled before any, and no game goes into a person's history."""

import os
import tempfile
import time

import pytest

# As the command does, before numpy is loaded: workers whose products share the cores wait for each other.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
# No game that a test plays goes into the history of the person who runs it.
os.environ["XDG_DATA_HOME"] = tempfile.mkdtemp(prefix="sweepbot-tests-")

from sweepbot.solver import Preparation
from sweepbot.solver.preparation import PATIENCE_SECONDS, STAGES, is_prepared

_POLL_SECONDS = 0.1


@pytest.fixture(scope="session", autouse=True)
def _compiled_solver(worker_id: str) -> None:
    """Have the first worker compile the solver, once; no test then waits inside what it measures or bounds."""
    if worker_id in ("master", "gw0"):
        preparation = Preparation(STAGES)
        for stage in STAGES:
            preparation.wait(stage)
    give_up = time.monotonic() + PATIENCE_SECONDS
    while not all(map(is_prepared, STAGES)):
        assert time.monotonic() < give_up, "the first worker has not compiled the solver"
        time.sleep(_POLL_SECONDS)
