"""The help window: its place, its contents, and that the onlooker never sees it."""

import subprocess
import sys

import msgspec
import numpy as np
import pytest

from sweepbot.assist.side_window import SideWindow, place_beside
from sweepbot.desktop.picture_window import Content
from sweepbot.desktop.screen import Frame, MaskedScreen, part_of
from sweepbot.errors import DesktopError
from sweepbot.geometry import PixelMap, Region

SCREEN = Region(0, 0, 1600, 1200)
SIZES = [(600, 500), (300, 250)]


class WhiteScreen:
    """A white screen."""

    region = SCREEN

    def grab(self, region: Region | None = None) -> Frame:
        wanted = part_of(self.region, region)
        return Frame(np.full((wanted.height, wanted.width, 3), 255, np.uint8), wanted)


@pytest.mark.parametrize(
    ("client", "side"),
    [
        (Region(100, 300, 400, 400), "right"),
        (Region(1100, 300, 400, 400), "left"),
        (Region(50, 100, 1500, 400), "below"),
        (Region(50, 750, 1500, 400), "above"),
    ],
)
def test_it_is_placed_where_there_is_room(client: Region, side: str) -> None:
    """Right of the client if possible, else left, below or above; whole on the screen, in its best size."""
    place = place_beside(client, SIZES, [SCREEN])
    assert place is not None
    assert (place.width, place.height) == SIZES[0]
    sides = {
        "right": place.x >= client.right,
        "left": place.right <= client.x,
        "below": place.y >= client.bottom,
        "above": place.bottom <= client.y,
    }
    assert [name for name, is_there in sides.items() if is_there] == [side]
    assert place.intersection(SCREEN) == place


def test_it_is_made_smaller_rather_than_covering_the_client() -> None:
    """Where the best size does not fit the next is taken; where none fits there is no window."""
    client = Region(400, 300, 800, 700)
    place = place_beside(client, SIZES, [SCREEN])
    assert place is not None
    assert (place.width, place.height) == SIZES[1]
    assert place.intersection(client) is None
    assert place_beside(SCREEN, SIZES, [SCREEN]) is None


def test_another_monitor_is_used_where_the_first_is_full() -> None:
    """A client that fills its monitor has its help on the next one."""
    other = Region(-1600, 0, 1600, 1200)
    place = place_beside(SCREEN, SIZES, [SCREEN, other])
    assert place is not None
    assert place.intersection(other) == place


@pytest.mark.parametrize("at", [None, (3, -4)])
def test_each_message_is_one_line(at: tuple[int, int] | None) -> None:
    """Contents arrive as sent, line ends in texts and pictures included."""
    sent = [Content((4, 2), at, "row 1\n50 %", bytes(range(24))), Content((1, 1), None, "", b"\n\n{}")]
    lines = [msgspec.json.encode(content) for content in sent]
    assert [msgspec.json.decode(line, type=Content) for line in lines] == sent
    assert not any(b"\n" in line for line in lines)


def test_our_own_window_is_blacked_out() -> None:
    """In pictures of the whole screen or a part, the help window is black while it is open."""
    places: list[Region | None] = [None]
    screen = MaskedScreen(WhiteScreen(), lambda frame: frame.without(places[-1]))
    assert screen.grab().image.all()
    places.append(Region(100, 50, 30, 20))
    black = screen.grab().image == 0
    assert black.sum() == 30 * 20 * 3
    assert black[50:70, 100:130].all()
    part = screen.grab(Region(120, 60, 100, 100)).image == 0
    assert part[:10, :10].all()
    assert part.sum() == 10 * 10 * 3
    assert screen.grab(Region(500, 500, 10, 10)).image.all()


@pytest.mark.skipif(sys.platform != "linux", reason="windows need no DISPLAY elsewhere")
def test_without_a_display_there_is_one_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a display there is one documented error and no traceback."""
    monkeypatch.setenv("DISPLAY", ":nowhere")
    with pytest.raises(DesktopError) as caught:
        SideWindow([SCREEN], PixelMap())
    assert "\n" not in str(caught.value)


def test_without_tkinter_the_error_names_it() -> None:
    """The error names what installs tkinter."""
    code = "import sys; sys.modules['tkinter'] = None; from sweepbot.desktop.picture_window import main; main()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr == ""
    assert done.stdout.count("\n") == 1
    assert "python3-tk" in done.stdout
