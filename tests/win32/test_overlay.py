"""Marks on another program's window: where they are, what is in front of them, and what clicks on them hit."""

from collections.abc import Iterator
from contextlib import closing

import numpy as np
import pytest

from sweepbot.assist.desk import open_view
from sweepbot.assist.side_window import SideWindow
from sweepbot.desktop.desk import Desk
from sweepbot.desktop.overlay import Overlay, is_in_pictures
from sweepbot.desktop.screen import Frame
from sweepbot.desktop.win32.api import Win32
from sweepbot.desktop.win32.overlay import Win32Overlay
from sweepbot.desktop.windows import WindowId, Windows
from sweepbot.geometry import Point, Region
from sweepbot.level import LEVELS
from tools.live.win32 import put_in_front, window, winemine
from tools.waiting import wait_until

pytestmark = pytest.mark.live

MARKS = "Static"
"""The class of the window that shows the marks."""

INK, OTHER_INK = (200, 30, 220), (10, 250, 120)


def mark(at: Point, ink: tuple[int, int, int]) -> Frame:
    """A mark of 11x9 pixels in one colour."""
    return Frame(np.full((9, 11, 3), ink, np.uint8), Region(at.x, at.y, 11, 9))


class Stage:
    """WineMine with two marks on its board."""

    def __init__(self, desktop: Desk, client: WindowId, overlay: Overlay) -> None:
        self.desktop = desktop
        self.client = client
        self.overlay = overlay

    @property
    def region(self) -> Region:
        """Where the client's inside is."""
        assert self.desktop.windows is not None
        return next(it.region for it in self.desktop.windows.shown() if it.id == self.client)

    def marks(self) -> list[Frame]:
        """Two marks where the board is now."""
        at = self.region.origin
        return [mark(at + Point(40, 60), INK), mark(at + Point(91, 103), OTHER_INK)]

    def show(self) -> list[Frame]:
        """Show two marks, and wait until they are on the screen; exactly they, and nothing between them."""
        shown = self.marks()
        self.overlay.show(shown, self.client)
        self.wait_until_seen(shown)
        picture = self.desktop.screen.grab().image
        for each in shown:
            assert (picture == each.image[0, 0]).all(axis=2).sum() == 11 * 9
        return shown

    def wait_until_seen(self, marks: list[Frame]) -> None:
        """Wait until these marks are whole on the screen."""
        wait_until(lambda: self._seen(marks) == len(marks) or None, "the marks")

    def wait_until_gone(self, marks: list[Frame]) -> None:
        """Wait until none of these marks is whole on the screen."""
        wait_until(lambda: self._seen(marks) == 0 or None, "the end of the marks")

    def _seen(self, marks: list[Frame]) -> int:
        return sum(bool((self.desktop.screen.grab(it.region).image == it.image).all()) for it in marks)


@pytest.fixture
def stage(_needs_winemine: None, desktop: Desk, windows: Windows) -> Iterator[Stage]:
    """WineMine, in front, and an overlay."""
    with winemine(windows, LEVELS["beginner"], best_times=False) as client, closing(Win32Overlay()) as overlay:
        put_in_front(client)
        yield Stage(desktop, client, overlay)


def test_marks_are_drawn_move_and_go(stage: Stage) -> None:
    """They are where they must be, in their colours, follow the client when they are shown anew, and go when hidden."""
    before = stage.show()
    assert stage.desktop.windows is not None
    stage.desktop.windows.place(stage.client, stage.region.moved(Point(163, 97)))
    wait_until(lambda: stage.region.origin + Point(40, 60) != before[0].region.origin or None, "the client to move")
    after = stage.show()
    stage.wait_until_gone(before)
    stage.overlay.hide()
    stage.wait_until_gone(after)
    stage.overlay.show(after[:1], stage.client)
    stage.wait_until_seen(after[:1])
    stage.wait_until_gone(after[1:])
    stage.overlay.show([], stage.client)
    stage.wait_until_gone(after)


def test_clicks_go_through_marks(stage: Stage) -> None:
    """The client is what is under a mark, and its cell opens; the marks stay above it though the click raises it."""
    marks = stage.show()
    assert stage.desktop.windows is not None
    under = stage.desktop.windows.under(marks[0].region.centre)
    assert under is not None
    assert under.id == stage.client
    stage.overlay.hide()
    stage.wait_until_gone(marks)
    unopened = stage.desktop.screen.grab(stage.region).image
    stage.show()
    stage.desktop.mouse.click(marks[0].region.centre)
    stage.wait_until_seen(marks)
    stage.overlay.hide()
    wait_until(lambda: (stage.desktop.screen.grab(stage.region).image != unopened).any() or None, "an opened cell")


def test_marks_are_behind_what_is_in_front_of_the_client(stage: Stage) -> None:
    """They stay directly above the client, wherever that goes among the windows.

    The order is what Windows tells: beside a window manager, Wine shows windows without a frame in front of all others.
    """

    def wait_for_order(*order: str) -> None:
        win32 = Win32()

        def look() -> bool | None:
            known = {"in front": "window", MARKS: "marks", "WineMine": "client"}
            names = (known.get(win32.title(it) or win32.kind(it)) for it in win32.windows())
            return tuple(name for name in names if name) == order or None

        wait_until(look, f"the order {order}")

    stage.show()
    wait_for_order("marks", "client")
    with window("in front", stage.region):
        wait_for_order("window", "marks", "client")
        put_in_front(stage.client)
        wait_for_order("marks", "client", "window")
        put_in_front(next(it for it in Win32().windows() if Win32().title(it) == "in front"))
        wait_for_order("window", "marks", "client")
        stage.show()
        wait_for_order("window", "marks", "client")


def test_marks_are_left_out_of_pictures_or_it_is_said(desktop: Desk) -> None:
    """Windows leaves them out; where it does not, as in Wine, that is found out, and the small window is used."""
    with closing(Win32Overlay()) as overlay:
        is_excluded = overlay.exclude_from_capture()
        is_left_out = not is_in_pictures(overlay, desktop.screen, Win32().at)
        assert is_excluded or not is_left_out
    said: list[str] = []
    with open_view(said.append, with_window=False, with_overlay=True) as (_, aid):
        assert isinstance(aid, Win32Overlay if is_left_out else SideWindow)
    assert len(said) == 1 - is_left_out
