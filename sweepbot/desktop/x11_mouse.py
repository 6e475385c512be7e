"""The pointer and the keys of an X11 display, by its test extension XTEST."""

import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from sweepbot.desktop.keys import keysym
from sweepbot.desktop.mouse import Button
from sweepbot.desktop.x11 import X11Connection, Xlib, while_it_lasts
from sweepbot.desktop.x11_windows import X11Windows
from sweepbot.errors import ClientCoveredError, DesktopError
from sweepbot.geometry import Point

_NO_SYMBOL = 0
_GROUP_BIT = 13  # of the state that comes with the pointer: from here on it tells the layout that is in use
_LEVELS = 2  # symbols of a key in each layout, as the core protocol lists them: plain, and with Shift

_LOGICAL: dict[Button, int] = {"left": 1, "middle": 2, "right": 3}

_DELIVERY_S = 5.0
"""Seconds that a window manager may hold a click back; some 0.001 s are usual, 0.2 s on a busy machine."""


class X11Mouse(X11Connection):
    """Moves, clicks and presses. See `Mouse`.

    A window manager holds each press back until it has decided which window gets the keyboard, and everything after
    it, the release too. The server then shows the button as pressed. A pointer that moves on meanwhile takes the click
    along to another place; pyautogui's does. Here a click has ended when the server has delivered its release.

    A window that was told to be under a pixel may have gone by the time of the press: the server takes no other
    program's requests between a last look for that window and the press.

    Args:
        windows: What tells which window is under a pixel; without it a press goes to whatever is there.

    Raises:
        DesktopError: The display cannot be opened, or it lets no pointer be moved.
    """

    def __init__(self, windows: X11Windows | None = None) -> None:
        super().__init__()
        self._windows = windows
        from Xlib.ext import xtest  # noqa: PLC0415  (late: few commands need it)

        self._fake_input = xtest.fake_input
        self._keys = X11Keyboard(self.display, xtest.fake_input)
        if not self.display.has_extension("XTEST"):
            raise DesktopError(
                "this display lets no program move its pointer: it lacks the extension XTEST",
                hint="start it with this extension, as every usual X server does",
            )
        # For the left-handed the buttons are swapped: what is pressed is a number that the display then maps.
        mapping = list(self.display.get_pointer_mapping())
        self._physical = {button: mapping.index(number) + 1 for button, number in _LOGICAL.items()}

    @while_it_lasts
    def position(self) -> Point:
        """The pixel under the pointer."""
        pointer = self.root.query_pointer()
        return Point(pointer.root_x, pointer.root_y)

    @while_it_lasts
    def move(self, to: Point) -> None:
        """Put the pointer over the pixel `to`; DesktopError is raised where the display has ended."""
        self._fake_input(self.display, self.x.MotionNotify, x=to.x, y=to.y)
        self.display.flush()

    @while_it_lasts
    def click(self, at: Point, button: Button = "left", hold_s: float = 0.0) -> None:
        """Move to the pixel `at`, press `button` there, release it after so long, and wait until that is delivered.

        Raises:
            ClientCoveredError: The window that was told to be there is not any more; nothing was pressed.
            DesktopError: It is not delivered, or the display has ended.
        """
        self._press_at(at, button)
        try:
            if hold_s:
                self.display.flush()
                time.sleep(hold_s)
        finally:
            self._fake_input(self.display, self.x.ButtonRelease, self._physical[button])
        held = self.x.Button1Mask << (_LOGICAL[button] - 1)
        until = time.perf_counter() + _DELIVERY_S
        while self.root.query_pointer().mask & held:
            if time.perf_counter() > until:
                raise DesktopError(
                    f"the {button} click at {at} was not delivered within {_DELIVERY_S:.0f} s",
                    hint="is a mouse button held down, or a menu open? Does the window manager stand still?",
                )
        if self._windows is not None:
            self._windows.manager_answered()

    def _press_at(self, at: Point, button: Button) -> None:
        told = None if self._windows is None else self._windows.frame_told(at)
        self.display.grab_server()
        try:
            if told is not None:
                frame = self.root.translate_coords(self.root, at.x, at.y).child
                if not frame or frame.id != told:
                    raise ClientCoveredError(
                        f"the window at {at} has gone, or another is in front of it now: nothing was clicked there",
                        hint="leave the client where it is, in front",
                    )
            self._fake_input(self.display, self.x.MotionNotify, x=at.x, y=at.y)
            self._fake_input(self.display, self.x.ButtonPress, self._physical[button])
        finally:
            self.display.ungrab_server()
            self.display.flush()

    @while_it_lasts
    def press(self, key: str) -> None:
        """Press and release a key, or several at once joined by `+`.

        Raises:
            DesktopError: There is no such key, or the display has ended.
        """
        self._keys.press(key, self.x)

    def close(self) -> None:
        """Let go of the display, its keyboard as it was."""
        self._keys.close()
        super().close()


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
