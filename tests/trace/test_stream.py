"""What a trace shows of a picture: the client's window, and nothing that may have been in front of it."""

import numpy as np
import pytest
from numpy.typing import NDArray

from sweepbot.desktop.screen import Frame
from sweepbot.desktop.windows import Window
from sweepbot.geometry import Region
from sweepbot.trace.canvas import Canvas
from sweepbot.trace.entries import Grab
from sweepbot.trace.events import Shows, box
from sweepbot.trace.run import Run
from sweepbot.trace.sinks import Ring
from sweepbot.trace.stream import Item, LineStream

SCREEN = Region(0, 0, 60, 40)
CLIENT, OWN, OTHER = 1, 2, 3
INSIDE = Region(10, 10, 30, 20)
MINE = Window(CLIENT, INSIDE)
RUN = Run(
    sweepbot="1",
    python="3",
    platform="here",
    started="now",
    command="play",
    settings={},
    screen=box(SCREEN),
    shows="client",
)


def seen(*stacks: list[Window]) -> NDArray[np.bool_]:
    """Which pixels of an all-white screen are recorded: bool (height, width)."""
    canvas = Canvas(SCREEN)
    stream = LineStream(canvas, Ring(RUN), whole_screen=False)
    stream.take(Item(Shows(region=box(INSIDE), window=CLIENT)))
    white = np.full((SCREEN.height, SCREEN.width, 3), 255, dtype=np.uint8)
    stream.take(Item(Grab(region=box(INSIDE)), Frame(white[: INSIDE.height, : INSIDE.width], INSIDE), stacks))
    return np.asarray(canvas.part(SCREEN).any(axis=2))


def area(region: Region) -> NDArray[np.bool_]:
    shown: NDArray[np.bool_] = np.zeros((SCREEN.height, SCREEN.width), dtype=np.bool_)
    shown[region.slices] = True
    return shown


def test_all_of_a_window_that_nothing_hides_is_shown() -> None:
    """Windows behind it hide nothing."""
    assert np.array_equal(seen([MINE, Window(OTHER, Region(15, 15, 40, 20))]), area(INSIDE))


def test_of_a_window_that_is_rolled_up_nothing_is_shown() -> None:
    """What it covered before is another window, or the desktop."""
    assert not seen([Window(CLIENT, INSIDE, frame=Region(INSIDE.x, INSIDE.y - 5, INSIDE.width, 5))]).any()


def test_a_dialog_is_black() -> None:
    """A dialog may ask for a name, and propose the login's."""
    place = Region(12, 12, 5, 5)
    assert np.array_equal(seen([Window(OWN, place, owner=CLIENT), MINE]), area(INSIDE) & ~area(place))


def test_what_lies_in_front_is_black_with_its_frame() -> None:
    """Even if it was there only just before or after the picture."""
    note = Window(OTHER, Region(30, 15, 20, 10), frame=Region(28, 12, 24, 15))
    expected = area(INSIDE) & ~area(Region(28, 12, 24, 15))
    assert np.array_equal(seen([note, MINE]), expected)
    assert np.array_equal(seen([MINE], [note, MINE]), expected)
    assert np.array_equal(seen([note, MINE], [MINE]), expected)


@pytest.mark.parametrize("moved", [True, False])
def test_where_the_window_was_shows_only_what_it_still_covers(*, moved: bool) -> None:
    """Once a window has moved or gone, what was behind it is not recorded."""
    elsewhere = Region(20, 15, 30, 20)
    expected = area(INSIDE) & area(elsewhere) if moved else np.zeros_like(area(INSIDE))
    assert np.array_equal(seen([MINE], [Window(CLIENT, elsewhere)] if moved else []), expected)
