import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sweepbot.demo.client import Client
from sweepbot.demo.memory import MemoryDesktop
from sweepbot.errors import DesktopError
from sweepbot.game import Game
from sweepbot.geometry import Cell, Point, Region
from sweepbot.level import FirstClick, Level
from tools.drawing.demo import draw_cell


def desktop_with(level: str = "beginner", seed: int = 1, at: Point | None = None) -> MemoryDesktop:
    rng, size = random.Random(seed), Level.parse(level)
    client = Client(lambda: Game(size, FirstClick.OPEN, rng))
    return MemoryDesktop(client) if at is None else MemoryDesktop(client, at)


def region_of(desktop: MemoryDesktop, cell: Cell) -> Region:
    return desktop.client.layout.region_of(cell).moved(desktop.window.origin)


def test_the_client_is_placed_on_a_plain_desktop() -> None:
    """The window is where it was put, on a desktop of one colour."""
    desktop = desktop_with(at=Point(200, 10))
    image = desktop.grab().image
    assert image.shape == (desktop.region.height, desktop.region.width, 3)
    window = desktop.window
    assert window.origin == Point(200, 10)
    assert np.array_equal(image[window.slices], desktop.client.image())
    image[window.slices] = image[0, 0]
    assert (image == image[0, 0]).all()


def test_a_click_beside_the_window_hits_nothing() -> None:
    """A click on the wallpaper changes no pixel, but moves the pointer."""
    desktop = desktop_with()
    before = desktop.grab().image
    for place in (Point(0, 0), Point(desktop.window.right, desktop.window.y), Point(desktop.window.x - 1, 60)):
        desktop.click(place)
        assert desktop.position() == place
    assert np.array_equal(desktop.grab().image, before)


def test_a_picture_stays_what_it_was() -> None:
    """A picture does not change with the client."""
    desktop = desktop_with()
    before = desktop.grab().image
    copy = before.copy()
    desktop.click(region_of(desktop, Cell(4, 4)).centre)
    desktop.grab()
    assert np.array_equal(before, copy)


@pytest.mark.parametrize("region", ["10x10-1+0", "9999x10+0+0", "10x10+0+9999"])
def test_looking_beyond_the_desktop_is_an_error(region: str) -> None:
    """A region partly off the desktop is refused, and quoted."""
    with pytest.raises(DesktopError, match=f"(?i){region.replace('+', '[+]')}"):
        desktop_with().grab(Region.parse(region))


def test_pointing_beyond_the_desktop_is_an_error() -> None:
    """A pixel off the desktop can be neither pointed at nor clicked."""
    mouse = desktop_with()
    with pytest.raises(DesktopError, match="x=-1, y=5"):
        mouse.move(Point(-1, 5))
    with pytest.raises(DesktopError, match="y=9999"):
        mouse.click(Point(5, 9999))


@given(seed=st.integers(0, 10_000), clicks=st.lists(st.tuples(st.integers(0, 8), st.integers(0, 8)), max_size=15))
def test_the_screen_shows_the_board_cell_by_cell(seed: int, clicks: list[tuple[int, int]]) -> None:
    """Whatever is clicked, each cell shows its state in the game."""
    desktop = desktop_with(seed=seed)
    for turn, (row, column) in enumerate(clicks):
        button = ("left", "right", "middle")[turn % 3]
        desktop.click(region_of(desktop, Cell(row, column)).centre, button)  # type: ignore[arg-type]
    image = desktop.grab().image
    for cell in (board := desktop.client.game.board):
        region = region_of(desktop, cell)
        assert np.array_equal(image[region.slices], draw_cell(board[cell]))
