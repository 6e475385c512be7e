import os
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import replace
from itertools import count
from types import SimpleNamespace

import numpy as np
import pytest

from sweepbot.clock import VirtualClock
from sweepbot.control.client_window import ClientWindow
from sweepbot.control.guard import Guard
from sweepbot.desktop.mac.mouse import MacMouse
from sweepbot.desktop.mouse import Mouse
from sweepbot.desktop.mss_screen import DesktopScreen
from sweepbot.desktop.server import DisplayServer, display_server
from sweepbot.desktop.session import open_desktop
from sweepbot.desktop.win32.mouse import Win32Mouse, in_units
from sweepbot.desktop.x11.connection import xlib_opening
from sweepbot.desktop.x11.mouse import X11Mouse
from sweepbot.desktop.x11.pictures import in_eight_bits
from sweepbot.errors import DesktopError, StoppedByUserError
from sweepbot.geometry import PixelMap, Point, Region
from tests.standins.fake_desktop import MAPPING_CHANGED, FakeMachine, FakeWin32, break_import, monitor, together


@pytest.fixture
def linux(monkeypatch: pytest.MonkeyPatch) -> FakeMachine:
    """One ordinary monitor."""
    return FakeMachine("Linux", together([monitor(0, 0, 1600, 1200)])).install(monkeypatch)


@pytest.fixture
def windows(monkeypatch: pytest.MonkeyPatch) -> FakeMachine:
    """Three monitors of a Windows machine: the second left of the primary one, the third above it."""
    boxes = [monitor(0, 0, 2560, 1440), monitor(-1920, 180, 1920, 1080), monitor(320, -1080, 1920, 1080)]
    return FakeMachine("Windows", together(boxes)).install(monkeypatch)


@pytest.fixture
def retina(monkeypatch: pytest.MonkeyPatch) -> FakeMachine:
    """Two Retina displays, with two pixels a point."""
    boxes = [monitor(0, 0, 1440, 900), monitor(-1280, 100, 1280, 800)]
    return FakeMachine("Darwin", together(boxes), scale=2.0).install(monkeypatch)


@pytest.mark.usefixtures("linux")
def test_a_frame_is_blue_green_red_and_knows_its_place() -> None:
    """The fourth channel is dropped, the order kept, and the picture is contiguous."""
    with closing(DesktopScreen()) as screen:
        frame = screen.grab(Region(10, 20, 30, 5))
    assert frame.region == Region(10, 20, 30, 5)
    assert frame.image.shape == (5, 30, 3)
    assert frame.image.dtype == np.uint8
    assert frame.image.flags.c_contiguous
    assert frame.image[0, 0].tolist() == [10, 20, 7]
    assert frame.image[4, 29].tolist() == [39, 24, 7]


@pytest.mark.usefixtures("windows")
def test_the_whole_screen_is_every_monitor() -> None:
    """Without a region a grab shows all monitors, negative coordinates included."""
    with closing(DesktopScreen()) as screen:
        assert screen.region == Region(-1920, -1080, 4480, 2520)
        assert screen.monitors[1] == Region(-1920, 180, 1920, 1080)
        assert screen.grab().region == screen.region


