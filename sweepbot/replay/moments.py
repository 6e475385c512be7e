"""A screen that shows moments of a run: each look sees the next one, and the last one stays."""

from collections import deque

from sweepbot.desktop.mouse import Button
from sweepbot.desktop.screen import Frame
from sweepbot.geometry import Image, Point, Region
from sweepbot.trace.canvas import Canvas


class Moments:
    """A screen that shows what was seen of one.

    Args:
        canvas: What is known of that screen; it is shown once all moments are over.
    """

    def __init__(self, canvas: Canvas) -> None:
        self._canvas = canvas
        self._moments: deque[Image] = deque()

    @property
    def region(self) -> Region:
        """All that could be seen."""
        return self._canvas.screen

    def keep(self) -> None:
        """Keep what is known now for the look after those that were kept before."""
        self._moments.append(self._canvas.part(self.region))

    def forget(self) -> None:
        """Show what is known now from here on."""
        self._moments.clear()

    def grab(self, region: Region | None = None) -> Frame:
        """What was seen there then. See `Screen.grab`."""
        region = region or self.region
        if not self._moments:
            return Frame(self._canvas.part(region), region)
        moment = self._moments.popleft()
        left, top = region.x - self.region.x, region.y - self.region.y
        return Frame(moment[top : top + region.height, left : left + region.width].copy(), region)


class LookingOnly:
    """The mouse of who only looks: that it is never touched is a rule of reading, and made sure of here."""

    def position(self) -> Point:
        """Nobody asks."""
        raise AssertionError("reading asks for no pointer")

    def move(self, to: Point) -> None:
        """Nobody does."""
        raise AssertionError(f"reading moves no pointer, not to {to}")

    def click(self, at: Point, button: Button = "left") -> None:
        """Nobody does."""
        raise AssertionError(f"reading makes no {button} click, not at {at}")

    def hold(self, at: Point, button: Button, seconds: float) -> None:
        """Nobody does."""
        raise AssertionError(f"reading holds no {button} button, not at {at} for {seconds} s")

    def press(self, key: str) -> None:
        """Nobody does."""
        raise AssertionError(f"reading presses no key, not {key}")
