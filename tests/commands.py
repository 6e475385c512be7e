"""What a command leaves behind, for tests that run it in their own process: see the fixture `sweepbot`."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass
class Answer:
    """What a command left behind."""

    exit_code: int
    out: str
    err: str

    @property
    def json(self) -> Any:  # noqa: ANN401  (as JSON is)
        return json.loads(self.out)


Command = Callable[..., Answer]
"""Takes the words that follow `sweepbot` on the command line."""
