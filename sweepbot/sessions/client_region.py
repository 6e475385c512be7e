"""How much of the screen is the client's: its window, and where none is known what pixels and its calibration tell."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import reduce

from sweepbot.control.client_window import BROWSERS
from sweepbot.desktop.windows import WindowId, Windows
from sweepbot.geometry import Point, Region
from sweepbot.vision.calibration import Calibration
from sweepbot.vision.grid import Grid
from sweepbot.vision.reader import Reading

_AROUND = 64  # pixels around a board: its frame, its title, and the counters and the face above it
_AROUND_CELLS = 1.5  # and at least so many cells: of less it could not be told whether cells go on beyond the picture
_WRITTEN = 250  # pixels around a board in which numbers that a client writes as text are sought
_BUTTON = 120  # pixels around the button of a dialog: the box that it is on
_STEP = 8  # pixels: a part of the screen begins and ends on multiples, so that a line found anew does not move it
_UNKNOWN = 260  # pixels around the board of an unknown client in which what begins a new game is sought


@dataclass(frozen=True, slots=True)
class Place:
    """A part of the screen, and the client's window that it is a part of; None where no window is known."""

    region: Region
    window: WindowId | None = None


def place_of_client(reading: Reading, calibration: Calibration, screen: Region, windows: Windows | None) -> Place:
    """The client's window, as far as it is on the screen; without one, and within a browser's, what is around a board.

    Args:
        reading: The board, in pixels of the desktop.
        calibration: The client's.
        screen: All that can be seen.
        windows: The windows, where the system tells of any.
    """
    around = region_of_client(reading, calibration, screen)
    return _within_window(reading.grid.region, around, screen, windows)


def _within_window(board: Region, around: Region, screen: Region, windows: Windows | None) -> Place:
    under = None if windows is None else windows.under(board.centre)
    if windows is None or under is None:
        return Place(around)
    window = next((window for window in windows.shown() if window.id == under.owner), under)
    inside = window.region.intersection(screen)
    if inside is not None and window.id in windows.of_programs(BROWSERS):
        inside = inside.intersection(around)
    return Place(around) if inside is None else Place(inside, window.id)


def region_of_client(reading: Reading, calibration: Calibration, screen: Region) -> Region:
    """The board, what the calibration says is around it, and a little more."""
    behaviour = calibration.behaviour
    least = math.ceil(_AROUND_CELLS * max(reading.grid.pitch))
    board = reading.grid.region.grown(max(least, _AROUND if calibration.written is None else _WRITTEN))
    restarts = [reading.beside_board(restart.click) for restart in behaviour.restart if restart.click is not None]
    buttons = [reading.beside_board(click) for dialog in behaviour.dialogs for click in dialog.clicks]
    parts = [board, *_around(restarts, _AROUND), *_around(buttons, _BUTTON)]
    return _stepped(reduce(_union, parts)).intersection(screen) or screen


def place_of_unknown(board: Grid, screen: Region, windows: Windows | None) -> Place:
    """The same for a client that is being learned."""
    return _within_window(board.region, board.region.grown(_UNKNOWN).intersection(screen) or screen, screen, windows)


def _around(points: Iterable[Point], pixels: int) -> list[Region]:
    return [Region(point.x, point.y, 1, 1).grown(pixels) for point in points]


def _stepped(region: Region) -> Region:
    """The region, grown to multiples of some pixels."""
    left, top = region.x // _STEP * _STEP, region.y // _STEP * _STEP
    right, bottom = -(-region.right // _STEP) * _STEP, -(-region.bottom // _STEP) * _STEP
    return Region(left, top, right - left, bottom - top)


def _union(one: Region, other: Region) -> Region:
    left, top = min(one.x, other.x), min(one.y, other.y)
    return Region(left, top, max(one.right, other.right) - left, max(one.bottom, other.bottom) - top)
