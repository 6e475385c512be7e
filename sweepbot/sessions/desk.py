"""What a session plays on."""

from dataclasses import dataclass

from sweepbot.clock import Clock
from sweepbot.desktop.mouse import Mouse
from sweepbot.desktop.screen import Screen


@dataclass(frozen=True, slots=True)
class Desk:
    """A screen, a mouse, and the clock that goes with them."""

    screen: Screen
    mouse: Mouse
    clock: Clock
