"""The traces in fixtures/traces: real clients' games, run again with no screen by the code of today."""

from pathlib import Path

import pytest

from sweepbot.replay.by_step import replay_by_step
from sweepbot.replay.strict import replay_strictly
from sweepbot.trace.events import Ended
from sweepbot.trace.trace import open_trace

TRACES = sorted((Path(__file__).parent.parent / "fixtures" / "traces").iterdir())
WON_OR_LEARNED = [folder for folder in TRACES if folder.name.endswith(("-won", "-learned"))]
"""One of each client, and learning: a strict replay reads the pictures of all of them as well."""

MOST_BYTES = 12_000_000


@pytest.mark.parametrize("folder", TRACES, ids=lambda folder: folder.name)
def test_a_recorded_run_comes_about_again(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With no display, nothing differs from what was recorded: no reading, no decision, no click."""
    monkeypatch.delenv("DISPLAY", raising=False)
    replayed = replay_strictly(open_trace(folder))
    assert replayed.differences == []
    assert replayed.steps > 0


@pytest.mark.parametrize("folder", WON_OR_LEARNED, ids=lambda folder: folder.name)
def test_step_by_step_a_recorded_run_is_what_it_was(folder: Path) -> None:
    """Each kept picture, read by itself, shows what it was read as in the run, and is decided as it was then."""
    replayed = replay_by_step(open_trace(folder))
    assert replayed.differences == []
    assert replayed.steps > 0


def test_each_client_was_won_and_lost() -> None:
    """Of each client that is played live, and of the demo, there is a game that was won and one that was lost."""
    ends = {
        (trace.run.client, entry.result)
        for trace in map(open_trace, TRACES)
        for entry in trace.entries()
        if isinstance(entry, Ended)
    }
    clients = ("demo", "gnome-mines", "kmines", "sgt-mines", "winemine", "xdemineur")
    assert ends == {(client, result) for client in clients for result in ("won", "lost")}


def test_the_traces_are_small() -> None:
    """All of them together take up no more than a checkout can bear."""
    assert sum(file.stat().st_size for folder in TRACES for file in folder.rglob("*") if file.is_file()) <= MOST_BYTES
