"""Finding the client: a board whose whole size is uncertain, in a window that redraws late."""

from dataclasses import replace as replaced

import numpy as np
import pytest
from msgspec.structs import replace

from sweepbot.clock import VirtualClock
from sweepbot.desktop.desk import Desk
from sweepbot.desktop.mouse import Button
from sweepbot.desktop.screen import Frame
from sweepbot.desktop.windows import Window
from sweepbot.errors import (
    ClientGoneError,
    ClientMovedError,
    NoBoardFoundError,
    SweepbotError,
    UntrustedReadingError,
)
from sweepbot.geometry import Image, Point, Region
from sweepbot.player.finding import first_of
from sweepbot.sessions.play import playing
from sweepbot.sessions.recording import Recording
from sweepbot.sessions.settings import PlaySettings
from sweepbot.sessions.target import finder, named
from sweepbot.trace.events import Event
from sweepbot.vision.calibration import Calibration, find_calibration
from sweepbot.vision.reader import UNKNOWN_CLIENT
from sweepbot.vision.reading import Reading
from tests.standins.fake_windows import FakeWindows
from tests.standins.scripted_desktop import shown

ROWS, COLUMNS = 11, 12  # no level of the demo has this size, so that the board may be a part of a larger one


class LateClient:
    """A client that shows its board where it was; after each change of its window's size, only a part for a while."""

    def __init__(self, late_s: float) -> None:
        self.clock = VirtualClock()
        self._image, part = (shown(" ".join(["#" * columns] * ROWS), 20) for columns in (COLUMNS, COLUMNS - 5))
        self._part = self._image.copy()
        self._part[:, : part.shape[1]] = part
        self._part[:, part.shape[1] :] = part[:1, :1]
        self._late_s, self._until_s = late_s, 0.0
        height, width = self._image.shape[:2]
        self.window, self.region = Region(40, 20, width - 80, height - 40), Region(0, 0, width, height)
        self._at = Point(1, 300)

    def grab(self, region: Region | None = None) -> Frame:
        region, image = region or self.region, self._part if self.clock.now() < self._until_s else self._image
        return Frame(image[region.slices].copy(), region)

    def place(self, region: Region) -> None:
        """Take another size."""
        self.window, self._until_s = region, self.clock.now() + self._late_s

    def position(self) -> Point:
        return self._at

    def move(self, to: Point) -> None:
        self._at = to

    def click(self, at: Point, button: Button = "left", hold_s: float = 0.0) -> None:
        raise AssertionError(f"a click at {at}, {button}, {hold_s}")

    def press(self, key: str) -> None:
        raise AssertionError(key)


class LateWindows(FakeWindows):
    """Its window, which can be resized."""

    def __init__(self, client: LateClient) -> None:
        super().__init__(client)
        self._client = client

    def place(self, window: int, region: Region) -> None:
        self.placed.append(region)
        assert window
        self._client.place(region)


class TallPage(LateClient):
    """A page whose header moves half of its board out of the browser's window, until it is zoomed out."""

    def __init__(self) -> None:
        super().__init__(0.0)
        self.window, self.zoom, self.most = self.region, 0, 0

    def grab(self, region: Region | None = None) -> Frame:
        header_px = max(0, 4 + self.zoom) * self.region.height // 8
        whole = np.full_like(self._image, self._image[0, 0])
        whole[header_px:] = self._image[: self.region.height - header_px]
        region = region or self.region
        return Frame(whole[region.slices].copy(), region)

    def press(self, key: str) -> None:
        self.zoom += {"ctrl+minus": -1, "ctrl+equal": 1}[key]
        self.most = min(self.most, self.zoom)


def test_a_page_is_zoomed_out_until_its_whole_board_is_seen() -> None:
    """It is zoomed back at the end; other programs than browsers are pressed no key."""
    for program in ("chromium", "demo"):
        client = TallPage()
        windows = FakeWindows(client)
        windows.program = program
        recording = Recording(Desk(client, client, windows, client.clock))
        search = finder(named(UNKNOWN_CLIENT, PlaySettings(games=1)), recording, lambda _: None)
        if program == "demo":
            with pytest.raises(UntrustedReadingError, match="is doubtful"), search.find():
                pass
        else:
            with search.find() as found:
                assert (found.reading.grid.columns, found.reading.grid.rows) == (COLUMNS, ROWS)
        assert (client.zoom, client.most) == (0, -4 if program == "chromium" else 0)


