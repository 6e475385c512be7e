"""Time and sleep, from one clock for playing and learning, so that a replay or a test need not wait."""

import time
from collections.abc import Callable
from typing import Protocol


class Clock(Protocol):
    """Tells the time, and sleeps."""

    def now(self) -> float:
        """Return the seconds since an arbitrary moment; it never decreases."""

    def sleep(self, seconds: float) -> None:
        """Sleep."""

    def deadline(self, seconds: float) -> Callable[[], bool]:
        """Start a time limit for a computation: the function returned says whether it has passed."""


class SystemClock:
    """The machine's own clock."""

    def now(self) -> float:
        """Return `time.perf_counter`."""
        return time.perf_counter()

    def sleep(self, seconds: float) -> None:
        """Sleep."""
        time.sleep(seconds)

    def deadline(self, seconds: float) -> Callable[[], bool]:
        """Start a time limit, counted from this call."""
        until = time.perf_counter() + seconds
        return lambda: time.perf_counter() >= until


class VirtualClock:
    """A clock on which nobody waits: time passes only by sleeping, and a little with every call of `now`.

    Computations take no time, so that no deadline is ever reached.
    """

    def __init__(self) -> None:
        self._now = 0.0

    def now(self) -> float:
        """Return the seconds since the clock was made."""
        self._now += 0.0001  # seconds, or a loop that waits without sleeping never ends
        return self._now

    def sleep(self, seconds: float) -> None:
        """Advance the time at once."""
        self._now += seconds

    def deadline(self, seconds: float) -> Callable[[], bool]:  # noqa: ARG002  (the protocol's signature)
        """Return a time limit that is never reached."""
        return lambda: False


SYSTEM_CLOCK = SystemClock()
"""The default clock."""
