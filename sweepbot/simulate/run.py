"""Plays many games, in this process or in several, with the same records."""

import itertools
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Generator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace
from functools import cache, partial
from multiprocessing import get_context, parent_process

from sweepbot.errors import SweepbotError, UsageError
from sweepbot.plan import Style
from sweepbot.simulate.deals import Deals
from sweepbot.simulate.expected import expected_outcome
from sweepbot.simulate.match import Record, play
from sweepbot.solver import Solver
from sweepbot.solver.compiling import get_ready

_PlayAll = Callable[[Deals], Generator[Record, None, None]]

_CHUNK = 8
"""Games sent to a process at once: enough to make this cheap, and few enough to show progress."""

_AHEAD = 4
"""Chunks under way per process: a million games take no more memory than a hundred."""


def simulate(
    deals: Deals,
    method: str = "best",
    *,
    workers: int = 1,
    expected: bool = False,
    style: Style | None = None,
) -> Generator[Record, None, None]:
    """Play every game of `deals` and yield the records in order, each as soon as it is known.

    Which games are won depends neither on `workers` nor on the machine. If the caller stops iterating, the games under
    way are given up.

    Args:
        deals: The games to play.
        method: The solver's method.
        workers: How many processes to use, at least 1, which is this one.
        expected: Whether to play each game once more, for its expected outcome.
        style: Counts the clicks that `sweepbot play` makes in this style of play.

    Raises:
        UsageError: There is no such method, or there are no workers.
        SweepbotError: While iterating: a worker process was killed, or a board is too large for its expected outcome.
    """
    if workers < 1:
        raise UsageError(f"{workers} workers cannot play", hint="give at least 1")
    _solver(method)  # an unknown method is an error here, not in a worker
    play_all = partial(_play_all, method=method, expected=expected, style=style)
    return play_all(deals) if workers == 1 else _play_over_processes(deals, play_all, workers)


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
    """Have games played in other processes, in chunks, and yield their records in order."""
    chunks = (deals.part(range(start, min(start + _CHUNK, len(deals)))) for start in range(0, len(deals), _CHUNK))
    # "spawn" works on every system and inherits no locks.
    pool = ProcessPoolExecutor(workers, get_context("spawn"), _begin_worker)
    under_way: deque[Future[list[Record]]] = deque()
    try:
        while True:
            for part in itertools.islice(chunks, _AHEAD * workers - len(under_way)):
                under_way.append(pool.submit(_play_chunk, play_all, part))
            if not under_way:
                return
            yield from under_way.popleft().result()
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
