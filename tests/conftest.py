"""What holds for all tests: those of real clients run one after the other, and the solver is compiled before any."""

import pytest

from sweepbot.solver import Preparation
from sweepbot.solver.preparation import STAGES


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Give all tests of real clients to one worker."""
    for item in items:
        if item.get_closest_marker("live") is not None:
            item.add_marker(pytest.mark.xdist_group("live"))


@pytest.fixture(scope="session", autouse=True)
def _compiled_solver() -> None:
    """Compile the solver once; no test then waits inside what it measures or bounds."""
    preparation = Preparation(STAGES)
    for stage in STAGES:
        preparation.wait(stage)
