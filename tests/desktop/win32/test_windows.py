"""Which windows Windows shows, and which belong together."""

from collections.abc import Sequence
from dataclasses import dataclass

import pytest

from sweepbot.desktop.win32.api import Handle
from sweepbot.desktop.win32.windows import Win32Windows
from sweepbot.desktop.windows import belongs
from sweepbot.geometry import Point, Region

SCREEN = Region(-1920, 0, 3840, 1080)
USUAL = Region(100, 100, 400, 300)


@dataclass(frozen=True, slots=True)
class Told:
    """A window as Windows describes it; its frame is 8 pixels wide, 31 on top, and 7 of the 8 are invisible."""

    inside: Region | None = USUAL
    is_seen: bool = True
    is_minimised: bool = False
    kind: str = "Client"
    title: str = ""
    program: str = "client.exe"
    process: int = 1
    owner: Handle | None = None


class Recorded(Win32Windows):
    """A Windows desktop with these windows, the frontmost first."""

    def __init__(self, told: dict[Handle, Told]) -> None:
        self.told = told
        self._programs = {}
        self.asked: list[tuple[Handle, Region]] = []

    def windows(self) -> list[Handle]:
        return list(self.told)

    def is_seen(self, window: Handle) -> bool:
        return self.told[window].is_seen

    def is_minimised(self, window: Handle) -> bool:
        return self.told[window].is_minimised

    def inside(self, window: Handle) -> Region | None:
        return self.told[window].inside

    def outside(self, window: Handle) -> Region | None:
        inside = self.told[window].inside
        return inside and Region(inside.x - 8, inside.y - 31, inside.width + 16, inside.height + 39)

    def frame(self, window: Handle) -> Region | None:
        inside = self.told[window].inside
        return inside and Region(inside.x - 1, inside.y - 31, inside.width + 2, inside.height + 32)

    def owner(self, window: Handle) -> Handle | None:
        return self.told[window].owner

    def process(self, window: Handle) -> int:
        return self.told[window].process

    def executable(self, window: Handle) -> str:
        return self.told[window].program

    def title(self, window: Handle) -> str:
        return self.told[window].title

    def kind(self, window: Handle) -> str:
        return self.told[window].kind

    def at(self, pixel: Point) -> Handle | None:
        """The frontmost that holds the pixel, visible or not: the bare desktop is a window too."""
        return next((it for it, told in self.told.items() if told.inside and pixel in told.inside), None)

    def in_foreground(self) -> Handle | None:
        return next(iter(self.told), None)

    def move(self, window: Handle, outside: Region) -> None:
        self.asked.append((window, outside))

    def work_area(self, _: Handle) -> Region | None:
        """The primary monitor without a task bar of 40 pixels."""
        return Region(0, 0, 1920, 1040)


def ids(windows: Win32Windows) -> list[Handle]:
    """The numbers of the windows shown."""
    return [window.id for window in windows.shown()]


def test_invisible_windows_are_not_shown() -> None:
    """Hidden windows, empty ones and the desktop are left out; the order is kept."""
    told = {1: Told(), 2: Told(is_seen=False), 3: Told(inside=None), 4: Told(), 5: Told(SCREEN, kind="Progman")}
    windows = Recorded(told)
    assert ids(windows) == [1, 4]
    assert windows.shown()[0].frame == Region(99, 69, 402, 332)


def test_minimised_windows_are_found_by_title() -> None:
    """A minimised window is found, though it is not shown."""
    told = {
        1: Told(title="Mines", is_seen=False, is_minimised=True),
        2: Told(title="Mines"),
        3: Told(is_minimised=True),
    }
    assert Recorded(told).minimised(["Mines"]) == [1]


def test_the_bare_desktop_is_no_window() -> None:
    """A click beside all windows goes to none of them, and neither do keys."""
    windows = Recorded({9: Told(SCREEN, kind="WorkerW"), 1: Told()})
    assert windows.under(Point(-500, 500)) is None
    assert windows.with_keyboard() is None


def test_the_window_in_front_gets_the_click() -> None:
    """Of two windows at a pixel, the front one."""
    told = {1: Told(Region(300, 100, 400, 300)), 2: Told()}
    windows = Recorded(told)
    under = [windows.under(Point(x, 200)) for x in (150, 350)]
    assert [window and window.id for window in under] == [2, 1]


@pytest.mark.parametrize(
    ("told", "own"),
    [
        ({3: Told(owner=1), 1: Told()}, [3]),
        ({3: Told(owner=7), 7: Told(is_seen=False, owner=1), 1: Told()}, [3]),  # through a hidden owner
        ({4: Told(owner=3), 3: Told(owner=1), 1: Told()}, [4, 3]),  # a dialog of a dialog
        ({3: Told(kind="#32770"), 1: Told()}, [3]),  # a message box without an owner
        ({3: Told(kind="#32770", process=2), 1: Told()}, []),  # a message box of another program
        ({3: Told(), 1: Told()}, []),  # another window of the same program is not a dialog
        ({3: Told(owner=7), 7: Told(is_seen=False), 1: Told(owner=7)}, []),
    ],
)
def test_dialogs_belong_to_their_program(told: dict[Handle, Told], own: Sequence[Handle]) -> None:
    """By their owner, or by their process if a dialog has none."""
    shown = Recorded(told).shown()
    assert [window.id for window in shown if belongs(window, 1, shown)] == own


def test_windows_are_known_by_title_and_program() -> None:
    """A terminal's window is a terminal's, though Windows names the program running in it."""
    console = Told(kind="ConsoleWindowClass", program="python.exe", title="a game of Mines")
    windows = Recorded({1: Told(program="WINMINE.EXE", title="Minesweeper"), 2: console})
    assert windows.titled(["Mines", "nothing"]) == [1, 2]
    assert windows.of_programs(["winmine"]) == [1]
    assert windows.of_programs(["conhost"]) == [2]


def test_a_window_is_placed_by_its_inside() -> None:
    """The whole frame is added, but only its visible part is kept on the monitor."""
    windows = Recorded({1: Told()})
    windows.place(1, Region(-900, 200, 500, 500))
    assert windows.asked == [(1, Region(-908, 169, 516, 539))]
    assert windows.room(1) == Region(1, 31, 1918, 1008)
