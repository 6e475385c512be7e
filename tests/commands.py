"""Commands run in this process, see the fixture `sweepbot`, and in one of their own."""

import json
import os
import signal
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass
class Answer:
    """The exit code, stdout and stderr of a command."""

    exit_code: int
    out: str
    err: str

    @property
    def json(self) -> Any:  # noqa: ANN401  (as JSON is)
        return json.loads(self.out)


PLAIN = {"NUMBA_DISABLE_JIT": os.environ.get("NUMBA_DISABLE_JIT", "1")}
"""For a process that plays a few games: in plain Python they take less time than to load what is compiled.

Each night `.ci/run --all` has them compiled.
"""

Command = Callable[..., Answer]
"""Takes the words that follow `sweepbot` on the command line."""


def heed_hang_up() -> None:
    """Let SIGHUP have its effect in a process to be started: the tests themselves may run under `nohup`."""
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