@pytest.mark.parametrize(("masks", "depth"), [((0x1F, 0x7E0, 0xF800), 16), ((0x3FF, 0xFFC00, 0x3FF00000), 30)])
def test_colours_of_other_depths_become_eight_bits(masks: tuple[int, int, int], depth: int) -> None:
    """Ten bits a colour come back as the client drew them, five or six to half a step; black and white are exact."""
    drawn = np.arange(256, dtype=np.uint64)
    pixels = np.zeros(256, dtype=np.uint64)
    for mask in masks:
        low = mask & -mask
        pixels |= (drawn * (mask // low) + 127) // 255 * low
    found = in_eight_bits(pixels.astype(np.uint32).reshape(1, -1), masks)[0]
    off = np.abs(found[:, :3].astype(int) - drawn.astype(int)[:, None]).max(axis=1)
    assert off.max() <= (0 if depth == 30 else 4)
    assert off[[0, 255]].tolist() == [0, 0]


def test_left_of_the_primary_monitor(windows: FakeMachine) -> None:
    """On a monitor with negative coordinates pictures and clicks use the same pixels."""
    with open_desktop() as desktop:
        frame = desktop.screen.grab(Region(-1000, 300, 16, 16))
        desktop.mouse.click(Point(-1000, 300))
    assert frame.image[0, 0].tolist() == [920 % 256, 1380 % 256, 7]
    assert windows.log[-4:] == ["grab -1000,300 16x16", "left -1000,300", "left up -1000,300", "closed"]


def test_retina_pixels_are_two_a_point(retina: FakeMachine) -> None:
    """Regions are in pixels: mss is asked in points, and the pointer goes to the point of the pixel."""
    with open_desktop() as desktop:
        assert desktop.screen.region == Region(-2560, 0, 5440, 1800)
        frame = desktop.screen.grab(Region(100, 200, 64, 32))
        desktop.mouse.click(Point(101, 201), "right")
        assert desktop.mouse.position() == Point(100, 200)
    assert frame.image[0, 0].tolist() == [(2560 + 100) % 256, 200, 7]
    assert retina.log[-3:] == ["grab 50,100 32x16", "right 50,100", "closed"]


@pytest.mark.usefixtures("retina")
def test_half_points_are_cut_off() -> None:
    """A region that starts or ends inside a point is cut to the pixel."""
    with closing(DesktopScreen()) as screen:
        frame = screen.grab(Region(-2559, 3, 4, 6))
    assert frame.image.shape == (6, 4, 3)
    assert frame.image[0, 0].tolist() == [1, 3, 7]
    assert frame.image[-1, -1].tolist() == [4, 8, 7]
    assert frame.image.flags.c_contiguous


@pytest.mark.parametrize("region", [Region(-1, 0, 10, 10), Region(1595, 0, 6, 10), Region(0, 1200, 5, 5)])
@pytest.mark.usefixtures("linux")
def test_regions_beyond_the_screen_are_refused(region: Region) -> None:
    """A region partly off the screen is an error that gives both."""
    with closing(DesktopScreen()) as screen, pytest.raises(DesktopError) as caught:
        screen.grab(region)
    assert str(region) in str(caught.value)
    assert "1600x1200+0+0" in str(caught.value)


def test_monitors_of_different_scales_are_named(retina: FakeMachine) -> None:
    """A picture that is not at the screen's scale is refused, not stretched."""
    with closing(DesktopScreen()) as screen:
        retina.scale = 1.0
        with pytest.raises(DesktopError, match="differ in scale"):
            screen.grab(Region(0, 0, 100, 100))


def test_a_screen_that_gives_no_picture_is_closed(linux: FakeMachine) -> None:
    """A display that refuses to be captured is closed, and the error mentions macOS's permission."""
    linux.hides = "CGWindowListCreateImage() failed"
    with pytest.raises(DesktopError, match=r"no picture of 1600x1200\+0\+0: CGWindow") as caught:
        DesktopScreen()
    assert "Privacy & Security" in caught.value.hint
    assert linux.log[-1] == "closed"


def test_a_refused_display_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """If a display cannot be opened, the error names it and quotes the system."""
    FakeMachine("Linux", [], refuses="connection lost").install(monkeypatch)
    with pytest.raises(DesktopError, match=r"':0'.*connection lost"):
        DesktopScreen()


def test_changed_monitors_are_reported(windows: FakeMachine) -> None:
    """If capture fails after the monitors changed, the error gives the old and the new ones."""
    with closing(DesktopScreen()) as screen:
        windows.monitors, windows.hides = together([monitor(0, 0, 800, 600)]), "out of range"
        with pytest.raises(DesktopError, match=r"the screen was .*and is now 800x600\+0\+0"):
            screen.grab()


def test_a_display_that_has_ended_is_reported(linux: FakeMachine) -> None:
    """If capture fails and the display cannot be opened any more, it is gone, whatever kept it from being opened."""
    with closing(DesktopScreen()) as screen:
        linux.hides, linux.refuses = "connection lost", "XOpenDisplay() failed"
        with pytest.raises(DesktopError, match="the display has ended: connection lost"):
            screen.grab()


@pytest.mark.parametrize(
    ("system", "environment", "server"),
    [
        ("Linux", {"DISPLAY": ":1"}, DisplayServer.X11),
        ("Linux", {}, DisplayServer.NONE),
        ("Linux", {"DISPLAY": ""}, DisplayServer.NONE),
        ("Linux", {"DISPLAY": ":0", "WAYLAND_DISPLAY": "wayland-0"}, DisplayServer.WAYLAND),
        ("Linux", {"DISPLAY": ":0", "XDG_SESSION_TYPE": "wayland"}, DisplayServer.WAYLAND),
        ("Linux", {"DISPLAY": ":0", "XDG_SESSION_TYPE": "x11"}, DisplayServer.X11),
        ("Windows", {}, DisplayServer.WINDOWS),
        ("Darwin", {}, DisplayServer.MACOS),
    ],
)
def test_display_servers_are_told_apart(
    monkeypatch: pytest.MonkeyPatch, system: str, environment: Mapping[str, str], server: DisplayServer
) -> None:
    """Wayland is told from X11 although it also sets DISPLAY."""
    FakeMachine(system, []).install(monkeypatch)
    monkeypatch.delenv("DISPLAY")
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert display_server() is server


@pytest.mark.parametrize(("key", "pressed"), [("f2", "keys f2"), ("ctrl+n", "keys ctrl+n"), ("Ctrl+N", "keys ctrl+n")])
def test_keys_are_pressed_together(linux: FakeMachine, key: str, pressed: str) -> None:
    """Keys joined by + are pressed together, in any letter case."""
    MacMouse(PixelMap()).press(key)
    assert linux.log == [pressed]


def test_a_screen_that_shrinks_is_no_hand_on_the_mouse(linux: FakeMachine) -> None:
    """A pointer that a smaller screen has pushed inwards stops the bot with the new resolution as the cause."""
    with open_desktop() as desktop:
        guard = Guard(replace(desktop, clock=VirtualClock()), ClientWindow(desktop))
        guard.move(Point(1300, 900))
        linux.monitors, linux.pointer, linux.hides = together([monitor(0, 0, 1024, 768)]), (1000, 600), "BadMatch"
        with pytest.raises(DesktopError, match=r"was 1600x1200\+0\+0 and is now 1024x768\+0\+0: its resolution"):
            guard.check()


@pytest.mark.parametrize("corner", [(0, 0), (1439, 899), (-1280, 100), (-1, 899), (1439, 0)])
def test_a_pointer_in_a_corner_of_a_monitor_stops(retina: FakeMachine, corner: tuple[int, int]) -> None:
    """A pointer that a person pushed into a corner of any monitor stops everything."""
    with open_desktop() as desktop:
        guard, board = Guard(desktop, ClientWindow(desktop)), Region(0, 0, 10, 10)
        retina.pointer, before = corner, list(retina.log)
        with pytest.raises(StoppedByUserError, match="corner"):
            guard.move(Point(5, 5))
        with pytest.raises(StoppedByUserError, match="corner"):
            guard.click(Point(5, 5), "left", board)
        with pytest.raises(StoppedByUserError, match="corner"):
            guard.press("f2")
        assert retina.log == before


@pytest.mark.usefixtures("linux")
def test_a_failing_pointer_is_a_desktop_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """The system's exception becomes one of our errors that quotes it."""
    mouse = MacMouse(PixelMap())

    def broken() -> tuple[int, int]:
        raise OSError("the display went away")

    monkeypatch.setattr(sys.modules["pyautogui"], "position", broken)
    with pytest.raises(DesktopError, match="the display went away"):
        mouse.position()


def test_a_click_on_x11_moves_there_first(linux: FakeMachine) -> None:
    """A click moves the pointer to its pixel and leaves it there."""
    mouse = X11Mouse()
    mouse.click(Point(40, 60), "right")
    assert linux.log == ["move 40,60", "right click"]
    assert mouse.position() == Point(40, 60)


def test_buttons_swapped_for_the_left_handed_are_swapped_back(linux: FakeMachine) -> None:
    """A left click opens a cell even where the display swaps the buttons."""
    linux.buttons = (3, 2, 1)
    X11Mouse().click(Point(40, 60), "left")
    assert linux.log == ["move 40,60", "left click"]


def test_buttons_that_are_swapped_in_play_are_noticed(linux: FakeMachine) -> None:
    """Once the display tells that its buttons were swapped, a left click is a left click again."""
    mouse = X11Mouse()
    mouse.click(Point(40, 60), "left")
    linux.buttons = (3, 2, 1)
    linux.events.append(SimpleNamespace(type=MAPPING_CHANGED))
    mouse.click(Point(40, 60), "left")
    assert linux.log[-2:] == ["move 40,60", "left click"]


@pytest.mark.parametrize(
    ("then", "done"),
    [
        (lambda mouse: mouse.position(), []),
        (lambda mouse: mouse.move(Point(1, 2)), ["move 1,2"]),
        (lambda mouse: mouse.click(Point(1, 2)), ["move 1,2", "left click"]),
    ],
)
def test_a_click_held_back_is_waited_for(
    linux: FakeMachine, then: Callable[[X11Mouse], object], done: list[str]
) -> None:
    """While a window manager holds back a click, nothing else is done: a move would take the click along."""
    mouse = X11Mouse()
    mouse.click(Point(40, 60))
    linux.holds = 3
    then(mouse)
    assert linux.log == ["move 40,60", "left click", *["held"] * 3, *done]


def test_a_click_that_is_never_delivered_is_an_error(linux: FakeMachine, monkeypatch: pytest.MonkeyPatch) -> None:
    """A window manager that hangs ends the run, whatever is done next, and nothing is clicked meanwhile."""
    mouse = X11Mouse()
    mouse.click(Point(40, 60))
    linux.holds = sys.maxsize
    monkeypatch.setattr("time.perf_counter", count(start=1e9).__next__)
    for _ in range(2):
        with pytest.raises(DesktopError, match="not delivered"):
            mouse.click(Point(1, 2))
    assert linux.log[:2] == ["move 40,60", "left click"]
    assert set(linux.log[2:]) == {"held"}


def test_a_display_that_hangs_holds_back_no_click(linux: FakeMachine, monkeypatch: pytest.MonkeyPatch) -> None:
    """The time until a display answers is not the window manager's."""
    mouse = X11Mouse()
    mouse.click(Point(40, 60))
    linux.holds = 3
    first = time.perf_counter() + 60
    monkeypatch.setattr("time.perf_counter", count(first, 0.001).__next__)
    mouse.click(Point(1, 2))
    assert linux.log == ["move 40,60", "left click", *["held"] * 3, "move 1,2", "left click"]


@pytest.mark.parametrize("width", [800, 1366, 4480, 11520])
def test_every_pixel_of_all_monitors_is_reached(width: int) -> None:
    """An absolute movement ends in the intended pixel, however Windows rounds."""
    screen = Region(-1920, -1080, width, width)
    for pixel in range(width):
        units, _ = in_units(Point(screen.x + pixel, 0), screen)
        assert units * width // 65536 == pixel
        assert round(units * (width - 1) / 65535) == pixel


def test_left_is_what_opens_for_the_left_handed_too(linux: FakeMachine) -> None:
    """Where Windows swaps the buttons the other one is pressed."""
    linux.buttons = (3, 2, 1)
    Win32Mouse(FakeWin32(linux)).click(Point(40, 60), "left")
    assert linux.log == ["right 40,60", "right up 40,60"]


def test_a_held_button_is_let_go_of(linux: FakeMachine, monkeypatch: pytest.MonkeyPatch) -> None:
    """A held button is released even if the wait is interrupted."""
    mouse = Win32Mouse(FakeWin32(linux))

    def interrupted(_: float) -> None:
        linux.log.append("interrupted")
        raise KeyboardInterrupt

    monkeypatch.setattr("time.sleep", interrupted)
    with pytest.raises(KeyboardInterrupt):
        mouse.click(Point(40, 60), "middle", 0.1)
    assert linux.log == ["middle 40,60", "interrupted", "middle up 40,60"]


@pytest.mark.parametrize("open_mouse", [lambda _: MacMouse(PixelMap()), lambda on: Win32Mouse(FakeWin32(on))])
@pytest.mark.parametrize("key", ["", "hyper", "ctrl+", "ctrl+hyper"])
def test_unknown_keys_are_refused(linux: FakeMachine, open_mouse: Callable[[FakeMachine], Mouse], key: str) -> None:
    """A key that pyautogui would silently ignore is an error, and nothing is pressed."""
    with pytest.raises(DesktopError, match="no key"):
        open_mouse(linux).press(key)
    assert linux.log == []


def test_windows_keys_have_meaning_and_place(linux: FakeMachine) -> None:
    """Keys are pressed in order and released in reverse, each with its scan code."""
    Win32Mouse(FakeWin32(linux)).press("Ctrl+N")
    assert linux.log == ["key 0x11 at 117", "key 0x4e at 178", "key 0x4e at 178 up", "key 0x11 at 117 up"]


def test_a_locked_windows_screen_is_an_error(linux: FakeMachine) -> None:
    """A locked screen is an error, not a click that nobody got."""
    mouse = Win32Mouse(FakeWin32(linux))
    linux.takes_input = False
    with pytest.raises(DesktopError, match="no click"):
        mouse.click(Point(40, 60))


def test_a_display_without_its_test_extension_is_an_error(linux: FakeMachine) -> None:
    """A display without its test extension is an error that names the extension."""
    linux.lacks = "XTEST"
    with pytest.raises(DesktopError, match="XTEST"):
        X11Mouse()


@pytest.mark.usefixtures("retina")
def test_a_pyautogui_that_cannot_start_is_a_desktop_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever pyautogui raises on import is quoted."""
    break_import(monkeypatch, "pyautogui", KeyError("DISPLAY"))
    with pytest.raises(DesktopError, match="KeyError"):
        MacMouse(PixelMap())


def test_a_missing_xauthority_is_taken_for_an_empty_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """A missing password file is replaced by an empty one while a display is opened."""
    monkeypatch.setenv("XAUTHORITY", "/nowhere/authority")
    with xlib_opening():
        assert os.environ["XAUTHORITY"] == os.devnull
    assert os.environ["XAUTHORITY"] == "/nowhere/authority"
