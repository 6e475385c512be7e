"""What the Win32 API tells of windows, and what comes of clicks and keys."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from sweepbot.demo.process import demo_window
from sweepbot.desktop.desk import Desk
from sweepbot.desktop.win32.api import PER_MONITOR_AWARE_V2
from sweepbot.desktop.windows import WindowId, Windows, belongs
from sweepbot.geometry import Point, Region
from sweepbot.level import LEVELS
from tests.desktop.windows_told import region, titled, under
from tools.live.win32 import minimise, put_in_front, window
from tools.waiting import wait_until

pytestmark = pytest.mark.live

_PER_MONITOR_AWARE = -3  # DPI_AWARENESS_CONTEXT_PER_MONITOR_AWARE, the first version

ONE, OTHER = Region(100, 100, 300, 200), Region(300, 150, 300, 200)


def is_raised(windows: Windows, number: WindowId, at: Point) -> bool:
    """Put a window in front, and say whether it is, at a pixel and of all: a window just opened may come before it."""
    put_in_front(number)
    return under(windows, at) == number == next(iter(windows.shown())).id


def test_windows_are_told_apart_by_what_lies_in_front(windows: Windows) -> None:
    """Of two windows the upper one is in front where both are, and each is where it was asked to be."""
    with window("the one", ONE), window("the other", OTHER):
        first, second = titled(windows, "the one"), titled(windows, "the other")
        for number, place in ((first, ONE), (second, OTHER)):
            windows.place(number, place)
            wait_until(lambda: region(windows, number) == place or None, f"{place}")  # noqa: B023  (at once)
        both = Point(350, 250)
        for number in (first, second, first):
            wait_until(lambda: is_raised(windows, number, both) or None, "it to be in front")  # noqa: B023  (at once)
        assert (under(windows, ONE.origin), under(windows, Point(OTHER.right - 1, OTHER.bottom - 1))) == (first, second)
        windows.dismiss(first)
        wait_until(lambda: not windows.exists(first) or None, "the end of the first window")
        assert windows.exists(second)


def test_a_frame_is_around_its_inside(windows: Windows) -> None:
    """All that a window hides begins above its inside, where its title is, and the inside is within it."""
    with window("the one", ONE):
        number = titled(windows, "the one")
        it = next(window for window in windows.shown() if window.id == number)
        assert it.frame is not None
        assert it.frame.intersection(it.region) == it.region
        assert it.frame.y < it.region.y


def test_a_minimised_window_is_there_but_not_shown(windows: Windows) -> None:
    """It hides nothing, and no click goes to it."""
    with window("the one", ONE):
        number = titled(windows, "the one")
        middle = region(windows, number).centre
        minimise(number)
        wait_until(lambda: not windows.titled(["the one"]) or None, "the window to be minimised")
        assert under(windows, middle) != number
        assert windows.exists(number)


@pytest.mark.parametrize("kind", ["dialog", "box"])
def test_dialogs_belong_to_the_window_they_are_in_front_of(windows: Windows, kind: str) -> None:
    """By their owner, or by their process where they have none; and they close when they are asked to."""
    with window("the one", ONE, kind), window("the other", OTHER):
        number, dialog = titled(windows, "the one"), titled(windows, "the one asks")
        other = titled(windows, "the other")
        shown = windows.shown()
        by_number = {it.id: it for it in shown}
        assert belongs(by_number[dialog], number, shown)
        assert not belongs(by_number[dialog], other, shown)
        assert not belongs(by_number[number], other, shown)
        windows.dismiss(dialog)
        wait_until(lambda: not windows.exists(dialog) or None, "the end of the dialog")
        assert windows.exists(number)


def test_the_room_for_a_window_is_on_the_screen(desktop: Desk, windows: Windows) -> None:
    """A window that fills it has its frame on the screen, too."""
    with window("the one", ONE):
        room = windows.room(titled(windows, "the one"))
        assert room.intersection(desktop.screen.region) == room
        assert room.y > desktop.screen.region.y


def test_clicks_and_keys_arrive_where_they_were_meant(desktop: Desk, windows: Windows) -> None:
    """Each button at its pixel, and keys at the window that has the keyboard."""
    with window("the one", ONE) as shown:
        number = titled(windows, "the one")
        inside = region(windows, number)
        for button, at in (("left", inside.origin), ("middle", inside.centre), ("right", inside.end - Point(1, 1))):
            assert under(windows, at) == number
            desktop.mouse.click(at, button)  # type: ignore[arg-type]  # one of the three
            shown.expect(f"button {('left', 'middle', 'right').index(button) + 1} at {at}")
            wait_until(lambda: desktop.mouse.position() == at or None, "the pointer")  # noqa: B023  (at once)
        windows.focus(number)
        wait_until(lambda: windows.with_keyboard() == number or None, "the keyboard")
        for key, name in (("f2", "F2"), ("n", "n"), ("enter", "Return"), ("esc", "Escape")):
            desktop.mouse.press(key)
            shown.expect(f"key {name}")


def test_programs_are_known_by_their_files(windows: Windows) -> None:
    """A window of this Python's is one of a program whose name contains `python`."""
    with window("the one", ONE):
        number = titled(windows, "the one")
        assert number in windows.of_programs(["nothing", "python"])
        assert number not in windows.of_programs(["winemine"])


