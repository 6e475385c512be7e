"""What stands in front of a board before its first click, as a tutorial does: named, and closed where that is obvious.

Nothing but Escape is pressed, and nothing but a cross at its corner clicked: what other buttons do nobody knows.
"""

from collections.abc import Callable, Iterator

import numpy as np

from sweepbot.behaviour import Restart
from sweepbot.calibrate.live.restart_ways import CLOSES, click_at, point_of
from sweepbot.calibrate.live.touch import Touch
from sweepbot.calibrate.thresholds import CHANGE, PACE
from sweepbot.control.client_window import Obstruction
from sweepbot.errors import NoBoardFoundError
from sweepbot.geometry import Region
from sweepbot.vision.grid import Grid
from sweepbot.vision.widgets.blobs import find_blobs
from sweepbot.vision.widgets.boxes import find_boxes

_FLIPPED = 128  # with this bit flipped no pixel is like itself: everything has come up since such a picture


def take_away(touch: Touch, place: Grid, tell: Callable[[str], None]) -> bool:
    """Take away the windows of the client's own, and the boxes that it draws, in front of a board; whether any were.

    Raises:
        NoBoardFoundError: One has no obvious way to be closed, or stays.
    """
    window, found = touch.window, False
    for _ in range(PACE.tries):
        if window.obstruction(place.region) is Obstruction.ASKING:
            tell("another window of the client's is in front of the board")
            dialogs = window.dialogs()
            if len(dialogs) != 1 or not window.dismiss(dialogs[0]):  # of several nobody knows which are wanted
                break
        elif (box := _box(touch, place)) is not None:
            tell(f"a box is in front of the board, at {box}")
            for way in _ways(touch, box, place):
                touch.follow(way, point_of(way, place))
                if _box(touch, place) != box:
                    break
        else:
            return found
        found = True
    raise NoBoardFoundError(
        f"something is in front of the board at {place.region}, and has no obvious way to be closed, or stays",
        hint="close it by hand, and calibrate again",
    )


def _box(touch: Touch, place: Grid) -> Region | None:
    """The smallest box in front of a part of a board, in pixels of the desktop: a rectangle across its lines."""
    desktop, origin = touch.desktop(), touch.screen.region.origin
    for box in (box.moved(origin) for box in find_boxes(desktop, desktop ^ np.uint8(_FLIPPED))):
        common = box.intersection(place.region)
        if common is None or common == place.region or min(common.width, common.height) < max(place.pitch):
            continue
        sides = ((common.x, place.xs), (common.right, place.xs), (common.y, place.ys), (common.bottom, place.ys))
        # A region of empty cells that a game begins with lies between lines of the board.
        if any(min(abs(side - line) for line in lines) > CHANGE.relief_px for side, lines in sides):
            return box
    return None


def _ways(touch: Touch, box: Region, place: Grid) -> Iterator[Restart]:
    """What may close a box: Escape, then the one small square thing in its corner, or in that of a title above it."""
    yield Restart(key=CLOSES)
    side = CHANGE.cross_px
    for top in (box.y, box.y - side):
        corner = Region(box.right - side, top, side, side).grown(-2).intersection(touch.screen.region)
        things = [] if corner is None else find_blobs(touch.screen.grab(corner).image)
        crosses = [it for it in things if max(it.width, it.height) <= min(side, 2 * min(it.width, it.height))]
        if corner is not None and len(crosses) == 1:
            way = click_at(crosses[0].centre + corner.origin, place)
            if not touch.is_link(point_of(way, place)):
                yield way
