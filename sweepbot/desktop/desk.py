"""The desk: the one object that is passed to everything that looks, waits or clicks."""

from dataclasses import dataclass

from sweepbot.clock import SYSTEM_CLOCK, Clock
from sweepbot.desktop.glances import Glances, ScreenGlances
from sweepbot.desktop.mouse import Mouse
from sweepbot.desktop.screen import Screen
from sweepbot.desktop.windows import Windows
from sweepbot.geometry import Region


@dataclass(frozen=True, slots=True)
class Desk:
    """A screen, a mouse, the windows if the system reports them, and the clock that goes with them.

    Attributes:
        latency_s: Seconds after which a change on the screen is certain to be in its pictures.
        monitors: Each monitor's pixels, if known: its corners stop the bot as the screen's do.
    """

    screen: Screen
    mouse: Mouse
    windows: Windows | None = None
    clock: Clock = SYSTEM_CLOCK
    latency_s: float = 0.0
    monitors: tuple[Region, ...] = ()

    def glances(self) -> Glances:
        """Return what tells, between two clicks, whether a part of the screen has changed."""
        return ScreenGlances(self.screen, self.clock)
