"""The pointer and the keyboard, in pixels of the virtual desktop."""

from typing import Literal, Never, Protocol

from sweepbot.desktop.screen import Screen
from sweepbot.geometry import Point

Button = Literal["left", "middle", "right"]


class Mouse(Protocol):
    """A pointer and a keyboard.

    Raises:
        DesktopError: (All methods) The system refuses, as while the screen is locked, or the display has ended.
    """

    def position(self) -> Point:
        """Return the pixel under the pointer."""

    def move(self, to: Point) -> None:
        """Put the pointer over the pixel `to`."""

    def click(self, at: Point, button: Button = "left", hold_s: float = 0.0) -> None:
        """Move to the pixel `at`, press `button`, hold it for `hold_s` seconds, and release it.

        Some clients poll the mouse, and miss short clicks. Every further call waits until the system has delivered the
        click: moving the pointer afterwards does not move the click.

        Raises:
            ClientCoveredError: The window that was last found there is gone or covered; nothing was pressed. X11 only.
        """

    def press(self, key: str) -> None:
        """Press and release a key, or several at once joined by `+`: `f2`, `enter`, `ctrl+n`.

        Raises:
            DesktopError: There is no such key, or this keyboard lacks it; nothing stays pressed.
        """


class NoMouse:
    """The mouse of a desk that is only looked at: it can do nothing, and the person's mouse is not even opened.

    Args:
        screen: The pointer is reported in its middle, wherever the person moves it.
    """

    def __init__(self, screen: Screen) -> None:
        self._middle = screen.region.centre

    def position(self) -> Point:
        """Return the middle of the screen: the person's movements are no reason to stop."""
        return self._middle

    def _refuse(self, *_: object, **__: object) -> Never:
        """Raise AssertionError, as an onlooker must not do this."""
        raise AssertionError("an onlooker moves no mouse, clicks nothing and presses no key")

    move = click = press = _refuse
