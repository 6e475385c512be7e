"""A desk that is only looked at."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from typing import Never

from sweepbot.assist.side_window import SideWindow
from sweepbot.desktop.desk import Desk
from sweepbot.desktop.screen import DesktopScreen, Frame, Screen
from sweepbot.desktop.server import DisplayServer, display_server
from sweepbot.desktop.session import open_desktop, open_windows
from sweepbot.errors import DesktopError
from sweepbot.geometry import Point, Region


class NoMouse:
    """A mouse that cannot do anything: the person's own is not even opened.

    Args:
        screen: In its middle the pointer is said to be, wherever the person moves it.
    """

    def __init__(self, screen: Screen) -> None:
        self._middle = screen.region.centre

    def position(self) -> Point:
        """The middle of the screen: no movement of the person's own hand is a reason to stop."""
        return self._middle

    def _refuse(self, *_: object, **__: object) -> Never:
        """Raise an AssertionError: nobody who looks on has a reason to ask."""
        raise AssertionError("who looks on moves no mouse, clicks nothing and presses no key")

    move = click = press = _refuse


class ScreenWithout:
    """A screen on which a window of our own is black: the board that it shows is never taken for the client's.

    Args:
        screen: The screen as it is.
        window: Tells which pixels are the window's; None while it is not to be seen.
    """

    def __init__(self, screen: Screen, window: Callable[[], Region | None]) -> None:
        self._screen = screen
        self._window = window

    @property
    def region(self) -> Region:
        """All that can be seen."""
        return self._screen.region

    def grab(self, region: Region | None = None) -> Frame:
        """Take a picture. See `Screen.grab`."""
        frame = self._screen.grab(region)
        window = self._window()
        hidden = None if window is None else window.intersection(frame.region)
        if hidden is None:
            return frame
        image = frame.image.copy()
        Frame(image, frame.region).part(hidden)[:] = 0
        return Frame(image, frame.region)


@dataclass(frozen=True, slots=True)
class View:
    """What looking on needs.

    Attributes:
        desk: What is looked at.
        window: Where help can be shown beside the client; None where there is no such window.
    """

    desk: Desk
    window: SideWindow | None


@contextmanager
def open_view(tell: Callable[[str], None], *, with_window: bool) -> Iterator[View]:
    """Open this machine's screen, and its windows where the system tells of them, but neither mouse nor keyboard.

    On Wayland a screen comes with its pointer only, which is moved once to see that pixels are where they seem to be;
    after that it is let alone there too. It has no window in front of others that a program could place.

    Args:
        tell: Told in words what the person will be asked, where a desktop asks, and why there is no window.
        with_window: Whether to open a window for help, too.

    Raises:
        DesktopError: There is no display, or it lets itself not be looked at.
    """
    server = display_server()
    if server is DisplayServer.WAYLAND:
        if with_window:
            tell("help is shown here alone: on Wayland no program can keep a window in front of others")
        with open_desktop(tell) as desk:
            yield View(replace(desk, mouse=NoMouse(desk.screen)), None)
        return
    with ExitStack() as opened:
        screen = opened.enter_context(DesktopScreen())
        window = None
        if with_window:
            try:
                window = opened.enter_context(SideWindow(screen.monitors, screen.pixel_map))
            except DesktopError as error:
                tell(f"help is shown here alone, without a window: {error}")
        windows = opened.enter_context(open_windows(server))
        seen = screen if window is None else ScreenWithout(screen, lambda: window.region)
        yield View(Desk(seen, NoMouse(screen), windows), window)
