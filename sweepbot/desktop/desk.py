"""What is played on: the one thing that all who look, wait and click are given."""

from dataclasses import dataclass

from sweepbot.clock import SYSTEM_CLOCK, Clock
from sweepbot.desktop.mouse import Mouse
from sweepbot.desktop.screen import Screen
from sweepbot.desktop.windows import Windows


@dataclass(frozen=True, slots=True)
class Desk:
    """A screen, a mouse, the windows as far as the system tells of them, and the clock that goes with them.

    Attributes:
        latency_s: Seconds until what has changed on the screen is surely in its pictures.
    """

    screen: Screen
    mouse: Mouse
    windows: Windows | None = None
    clock: Clock = SYSTEM_CLOCK
    latency_s: float = 0.0
