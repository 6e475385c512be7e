"""The screen and the mouse of this machine, opened together and in the right order."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from sweepbot.desktop.mouse import DesktopMouse, Mouse
from sweepbot.desktop.screen import DesktopScreen, Screen

_log = logging.getLogger("sweepbot.desktop")


@dataclass(frozen=True, slots=True)
class Desktop:
    """Something that can be played on."""

    screen: Screen
    mouse: Mouse


@contextmanager
def open_desktop() -> Iterator[Desktop]:
    """Open this machine's screen, then its mouse, and let go of them at the end.

    The order matters on Windows: the first of the two decides whether the process sees real pixels, and mss does.

    Raises:
        DesktopError: There is no display, or it lets itself not be looked at or clicked on.
    """
    with DesktopScreen() as screen:
        _log.info("the screen is %s, of %d monitors", screen.region, len(screen.monitors))
        yield Desktop(screen, DesktopMouse(screen.monitors, screen.pixel_map))
