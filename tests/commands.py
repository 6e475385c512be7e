"""What a command run in this process leaves behind: see the fixture `sweepbot`."""

import json
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


Command = Callable[..., Answer]
"""Takes the words that follow `sweepbot` on the command line."""
