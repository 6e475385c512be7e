"""Commands of sweepbot in their own process on a test's desktop, and their expected results."""

import json
import os
import subprocess
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from typing import Any

from tests.commands import PLAIN, run, started


def sweepbot(environment: Mapping[str, str], *words: str) -> subprocess.CompletedProcess[str]:
    """Run a command to its end."""
    return run(*words, environment=dict(environment) | PLAIN)


def playing(
    environment: Mapping[str, str], *options: str, before: Callable[[], None] | None = None
) -> AbstractContextManager[subprocess.Popen[str]]:
    """`sweepbot play` on the desktop of an environment; `before` is called in its process."""
    return started(environment, "play", "--no-countdown", "--json", *options, before=before)


def expect_games(report: dict[str, Any], games: int) -> None:
    """Assert that so many games were finished without a misread."""
    assert [game["result"] in ("won", "lost") for game in report["games"]] == [True] * games
    assert sum(game["misreads"] for game in report["games"]) == 0


def expect_replay(trace: str) -> None:
    """Assert that a recorded run replays without a difference."""
    replayed = sweepbot(os.environ, "replay", trace, "--json")
    differences = json.loads(replayed.stdout)["differences"]
    assert not differences, differences
