"""The mouse and the keyboard of macOS. The only file that imports pyautogui."""

import time
from collections.abc import Callable
from typing import Any

from sweepbot.desktop.keys import held_together
from sweepbot.desktop.mouse import Button
from sweepbot.errors import DesktopError
from sweepbot.geometry import PixelMap, Point


class MacMouse:
    """The pointer and the keyboard. See `Mouse`.

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
