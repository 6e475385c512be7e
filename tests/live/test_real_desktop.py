"""The real screen, mouse and keyboard on a virtual display, and the helpers that wait for them."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
import pytest

from sweepbot.control.client_window import ClientWindow
from sweepbot.control.guard import Guard
from sweepbot.desktop.desk import Desk
from sweepbot.desktop.mouse import Button
from sweepbot.errors import StoppedByUserError
from sweepbot.geometry import Cell, Point, Region
from sweepbot.level import Level
from tests.live.conftest import need
from tools.live.clients import WinePrefix, other, xdemineur
from tools.live.display import Display
from tools.places import CALIBRATIONS
from tools.waiting import PATIENCE_S, wait_until

pytestmark = pytest.mark.live

FIXED = {"winemine": (Point(5, 52), 16), "xdemineur": (Point(15, 80), 21)}
"""Clients with cells of one size: the first cell's corner in the window, and the side of a cell, in pixels."""


def cell_region(window: Region, client: str, cell: Cell) -> Region:
    """The region of a cell."""
    first, pitch = FIXED[client]
    return Region(first.x + pitch * cell.column, first.y + pitch * cell.row, pitch, pitch).moved(window.origin)


def wait_for_state(desktop: Desk, region: Region, client: str, state: str, limit: float = PATIENCE_S) -> bool:
    """Wait until the screen shows the template of `state` in `region`."""
    template = np.asarray(cv2.imread(str(CALIBRATIONS / client / f"{state}.png")))
    seen = f"{state} at {region}"
    return wait_until(lambda: np.array_equal(desktop.screen.grab(region).image, template) or None, seen, limit)


def mark_until(desktop: Desk, region: Region, client: str, state: str) -> None:
    """Right-click a cell until it shows `state`."""

    def attempt() -> bool | None:
        desktop.mouse.click(region.centre, "right")
        try:
            return wait_for_state(desktop, region, client, state, limit=2)
        except TimeoutError:
            return None  # a client loses a click now and then

    wait_until(attempt, f"a right click to make a {state}")


def test_clicks_land_where_they_are_aimed(display: Display, desktop: Desk) -> None:
    """Right clicks on xdemineur's last cell cycle its marks, and the screen shows each."""
    need("xdemineur")
    with xdemineur(display, Level.parse("12x10/98")) as window:
        corner = cell_region(window.region, "xdemineur", Cell(9, 11))
        wait_for_state(desktop, corner, "xdemineur", "hidden")
        for state in ("flag", "question", "hidden"):
            mark_until(desktop, corner, "xdemineur", state)
        assert desktop.mouse.position() == corner.centre


@pytest.mark.parametrize("button", ["left", "middle", "right"])
def test_the_pointer_goes_where_it_is_sent(desktop: Desk, button: Button) -> None:
    """After a move or a click the pointer is at that pixel."""
    for place in (Point(1, 1), Point(1598, 1), Point(700, 1198)):
        desktop.mouse.move(place)
        assert desktop.mouse.position() == place
        desktop.mouse.click(place + Point(0, -1), button)
        assert desktop.mouse.position() == place + Point(0, -1)


def test_buttons_swapped_in_play_are_noticed(display: Display, desktop: Desk) -> None:
    """A right click flags after the buttons were swapped, as before."""
    need("xdemineur")

    def swap(*buttons: int) -> None:
        code = f"from Xlib.display import Display as D; d = D(); print(d.set_pointer_mapping({buttons})); d.close()"
        environment = display.environment | {"XAUTHORITY": "/dev/null"}
        subprocess.run([sys.executable, "-c", code], env=environment, check=True, capture_output=True, timeout=60)

    with xdemineur(display, Level.parse("12x10/98")) as window:
        first, second = (cell_region(window.region, "xdemineur", Cell(9, column)) for column in (11, 10))
        mark_until(desktop, first, "xdemineur", "flag")
        try:
            swap(3, 2, 1, 4, 5, 6, 7, 8, 9, 10)
            mark_until(desktop, second, "xdemineur", "flag")
        finally:
            swap(1, 2, 3, 4, 5, 6, 7, 8, 9, 10)


def test_a_key_restarts_winemine(desktop: Desk, wine: WinePrefix) -> None:
    """F2 begins a new game of WineMine, which removes a flag."""
    with wine.winemine(Level.parse("9x9/10")) as window:
        cell = cell_region(window.region, "winemine", Cell(0, 0))
        mark_until(desktop, cell, "winemine", "flag")
        desktop.mouse.press("f2")
        wait_for_state(desktop, cell, "winemine", "hidden")


def test_a_real_corner_stops(desktop: Desk) -> None:
    """With the pointer in a corner of the display a click is refused."""
    desktop.mouse.move(Point(1599, 1199))
    with pytest.raises(StoppedByUserError, match="corner"):
        Guard(desktop, ClientWindow(desktop)).click(Point(800, 600), "left", desktop.screen.region)
    assert desktop.mouse.position() == Point(1599, 1199)


@pytest.fixture(autouse=True)
def _pointer_in_the_middle(display: Display) -> Iterator[None]:
    """Move the pointer out of the corners after each test: others on this display would stop at once."""
    yield
    code = "from Xlib.display import Display as D; d = D(); d.screen().root.warp_pointer(800, 600); d.sync(); d.close()"
    environment = display.environment | {"XAUTHORITY": "/dev/null"}
    subprocess.run([sys.executable, "-c", code], env=environment, check=True, capture_output=True, timeout=60)


def test_a_display_without_passwords_needs_no_xauthority(display: Display, tmp_path: Path) -> None:
    """Without ~/.Xauthority the desktop opens, and prints nothing."""
    code = (
        "from sweepbot.desktop.session import open_desktop\n"
        "with open_desktop() as desktop: print(desktop.mouse.position())"
    )
    environment = display.environment | {"HOME": str(tmp_path), "PYTHONPATH": str(CALIBRATIONS.parent)}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.strip() == str(Point(800, 600))
    assert done.stderr == ""


def test_the_doctor_finds_a_virtual_display_fit(display: Display) -> None:
    """On a virtual display nothing fails, and the monitor is listed with its size."""
    code = (
        "import json; from sweepbot.desktop.doctor import examine\n"
        "print(json.dumps({check.name: [check.verdict, check.found] for check in examine()}))"
    )
    environment = display.environment | {"PYTHONPATH": str(CALIBRATIONS.parent)}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True, timeout=60
    )
    found = json.loads(done.stdout)
    assert [name for name, (verdict, _) in found.items() if verdict == "fail"] == []
    assert "1600x1200+0+0" in found["monitors"][1]


def test_a_program_that_ends_is_not_waited_for(display: Display) -> None:
    """Waiting for the window of an ended program fails at once with its output."""
    command = ["sh", "-c", "echo no window from me; exit 3"]
    with pytest.raises(RuntimeError, match="ended with 3: no window from me"), other(display, command, ".*"):
        pass
