"""How much of the screen is the client's: its window, and where none is known what pixels and its calibration tell."""

import math

from sweepbot.control.client_window import BROWSERS
from sweepbot.desktop.windows import Windows
from sweepbot.geometry import Point, Region
from sweepbot.trace.events import Shows, box
from sweepbot.vision.calibration import Calibration
from sweepbot.vision.grid import Grid

_AROUND = 64  # pixels around a board: its frame, its title, and the counters and the face above it
_AROUND_CELLS = 1.5  # and at least so many cells: with less, nothing shows whether the board goes on beyond the picture
_WRITTEN = 250  # pixels around a board, searched for numbers that a client writes as text
_BUTTON = 120  # pixels around the button of a dialog: the box that it is on
_STEP = 8  # pixels: parts of the screen begin and end on multiples, so that a slightly other line does not move them
_UNKNOWN = 260  # pixels around an unknown client's board, searched for what begins a new game


def place_of_client(board: Grid, calibration: Calibration | None, screen: Region, windows: Windows | None) -> Shows:
    """The client's window, as far as it is on the screen; without one, and within a browser's, what is around a board.

    All is in pixels of the desktop. There is no calibration where a client is being learned.
    """
    if calibration is None:
        around = board.region.grown(_UNKNOWN).intersection(screen) or screen
    else:
        around = _around_board(board, calibration, screen)
    under = None if windows is None else windows.under(board.region.centre)
    if windows is None or under is None:
        return Shows(region=box(around))
    window = next((window for window in windows.shown() if window.id == under.owner), under)
    inside = window.region.intersection(screen)
    if inside is not None and window.id in windows.of_programs(BROWSERS):
        inside = inside.intersection(around)
    return Shows(region=box(around)) if inside is None else Shows(region=box(inside), window=window.id)


def _around_board(grid: Grid, calibration: Calibration, screen: Region) -> Region:
    """The board, what the calibration says is around it, and a little more."""
    behaviour = calibration.behaviour
    least, scale = math.ceil(_AROUND_CELLS * max(grid.pitch)), grid.pitch[0] / calibration.cell[0]
    board = grid.region.grown(max(least, _AROUND if calibration.written is None else _WRITTEN))
    restarts = [grid.beside(restart.click, scale) for restart in behaviour.restart if restart.click is not None]
    buttons = [grid.beside(click, scale) for dialog in behaviour.dialogs for click in dialog.clicks]
    parts = [board, *(Region.around(at, _AROUND) for at in restarts), *(Region.around(at, _BUTTON) for at in buttons)]
    left, top = (min(sides) // _STEP * _STEP for sides in zip(*((part.x, part.y) for part in parts), strict=True))
    right, bottom = (
        -(-max(sides) // _STEP) * _STEP for sides in zip(*((it.right, it.bottom) for it in parts), strict=True)
    )
    return Region.between(Point(left, top), Point(right, bottom)).intersection(screen) or screen
