"""Plays many games, in this process, in several, or on a Dask cluster, with the same records."""

import itertools
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Generator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace
from functools import cache, partial
from multiprocessing import get_context, parent_process
from typing import Any

from sweepbot.errors import SweepbotError, UsageError
from sweepbot.plan import Style
from sweepbot.simulate.cluster import connect
from sweepbot.simulate.deals import Deals
from sweepbot.simulate.expected import expected_outcome
from sweepbot.simulate.match import Record, play
from sweepbot.solver import Solver
from sweepbot.solver.compiling import get_ready

_PlayAll = Callable[[Deals], Generator[Record, None, None]]

_CHUNK, _CLUSTER_CHUNK = 8, 32
"""Games sent to a process, or to the cluster, at once: enough to make this cheap, and few enough to show progress."""

_AHEAD = 4
"""Chunks under way per process, or per thread of a cluster: a million games take no more memory than a hundred."""


def simulate(
    deals: Deals,
    method: str = "best",
    *,
    workers: int = 1,
    cluster: str | None = None,
    expected: bool = False,
    style: Style | None = None,
) -> Generator[Record, None, None]:
    """Play every game of `deals` and yield the records in order, each as soon as it is known.

    Which games are won depends neither on `workers` nor on the machine. If the caller stops iterating, the games under
    way are given up.

    On a cluster each chunk of games is a task of its own: if a worker is lost, the scheduler gives its chunks to
    another, and since the records of each chunk are collected once, nothing is counted twice. Workers may come and go;
    if none is left, the run waits for one.

    Args:
        deals: The games to play.
        method: The solver's method.
        workers: How many processes to use, at least 1, which is this one.
        cluster: The address of a Dask scheduler, on whose workers to play instead.
        expected: Whether to play each game once more, for its expected outcome.
        style: Counts the clicks that `sweepbot play` makes in this style of play.

    Raises:
        UsageError: There is no such method, or there are no workers.
        SweepbotError: distributed is not installed, or no scheduler answers at the address. While iterating: a worker
            process was killed, or a board is too large for its expected outcome.
    """
    if workers < 1:
        raise UsageError(f"{workers} workers cannot play", hint="give at least 1")
    _solver(method)  # an unknown method is an error here, not in a worker
    play_all = partial(_play_all, method=method, expected=expected, style=style)
    if cluster is not None:
        return _play_over_cluster(deals, play_all, connect(cluster))
    return play_all(deals) if workers == 1 else _play_over_processes(deals, play_all, workers)


def _play_in_order(
    deals: Deals, chunk: int, submit: Callable[[Deals], Any], workers: Callable[[], int]
) -> Generator[Record, None, None]:
    """Have games played elsewhere, in chunks, and yield their records in order.

    Args:
        deals: The games.
        chunk: How many of them to submit at once.
        submit: Returns the future of a list of records.
        workers: Returns how many chunks can be played at the same time.
    """
    chunks = (deals.part(range(start, min(start + chunk, len(deals)))) for start in range(0, len(deals), chunk))
    under_way: deque[Any] = deque()
    while True:
        under_way.extend(map(submit, itertools.islice(chunks, max(0, _AHEAD * max(1, workers()) - len(under_way)))))
        if not under_way:
            return
        yield from under_way.popleft().result()


def _play_chunk(play_all: _PlayAll, deals: Deals) -> list[Record]:
    """Play a short series, in a worker process."""
    return list(play_all(deals))


def _play_all(deals: Deals, method: str, *, expected: bool, style: Style | None) -> Generator[Record, None, None]:
    solver = _solver(method)
    for number in range(len(deals)):
        record = play(deals.deal(number), solver, style)
        yield replace(record, expected=expected_outcome(deals.deal(number), solver)) if expected else record


@cache
def _solver(method: str) -> Solver:
    """Return this process's solver for a method, loaded so that no game waits for it."""
    solver = Solver(method)
    get_ready()
    return solver


def _play_over_processes(deals: Deals, play_all: _PlayAll, workers: int) -> Generator[Record, None, None]:
    # "spawn" works on every system and inherits no locks.
    pool = ProcessPoolExecutor(workers, get_context("spawn"), _begin_worker)
    try:
        yield from _play_in_order(deals, _CHUNK, lambda part: pool.submit(_play_chunk, play_all, part), lambda: workers)
    except BrokenProcessPool as error:
        raise SweepbotError("a worker process was killed", hint="if memory ran out, try fewer workers") from error
    finally:
        pool.shutdown(cancel_futures=True)


def _begin_worker() -> None:
    """Leave interrupts to the parent process, and end when it ends in any way, which idle workers would not do."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _play_over_cluster(
    deals: Deals,
    play_all: _PlayAll,
    client: Any,  # noqa: ANN401  (distributed's Client has no types)
) -> Generator[Record, None, None]:
    with client:
        # Not "pure": if another run asks for the same games, they are played again.
        submit = partial(client.submit, _play_chunk, play_all, pure=False)
        yield from _play_in_order(deals, _CLUSTER_CHUNK, submit, lambda: sum(client.nthreads().values()))
