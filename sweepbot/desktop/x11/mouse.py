"""The mouse and the keyboard of an X11 display, by its extension XTEST."""

import threading
import time
from contextlib import suppress

from sweepbot.desktop.keys import held_together
from sweepbot.desktop.mouse import Button
from sweepbot.desktop.x11.connection import X11Connection
from sweepbot.desktop.x11.windows import X11Windows
from sweepbot.errors import ClientCoveredError, DesktopError
from sweepbot.geometry import Point

_NO_SYMBOL = 0
_GROUP_BIT = 13  # from this bit on, the pointer's state has the number of the layout in use
_SYMBOLS_PER_LAYOUT = 2  # of a key, in the core protocol: plain, and with Shift

_LOGICAL: dict[Button, int] = {"left": 1, "middle": 2, "right": 3}

_DELIVERY_S = 5.0
"""Seconds that a window manager may hold back a click; 0.001 is usual, 0.2 on a busy machine."""

_CLOSING_S = 2.0  # until a display that does not answer is left; 0.001 is usual


class X11Mouse(X11Connection):
    """The pointer and the keyboard. See `Mouse`.

    A window manager holds back each press, and everything after it, until it has decided which window gets the
    keyboard; meanwhile the server shows the button as pressed. If the pointer moves on then, it takes the click along,
    as happens with pyautogui. Here every call waits until the server has delivered the click before it, which it tells
    along with the pointer's place: so a burst asks once for both.

    A window that was found under a pixel may be gone by the time of the press, so it is checked once more, and the
    server accepts no other program's requests between that check and the press.

    The layout in use may have no key for a symbol, as one without Latin letters. Such a symbol is put on an unused key
    code, as xdotool does, and stays there until `close`: programs look up the new meaning only some time later.

    Args:
        windows: Knows which window is under a pixel; without it a press goes to whatever is there.

    Raises:
        DesktopError: The display cannot be opened, or its pointer cannot be moved.
    """

    def __init__(self, windows: X11Windows | None = None) -> None:
        super().__init__()
        self._windows = windows
        self._held = 0  # the bit of a button whose release may not be delivered yet; 0 if all clicks are
        self._until_s = 0.0
        self._borrowed: dict[int, int] = {}  # from symbols to key codes
        if not self.display.has_extension("XTEST"):
            raise DesktopError(
                "this display lets no program move its pointer: it lacks the extension XTEST",
                hint="start it with this extension, which every common X server has",
            )
        self._physical = self._read_mapping()

    def _read_mapping(self) -> dict[Button, int]:
        """Return which number to press for each button: for left-handed people the display swaps them."""
        mapping = list(self.display.get_pointer_mapping())
        return {button: mapping.index(number) + 1 for button, number in _LOGICAL.items()}

    def _process_changes(self) -> None:
        """Note that a person has swapped the buttons, which the server tells every program."""
        while self.display.pending_events():
            if self.display.next_event().type == self.x.MappingNotify:
                self._physical = self._read_mapping()

    def position(self) -> Point:
        while (pointer := self.root.query_pointer()).mask & self._held:
            self._until_s = self._until_s or time.perf_counter() + _DELIVERY_S  # from its first answer on: it may hang
            if time.perf_counter() > self._until_s:
                raise DesktopError(
                    f"a click was not delivered within {_DELIVERY_S:.0f} s",
                    hint="is a mouse button held down, a menu open, or the window manager stuck?",
                )
        if self._held and self._windows is not None:
            self._windows.note_manager_answer()
        self._held = 0
        return Point(pointer.root_x, pointer.root_y)

    def move(self, to: Point) -> None:
        self._await_delivery()
        self.display.xtest_fake_input(self.x.MotionNotify, x=to.x, y=to.y)
        self.display.flush()

    def click(self, at: Point, button: Button = "left", hold_s: float = 0.0) -> None:
        self._await_delivery()
        self._process_changes()
        self._press_at(at, button)
        try:
            time.sleep(hold_s)
        finally:
            self.display.xtest_fake_input(self.x.ButtonRelease, self._physical[button])
            self.display.flush()
        self._held, self._until_s = self.x.Button1Mask << (_LOGICAL[button] - 1), 0.0

    def _await_delivery(self) -> None:
        if self._held:
            self.position()

    def _press_at(self, at: Point, button: Button) -> None:
        expected = None if self._windows is None else self._windows.frame_under(at)
        self.display.grab_server()
        try:
            if expected is not None:
                frame = self.root.translate_coords(self.root, at.x, at.y).child
                if not frame or frame.id != expected:
                    raise ClientCoveredError(
                        f"the window at {at} is gone, or another is in front of it now: nothing was clicked there",
                        hint="leave the client where it is, in front",
                    )
            self.display.xtest_fake_input(self.x.MotionNotify, x=at.x, y=at.y)
            self.display.xtest_fake_input(self.x.ButtonPress, self._physical[button])
        finally:
            self.display.ungrab_server()
            self.display.flush()

    def press(self, key: str) -> None:
        self._await_delivery()
        codes = [self._code(it.keysym) for it in held_together(key)]
        for code in codes:
            self.display.xtest_fake_input(self.x.KeyPress, code)
        for code in reversed(codes):
            self.display.xtest_fake_input(self.x.KeyRelease, code)
        self.display.sync()

    def close(self) -> None:
        """Free the borrowed key codes, if the display still exists and answers soon, and close the connection."""
        if not self._has_ended:  # else python-xlib would wait for an answer without end
            freeing = threading.Thread(target=self._free, name="sweepbot-x11-closing", daemon=True)
            freeing.start()
            freeing.join(_CLOSING_S)
        super().close()

    def _free(self) -> None:
        with suppress(Exception):  # python-xlib has several for a display that has ended
            for code in self._borrowed.values():
                self.display.change_keyboard_mapping(code, [[_NO_SYMBOL] * _SYMBOLS_PER_LAYOUT])
            self.display.sync()

    def _code(self, symbol: int) -> int:
        """Return the code of a key that gives a symbol in the layout in use."""
        if symbol in self._borrowed:
            return self._borrowed[symbol]
        first, last = self.display.display.info.min_keycode, self.display.display.info.max_keycode
        keys = self.display.get_keyboard_mapping(first, last - first + 1)
        group = self.root.query_pointer().mask >> _GROUP_BIT & 3
        for code, symbols in enumerate(keys, start=first):
            if _plain(symbols, group) == symbol:
                return code
        for code in range(last, first - 1, -1):
            if not any(keys[code - first]) and code not in self._borrowed.values():
                self.display.change_keyboard_mapping(code, [[symbol] * _SYMBOLS_PER_LAYOUT])
                self.display.sync()
                self._borrowed[symbol] = code
                return code
        raise DesktopError(
            f"no key of this keyboard gives the symbol {symbol:#x}, and no key code is free for it",
            hint="choose a keyboard layout with Latin letters: setxkbmap us",
        )


def _plain(symbols: list[int], group: int) -> int:
    """Return what a key gives in a layout with nothing else held; a key with one symbol has it in all layouts."""
    at = group * _SYMBOLS_PER_LAYOUT
    in_use = symbols[at] if at < len(symbols) else _NO_SYMBOL
    return in_use or (symbols[0] if symbols else _NO_SYMBOL)
