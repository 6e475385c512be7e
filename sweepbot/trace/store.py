"""Where traces of runs that went wrong are kept: in the user's state folder; the oldest are removed."""

import shutil
from datetime import datetime
from pathlib import Path

import platformdirs

from sweepbot.trace.run import RUN

MOST_BYTES = 200_000_000
"""How much they may take up together; the oldest go first, the newest stays."""


def new_folder(command: str) -> Path:
    """The name of a folder that is not there yet; names in order are in the order of time."""
    name = f"{datetime.now():%Y%m%d-%H%M%S-%f}-{command}"  # noqa: DTZ005  (a person's clock)
    return traces_folder() / name


def traces_folder() -> Path:
    """Where they are."""
    return platformdirs.user_state_path("sweepbot", appauthor=False) / "traces"


def prune(most_bytes: int = MOST_BYTES) -> None:
    """Remove the oldest traces until the others take up no more than so many bytes; the newest stays in any case.

    Raises:
        OSError: One cannot be removed.
    """
    newest_first = sorted(traces_folder().glob(f"*/{RUN}"), reverse=True)
    total = 0
    for number, run in enumerate(newest_first):
        total += sum(file.stat().st_size for file in run.parent.rglob("*") if file.is_file())
        if number and total > most_bytes:
            shutil.rmtree(run.parent)
