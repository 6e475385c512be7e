import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from sweepbot.errors import SweepbotError, UsageError
from sweepbot.level import FirstClick, Level
from sweepbot.simulate import Record, SeededDeals, resume, simulate
from sweepbot.simulate import cluster as simulate_cluster
from tools.places import PROJECT

pytest.importorskip("distributed", reason="distributed, of the extra [cluster], is not installed")


class Cluster:
    """A scheduler and its workers, each a process on this machine."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self._file = folder / "scheduler.json"
        self._folder = folder
        self._stack = stack
        self._start("scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--no-show")
        while not self._file.exists():
            pass

    @property
    def address(self) -> str:
        return str(json.loads(self._file.read_text())["address"])

    def add_worker(self) -> subprocess.Popen[bytes]:
        """Start a worker of one thread."""
        folder = str(self._folder)
        return self._start("worker", "--nthreads", "1", "--no-nanny", "--no-dashboard", "--local-directory", folder)

    def _start(self, kind: str, *options: str) -> subprocess.Popen[bytes]:
        words = [sys.executable, "-m", "dask", kind, "--scheduler-file", str(self._file), *options]
        process = subprocess.Popen(words, cwd=PROJECT, stderr=subprocess.DEVNULL)
        self._stack.callback(process.wait)
        self._stack.callback(process.kill)
        return process


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    """A scheduler without workers."""
    with ExitStack() as stack:
        yield Cluster(tmp_path, stack)


def outcomes(records: list[Record]) -> str:
    return "".join("01"[record.won] for record in records)


def test_lost_worker_changes_nothing(cluster: Cluster) -> None:
    """With one of two workers killed in mid-run the outcomes are those of a local run."""
    deals = SeededDeals(Level.parse("9x9/10"), FirstClick.SAFE, 1500, seed=11)
    first, _second = cluster.add_worker(), cluster.add_worker()
    records = []
    for record in simulate(deals, "exact", cluster=cluster.address):
        records.append(record)
        if len(records) == 200:
            first.kill()
            first.wait()
    assert first.returncode != 0
    assert outcomes(records) == outcomes(list(simulate(deals, "exact")))


def test_interrupted_run_continues_elsewhere(cluster: Cluster, tmp_path: Path) -> None:
    """A run begun on a cluster continues from its journal on one machine."""
    deals = SeededDeals(Level.parse("6x6/6"), FirstClick.OPEN, 300, seed=2)
    cluster.add_worker()
    journal = tmp_path / "run.jsonl"
    begun = resume(journal, deals, "exact", lambda rest: simulate(rest, "exact", cluster=cluster.address))
    for _ in range(50):
        next(begun)
    begun.close()
    continued = list(resume(journal, deals, "exact", lambda rest: simulate(rest, "exact")))
    assert outcomes(continued) == outcomes(list(simulate(deals, "exact")))


def test_a_wrong_method_is_an_error_before_connecting() -> None:
    """An unknown method is a usage error, with or without a cluster."""
    with pytest.raises(UsageError, match="clairvoyance"):
        simulate(SeededDeals(Level.parse("6x6/6"), FirstClick.OPEN, 3), "clairvoyance", cluster="tcp://127.0.0.1:1")


def test_address_without_a_scheduler_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """A silent address and an invalid one are named."""
    monkeypatch.setattr(simulate_cluster, "PATIENCE_S", 0.5)
    for address in ("tcp://127.0.0.1:1", "here://there"):
        with pytest.raises(SweepbotError, match=address):
            simulate(SeededDeals(Level.parse("6x6/6"), FirstClick.OPEN, 3), "exact", cluster=address)
