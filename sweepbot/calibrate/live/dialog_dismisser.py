"""Removing what is in front of a board before the first click, or has come up at the end of a game.

Dialogs beside the board are removed too, if they let no click through.

A dialog is a window of the client's, if there is information on windows, or a box that the client draws inside its own
window, which is recognised as a rectangle that was not there before. After a game a dialog is accepted first, because
a client that asks whether to play again may quit if it is refused. Other windows are asked to close.
"""

from collections.abc import Callable, Iterator

import numpy as np
from msgspec.structs import replace

from sweepbot.behaviour import Dialog, Key, Restart
from sweepbot.calibrate.live.board_tracker import BoardTracker
from sweepbot.calibrate.live.restart_ways import ACCEPTS, CLOSES, click_at, point_of
from sweepbot.calibrate.live.touch import Touch
from sweepbot.calibrate.thresholds import CHANGE, PACE
from sweepbot.control.client_window import Obstruction
from sweepbot.errors import NoBoardFoundError
from sweepbot.geometry import Cell, Image, Region
from sweepbot.vision.grid import Grid
from sweepbot.vision.widgets.blobs import find_blobs, find_changes
from sweepbot.vision.widgets.boxes import find_box_buttons, find_boxes

_FLIPPED = 128  # flipping this bit changes every pixel, so that everything seems new in comparison


