"""Names of keys, with X11's symbols, Linux' input codes and Windows' virtual keys for them."""

import re
from typing import NamedTuple

from sweepbot.errors import DesktopError


class KeyCodes(NamedTuple):
    """A key: our name for it, X11's symbol and its number, Linux' input code on a US keyboard, and Windows' VK_*."""

    name: str
    symbol: str
    keysym: int
    us_code: int
    virtual_key: int
    modifier: int = 0
    """XKB's bit for it while it is held; 0 if it is not a modifier."""


_F_CODES = (*range(59, 69), 87, 88)
_ROWS = {2: "1234567890", 16: "qwertyuiop", 30: "asdfghjkl", 44: "zxcvbnm"}
_NAMED = (
    *(KeyCodes(f"f{n}", f"F{n}", 0xFFBD + n, code, 0x6F + n) for n, code in enumerate(_F_CODES, 1)),
    KeyCodes("enter", "Return", 0xFF0D, 28, 0x0D),
    KeyCodes("esc", "Escape", 0xFF1B, 1, 0x1B),
    KeyCodes("tab", "Tab", 0xFF09, 15, 0x09),
    KeyCodes("space", "space", 0x20, 57, 0x20),
    KeyCodes("minus", "minus", 0x2D, 12, 0xBD),
    KeyCodes("equal", "equal", 0x3D, 13, 0xBB),
    KeyCodes("ctrl", "Control_L", 0xFFE3, 29, 0x11, modifier=4),
    KeyCodes("shift", "Shift_L", 0xFFE1, 42, 0x10, modifier=1),
    KeyCodes("alt", "Alt_L", 0xFFE9, 56, 0x12, modifier=8),
)
# Letters and digits are their own symbols; Windows' codes are those of the capitals.
_PLAIN = [
    KeyCodes(key, key, ord(key), first + place, ord(key.upper()))
    for first, row in _ROWS.items()
    for place, key in enumerate(row)
]
_KEYS = {key.name: key for key in (*_NAMED, *_PLAIN)}

_FIRST_CODE = 8
"""The offset of a keymap's numbers from Linux' input codes."""

US_KEYMAP = """xkb_keymap {
xkb_keycodes { include "evdev" };
xkb_types { include "complete" };
xkb_compatibility { include "complete" };
xkb_symbols { include "pc+us" };
};
"""
"""The US keyboard as an XKB keymap."""


def keycode(key: KeyCodes, keymap: str) -> int:
    """Return Linux' input code of a key on a keyboard, given its XKB keymap.

    Raises:
        DesktopError: The keyboard does not have it.
    """
    codes = dict(re.findall(r"<([^>]+)>\s*=\s*(\d+);", keymap))
    # Only the first level and group count: what the key gives with nothing else held.
    keys = re.findall(r"key\s+<([^>]+)>\s*\{[^}\[]*?(?:symbols\[[^\]]*\]\s*=\s*)?\[\s*(\w+)", keymap)
    for position, symbol in keys:
        if symbol == key.symbol and position in codes:
            return int(codes[position]) - _FIRST_CODE
    raise DesktopError(f"this desktop's keyboard has no key {key.name!r}", hint="choose a keyboard layout that has it")


def held_together(keys: str) -> list[KeyCodes]:
    """Return the keys that are pressed at once, given their names joined by `+`, in any letter case.

    Raises:
        DesktopError: There is no such key.
    """
    try:
        return [_KEYS[name] for name in keys.lower().split("+")]
    except KeyError as error:
        named = ", ".join(sorted(key.name for key in _NAMED))
        raise DesktopError(
            f"there is no key {error.args[0]!r}",
            hint=f"keys are letters, digits, {named}; join keys held together by +",
        ) from None
