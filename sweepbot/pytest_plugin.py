"""What pytest finds of sweepbot by its entry point: the fixture `assert_reads`. Loads nothing until that is used."""

from collections.abc import Callable

import pytest


@pytest.fixture(name="assert_reads", scope="session")
def _assert_reads() -> Callable[..., None]:
    """`sweepbot.testing.assert_reads(source, board, client=None)`: fail unless a screenshot is read as a board."""
    from sweepbot.testing import assert_reads  # noqa: PLC0415  (late: eyes and solver take a second to load)

    return assert_reads
