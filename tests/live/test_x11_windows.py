"""The windows of a real X11 display under a window manager."""

import subprocess
import sys
from contextlib import AbstractContextManager, closing
from pathlib import Path

import pytest

from sweepbot.desktop.desk import Desk
from sweepbot.desktop.windows import Windows, belongs
from sweepbot.desktop.x11.windows import X11Windows
from sweepbot.errors import ClientCoveredError
from sweepbot.geometry import Point, Region
from tests.desktop.windows_told import region, titled, under
from tests.live.conftest import need
from tools.live.display import Display, Program
from tools.waiting import wait_until

pytestmark = pytest.mark.live


def test_windows_are_told_apart_by_what_lies_in_front(display: Display, windows: Windows) -> None:
    """Of two overlapping windows the one raised last is in front, and each is where it was placed."""
    need("xterm")
    below, above = ["xterm", "-T", "the-one-below"], ["xterm", "-T", "the-one-above"]
    with display.program(below):
        first = titled(windows, "the-one-below")
        with display.program(above):
            second = titled(windows, "the-one-above")
            windows.place(first, Region(300, 300, 400, 300))
            windows.place(second, Region(500, 300, 400, 300))
            wait_until(lambda: region(windows, first).x == 300 or None, "the first window to move")
            wait_until(lambda: region(windows, second).x == 500 or None, "the second window to move")
            assert under(windows, Point(600, 400)) == second
            windows.focus(first)
            wait_until(lambda: windows.with_keyboard() == first or None, "the keyboard")
            under_first = windows.under(Point(350, 400))
            assert under_first is not None
            assert under_first.id == first
            assert under_first.region == region(windows, first)
            assert windows.under(Point(10, 1100)) is None
        wait_until(lambda: not windows.exists(second) or None, "the end of the second window")
        windows.dismiss(first)
        wait_until(lambda: not windows.exists(first) or None, "the end of the first window")


def test_a_window_that_has_gone_gets_no_click(
    display: Display, desktop: Desk, windows: Windows, tmp_path: Path
) -> None:
    """A window that ends between look and click gets none, nor does the window behind it."""
    need("xterm")
    seen = tmp_path / "witnessed"
    with display.program([sys.executable, "-m", "tools.live.witness", str(seen)]):
        wait_until(lambda: seen.exists() or None, "the witness")
        with display.program(["xterm", "-T", "the-one-that-goes"]):
            number = titled(windows, "the-one-that-goes")
            middle = region(windows, number).centre
            assert under(windows, middle) == number
            desktop.mouse.click(middle)
        with closing(X11Windows()) as others:

            def is_gone() -> bool | None:
                now = others.under(middle)
                return (now is not None and now.region == desktop.screen.region) or None

            wait_until(is_gone, "the end of the window and of its frame")
        desktop.mouse.move(middle + Point(9, 9))
        with pytest.raises(ClientCoveredError, match="nothing was clicked"):
            desktop.mouse.click(middle)
        assert desktop.mouse.position() == middle + Point(9, 9)
        assert windows.under(middle) is not None
        desktop.mouse.click(middle)
        wait_until(lambda: len(seen.read_text(encoding="ascii").splitlines()) > 1 or None, "the press that was told of")
    assert len(seen.read_text(encoding="ascii").splitlines()) == 1 + 1


def test_the_room_for_a_window_is_within_the_screen(display: Display, desktop: Desk, windows: Windows) -> None:
    """A window that fills its room is whole on the screen, frame included."""
    need("xterm")
    with display.program(["xterm", "-T", "the-large-one"]):
        number = titled(windows, "the-large-one")
        room = windows.room(number)
        assert room.intersection(desktop.screen.region) == room
        assert room != desktop.screen.region


def test_a_window_is_gone_from_sight_as_soon_as_it_is_minimised(display: Display, windows: Windows) -> None:
    """While openbox still animates an empty frame, no window is shown and none gets a click."""
    need("xterm", "xdotool")
    with display.program(["xterm", "-T", "the-one-to-hide"]):
        number = titled(windows, "the-one-to-hide")
        middle = region(windows, number).centre
        for _ in range(5):
            display.minimise(str(number))
            assert windows.under(middle) is None
            assert windows.titled(["the-one-to-hide"]) == []
            wait_until(lambda: windows.minimised(["the-one-to-hide"]) == [number] or None, "the state of the window")
            assert windows.exists(number)
            subprocess.run(["xdotool", "windowactivate", "--sync", str(number)], check=True)
            wait_until(lambda: windows.under(middle), "the window to be shown again")
            wait_until(lambda: windows.minimised(["the-one-to-hide"]) == [] or None, "the state of the window")


def shown(display: Display, kind: str) -> AbstractContextManager[Program]:
    """A window of `tools.live.window`, titled `the client`."""
    return display.program([sys.executable, "-m", "tools.live.window", "the client", "400x300+300+300", kind])


def test_a_dialog_that_names_no_window_belongs_to_one_of_its_process(display: Display, windows: Windows) -> None:
    """A message box with an invisible parent belongs to its own process's window."""
    need("xterm")
    with display.program(["xterm", "-T", "the-stranger"]), shown(display, "orphan"):
        stranger, client, box = (titled(windows, it) for it in ("the-stranger", "the client", "the client asks"))
        found = next(window for window in windows.shown() if window.id == box)
        assert belongs(found, client, windows.shown())
        assert not belongs(found, stranger, windows.shown())


def test_a_window_without_a_frame_that_says_nothing_is_its_programs_dialog(display: Display, windows: Windows) -> None:
    """A frameless window belongs to the window of its own program; a menu, which says that it is one, is a menu."""
    with shown(display, "frameless"):
        client, box = titled(windows, "the client"), titled(windows, "the client asks")
        menu = wait_until(lambda: windows.under(Point(910, 110)), "the menu")
        found = next(window for window in windows.shown() if window.id == box)
        assert belongs(found, client, windows.shown())
        assert not found.is_menu
        assert menu.is_menu
