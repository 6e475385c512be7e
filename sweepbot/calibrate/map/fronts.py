"""Removing the client's windows and boxes that are in front of a board before the first click."""

from collections.abc import Callable, Iterator

import numpy as np

from sweepbot.behaviour import Restart
from sweepbot.calibrate.map.touch import Touch
from sweepbot.calibrate.map.ways import CLOSES, click_at, point_of
from sweepbot.calibrate.thresholds import CHANGE, PACE
from sweepbot.control.client_window import Obstruction
from sweepbot.control.widgets.blobs import find_blobs
from sweepbot.control.widgets.boxes import find_boxes
from sweepbot.errors import NoBoardFoundError
from sweepbot.geometry import Region
from sweepbot.vision.grid import Grid

_FLIPPED_BIT = 128  # flipping it changes every pixel, so that everything seems new in comparison


def clear_view(touch: Touch, place: Grid, tell: Callable[[str], None]) -> bool:
    """Remove the client's windows and boxes in front of a board before the first click; return whether there were any.

    Such a box may be a tutorial. Only Escape is pressed, and only a cross at a box's corner is clicked, as nobody knows
    what other buttons do.

    Raises:
        NoBoardFoundError: One cannot be closed so.
    """
    window, found = touch.window, False
    for _ in range(PACE.tries):
        if window.obstruction(place.region) is Obstruction.ASKING:
            tell("another window of the client's is in front of the board")
            dialogs = window.dialogs()
            if len(dialogs) != 1 or not window.dismiss(dialogs[0]):  # of several, some may be wanted
                break
        elif (box := _box(touch, place)) is not None:
            tell(f"a box is in front of the board, at {box}")
            for way in _ways(touch, box, place):
                touch.follow(way, place)
                if _box(touch, place) != box:
                    break
        else:
            return found
        found = True
    raise NoBoardFoundError(
        f"something is in front of the board at {place.region}, and cannot be closed",
        hint="close it by hand, and play again",
    )


def is_covered(touch: Touch, place: Grid) -> bool:
    """Whether a window of the client's, or a box, is in front of a part of a board."""
    return touch.window.obstruction(place.region) is Obstruction.ASKING or _box(touch, place) is not None


def _box(touch: Touch, place: Grid) -> Region | None:
    """Return the smallest box in front of a part of a board, in pixels of the desktop; None if there is none."""
    desktop, origin = touch.desktop(), touch.screen.region.origin
    for box in (box.moved(origin) for box in find_boxes(desktop, desktop ^ np.uint8(_FLIPPED_BIT))):
        common = box.intersection(place.region)
        if common is None or common == place.region or min(common.width, common.height) < max(place.pitch):
            continue
        sides = ((common.x, place.xs), (common.right, place.xs), (common.y, place.ys), (common.bottom, place.ys))
        # A rectangle that ends on lines of the board may be a region of open cells.
        if any(min(abs(side - line) for line in lines) > CHANGE.line_px for side, lines in sides):
            return box
    return None


def _ways(touch: Touch, box: Region, place: Grid) -> Iterator[Restart]:
    """Yield what may close a box: Escape, then a single cross in its corner, or in that of a title above it."""
    yield Restart(key=CLOSES)
    side = CHANGE.cross_px
    for top in (box.y, box.y - side):
        corner = Region(box.right - side, top, side, side).grown(-2).intersection(touch.screen.region)
        blobs = [] if corner is None else find_blobs(touch.screen.grab(corner).image)
        crosses = [it for it in blobs if max(it.width, it.height) <= min(side, 2 * min(it.width, it.height))]
        if corner is not None and len(crosses) == 1:
            way = click_at(crosses[0].centre + corner.origin, place)
            if not touch.is_link(point_of(way, place)):
                yield way
