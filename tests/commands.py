"""Commands run in this process, see the fixture `sweepbot`, and in one of their own."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Self

import pytest


@dataclass
class Answer:
    """The exit code, stdout and stderr of a command."""

    exit_code: int
    out: str
    err: str

    @property
    def json(self) -> Any:  # noqa: ANN401  (as JSON is)
        return json.loads(self.out)

    def says(self, exit_code: int, *words: str) -> Self:
        """Check that the command ended so, and that all of these words are among its messages; return itself."""
        assert self.exit_code == exit_code, self.err
        assert [word for word in words if word not in self.err] == [], self.err
        return self


PLAIN = {"NUMBA_DISABLE_JIT": os.environ.get("NUMBA_DISABLE_JIT", "1")}
"""For a process that plays a few games: in plain Python they take less time than to load what is compiled.

Each night `.ci/run --all` has them compiled.
"""

PATIENCE_S = 300.0  # only a broken run takes as long, a busy machine does not

Command = Callable[..., Answer]
"""Takes the words that follow `sweepbot` on the command line."""


def run(
    *words: object,
    environment: Mapping[str, str] | None = None,
    **options: Any,  # noqa: ANN401  (those of `subprocess.run`)
) -> "subprocess.CompletedProcess[str]":
    """Run a command to its end in a process of its own."""
    command = [sys.executable, "-m", "sweepbot", *map(str, words)]
    usual = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "timeout": PATIENCE_S}
    done: subprocess.CompletedProcess[str] = subprocess.run(
        command, check=False, env=None if environment is None else dict(environment), **usual | options
    )
    return done


def heed_hang_up() -> None:
    """Let SIGHUP have its effect in a process to be started: the tests themselves may run under `nohup`."""
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


@contextmanager
def started(
    environment: Mapping[str, str], *words: str, before: Callable[[], None] | None = None
) -> Iterator[subprocess.Popen[str]]:
    """A command in a process of its own, which is ended at last; `before` is called in it."""
    pipe = subprocess.PIPE
    process = subprocess.Popen(
        [sys.executable, "-m", "sweepbot", *words],
        env=dict(environment) | PLAIN,
        stdout=pipe,
        stderr=pipe,
        text=True,
        preexec_fn=before,  # noqa: PLW1509  (it starts no thread)
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def until_game(process: subprocess.Popen[str]) -> str:
    """Wait until a game was played; return what was said until then."""
    assert process.stderr is not None
    talk = ""
    for line in process.stderr:
        talk += line
        if line.startswith("game 1"):
            return talk
    pytest.fail(f"no game was played: {talk}")


def result(process: subprocess.Popen[str], exit_code: int) -> tuple[dict[str, Any], str]:
    """The report and the messages of a run, which must end with this exit code, in words."""
    out, talk = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == exit_code, talk
    assert "Traceback" not in talk
    return (json.loads(out) if out else {}), talk
