"""`sweepbot play` in its own process on a test's desktop, and its expected results."""

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import pytest

_PATIENCE = 150.0


@contextmanager
def playing(environment: Mapping[str, str], *options: str) -> Iterator[subprocess.Popen[str]]:
    """`sweepbot play` on the desktop of an environment."""
    command = [sys.executable, "-m", "sweepbot", "play", "--no-countdown", "--json", *options]
    pipe = subprocess.PIPE
    process = subprocess.Popen(command, env=dict(environment), stdout=pipe, stderr=pipe, text=True)
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def result(process: subprocess.Popen[str], exit_code: int) -> tuple[dict[str, Any], str]:
    """The report and the messages of a run, which must end with this exit code."""
    out, talk = process.communicate(timeout=_PATIENCE)
    assert process.returncode == exit_code, talk
    return (json.loads(out) if out else {}), talk


def expect_games(report: dict[str, Any], games: int) -> None:
    """Assert that so many games were finished without a misread."""
    assert [game["result"] in ("won", "lost") for game in report["games"]] == [True] * games
    assert sum(game["misreads"] for game in report["games"]) == 0


def until_game(process: subprocess.Popen[str]) -> str:
    """Wait until a game was played; return what was said until then."""
    assert process.stderr is not None
    talk = ""
    for line in process.stderr:
        talk += line
        if line.startswith("game 1"):
            return talk
    pytest.fail(f"no game was played: {talk}")


def expect_replay(trace: str) -> None:
    """Assert that a recorded run replays without a difference."""
    command = [sys.executable, "-m", "sweepbot", "replay", trace, "--json"]
    replayed = subprocess.run(command, capture_output=True, text=True, check=False)
    assert json.loads(replayed.stdout)["differences"] == []
