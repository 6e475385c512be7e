"""The pointer and the keyboard, in pixels of the virtual desktop. The only file that imports pyautogui, for macOS."""

import time
from collections.abc import Callable
from typing import Any, Literal, Never, Protocol

from sweepbot.desktop.keys import held_together
from sweepbot.desktop.screen import Screen
from sweepbot.errors import DesktopError
from sweepbot.geometry import PixelMap, Point

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


class DesktopMouse:
    """The pointer and the keyboard of macOS.

    Args:
        pixel_map: Converts pixels to the units that the pointer moves in.

    Raises:
        DesktopError: pyautogui cannot start.
    """

    def __init__(self, pixel_map: PixelMap) -> None:
        try:
            import pyautogui  # noqa: PLC0415  (late: no other command needs it)
        except Exception as cause:  # a missing library and a refusal of the system have classes of their own
            raise DesktopError(
                f"pyautogui, which moves the mouse, cannot start: {cause!r}", hint="run `sweepbot doctor`"
            ) from cause
        self._pixel_map = pixel_map
        self._pyautogui = pyautogui
        self._pyautogui.PAUSE = 0  # by default it waits 0.1 s after every call
        self._pyautogui.FAILSAFE = False  # control/guard.py stops in the corners

    def position(self) -> Point:
        x, y = self._call(self._pyautogui.position)
        return self._pixel_map.to_pixel(Point(x, y))

    def move(self, to: Point) -> None:
        point = self._pixel_map.to_point(to)
        self._call(self._pyautogui.moveTo, point.x, point.y)

    def click(self, at: Point, button: Button = "left", hold_s: float = 0.0) -> None:
        point = self._pixel_map.to_point(at)
        if not hold_s:
            self._call(self._pyautogui.click, point.x, point.y, button=button)
            return
        self._call(self._pyautogui.mouseDown, point.x, point.y, button=button)
        try:
            time.sleep(hold_s)
        finally:
            self._call(self._pyautogui.mouseUp, point.x, point.y, button=button)

    def press(self, key: str) -> None:
        self._call(self._pyautogui.hotkey, *(each.name for each in held_together(key)))

    def _call(self, function: Callable[..., Any], *arguments: object, **named: object) -> Any:  # noqa: ANN401  (pyautogui has no types)
        try:
            return function(*arguments, **named)
        except Exception as cause:  # Quartz has exceptions of its own
            raise DesktopError(f"the pointer or the keyboard cannot be used: {cause!r}") from cause
