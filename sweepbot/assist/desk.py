"""A desk that is only looked at."""

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from typing import Never

from sweepbot.desktop.desk import Desk
from sweepbot.desktop.mouse import Button
from sweepbot.desktop.screen import DesktopScreen, Screen
from sweepbot.desktop.server import DisplayServer, display_server
from sweepbot.desktop.session import open_desktop
from sweepbot.desktop.x11_windows import X11Windows
from sweepbot.geometry import Point


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

    def move(self, to: Point) -> Never:
        """Refuse: an AssertionError is raised, for nobody who looks on has a reason to ask."""
        raise AssertionError(f"who looks on moves no mouse (to {to})")

    def click(self, at: Point, button: Button = "left") -> Never:
        """Refuse, as `move` does."""
        raise AssertionError(f"who looks on clicks nothing ({button} at {at})")

    def hold(self, at: Point, button: Button, seconds: float) -> Never:
        """Refuse, as `move` does."""
        raise AssertionError(f"who looks on holds no button ({button} at {at} for {seconds} s)")

    def press(self, key: str) -> Never:
        """Refuse, as `move` does."""
        raise AssertionError(f"who looks on presses no key ({key})")


@contextmanager
def open_view(tell: Callable[[str], None] = lambda _: None) -> Iterator[Desk]:
    """Open this machine's screen, and its windows where the system tells of them, but neither mouse nor keyboard.

    Wayland's portal gives a screen with its pointer only, which is moved once to see that pixels are where they seem to
    be; after that it is let alone there too.

    Args:
        tell: Told in words what the person will be asked, where a desktop asks.

    Raises:
        DesktopError: There is no display, or it lets itself not be looked at.
    """
    server = display_server()
    if server is DisplayServer.WAYLAND:
        with open_desktop(tell) as desk:
            yield replace(desk, mouse=NoMouse(desk.screen))
        return
    with DesktopScreen() as screen:
        if server is not DisplayServer.X11:
            yield Desk(screen, NoMouse(screen))
            return
        with closing(X11Windows()) as windows:
            yield Desk(screen, NoMouse(screen), windows)