@pytest.mark.parametrize(
    "opens",
    [
        "from sweepbot.desktop.mss_screen import DesktopScreen; kept = DesktopScreen()",
        "from sweepbot.desktop.tk_window import open_tk; kept = open_tk('x')",
    ],
)
def test_screens_and_windows_see_real_pixels(opens: str) -> None:
    """Whichever a process opens first, it is per-monitor aware of scaling, in the second version."""
    asks = "u = ctypes.WinDLL('user32'); u.GetThreadDpiAwarenessContext.restype = ctypes.c_void_p; "
    asks += "own = ctypes.c_void_p(u.GetThreadDpiAwarenessContext()); "
    asks += f"second, first = ctypes.c_void_p({PER_MONITOR_AWARE_V2}), ctypes.c_void_p({_PER_MONITOR_AWARE}); "
    asks += "known = second if u.IsValidDpiAwarenessContext(second) else first; "  # Wine 8 knows the first alone
    asks += "print(u.AreDpiAwarenessContextsEqual(own, known))"
    code = f"import ctypes; {opens}; {asks}"
    done = subprocess.run(
        [sys.executable, "-c", code], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "1"


def test_ctrl_break_ends_a_run_with_its_report(tmp_path: Path) -> None:
    """As Ctrl-C does: exit 5, the games so far, and the trace that was asked for, whole."""
    trace = tmp_path / "trace"
    now = tmp_path / "now"
    # Wine's console sends no signal, so the program raises it itself when a file appears.
    breaks = "import signal, sys, threading, time, pathlib; from sweepbot.cli import main\n"
    breaks += "def wait():\n while not pathlib.Path(sys.argv[-1]).parent.joinpath('now').exists(): time.sleep(0.02)\n"
    breaks += " signal.raise_signal(signal.SIGBREAK)\n"
    breaks += "threading.Thread(target=wait, daemon=True).start(); sys.exit(main())"
    options = ["--client", "demo", "--games", "500", "--no-countdown", "--json", "--trace", str(trace)]
    pipe = subprocess.PIPE
    command = [sys.executable, "-c", breaks, "play", *options]
    with (
        demo_window(LEVELS["beginner"]),
        subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True) as it,
    ):
        assert it.stderr is not None
        assert any(line.startswith("game 1 of 500") for line in it.stderr)
        now.touch()
        report, talk = it.communicate(timeout=60)
    assert it.returncode == 5, talk
    assert "stopped by Ctrl-Break" in talk
    assert len(json.loads(report)["games"]) >= 1
    assert (trace / "run.json").exists()
