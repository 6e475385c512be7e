"""Many games, one after the other or over several processes: the same records either way."""

import itertools
import signal
from collections import deque
from collections.abc import Generator, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from multiprocessing import get_context

from sweepbot.errors import UsageError
from sweepbot.simulate.deals import Deals
from sweepbot.simulate.match import Record, play
from sweepbot.solver import Solver

CHUNK = 8
"""Games handed to a process at once: enough to make handing over cheap, few enough for progress to be seen."""


def simulate(deals: Deals, method: str = "best", *, workers: int = 1) -> Generator[Record, None, None]:
    """Play every game of `deals` and yield the records in their order, each as soon as it is known.

    Which games are won depends neither on `workers` nor on the machine. Whoever stops iterating, by Ctrl-C too, keeps
    the records that came; the games under way are then given up.

    Args:
        deals: What to play.
        method: The solver's method.
        workers: How many processes play, at least 1; 1 plays in this one.

    Raises:
        UsageError: No such method, or no workers.
    """
    if workers < 1:
        raise UsageError(f"{workers} workers cannot play", hint="give at least 1")
    solver = Solver(method)  # an unknown method is an error here, not in a worker
    if workers == 1:
        return (play(deals.deal(number), solver) for number in range(len(deals)))
    return _play_over_processes(deals, method, workers)


def chunks(games: int, size: int = CHUNK) -> Iterator[range]:
    """The numbers of `games` games from 0, cut into ranges of `size`."""
    return (range(start, min(start + size, games)) for start in range(0, games, size))


def play_chunk(deals: Deals, solver: Solver, numbers: Iterable[int]) -> list[Record]:
    """Play the games with these numbers."""
    return [play(deals.deal(number), solver) for number in numbers]


def _play_over_processes(deals: Deals, method: str, workers: int) -> Generator[Record, None, None]:
    # "spawn" is the one way to start a process that every system has and that inherits no half-held locks.
    pool = ProcessPoolExecutor(workers, get_context("spawn"), _start_worker, (deals, method))
    try:
        waiting = chunks(len(deals))
        # Only a few chunks are handed out ahead, so that a million games take no more memory than a hundred.
        under_way: deque[Future[list[Record]]] = deque(
            pool.submit(_work, chunk) for chunk in itertools.islice(waiting, 2 * workers)
        )
        while under_way:
            yield from under_way.popleft().result()
            under_way.extend(pool.submit(_work, chunk) for chunk in itertools.islice(waiting, 1))
    finally:
        pool.shutdown(cancel_futures=True)


class _Worker:
    """What a worker process keeps from chunk to chunk."""

    deals: Deals
    solver: Solver


def _start_worker(deals: Deals, method: str) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to answer
    _Worker.deals = deals
    _Worker.solver = Solver(method)


def _work(numbers: range) -> list[Record]:
    return play_chunk(_Worker.deals, _Worker.solver, numbers)
