"""The connection to a Dask cluster, on whose machines games can be simulated."""

import logging
import threading
from queue import Empty, Queue
from typing import Any

from sweepbot.errors import SweepbotError
from sweepbot.extras import load

PATIENCE_S = 8.0
"""To wait for the scheduler to answer."""
_GRACE_S = 2.0  # beyond the timeout that distributed is given


def connect(address: str) -> Any:  # noqa: ANN401  (distributed's Client has no types)
    """Connect to the scheduler of a Dask cluster, and return its `distributed.Client`.

    This happens in a thread of its own, because something else may answer at the address: distributed then waits beyond
    its own timeout, or takes the bytes that it receives for sizes of arrays.

    Raises:
        SweepbotError: distributed is not installed, or no scheduler answers in time.
    """
    distributed = load("distributed", "cluster")
    answers: Queue[Any] = Queue()
    # A client that never connected has nothing to close, and would wait for half a minute when Python ends.
    client = type("Client", (distributed.Client,), {"__del__": lambda _: None})

    def reach() -> None:
        try:
            answers.put(client(address, timeout=PATIENCE_S, set_as_default=False))
        except Exception as error:  # noqa: BLE001  (unknown bytes may cause any exception)
            answers.put(error)

    logging.getLogger("distributed").setLevel(logging.CRITICAL)  # it logs tracebacks of errors reported below
    threading.Thread(target=reach, daemon=True).start()
    try:
        answer = answers.get(timeout=PATIENCE_S + _GRACE_S)
    except Empty:
        answer = TimeoutError(f"no scheduler's reply within {PATIENCE_S:.0f} seconds")
    if isinstance(answer, Exception):
        raise SweepbotError(
            f"no Dask scheduler answers at {address!r}: {answer}", hint="start one with: dask scheduler"
        ) from answer
    return answer
