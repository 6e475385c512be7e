"""Names of keys: X11's symbols and Windows' codes for them, and where the keyboard of a Wayland desktop has them."""

import re

from sweepbot.errors import DesktopError

_SYMBOLS = {
    **{f"f{number}": (f"F{number}", 0xFFBE + number - 1) for number in range(1, 13)},
    "enter": ("Return", 0xFF0D),
    "esc": ("Escape", 0xFF1B),
    "tab": ("Tab", 0xFF09),
    "space": ("space", 0x20),
    "ctrl": ("Control_L", 0xFFE3),
    "shift": ("Shift_L", 0xFFE1),
    "alt": ("Alt_L", 0xFFE9),
}
"""Name and number of X11's key symbols; letters and digits are their own."""

_FIRST_CODE = 8
"""How much larger a keymap's numbers are than Linux' input codes."""

US_KEYMAP = """xkb_keymap {
xkb_keycodes { include "evdev" };
xkb_types { include "complete" };
xkb_compatibility { include "complete" };
xkb_symbols { include "pc+us" };
};
"""
"""The keyboard of the USA, as XKB writes it."""

_ROWS = {2: "1234567890", 16: "qwertyuiop", 30: "asdfghjkl", 44: "zxcvbnm"}
_US_CODES = {
    **{key: first + place for first, row in _ROWS.items() for place, key in enumerate(row)},
    **{f"f{number}": 58 + number for number in range(1, 11)},
    "f11": 87,
    "f12": 88,
    "esc": 1,
    "tab": 15,
    "enter": 28,
    "ctrl": 29,
    "shift": 42,
    "alt": 56,
    "space": 57,
}
"""Linux' input codes of its keys."""

_VIRTUAL_KEYS = {
    **{f"f{number}": 0x6F + number for number in range(1, 13)},
    "enter": 0x0D,
    "esc": 0x1B,
    "tab": 0x09,
    "space": 0x20,
    "ctrl": 0x11,
    "shift": 0x10,
    "alt": 0x12,
}
"""Windows' codes of what keys mean, VK_*; letters and digits have those of their capitals."""

_MODIFIERS = {"shift": 1, "ctrl": 4, "alt": 8}
"""XKB's bits for modifiers held down."""


def keysym(key: str) -> int:
    """The number of a key's symbol.

    Raises:
        DesktopError: There is no such key.
    """
    return _symbol(key)[1]


def virtual_key(key: str) -> int:
    """Windows' code of what a key means.

    Raises:
        DesktopError: There is no such key.
    """
    _symbol(key)
    return _VIRTUAL_KEYS.get(key) or ord(key.upper())


def us_keycode(key: str) -> tuple[int, int]:
    """Linux' input code of a key on the keyboard of the USA, and XKB's bit for it as a modifier, or 0.

    Raises:
        DesktopError: There is no such key.
    """
    _symbol(key)
    return _US_CODES[key], _MODIFIERS.get(key, 0)


def keycode(key: str, keymap: str) -> int:
    """Linux' input code of a key on a keyboard.

    Args:
        key: Its name.
        keymap: The keyboard, as XKB writes it.

    Raises:
        DesktopError: There is no such key, or the keyboard does not have it.
    """
    name, _ = _symbol(key)
    codes = dict(re.findall(r"<([^>]+)>\s*=\s*(\d+);", keymap))
    # Of each level and group the first counts: what the key means with nothing else held.
    keys = re.findall(r"key\s+<([^>]+)>\s*\{[^}\[]*?(?:symbols\[[^\]]*\]\s*=\s*)?\[\s*(\w+)", keymap)
    for position, symbol in keys:
        if symbol == name and position in codes:
            return int(codes[position]) - _FIRST_CODE
    raise DesktopError(f"this desktop's keyboard has no key {key!r}", hint="choose a keyboard layout that has it")


def _symbol(key: str) -> tuple[str, int]:
    if key in _SYMBOLS:
        return _SYMBOLS[key]
    if len(key) == 1 and key.isascii() and key.isalnum():
        return key, ord(key)
    raise DesktopError(
        f"there is no key {key!r}",
        hint=f"there are letters, digits, {', '.join(sorted(_SYMBOLS))}; joined by + where held together",
    )
