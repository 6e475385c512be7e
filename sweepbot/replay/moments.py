"""A screen that shows moments of a run: each look sees the next one, and the last one stays."""

from collections import deque
from collections.abc import Callable
from typing import NoReturn

from sweepbot.desktop.desk import Desk
from sweepbot.desktop.screen import Frame
from sweepbot.geometry import Region
from sweepbot.trace.canvas import Canvas
from sweepbot.trace.entries import AnyCall


class Moments:
    """A screen that shows what was seen of one.

    Args:
        canvas: What is known of that screen; it is shown once all moments are over.
    """

    def __init__(self, canvas: Canvas) -> None:
        self._canvas = canvas
        self._moments: deque[Frame] = deque()

    @property
    def region(self) -> Region:
        """All that could be seen."""
        return self._canvas.screen

    def keep(self) -> None:
        """Keep what is known now for the look after those that were kept before."""
        self._moments.append(Frame(self._canvas.part(self.region), self.region))

    def forget(self) -> None:
        """Show what is known now from here on."""
        self._moments.clear()

    def grab(self, region: Region | None = None) -> Frame:
        """What was seen there then. See `Screen.grab`."""
        region = region or self.region
        if not self._moments:
            return Frame(self._canvas.part(region), region)
        return Frame(self._moments.popleft().part(region).copy(), region)

    def answer(self, call: AnyCall, ask: Callable[[Desk], object]) -> NoReturn:  # noqa: ARG002  (the protocol's)
        """Raise: reading must only look, and do nothing else."""
        raise AssertionError(f"reading only looks: {call}")
