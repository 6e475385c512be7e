"""The traces in fixtures/traces: recorded games of real clients, replayed by today's code."""

from pathlib import Path

import pytest

from sweepbot.replay.by_step import replay_by_step
from sweepbot.replay.strict import replay_strictly
from sweepbot.trace.events import Ended
from sweepbot.trace.trace import open_trace
from tests.nightly import by_turns
from tools.places import TRACES

FOLDERS = sorted(TRACES.iterdir())

WON_OR_LEARNED = [folder for folder in FOLDERS if folder.name.endswith(("-won", "-learned"))]
"""One trace of each client, and the one of learning; a strict replay reads the pictures of all traces."""

MAX_BYTES = 12_000_000


@pytest.mark.parametrize("folder", by_turns(FOLDERS, one_in=3), ids=lambda folder: folder.name)
def test_a_recorded_run_replays(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A strict replay has the same readings, decisions and clicks."""
    monkeypatch.delenv("DISPLAY", raising=False)
    replayed = replay_strictly(open_trace(folder))
    assert replayed.differences == []
    assert replayed.steps > 0


@pytest.mark.parametrize("folder", by_turns(WON_OR_LEARNED, one_in=3), ids=lambda folder: folder.name)
def test_a_recorded_run_replays_by_step(folder: Path) -> None:
    """Each kept picture is read, and decided on, as it was in the run."""
    replayed = replay_by_step(open_trace(folder))
    assert replayed.differences == []
    assert replayed.steps > 0


def test_each_client_was_won_and_lost() -> None:
    """Each client that is played live, and the demo, has a won and a lost game."""
    ends = {
        (trace.run.client, entry.result)
        for trace in map(open_trace, FOLDERS)
        for entry in trace.entries()
        if isinstance(entry, Ended)
    }
    clients = ("demo", "gnome-mines", "kmines", "sgt-mines", "winemine", "xdemineur")
    assert ends >= {(client, result) for client in clients for result in ("won", "lost")}


def test_the_traces_are_small() -> None:
    """Together they stay within the size that a checkout can bear."""
    assert sum(file.stat().st_size for folder in FOLDERS for file in folder.rglob("*") if file.is_file()) <= MAX_BYTES
