"""Open the screen, the mouse and the windows of this machine together."""

import logging
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext

from sweepbot.desktop.desk import Desk
from sweepbot.desktop.mac.mouse import MacMouse
from sweepbot.desktop.mac.windows import MacWindows
from sweepbot.desktop.mouse import Mouse
from sweepbot.desktop.mss_screen import DesktopScreen
from sweepbot.desktop.overlay import Overlay, is_in_pictures
from sweepbot.desktop.screen import Screen
from sweepbot.desktop.server import DisplayServer, display_server, no_desktop
from sweepbot.desktop.sole import sole_on_display
from sweepbot.desktop.wayland.mouse import LATENCY_S
from sweepbot.desktop.wayland.portal_desk import open_portal, token_path
from sweepbot.desktop.wayland.wlroots import FRAME_S, connect_wlroots, open_wlroots
from sweepbot.desktop.win32.api import Win32
from sweepbot.desktop.win32.mouse import Win32Mouse
from sweepbot.desktop.win32.overlay import Win32Overlay
from sweepbot.desktop.win32.windows import Win32Windows
from sweepbot.desktop.windows import Windows
from sweepbot.desktop.x11.mouse import X11Mouse
from sweepbot.desktop.x11.overlay import X11Overlay
from sweepbot.desktop.x11.windows import X11Windows
from sweepbot.errors import DesktopError
from sweepbot.geometry import PixelMap

_log = logging.getLogger("sweepbot.desktop")


@contextmanager
def open_desktop(tell: Callable[[str], None] = lambda _: None, *, clicks: bool = True) -> Iterator[Desk]:
    """Open this machine's desk, and close it at the end; nobody else opens it for clicking meanwhile.

    Args:
        tell: Called with words about what the person will be asked, if the desktop asks.
        clicks: Whether anything is clicked; if not, others may open it at the same time.

    Raises:
        DesktopError: There is no display, it cannot be seen or clicked on, or another sweepbot clicks there.
        StoppedByUserError: The person refused.
    """
    server = display_server()
    if (error := no_desktop(server)) is not None:
        raise error
    with sole_on_display() if clicks else nullcontext(), _opened(server, tell) as desk:
        yield desk


@contextmanager
def _opened(server: DisplayServer, tell: Callable[[str], None]) -> Iterator[Desk]:
    if server is not DisplayServer.WAYLAND:
        with closing(DesktopScreen()) as screen:
            _log.info("the screen is %s, with %d monitors", screen.region, len(screen.monitors))
            with open_windows(server, screen.pixel_map) as windows, open_mouse(server, screen, windows) as mouse:
                yield Desk(screen, mouse, windows, monitors=screen.monitors)
    elif (wire := connect_wlroots()) is not None:  # the compositor itself lets programs look and click
        with open_wlroots(wire) as (side_by_side, mouse):
            for each in side_by_side.monitors:
                _log.info("the monitor %s is %s, at %.0f%%", each.name, each.region, 100 * each.scale)
            yield Desk(side_by_side, mouse, latency_s=FRAME_S)
    else:
        with open_portal(token_path(), tell) as (shared, wayland_mouse):
            way = wayland_mouse.way
            _log.info("the monitor is %s, at %.0f%%; pointer by %s", shared.region, 100 * shared.scale, way)
            yield Desk(shared, wayland_mouse, latency_s=LATENCY_S)


def open_mouse(server: DisplayServer, screen: DesktopScreen, windows: Windows | None) -> AbstractContextManager[Mouse]:
    """Open the mouse of a desktop that needs no consent; on X11, `windows` lets it check what each click hits.

    Raises:
        DesktopError: There is no display, or its pointer cannot be moved.
    """
    if server is DisplayServer.X11:
        return closing(X11Mouse(windows if isinstance(windows, X11Windows) else None))
    return nullcontext(Win32Mouse(Win32()) if server is DisplayServer.WINDOWS else MacMouse(screen.pixel_map))


def open_windows(server: DisplayServer, pixel_map: PixelMap) -> AbstractContextManager[Windows | None]:
    """Open the windows of a desktop whose screen has this `pixel_map`; None on Wayland, which does not report them.

    Raises:
        DesktopError: There is no display.
    """
    match server:
        case DisplayServer.X11:
            return closing(X11Windows())
        case DisplayServer.WINDOWS:
            return nullcontext(Win32Windows())
        case DisplayServer.MACOS:
            return nullcontext(MacWindows(pixel_map))
        case _:
            return nullcontext()


@contextmanager
def open_overlay(server: DisplayServer, screen: Screen) -> Iterator[Overlay]:
    """Open what marks another program's window, and close it at the end.

    Raises:
        DesktopError: Nothing can be marked, or pictures of this screen would show the marks.
    """
    if server is DisplayServer.X11:
        with closing(X11Overlay()) as marks:
            yield marks
    elif server is DisplayServer.WINDOWS:
        with closing(Win32Overlay()) as overlay:
            if not overlay.exclude_from_capture() or is_in_pictures(overlay, screen, overlay.at):
                raise DesktopError("this Windows does not leave marks out of the pictures that are read")
            yield overlay
    else:
        raise DesktopError(f"nothing marks other programs' windows on {server.value}")
