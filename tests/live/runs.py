"""`sweepbot play` as a program of its own, on a desktop that a test has started, and what must come of it."""

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
    """The report, and the talk, of a run that must end so."""
    out, talk = process.communicate(timeout=_PATIENCE)
    assert process.returncode == exit_code, talk
    return (json.loads(out) if out else {}), talk


def expect_games(report: dict[str, Any], games: int) -> None:
    """So many games were played to their ends, and no cell was misread."""
    assert [game["result"] in ("won", "lost") for game in report["games"]] == [True] * games
    assert sum(game["misreads"] for game in report["games"]) == 0


def until_game(process: subprocess.Popen[str]) -> str:
    """Wait until a game was played; what was said until then."""
    assert process.stderr is not None
    talk = ""
    for line in process.stderr:
        talk += line
        if line.startswith("game 1"):
            return talk
    pytest.fail(f"no game was played: {talk}")


def expect_replay(trace: str) -> None:
    """A recorded run is the same when it is played again."""
    command = [sys.executable, "-m", "sweepbot", "replay", trace, "--json"]
    replayed = subprocess.run(command, capture_output=True, text=True, check=False)
    assert json.loads(replayed.stdout)["differences"] == []
