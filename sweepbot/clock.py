"""Time and sleep: playing and learning ask one clock for both, so that a replay or a test need not wait."""

import time
from collections.abc import Callable
from typing import Protocol


class Clock(Protocol):
    """Tells the time, and sleeps."""

    def now(self) -> float:
        """Seconds since an arbitrary moment; never decreases."""

    def sleep(self, seconds: float) -> None:
        """Sleep."""

    def deadline(self, seconds: float) -> Callable[[], bool]:
        """Start a safety net for something that computes: what is returned tells whether so much time has passed."""


class SystemClock:
    """The machine's own clock."""

    def now(self) -> float:
        """Seconds of `time.perf_counter`."""
        return time.perf_counter()

    def sleep(self, seconds: float) -> None:
        """Sleep."""
        time.sleep(seconds)

    def deadline(self, seconds: float) -> Callable[[], bool]:
        """Whether so much time has passed since this call."""
        until = time.perf_counter() + seconds
        return lambda: time.perf_counter() >= until


class VirtualClock:
    """A clock on which nobody waits: time passes where somebody sleeps, and a little with every question.

    What computes takes no time on it, so that no deadline is ever reached.

    Args:
        tick: Seconds that pass with every question; more than 0, or a loop that waits without sleeping never ends.
    """

    def __init__(self, tick: float = 0.0001) -> None:
        self._tick = tick
        self._now = 0.0

    def now(self) -> float:
        """Seconds since the clock was made."""
        self._now += self._tick
        return self._now

    def sleep(self, seconds: float) -> None:
        """Let time pass at once."""
        self._now += seconds

    def deadline(self, seconds: float) -> Callable[[], bool]:  # noqa: ARG002  (the protocol's signature)
        """Never reached."""
        return lambda: False


SYSTEM_CLOCK = SystemClock()
"""The default clock."""
