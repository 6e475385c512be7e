"""The pointer and the keys of Windows, by SendInput."""

import time

from sweepbot.desktop.keys import virtual_key
from sweepbot.desktop.mouse import Button
from sweepbot.desktop.win32_api import Input, Win32, key_input, mouse_input
from sweepbot.geometry import Point, Region

_TO = 0x1 | 0x8000 | 0x4000  # MOUSEEVENTF_MOVE, _ABSOLUTE, _VIRTUALDESK
_DOWN: dict[Button, int] = {"left": 0x2, "right": 0x8, "middle": 0x20}  # MOUSEEVENTF_LEFTDOWN and its like
_SWAPPED: dict[Button, Button] = {"left": "right", "right": "left", "middle": "middle"}
_UNITS = 1 << 16  # into which an absolute movement divides the width and the height of all monitors together


class Win32Mouse:
    """Moves, clicks and presses. See `Mouse`.

    Each press and each release is one event with its place: nothing that moves the pointer meanwhile moves the click,
    neither a hand nor, as on Wine, the echo of a movement of its own.

    Args:
        system: Windows itself.
    """

    def __init__(self, system: Win32) -> None:
        self._system = system

    def position(self) -> Point:
        """The pixel under the pointer."""
        return self._system.pointer()

    def move(self, to: Point) -> None:
        """Put the pointer over the pixel `to`; DesktopError is raised, as by all of these, where no input is taken."""
        self._system.send([self._at(to, 0)])

    def click(self, at: Point, button: Button = "left", hold_s: float = 0.0) -> None:
        """Move to the pixel `at`, press `button` there and release it after so long."""
        down, up = self._buttons(at, button)
        if not hold_s:
            self._system.send([down, up])
            return
        self._system.send([down])
        try:
            time.sleep(hold_s)
        finally:
            self._system.send([up])

    def press(self, key: str) -> None:
        """Press and release a key, or several at once joined by `+`.

        Raises:
            DesktopError: There is no such key, or the system takes no input.
        """
        keys = [virtual_key(name) for name in key.lower().split("+")]
        codes = [(code, self._system.scan_code(code)) for code in keys]
        downs = [key_input(*code, is_up=False) for code in codes]
        self._system.send([*downs, *(key_input(*code, is_up=True) for code in reversed(codes))])

    def _at(self, place: Point, flags: int) -> Input:
        return mouse_input(_TO | flags, *in_units(place, self._system.virtual_screen()))

    def _buttons(self, at: Point, button: Button) -> tuple[Input, Input]:
        """The press and the release, at a pixel, of what does what `button` does by default."""
        down = _DOWN[_SWAPPED[button] if self._system.has_swapped_buttons() else button]
        return self._at(at, down), self._at(at, 2 * down)  # the flag of a release follows that of its press


def in_units(at: Point, screen: Region) -> tuple[int, int]:
    """The units of an absolute movement to the middle of a pixel, given all monitors together."""
    return (
        (2 * (at.x - screen.x) + 1) * _UNITS // (2 * screen.width),
        (2 * (at.y - screen.y) + 1) * _UNITS // (2 * screen.height),
    )
