"""Which display server this machine runs, by its environment."""

import os
import platform
from enum import Enum

from sweepbot.errors import DesktopError


class DisplayServer(Enum):
    """What a screen is grabbed from and a pointer is moved on."""

    X11 = "X11"
    WAYLAND = "Wayland"
    WINDOWS = "Windows"
    MACOS = "macOS"
    NONE = "none"


def display_server() -> DisplayServer:
    """Detect it from the operating system and, on Linux and the BSDs, from the session's variables."""
    system = platform.system()
    if system == "Windows":
        return DisplayServer.WINDOWS
    if system == "Darwin":
        return DisplayServer.MACOS
    # A Wayland session sets DISPLAY as well, for its X11 guests: it must be asked for first.
    if os.environ.get("XDG_SESSION_TYPE") == "wayland" or os.environ.get("WAYLAND_DISPLAY"):
        return DisplayServer.WAYLAND
    return DisplayServer.X11 if os.environ.get("DISPLAY") else DisplayServer.NONE


def no_desktop(server: DisplayServer) -> DesktopError | None:
    """The error that says why a desktop of this kind cannot be played on; None where it can."""
    if server is DisplayServer.NONE:
        return DesktopError(
            "DISPLAY is not set: there is no screen to look at",
            hint="run this inside a desktop session, or in a virtual one: xvfb-run -s '-screen 0 1600x1200x24' COMMAND",
        )
    return None
