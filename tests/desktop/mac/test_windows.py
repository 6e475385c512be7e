"""Which windows macOS shows, and what a click on them would hit, by answers in the form that Apple documents."""

import sys
from collections.abc import Sequence

import pytest

from sweepbot.desktop.mac.windows import MacWindows
from sweepbot.errors import DesktopError
from sweepbot.geometry import PixelMap, Point, Region
from tests.standins.fake_desktop import FakeQuartz, Told


def told(number: int, bounds: Sequence[float], program: str = "Mines", layer: int = 0, **more: object) -> Told:
    """A window as Quartz describes it: `bounds` are x, y, width and height in points."""
    return {
        "kCGWindowNumber": number,
        "kCGWindowOwnerName": program,
        "kCGWindowOwnerPID": 100 + len(program),
        "kCGWindowLayer": layer,
        "kCGWindowAlpha": 1.0,
        "kCGWindowIsOnscreen": True,
        "kCGWindowBounds": dict(zip(("X", "Y", "Width", "Height"), bounds, strict=True)),
        **more,
    }


DESK = [
    told(9, (0, 0, 1440, 24), "Window Server", 24, kCGWindowName="Menubar"),
    told(8, (0, 0, 1440, 900), "Dock", 20, kCGWindowName="Dock"),
    told(7, (0, 0, 1440, 900), "Helper", kCGWindowAlpha=0.0),
    told(3, (300, 100, 400, 300), "Terminal", kCGWindowName="zsh"),
    told(1, (100, 100, 300, 400), kCGWindowName="Mines: 9x9"),
]
AWAY = [told(5, (0, 0, 10, 10), kCGWindowName="Mines: 16x16", kCGWindowIsOnscreen=False)]


def windows(monkeypatch: pytest.MonkeyPatch, mac: FakeQuartz, scale: float = 1.0) -> MacWindows:
    """The windows of a Mac whose screen has `scale` pixels to a point."""
    monkeypatch.setitem(sys.modules, "Quartz", mac)
    monkeypatch.setitem(sys.modules, "AppKit", mac)
    return MacWindows(PixelMap(scale))


def test_the_dock_the_menu_bar_and_the_invisible_are_no_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    """The Dock's window is as large as the screen but lets clicks through; a window may be transparent."""
    found = windows(monkeypatch, FakeQuartz(DESK))
    assert [window.id for window in found.shown()] == [3, 1]
    assert found.with_keyboard() == 3


def test_the_window_in_front_gets_the_click(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of two windows at a pixel, the front one; beside all of them, none."""
    found = windows(monkeypatch, FakeQuartz(DESK))
    under = [found.under(Point(x, 200)) for x in (150, 350, 1000)]
    assert [window and window.id for window in under] == [1, 3, None]


def test_places_are_in_pixels(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a Retina screen a point is two pixels a side."""
    (front, _) = windows(monkeypatch, FakeQuartz(DESK), 2.0).shown()
    assert front.region == front.frame == Region(600, 200, 800, 600)


def test_windows_are_found_by_title_and_program(monkeypatch: pytest.MonkeyPatch) -> None:
    """Titles may be withheld; those that are shown and those that are minimised are told apart."""
    nameless = told(2, (0, 500, 100, 100), "Mines")
    found = windows(monkeypatch, FakeQuartz([*DESK, nameless], AWAY))
    assert (found.titled(["Mines"]), found.minimised(["Mines"])) == ([1], [5])
    assert (found.title(2), found.title(77)) == ("", "")
    assert found.of_programs(["mines"]) == [1, 2]
    assert (found.exists(5), found.exists(77)) == (True, False)


def test_windows_of_one_program_share_its_number(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that a client that opens its window anew is followed."""
    numbers = [window.program for window in windows(monkeypatch, FakeQuartz([*DESK, told(2, (0, 500, 9, 9))])).shown()]
    assert numbers[1] == numbers[2] != numbers[0]


def test_the_program_of_a_window_is_activated(monkeypatch: pytest.MonkeyPatch) -> None:
    """Focus goes to programs; a window that is gone has none."""
    mac = FakeQuartz(DESK)
    found = windows(monkeypatch, mac)
    found.focus(1)
    found.focus(77)
    assert mac.activated == [DESK[-1]["kCGWindowOwnerPID"]]


def test_a_window_has_only_the_room_that_it_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Other programs' windows are not moved, so that nobody waits for them to grow."""
    found = windows(monkeypatch, FakeQuartz(DESK))
    assert found.room(1) == Region(100, 100, 300, 400)


def test_without_a_desktop_an_error_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """Over SSH there is no list of windows."""
    with pytest.raises(DesktopError, match="lists no windows"):
        windows(monkeypatch, FakeQuartz(None))


def test_without_quartz_an_error_names_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its package comes with pyautogui, and may be missing."""
    monkeypatch.setitem(sys.modules, "Quartz", None)
    with pytest.raises(DesktopError, match="cannot be listed") as error:
        MacWindows(PixelMap())
    assert "pyobjc-framework-Quartz" in error.value.hint
