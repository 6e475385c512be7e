"""Waiting for what another program shows or does."""

import time
from collections.abc import Callable
from typing import TypeVar

PATIENCE_S = 60.0  # after which a wait gives up: only a broken run takes as long, a slow machine does not

Found = TypeVar("Found")


def wait_until(look: Callable[[], Found | None], what: str, limit_s: float = PATIENCE_S) -> Found:
    """Poll `look` until it finds something, and return that.

    Raises:
        TimeoutError: Nothing was found; the message names what was waited for.
    """
    deadline_s = time.monotonic() + limit_s
    while (found := look()) is None:
        if time.monotonic() > deadline_s:
            raise TimeoutError(f"waited {limit_s:g} s in vain for {what}")
        time.sleep(0.02)
    return found
