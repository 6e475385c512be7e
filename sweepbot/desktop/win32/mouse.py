"""The mouse and the keyboard of Windows, by SendInput."""

import time

from sweepbot.desktop.keys import held_together
from sweepbot.desktop.mouse import Button
from sweepbot.desktop.win32.api import Input, Win32, key_input, mouse_input
from sweepbot.geometry import Point, Region

_TO = 0x1 | 0x8000 | 0x4000  # MOUSEEVENTF_MOVE, _ABSOLUTE, _VIRTUALDESK
_DOWN: dict[Button, int] = {"left": 0x2, "right": 0x8, "middle": 0x20}  # MOUSEEVENTF_LEFTDOWN and its like
_SWAPPED: dict[Button, Button] = {"left": "right", "right": "left", "middle": "middle"}
_UNITS = 1 << 16  # units of an absolute movement across, and down, all monitors together


class Win32Mouse:
    """The pointer and the keyboard. See `Mouse`.

    Each press and each release carries its place, so that nothing that moves the pointer in between moves the click:
    neither a hand nor, on Wine, the echo of an earlier movement.
    """

    def __init__(self, system: Win32) -> None:
        self._system = system

    def position(self) -> Point:
        return self._system.pointer()

    def move(self, to: Point) -> None:
        self._system.send([self._event(to, 0)])

    def click(self, at: Point, button: Button = "left", hold_s: float = 0.0) -> None:
        flag = _DOWN[_SWAPPED[button] if self._system.has_swapped_buttons() else button]
        down, up = self._event(at, flag), self._event(at, 2 * flag)  # the flag of a release is twice that of its press
        if not hold_s:
            self._system.send([down, up])
            return
        self._system.send([down])
        try:
            time.sleep(hold_s)
        finally:
            self._system.send([up])

    def press(self, key: str) -> None:
        codes = [(it.virtual_key, self._system.scan_code(it.virtual_key)) for it in held_together(key)]
        downs = [key_input(*code, is_up=False) for code in codes]
        self._system.send([*downs, *(key_input(*code, is_up=True) for code in reversed(codes))])

    def _event(self, at: Point, flags: int) -> Input:
        return mouse_input(_TO | flags, *in_units(at, self._system.virtual_screen()))


def in_units(at: Point, screen: Region) -> tuple[int, int]:
    """Convert a pixel to the units of an absolute movement to its middle, given the region of all monitors."""
    return (
        (2 * (at.x - screen.x) + 1) * _UNITS // (2 * screen.width),
        (2 * (at.y - screen.y) + 1) * _UNITS // (2 * screen.height),
    )