class DialogDismisser:
    """Closes dialogs.

    A key reaches a dialog only as long as no click beside it takes the keyboard focus; a click on its button always
    reaches it.

    Attributes:
        calm: The desktop before the first click, without dialogs.
        last: The last key or click that was tried; None if there was none.
        known: What has closed all dialogs so far, as in a calibration: every key and click that was needed, and the
            longest time for which one stayed.
    """

    def __init__(self, tracker: BoardTracker, calm: Image) -> None:
        self.last: Restart | None = None
        # If windows are known, a dialog that needs clicks is drawn inside the client's.
        self.known = self._none = Dialog("won", drawn_inside=tracker.touch.window.is_known)
        self._window_keys: tuple[Key, ...] = ()  # the keys that have closed windows of the client
        self._stays = False  # whether nothing has removed what was in front of the board last
        self._tracker = tracker
        self._touch = tracker.touch
        self.calm = calm

    def dialogs(self) -> tuple[Dialog, ...]:
        """Return what closes the dialogs, the same for won and lost games."""
        met = [Dialog("won", keys=self._window_keys)] if self._window_keys else []
        met += [] if self.known == self._none else [self.known]
        return tuple(replace(dialog, after=after) for dialog in met for after in ("won", "lost"))

    def sees_box(self) -> bool:
        """Whether a dialog has come up: a window of the client's, or a box with a button."""
        return bool(self._touch.window.dialogs() or self._buttons())

    def covered(self) -> frozenset[Cell]:
        """Return the cells that the dialogs that have come up, or their frames, may hide in part."""
        place, boxes = self._tracker.place, [box.grown(CHANGE.frame_px) for box in self._boxes()]
        cells = (Cell(row, column) for row in range(place.rows) for column in range(place.columns))
        return frozenset(cell for cell in cells if any(box.intersection(place.region_of(cell)) for box in boxes))

    def take_away(self) -> bool:
        """Remove what came up in front of the board, or a box beside it that lets no click through; whether it is gone.

        If a key has removed only part of it, the rest may disappear by itself.
        """
        was_covered = self._tracker.is_covered
        if self._accept_windows() and (self._tracker.is_fresh or not self._tracker.is_covered):
            return True
        board = self._tracker.place.region
        is_box = any(box.intersection(board) not in (None, board) for box in self._boxes())
        if self._stays if was_covered else not is_box:
            return False
        had_button, used, lasts_s = bool(self._buttons()), list[Restart](), None
        for way in self._ways(is_box=is_box):
            changed = self._follow(way, used)
            if had_button and not self._buttons():  # another key would go to the client itself
                lasts_s = 0.0
            elif changed or was_covered:
                lasts_s = self._wait_until_gone(PACE.longest_dialog_s if changed else 0.0)
            if lasts_s is not None:
                break
        else:
            if was_covered:
                lasts_s = self._wait_until_gone(PACE.longest_dialog_s)
                self._stays = lasts_s is None
        if lasts_s is None:
            return False
        keys = tuple(way.key for way in used if way.key is not None)
        clicks = (way.click for way in used if way.click is not None)
        self.known = replace(
            self.known,
            keys=max(self.known.keys, keys, key=len),
            clicks=tuple(dict.fromkeys((*self.known.clicks, *clicks))),
            lasts_ms=max(self.known.lasts_ms, round(1000 * lasts_s)),
        )
        return True

    def _accept_windows(self) -> bool:
        """Accept the windows that have come up, and ask any that stay to close; return whether any has closed."""
        window, gone = self._touch.window, False
        for _ in range(PACE.tries):
            dialogs = window.dialogs()
            if not dialogs or window.takes_text:
                break
            self._follow(Restart(key=ACCEPTS), [])
            if not window.wait_until_closed(dialogs[0]):
                break
            gone, self._window_keys = True, (ACCEPTS,)
        return self.dismiss_windows() or gone

    def dismiss_windows(self) -> bool:
        """Ask the windows that have come up to close; return whether any has."""
        window, closed = self._touch.window, False
        for _ in range(PACE.tries):
            dialogs = window.dialogs()
            if not dialogs or not window.dismiss(dialogs[0]):
                break
            closed = True
        if closed:
            self._tracker.look(patiently=True)
        return closed

    def _ways(self, *, is_box: bool) -> Iterator[Restart]:
        """Yield what may close a dialog, starting with what has worked before; of several buttons only the first."""
        yield from (Restart(key=key) for key in self.known.keys)
        if is_box or not self.known.keys:
            yield Restart(key=ACCEPTS)  # not esc, at which a client may quit
        if is_box:
            yield from (click_at(button.centre, self._tracker.place) for button in self._buttons()[:1])

    def _follow(self, way: Restart, used: list[Restart]) -> bool:
        """Press or click, and return whether the board has changed; a way that had any effect is added to `used`."""
        tracker = self._tracker
        before, desktop = tracker.now, self._touch.desktop()
        buttons = [] if way.key is None else [click_at(button.centre, tracker.place) for button in self._buttons()]
        self._touch.follow(way, tracker.place)
        self.last = way
        tracker.look(patiently=True)
        if tracker.is_covered:  # a window that adapts to its text may have moved the board
            tracker.find_again()
        width, height = CHANGE.dialog_px
        changes = find_changes(desktop, self._touch.desktop())
        if any(change.width >= width and change.height >= height for change in changes):
            used += (way, *buttons[:1])  # the button too, as the key fails after a click beside the box
        return bool((tracker.now != before).any())

    def _boxes(self) -> list[Region]:
        """Return the boxes that have come up, in pixels of the desktop."""
        origin = self._touch.screen.region.origin
        return [box.moved(origin) for box in find_boxes(self._touch.desktop(), self.calm)]

    def _buttons(self) -> list[Region]:
        """Return the buttons of the boxes that have come up, in pixels of the desktop."""
        origin = self._touch.screen.region.origin
        board = self._tracker.place.region.moved(-origin)
        return [button.moved(origin) for button in find_box_buttons(self._touch.desktop(), self.calm, board)]

    def _wait_until_gone(self, limit_s: float) -> float | None:
        """Wait until the board, or a new one, is visible; return after how many seconds, None if it is not in time."""
        start = self._touch.clock.now()
        while self._tracker.is_covered and not self._tracker.is_fresh:
            if self._touch.clock.now() - start >= limit_s:
                return None
            self._touch.rest(PACE.glance_s)
            self._tracker.look()
        return self._touch.clock.now() - start


def take_away(touch: Touch, place: Grid, tell: Callable[[str], None]) -> bool:
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
        hint="close it by hand, and calibrate again",
    )


def _box(touch: Touch, place: Grid) -> Region | None:
    """Return the smallest box in front of a part of a board, in pixels of the desktop; None if there is none."""
    desktop, origin = touch.desktop(), touch.screen.region.origin
    for box in (box.moved(origin) for box in find_boxes(desktop, desktop ^ np.uint8(_FLIPPED))):
        common = box.intersection(place.region)
        if common is None or common == place.region or min(common.width, common.height) < max(place.pitch):
            continue
        sides = ((common.x, place.xs), (common.right, place.xs), (common.y, place.ys), (common.bottom, place.ys))
        # A rectangle that ends on lines of the board may be a region of open cells.
        if any(min(abs(side - line) for line in lines) > CHANGE.relief_px for side, lines in sides):
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