@pytest.mark.parametrize("late_s", [0.0, 0.2, 0.25, 9.0])
def test_a_board_is_not_taken_for_the_part_that_is_drawn_first(late_s: float) -> None:
    """A window is put back after the search for a larger board, and what it shows until it rests is not the board."""
    client = LateClient(late_s)
    recording = Recording(Desk(client, client, LateWindows(client), client.clock))
    before = client.window
    without_counter = replace(find_calibration("demo"), panel=None)
    target = named(without_counter, PlaySettings(games=1))
    with finder(target, recording, lambda _: None).find() as found:
        assert (found.reading.grid.columns, found.reading.grid.rows) == (COLUMNS, ROWS)
        assert client.window == before


class SmallClient(LateClient):
    """A client that shows no board while its window is too small for all of it."""

    def __init__(self) -> None:
        super().__init__(0.0)
        self.window = Region(40, 20, self.region.width - 80, self.region.height // 2)

    def grab(self, region: Region | None = None) -> Frame:
        shown = super().grab(region)
        return shown if self.window.bottom > 0.7 * self.region.height else replaced(shown, image=shown.image * 0)


def test_the_window_in_which_a_board_is_found_stays_as_large() -> None:
    """After a search for a still larger board the window is as large as where the board was found, until the end."""
    client = SmallClient()
    before = client.window
    recording = Recording(Desk(client, client, LateWindows(client), client.clock))
    target = named(replace(find_calibration("demo"), panel=None), PlaySettings(games=1))
    with finder(target, recording, lambda _: None).find() as found:
        board = found.reading.grid.region
        assert (found.reading.grid.columns, found.reading.grid.rows) == (COLUMNS, ROWS)
        assert board.intersection(client.window) == board
    assert client.window == before


@pytest.mark.parametrize(
    ("how", "expected"), [("closed", ClientGoneError), ("covered", ClientMovedError), ("minimised", ClientMovedError)]
)
def test_a_client_that_goes_away_while_its_board_is_searched_for_is_said_to(
    how: str, expected: type[SweepbotError]
) -> None:
    """What is there now is not taken for the client, nor is its number told."""
    client, told = LateClient(0.0), list[Event]()
    windows = LateWindows(client)
    recording = Recording(Desk(client, client, windows, client.clock))
    target = named(replace(find_calibration("demo"), panel=None), PlaySettings(games=1))

    def read(image: Image) -> Reading:
        found = target.read(image)
        windows.is_open, windows.is_minimised = how != "closed", how == "minimised"
        windows.in_front = [] if how == "minimised" else [Window(99, client.region)]
        return found

    search = finder(replaced(target, read=read), recording, told.append)
    with pytest.raises(expected, match="while its board was searched for"), search.find():
        pass
    assert told == []


@pytest.mark.parametrize("is_seen", [False, True])
def test_a_client_that_was_closed_as_its_picture_was_taken_has_gone(*, is_seen: bool) -> None:
    """That it was closed is said, instead of where to look for a board, or that its window has no title."""
    client, told = LateClient(0.0), list[Event]()
    windows = LateWindows(client)
    recording = Recording(Desk(client, client, windows, client.clock))
    target = named(replace(find_calibration("demo"), panel=None), PlaySettings(games=1))
    look = client.grab

    def look_last(region: Region | None = None) -> Frame:
        windows.is_open = False
        frame = look(region)
        return frame if is_seen else replaced(frame, image=frame.image * 0)

    client.grab = look_last  # type: ignore[method-assign]
    with (
        pytest.raises(ClientGoneError, match="was closed while its board was searched for"),
        finder(target, recording, told.append).find(),
    ):
        pass
    assert told == []


def test_a_client_that_was_closed_before_it_was_named_has_gone() -> None:
    """That it was closed is said, instead of that nobody knows it."""
    client = LateClient(0.0)
    windows = LateWindows(client)
    target = named(replace(find_calibration("demo"), panel=None), PlaySettings(games=1))

    def settled(_: Reading) -> tuple[Calibration, PlaySettings]:
        windows.is_open = False
        raise NoBoardFoundError("a Minesweeper that I do not know")

    recording = Recording(Desk(client, client, windows, client.clock))
    with (
        pytest.raises(ClientGoneError, match="was closed"),
        playing(recording, replaced(target, settled=settled)),
    ):
        pass


def test_of_many_doubts_the_first_are_named() -> None:
    """A message names three problems of a reading, and how many more there are."""
    assert first_of(["one", "two", "three"]) == "one; two; three"
    assert first_of(["one", "two", "three", "four", "five"]) == "one; two; three; and 2 more"
