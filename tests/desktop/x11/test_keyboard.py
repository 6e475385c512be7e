"""Keys on X11 under all kinds of layouts."""

import sys
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from sweepbot.desktop.keys import held_together
from sweepbot.desktop.x11.mouse import X11Mouse
from sweepbot.errors import DesktopError
from tests.standins.fake_desktop import FakeMachine

PRESS, RELEASE = 2, 3
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

    def set_error_handler(self, _: Any) -> None: ...  # noqa: ANN401

    def has_extension(self, _: str) -> bool:
        return True

    def get_pointer_mapping(self) -> list[int]:
        return [1, 2, 3]

    def close(self) -> None: ...

    def get_keyboard_mapping(self, first: int, count: int) -> list[list[int]]:
        return self.keys[first - 10 : first - 10 + count]

    def change_keyboard_mapping(self, first: int, keys: list[list[int]]) -> None:
        self.keys[first - 10] = keys[0]

    def sync(self) -> None: ...

    def xtest_fake_input(self, kind: int, code: int) -> None:
        self.done.append((kind, code))


Press = Callable[[FakeDisplay, str], X11Mouse]


@pytest.fixture
def press(monkeypatch: pytest.MonkeyPatch) -> Press:
    """Press a key on a display; return what has pressed it."""
    FakeMachine("Linux", []).install(monkeypatch)

    def pressed(display: FakeDisplay, key: str) -> X11Mouse:
        monkeypatch.setattr(sys.modules["Xlib"].display, "Display", lambda: display)
        mouse = X11Mouse()
        mouse.press(key)
        return mouse

    return pressed


def test_a_key_of_the_layout_in_use_is_pressed_by_its_code(press: Press) -> None:
    """Keys held together are released in reverse order."""
    display = FakeDisplay([N, 0], [CONTROL, 0])
    press(display, "Ctrl+N")
    assert display.done == [(PRESS, 11), (PRESS, 10), (RELEASE, 10), (RELEASE, 11)]


@pytest.mark.parametrize(
    ("key", "group"), [([CYRILLIC_TE, 0, 0, 0], 0), ([N, 0, CYRILLIC_TE, 0], 1)], ids=["no Latin", "another in use"]
)
def test_what_no_key_gives_is_lent_a_free_code(press: Press, key: list[int], group: int) -> None:
    """A symbol without a key gets a free code, which is released at the end."""
    display = FakeDisplay(key, FREE, [CONTROL, 0, 0, 0], group=group)
    mouse = press(display, "ctrl+n")
    assert display.keys[1][0] == N
    assert [code for _, code in display.done] == [12, 11, 11, 12]
    mouse.press("n")
    assert display.done[-1] == (RELEASE, 11)
    mouse.close()
    assert not any(display.keys[1])


def test_a_keyboard_without_a_free_code_is_an_error(press: Press) -> None:
    """Nothing is pressed then, and the error gives advice."""
    display = FakeDisplay([CYRILLIC_TE, 0])
    with pytest.raises(DesktopError) as caught:
        press(display, "n")
    assert "setxkbmap" in caught.value.hint
    assert display.done == []
