"""The same simulation over the machines of a Dask cluster."""

import logging
import threading
from collections.abc import Generator
from queue import Empty, Queue
from typing import Any

from sweepbot.errors import SweepbotError
from sweepbot.extras import load
from sweepbot.plan import Style
from sweepbot.simulate.deals import Deals
from sweepbot.simulate.match import Record
from sweepbot.simulate.run import cut, play_chunk, play_in_order, solver_for

CHUNK = 32
"""Games sent to a worker at once."""
PATIENCE = 8.0
"""Seconds to wait for the scheduler to answer."""
_GRACE = 2.0  # seconds more than distributed is given
AHEAD = 4
"""Chunks sent ahead for each thread of the cluster."""


def simulate_on_cluster(
    deals: Deals, method: str, address: str, *, expected: bool = False, style: Style | None = None
) -> Generator[Record, None, None]:
    """Play every game of `deals` on the cluster whose scheduler is at `address`; yield the records in their order.

    The outcomes are those of `simulate` to the last game. Each chunk is a task that depends on nothing but its games:
    where a worker is lost, the scheduler gives its chunks to another, and as the records of each chunk are collected
    once, nothing is counted twice. Workers may come and go; with none left the run waits for one.

    Args:
        deals: What to play.
        method: The solver's method.
        address: Of the scheduler, such as `tcp://10.0.0.1:8786`.
        expected: Whether to play each game once more, for its expected outcome.
        style: As `simulate` takes it.

    Raises:
        UsageError: No such method.
        SweepbotError: distributed is not installed, or nothing answers at the address.
    """
    solver_for(method)  # an unknown method is an error here, not on a worker
    return _play_over_cluster(deals, method, _connect(address), expected=expected, style=style)


def _connect(address: str) -> Any:  # noqa: ANN401  (distributed's Client has no types)
    """A client of the scheduler.

    It is made in a thread of its own, because what speaks at the address may be no scheduler: distributed then waits
    beyond its own time limit, or takes what it hears for sizes of arrays.

    Raises:
        SweepbotError: distributed is not installed, or no scheduler answers in time.
    """
    distributed = load("distributed", "cluster")
    answers: Queue[Any] = Queue()
    # One that never came to be has nothing to close, and would wait for half a minute when Python ends.
    client = type("Client", (distributed.Client,), {"__del__": lambda _: None})

    def connect() -> None:
        try:
            answers.put(client(address, timeout=PATIENCE, set_as_default=False))
        except Exception as error:  # noqa: BLE001  (whatever a stranger's bytes make of it is the answer)
            answers.put(error)

    logging.getLogger("distributed").setLevel(logging.CRITICAL)  # it logs tracebacks of what is told in a line here
    threading.Thread(target=connect, daemon=True).start()
    try:
        answer = answers.get(timeout=PATIENCE + _GRACE)
    except Empty:
        answer = TimeoutError(f"nothing that a scheduler says was heard in {PATIENCE:.0f} seconds")
    if isinstance(answer, Exception):
        raise SweepbotError(
            f"no Dask scheduler answers at {address!r}: {answer}", hint="start one with: dask scheduler"
        ) from answer
    return answer


def _play_over_cluster(
    deals: Deals,
    method: str,
    client: Any,  # noqa: ANN401
    *,
    expected: bool,
    style: Style | None,
) -> Generator[Record, None, None]:
    with client:
        yield from play_in_order(
            cut(deals, CHUNK),
            # Not "pure": the same games asked for again, as by another run, are played again.
            lambda chunk: client.submit(play_chunk, chunk, method, expected, style, pure=False),
            lambda: AHEAD * max(1, sum(client.nthreads().values())),
        )
