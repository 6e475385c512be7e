"""The demo's window on a virtual display: what it shows, and how it reacts to clicks and keys."""

import sys
from collections.abc import Iterator

import numpy as np
import pytest

from sweepbot.board import State
from sweepbot.demo.drawing import Layout
from sweepbot.demo.process import demo_window
from sweepbot.demo.window import TITLE
from sweepbot.desktop.mouse import Button, Mouse
from sweepbot.desktop.screen import Frame
from sweepbot.desktop.server import DisplayServer
from sweepbot.desktop.session import open_desktop, open_overlay
from sweepbot.geometry import Cell, Image, Region
from sweepbot.level import LEVELS
from tools.drawing.demo import draw_cell
from tools.live.display import Display, Window
from tools.waiting import wait_until

pytestmark = pytest.mark.live

LAYOUT = Layout(9, 9)


@pytest.fixture
def mouse(display: Display, monkeypatch: pytest.MonkeyPatch) -> Iterator[Mouse]:
    monkeypatch.setenv("DISPLAY", display.environment["DISPLAY"])
    with open_desktop() as desktop:
        yield desktop.mouse


class Player:
    """A person in front of a demo window on a beginner's board."""

    def __init__(self, display: Display, window: Window, mouse: Mouse, scale: int) -> None:
        self._display = display
        self._origin = window.region.origin
        self._mouse = mouse
        self._scale = scale

    def click(self, place: Region, button: Button = "left") -> None:
        """Click the middle of a part of the layout."""
        self._mouse.click(self._scaled(place).centre, button)

    def press(self, key: str) -> None:
        self._mouse.press(key)

    def sees(self, cell: Cell, state: int) -> None:
        """Wait until a cell shows the picture of this state."""
        expected = draw_cell(state).repeat(self._scale, axis=0).repeat(self._scale, axis=1)

        def look() -> Image | None:
            image = self._display.picture(self._scaled(LAYOUT.region_of(cell)))
            return image if np.array_equal(image, expected) else None

        wait_until(look, f"{cell} to show {state!r}")

    def _scaled(self, place: Region) -> Region:
        place = Region(*(self._scale * part for part in (place.x, place.y, place.width, place.height)))
        return place.moved(self._origin)


@pytest.fixture(params=[1, 2], ids="scale {}".format)
def player(request: pytest.FixtureRequest, display: Display, mouse: Mouse) -> Iterator[Player]:
    """A player in front of a window of its own."""
    scale: int = request.param
    size = (scale * LAYOUT.window.width, scale * LAYOUT.window.height)
    command = [sys.executable, "-m", "sweepbot.demo", "--rule", "open", "--seed", "1", "--scale", str(scale)]
    with display.program(command) as program:
        yield Player(display, display.wait_for_window(TITLE, program, size), mouse, scale)


def test_clicks_and_keys_show_on_the_screen(player: Player) -> None:
    """Opening, flags, question marks, F2 and the face all work through real clicks and pixels."""
    middle, corner = Cell(4, 4), Cell(0, 0)
    player.sees(middle, State.HIDDEN)
    player.click(LAYOUT.region_of(corner), "right")
    player.sees(corner, State.FLAG)
    player.click(LAYOUT.region_of(corner), "right")
    player.sees(corner, State.QUESTION)
    player.click(LAYOUT.region_of(middle))
    player.sees(middle, 0)
    player.press("f2")
    player.sees(middle, State.HIDDEN)
    player.click(LAYOUT.region_of(middle))
    player.sees(middle, 0)
    player.click(LAYOUT.face)
    player.sees(middle, State.HIDDEN)


def test_the_process_shows_its_window_and_takes_it_away(display: Display, monkeypatch: pytest.MonkeyPatch) -> None:
    """Inside the `with` block the window is visible from the start; afterwards it is gone."""
    monkeypatch.setenv("DISPLAY", display.environment["DISPLAY"])
    with demo_window(LEVELS["beginner"], "--seed=1", "--no-question-marks"):
        assert len(display.windows(TITLE)) == 1
    wait_until(lambda: not display.windows(TITLE) or None, "the window to go")


def test_marks_are_not_a_window_in_front(display: Display, monkeypatch: pytest.MonkeyPatch) -> None:
    """Our own marks are no window that covers a client, or that a trace shows black; they stay if it is raised."""
    monkeypatch.setenv("DISPLAY", display.environment["DISPLAY"])
    with demo_window(LEVELS["beginner"]), open_desktop() as desk, open_overlay(DisplayServer.X11, desk.screen) as marks:
        assert desk.windows is not None
        before = desk.windows.shown()
        (client,) = desk.windows.titled([TITLE])
        inside = next(it.region for it in before if it.id == client)
        region = Region.around(inside.centre, 20)
        marks.show([Frame(np.full((region.height, region.width, 3), 99, np.uint8), region)], client)
        assert desk.windows.shown() == before
        assert desk.windows.known() == before
        desk.mouse.click(inside.centre)  # as any window manager does, this one raises what is clicked
        wait_until(lambda: True if (display.picture(region) == 99).all() else None, "the marks above the raised window")
