"""Keys on X11 under all kinds of layouts."""

from types import SimpleNamespace
from typing import Any

import pytest

from sweepbot.desktop.keys import held_together
from sweepbot.desktop.x11_mouse import X11Keyboard
from sweepbot.errors import DesktopError

X = SimpleNamespace(KeyPress=2, KeyRelease=3)
CONTROL, N = (key.keysym for key in held_together("ctrl+n"))
CYRILLIC_TE = 0x6D4
FREE = [0, 0, 0, 0]


class FakeDisplay:
    """A display with some keys, codes from 10, and one layout in use."""

    def __init__(self, *keys: list[int], group: int = 0) -> None:
        self.keys = list(keys)
        self.done: list[tuple[int, int]] = []
        last = 9 + len(keys)
        self.display = SimpleNamespace(info=SimpleNamespace(min_keycode=10, max_keycode=last))
        pointer = SimpleNamespace(mask=group << 13)
        self._screen = SimpleNamespace(root=SimpleNamespace(query_pointer=lambda: pointer))

    def screen(self) -> SimpleNamespace:
        return self._screen

    def get_keyboard_mapping(self, first: int, count: int) -> list[list[int]]:
        return self.keys[first - 10 : first - 10 + count]

    def change_keyboard_mapping(self, first: int, keys: list[list[int]]) -> None:
        self.keys[first - 10] = keys[0]

    def sync(self) -> None: ...

    def fake_input(self, _: Any, kind: int, code: int) -> None:  # noqa: ANN401
        self.done.append((kind, code))


def pressed(display: FakeDisplay, key: str) -> X11Keyboard:
    keyboard = X11Keyboard(display, display.fake_input)
    keyboard.press(key, X)
    return keyboard


def test_a_key_of_the_layout_in_use_is_pressed_by_its_code() -> None:
    """Keys held together are released in reverse order."""
    display = FakeDisplay([N, 0], [CONTROL, 0])
    pressed(display, "Ctrl+N")
    assert display.done == [(X.KeyPress, 11), (X.KeyPress, 10), (X.KeyRelease, 10), (X.KeyRelease, 11)]


@pytest.mark.parametrize(
    ("key", "group"), [([CYRILLIC_TE, 0, 0, 0], 0), ([N, 0, CYRILLIC_TE, 0], 1)], ids=["no Latin", "another in use"]
)
def test_what_no_key_gives_is_lent_a_free_code(key: list[int], group: int) -> None:
    """A symbol without a key gets a free code, which is released at the end."""
    display = FakeDisplay(key, FREE, [CONTROL, 0, 0, 0], group=group)
    keyboard = pressed(display, "ctrl+n")
    assert display.keys[1][0] == N
    assert [code for _, code in display.done] == [12, 11, 11, 12]
    keyboard.press("n", X)
    assert display.done[-1] == (X.KeyRelease, 11)
    keyboard.close()
    assert not any(display.keys[1])


def test_a_keyboard_without_a_free_code_is_an_error() -> None:
    """Nothing is pressed then, and the error gives advice."""
    display = FakeDisplay([CYRILLIC_TE, 0])
    with pytest.raises(DesktopError) as caught:
        pressed(display, "n")
    assert "setxkbmap" in caught.value.hint
    assert display.done == []
