"""The simulation on the machines of a Dask cluster."""

import logging
import threading
from collections.abc import Callable, Generator
from functools import partial
from queue import Empty, Queue
from typing import Any

from sweepbot.errors import SweepbotError
from sweepbot.extras import load
from sweepbot.plan import Style
from sweepbot.simulate.deals import Deals
from sweepbot.simulate.match import Record
from sweepbot.simulate.run import play_chunk, play_in_order, solver_for, split

CHUNK = 32
"""Games sent to a worker at once."""
PATIENCE = 8.0
"""Seconds to wait for the scheduler to answer."""
_GRACE = 2.0  # seconds beyond the timeout that distributed is given
AHEAD = 4
"""Chunks sent ahead per thread of the cluster."""


def simulate_on_cluster(
    deals: Deals, method: str, address: str, *, expected: bool = False, style: Style | None = None
) -> Generator[Record, None, None]:
    """Play every game of `deals` on the cluster whose scheduler is at `address`, and yield the records in order.

    The outcomes are the same as those of `simulate`, which describes the arguments. Each chunk is a task that depends
    only on its games: if a worker is lost, the scheduler gives its chunks to another, and since the records of each
    chunk are collected once, nothing is counted twice. Workers may come and go; if none is left, the run waits for one.

    Raises:
        UsageError: There is no such method.
        SweepbotError: distributed is not installed, or no scheduler answers at the address.
    """
    solver_for(method)  # an unknown method is an error here, not on a worker
    play_one = partial(play_chunk, method=method, expected=expected, style=style)
    return _play_over_cluster(deals, play_one, _connect(address))


def _connect(address: str) -> Any:  # noqa: ANN401  (distributed's Client has no types)
    """Connect to the scheduler.

    This happens in a thread of its own, because something else may answer at the address: distributed then waits beyond
    its own timeout, or takes the bytes that it receives for sizes of arrays.

    Raises:
        SweepbotError: distributed is not installed, or no scheduler answers in time.
    """
    distributed = load("distributed", "cluster")
    answers: Queue[Any] = Queue()
    # A client that never connected has nothing to close, and would wait for half a minute when Python ends.
    client = type("Client", (distributed.Client,), {"__del__": lambda _: None})

    def connect() -> None:
        try:
            answers.put(client(address, timeout=PATIENCE, set_as_default=False))
        except Exception as error:  # noqa: BLE001  (unknown bytes may cause any exception)
            answers.put(error)

    logging.getLogger("distributed").setLevel(logging.CRITICAL)  # it logs tracebacks of errors reported below
    threading.Thread(target=connect, daemon=True).start()
    try:
        answer = answers.get(timeout=PATIENCE + _GRACE)
    except Empty:
        answer = TimeoutError(f"no scheduler's reply within {PATIENCE:.0f} seconds")
    if isinstance(answer, Exception):
        raise SweepbotError(
            f"no Dask scheduler answers at {address!r}: {answer}", hint="start one with: dask scheduler"
        ) from answer
    return answer


def _play_over_cluster(
    deals: Deals,
    play_one: Callable[[Deals], list[Record]],
    client: Any,  # noqa: ANN401
) -> Generator[Record, None, None]:
    with client:
        # Not "pure": if another run asks for the same games, they are played again.
        submit = partial(client.submit, play_one, pure=False)
        yield from play_in_order(split(deals, CHUNK), submit, lambda: AHEAD * max(1, sum(client.nthreads().values())))
