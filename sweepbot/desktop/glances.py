"""Glances at a few pixels between two clicks: whether they still look as they did."""

import math
from collections.abc import Sequence
from typing import Protocol

import numpy as np

from sweepbot.clock import Clock
from sweepbot.desktop.screen import Frame, Screen
from sweepbot.geometry import Region

_WAIT_FACTOR = 10  # a glance is followed by ten times as long without one: all together take a tenth of a burst's time


class Glances(Protocol):
    """Tells which parts of a picture look different now; a trace keeps no more of a glance."""

    def changed(self, seen: Frame, parts: Sequence[Region]) -> Sequence[bool]:
        """Return for each part of a picture of the screen whether it looks different now.

        Nothing counts as changed so soon after the last glance that another would slow the clicks down.

        Raises:
            DesktopError: The system gives no picture.
        """


class ScreenGlances:
    """Glances at a screen. See `Glances`."""

    def __init__(self, screen: Screen, clock: Clock) -> None:
        self._screen = screen
        self._clock = clock
        self._next_s = -math.inf

    def changed(self, seen: Frame, parts: Sequence[Region]) -> Sequence[bool]:
        """See `Glances.changed`."""
        start = self._clock.now()
        if start < self._next_s:
            return [False] * len(parts)
        now = self._screen.grab(Region.spanning(parts))
        found = [not np.array_equal(now.part(part), seen.part(part)) for part in parts]
        end = self._clock.now()
        self._next_s = end + _WAIT_FACTOR * (end - start)
        return found
