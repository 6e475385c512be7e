"""The keys of an X11 display, whatever its layout: pressed by their codes, through the extension XTEST."""

from collections.abc import Callable
from contextlib import suppress
from typing import Any

from sweepbot.desktop.keys import keysym
from sweepbot.desktop.x11 import Xlib
from sweepbot.errors import DesktopError

_NO_SYMBOL = 0
_GROUP_BIT = 13  # of the state that comes with the pointer: from here on it tells the layout that is in use
_LEVELS = 2  # symbols of a key in each layout, as the core protocol lists them: plain, and with Shift


class X11Keyboard:
    """Presses keys.

    A layout without Latin letters has no key for them, and of several layouts the one in use counts. A symbol that no
    key gives just then is put on a code that no key has, as xdotool does, and stays there until `close`: programs ask
    for the new meaning some time after they are told of it.

    Args:
        display: The display.
        fake_input: XTEST's function.
    """

    def __init__(self, display: Xlib, fake_input: Callable[..., Any]) -> None:
        self._display = display
        self._fake_input = fake_input
        self._lent: dict[int, int] = {}

    def press(self, key: str, x: Any) -> None:  # noqa: ANN401  (Xlib.X has no types)
        """Press and release a key, or several at once joined by `+`.

        Args:
            key: Their names.
            x: The constants of Xlib.

        Raises:
            DesktopError: There is no such key, or no code is left for it.
        """
        codes = [self._code(keysym(name)) for name in key.lower().split("+")]
        for code in codes:
            self._fake_input(self._display, x.KeyPress, code)
        for code in reversed(codes):
            self._fake_input(self._display, x.KeyRelease, code)
        self._display.sync()

    def close(self) -> None:
        """Take back the codes that were lent, where the display is still there."""
        for code in self._lent.values():
            with suppress(Exception):  # python-xlib's own, of a display that has ended
                self._display.change_keyboard_mapping(code, [[_NO_SYMBOL] * _LEVELS])
        with suppress(Exception):
            self._display.sync()
        self._lent.clear()

    def _code(self, symbol: int) -> int:
        """The code of a key that gives a symbol in the layout in use."""
        if symbol in self._lent:
            return self._lent[symbol]
        first, last = self._display.display.info.min_keycode, self._display.display.info.max_keycode
        keys = self._display.get_keyboard_mapping(first, last - first + 1)
        group = self._display.screen().root.query_pointer().mask >> _GROUP_BIT & 3
        for code, symbols in enumerate(keys, start=first):
            if _plain(symbols, group) == symbol:
                return code
        for code in range(last, first - 1, -1):
            if not any(keys[code - first]) and code not in self._lent.values():
                self._display.change_keyboard_mapping(code, [[symbol] * _LEVELS])
                self._display.sync()
                self._lent[symbol] = code
                return code
        raise DesktopError(
            f"no key of this keyboard gives the symbol {symbol:#x}, and no code is free for it",
            hint="choose a keyboard layout with Latin letters: setxkbmap us",
        )


def _plain(symbols: list[int], group: int) -> int:
    """What a key gives in a layout with nothing else held; keys that have one meaning only have it in all layouts."""
    at = group * _LEVELS
    in_use = symbols[at] if at < len(symbols) else _NO_SYMBOL
    return in_use or (symbols[0] if symbols else _NO_SYMBOL)
