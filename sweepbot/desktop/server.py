"""The display server that this machine runs."""

import os
import platform
from enum import Enum

from sweepbot.errors import DesktopError


class DisplayServer(Enum):
    """Kinds of display servers."""

    X11 = "X11"
    WAYLAND = "Wayland"
    WINDOWS = "Windows"
    MACOS = "macOS"
    NONE = "none"


def display_server() -> DisplayServer:
    """Detect the display server by the operating system and, on Linux and the BSDs, the environment variables."""
    system = platform.system()
    if system == "Windows":
        return DisplayServer.WINDOWS
    if system == "Darwin":
        return DisplayServer.MACOS
    # A Wayland session sets DISPLAY too, for X11 programs, so it must be checked first.
    if os.environ.get("XDG_SESSION_TYPE") == "wayland" or os.environ.get("WAYLAND_DISPLAY"):
        return DisplayServer.WAYLAND
    return DisplayServer.X11 if os.environ.get("DISPLAY") else DisplayServer.NONE


def no_desktop(server: DisplayServer) -> DesktopError | None:
    """Return the error that says why there is no desktop to play on; None if there is one."""
    if server is DisplayServer.NONE:
        return DesktopError(
            "DISPLAY is not set: there is no screen to look at",
            hint="run this inside a desktop session, or in a virtual one: xvfb-run -s '-screen 0 1600x1200x24' COMMAND",
        )
    return None
