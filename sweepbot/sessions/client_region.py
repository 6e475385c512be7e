"""How much of the screen is the client's, as far as pixels and its calibration tell."""

import math
from collections.abc import Iterable
from functools import reduce

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


def region_of_client(reading: Reading, calibration: Calibration, screen: Region) -> Region:
    """The board, what the calibration says is around it, and a little more."""
    behaviour = calibration.behaviour
    least = math.ceil(_AROUND_CELLS * max(reading.grid.pitch))
    board = reading.grid.region.grown(max(least, _AROUND if calibration.written is None else _WRITTEN))
    restarts = [reading.beside_board(restart.click) for restart in behaviour.restart if restart.click is not None]
    buttons = [reading.beside_board(click) for dialog in behaviour.dialogs for click in dialog.clicks]
    parts = [board, *_around(restarts, _AROUND), *_around(buttons, _BUTTON)]
    return _stepped(reduce(_union, parts)).intersection(screen) or screen


def region_of_unknown(board: Grid, screen: Region) -> Region:
    """The board of a client that is being learned, and what stands around it."""
    return board.region.grown(_UNKNOWN).intersection(screen) or screen


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
