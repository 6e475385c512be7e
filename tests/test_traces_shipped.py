"""The traces in fixtures/traces: real clients' games, run again with no screen by the code of today."""

from pathlib import Path

import pytest

from sweepbot.replay.by_step import replay_by_step
from sweepbot.replay.strict import replay_strictly
from sweepbot.trace.entries import GameOver
from sweepbot.trace.trace import open_trace

TRACES = sorted((Path(__file__).parent.parent / "fixtures" / "traces").iterdir())
MOST_BYTES = 12_000_000


@pytest.mark.parametrize("folder", TRACES, ids=lambda folder: folder.name)
def test_a_recorded_run_comes_about_again(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Strictly and step by step, and with no display, nothing differs from what was recorded."""
    monkeypatch.delenv("DISPLAY", raising=False)
    trace = open_trace(folder)
    for replayed in (replay_strictly(trace), replay_by_step(trace)):
        assert replayed.differences == []
        assert replayed.steps > 0


def test_each_client_was_won_and_lost() -> None:
    """Of each client that is played live, and of the demo, there is a game that was won and one that was lost."""
    ends = {
        (trace.run.client, entry.result)
        for trace in map(open_trace, TRACES)
        for entry in trace.entries()
        if isinstance(entry, GameOver)
    }
    clients = ("demo", "gnome-mines", "kmines", "sgt-mines", "winemine", "xdemineur")
    assert ends == {(client, result) for client in clients for result in ("won", "lost")}


def test_the_traces_are_small() -> None:
    """All of them together take up no more than a checkout can bear."""
    assert sum(file.stat().st_size for folder in TRACES for file in folder.rglob("*") if file.is_file()) <= MOST_BYTES
