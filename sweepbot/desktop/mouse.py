"""The pointer and the keyboard, in pixels of the virtual desktop; macOS' by pyautogui, which only this file imports."""

import time
from collections.abc import Callable
from typing import Any, Literal, Protocol

from sweepbot.errors import DesktopError
from sweepbot.geometry import PixelMap, Point

Button = Literal["left", "middle", "right"]


class Mouse(Protocol):
    """A pointer and a keyboard."""

    def position(self) -> Point:
        """The pixel under the pointer."""

    def move(self, to: Point) -> None:
        """Put the pointer over the pixel `to`."""

    def click(self, at: Point, button: Button = "left", hold_s: float = 0.0) -> None:
        """Press `button` over the pixel `at`, where the pointer then stays, and release it.

        It is held down for `hold_s` seconds: some clients poll the mouse only now and then. This returns when the
        system has delivered the click: moving the pointer afterwards does not move the click.
        """

    def press(self, key: str) -> None:
        """Press and release a key, or several at once joined by `+`: `f2`, `enter`, `ctrl+n`."""


class DesktopMouse:
    """The pointer and the keyboard of macOS.

    Args:
        pixel_map: How pixels relate to the units that the pointer moves in.

    Raises:
        DesktopError: pyautogui cannot start.
    """

    def __init__(self, pixel_map: PixelMap) -> None:
        try:
            import pyautogui  # noqa: PLC0415  (late: no other command needs it)
        except Exception as cause:  # a library that is missing, a system that refuses: each has its own class
            raise DesktopError(
                f"pyautogui, which moves the mouse, cannot start: {cause!r}",
                hint="`sweepbot doctor` looks for the reason",
            ) from cause
        self._pixel_map = pixel_map
        self._pyautogui = pyautogui
        self._pyautogui.PAUSE = 0  # by default it waits 0.1 s after every call
        self._pyautogui.FAILSAFE = False  # whoever clicks looks where the pointer is

    def position(self) -> Point:
        """The pixel under the pointer."""
        x, y = self._call(self._pyautogui.position)
        return self._pixel_map.to_pixel(Point(x, y))

    def move(self, to: Point) -> None:
        """Put the pointer over the pixel `to`; DesktopError is raised, as by all of these, where the system refuses."""
        point = self._pixel_map.to_point(to)
        self._call(self._pyautogui.moveTo, point.x, point.y)

    def click(self, at: Point, button: Button = "left", hold_s: float = 0.0) -> None:
        """Move to the pixel `at`, press `button` there and release it after so many seconds."""
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
        """Press and release a key, or several at once joined by `+`: `f2`, `enter`, `ctrl+n`.

        Raises:
            DesktopError: There is no such key, or the system refused.
        """
        keys = key.lower().split("+")
        for name in keys:
            if not self._pyautogui.isValidKey(name):  # pyautogui itself would say nothing and press nothing
                raise DesktopError(
                    f"this keyboard has no key {name!r} (in {key!r})",
                    hint="keys are named as pyautogui names them: f2, enter, esc, a; joined by + where held together",
                )
        self._call(self._pyautogui.hotkey, *keys)

    def _call(self, function: Callable[..., Any], *arguments: object, **named: object) -> Any:  # noqa: ANN401  (pyautogui has no types)
        try:
            return function(*arguments, **named)
        except Exception as cause:  # Quartz has its own
            raise DesktopError(f"the pointer or the keyboard cannot be used: {cause!r}") from cause
