"""Looking on at a real client: the window with help comes up beside it, in front, and is never taken for it."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack

import numpy as np
import pytest

from sweepbot.desktop.desk import Desk
from sweepbot.desktop.picture_window import TITLE
from sweepbot.geometry import Cell, Point
from sweepbot.level import Level
from sweepbot.vision.calibration import find_calibration
from sweepbot.vision.reader import Reader
from tests.live.clients import sgt_mines
from tests.live.conftest import need
from tests.live.display import Display, Program, Window, wait_until

pytestmark = pytest.mark.live

LEVEL = Level.parse("9x9/10")
MINES = [Cell(0, column) for column in range(9)] + [Cell(1, 0)]


def property_of(display: Display, window: str, name: str) -> str:
    """What xprop says of a window's property; of the desktop's for no window."""
    where = ["-id", window] if window else ["-root"]
    done = subprocess.run(
        ["xprop", *where, name], env=display.environment, capture_output=True, text=True, check=True, timeout=20
    )
    return done.stdout


class Table:
    """A client, and an assist that looks on at it."""

    def __init__(self, display: Display, desk: Desk, client: Window, assist: Program) -> None:
        self.display = display
        self.client = client
        self.assist = assist
        self._mouse = desk.mouse

    def open(self, cell: Cell) -> None:
        """Click on a cell, as the person does."""
        board = Reader(find_calibration("sgt-mines")).read(self.display.picture(self.client.region))
        self._mouse.click(board.grid.centre(cell) + self.client.region.origin)
        self._mouse.move(Point(2, 2))

    def help(self) -> Window | None:
        """The window with help, once it is there."""
        self.assist.running()
        return next((window for window in self.display.windows() if window.title == TITLE), None)


@pytest.fixture
def table(display: Display, desktop: Desk) -> Iterator[Table]:
    """Simon Tatham's Mines, on a board whose first row is all mines, and `sweepbot assist`."""
    need("sgt-mines")
    with ExitStack() as running:
        client = running.enter_context(sgt_mines(display, LEVEL, mines=MINES))
        command = [sys.executable, "-m", "sweepbot", "assist", "--client", "sgt-mines"]
        yield Table(display, desktop, client, running.enter_context(display.program(command)))


def test_help_is_shown_beside_the_client(table: Table) -> None:
    """Its window comes up in front of all others, covers nothing of the client, and leaves the keyboard where it was."""
    focus = property_of(table.display, "", "_NET_ACTIVE_WINDOW")
    shown = wait_until(table.help, "the window with help")
    assert shown.region.intersection(table.client.region) is None
    assert shown.region.intersection(table.display.region) == shown.region
    wait_until(
        lambda: "_NET_WM_STATE_ABOVE" in property_of(table.display, shown.number, "_NET_WM_STATE") or None,
        "it to be in front",
    )
    assert property_of(table.display, "", "_NET_ACTIVE_WINDOW") == focus

    before = table.display.picture(shown.region)
    table.open(Cell(8, 8))
    wait_until(
        lambda: None if np.array_equal(table.display.picture(shown.region), before) else True, "help to follow the game"
    )
    assert property_of(table.display, "", "_NET_ACTIVE_WINDOW") == focus
