"""A desk that is only watched."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import replace

from sweepbot.assist.side_window import SideWindow
from sweepbot.desktop.desk import Desk
from sweepbot.desktop.mouse import NoMouse
from sweepbot.desktop.mss_screen import DesktopScreen
from sweepbot.desktop.overlay import Overlay
from sweepbot.desktop.screen import MaskedScreen
from sweepbot.desktop.server import DisplayServer, display_server
from sweepbot.desktop.session import open_desktop, open_overlay, open_windows
from sweepbot.errors import DesktopError


@contextmanager
def open_view(
    tell: Callable[[str], None], *, with_window: bool, with_overlay: bool = False
) -> Iterator[tuple[Desk, SideWindow | Overlay | None]]:
    """Open this machine's screen, and its windows if the system reports them, but neither mouse nor keyboard.

    On Wayland the screen only comes with its pointer, which is moved to check the scale and then left alone. A program
    cannot keep a window in front there. `tell` is called with words about what the person will be asked, or why there
    is no window. Where nothing can be drawn over another program's window, the small window takes the overlay's place.

    Yields:
        The desk to watch, and what shows advice: a window beside the client's, or marks over its board. None if nothing
        does.

    Raises:
        DesktopError: There is no display, or it gives no picture.
    """
    server = display_server()
    if server is DisplayServer.WAYLAND:
        if with_window or with_overlay:
            tell("advice is shown only here: on Wayland no program can keep a window in front of others")
        with open_desktop(tell, clicks=False) as desk:
            yield replace(desk, mouse=NoMouse(desk.screen)), None
        return
    with ExitStack() as opened:
        screen = opened.enter_context(closing(DesktopScreen()))
        windows = opened.enter_context(open_windows(server, screen.pixel_map))
        if with_overlay:
            try:
                overlay = opened.enter_context(open_overlay(server, screen))
            except DesktopError as error:
                tell(f"advice is shown beside the client, not on its board: {error}")
            else:
                yield Desk(MaskedScreen(screen, overlay.without_marks), NoMouse(screen), windows), overlay
                return
        window = None
        if with_window or with_overlay:
            try:
                window = opened.enter_context(closing(SideWindow(screen.monitors, screen.pixel_map)))
            except DesktopError as error:
                tell(f"advice is shown only here, as no window can be opened: {error}")
        seen = screen if window is None else MaskedScreen(screen, lambda frame: frame.without(window.region))
        yield Desk(seen, NoMouse(screen), windows), window
