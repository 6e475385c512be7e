"""Commands of sweepbot in their own process on a test's desktop, and their expected results."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from typing import Any

from tests.commands import PLAIN, started

_PATIENCE = 300.0
"""Seconds; only a broken run takes as long, a busy machine does not."""


def sweepbot(environment: Mapping[str, str], *words: str) -> subprocess.CompletedProcess[str]:
    """Run a command to its end."""
    command = [sys.executable, "-m", "sweepbot", *words]
    return subprocess.run(
        command, env=dict(environment) | PLAIN, capture_output=True, text=True, check=False, timeout=_PATIENCE
    )


def playing(
    environment: Mapping[str, str], *options: str, before: Callable[[], None] | None = None
) -> AbstractContextManager[subprocess.Popen[str]]:
    """`sweepbot play` on the desktop of an environment; `before` is called in its process."""
    return started(environment, "play", "--no-countdown", "--json", *options, before=before)


def result(process: subprocess.Popen[str], exit_code: int) -> tuple[dict[str, Any], str]:
    """The report and the messages of a run, which must end with this exit code."""
    out, talk = process.communicate(timeout=_PATIENCE)
    assert process.returncode == exit_code, talk
    return (json.loads(out) if out else {}), talk


def expect_games(report: dict[str, Any], games: int) -> None:
    """Assert that so many games were finished without a misread."""
    assert [game["result"] in ("won", "lost") for game in report["games"]] == [True] * games
    assert sum(game["misreads"] for game in report["games"]) == 0


def expect_replay(trace: str) -> None:
    """Assert that a recorded run replays without a difference."""
    replayed = sweepbot(os.environ, "replay", trace, "--json")
    differences = json.loads(replayed.stdout)["differences"]
    assert not differences, differences
