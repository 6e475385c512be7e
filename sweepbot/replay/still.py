"""A desktop on which nothing moves: what was seen of one at a moment of a run."""

from sweepbot.desktop.screen import Frame
from sweepbot.geometry import Region
from sweepbot.trace.canvas import Canvas


class StillScreen:
    """Shows what is known of a screen; what it shows changes as the run goes on, and not by itself.

    Args:
        canvas: What is known.
    """

    def __init__(self, canvas: Canvas) -> None:
        self._canvas = canvas

    @property
    def region(self) -> Region:
        """All that could be seen."""
        return self._canvas.screen

    def grab(self, region: Region | None = None) -> Frame:
        """What was seen there last. See `Screen.grab`."""
        region = region or self.region
        return Frame(self._canvas.part(region), region)
