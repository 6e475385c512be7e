"""Taking away what stands in front of a board: before the first click, or put there by the end of a game.

What the end has put beside the board is taken away too, where it lets no click through.

Where the system knows the client's windows, a dialog is one of them. What is drawn in the client's own window is known
by its pixels alone: a box that was not there before. What comes after a game is accepted first: one that asks whether
to play again may end the client where it is refused, as by a window's cross. Other windows are asked to close.
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

_FLIPPED = 128  # with this bit flipped no pixel is like itself: everything has come up since such a picture


class DialogDismisser:
    """Closes dialogs.

    A key reaches a dialog only while no click beside it has taken the keyboard away; a click on its button always does.

    Attributes:
        last: The last key or click that was tried, None where none was.
        known: What has closed what was met so far, as a calibration says it: every key and every click that was needed
            once, and the longest time for which anything stayed.
    """

    def __init__(self, tracker: BoardTracker, calm: Image) -> None:
        self.last: Restart | None = None
        # Where windows are known, what takes clicks is drawn inside the client's.
        self.known = self._none = Dialog("won", drawn_inside=tracker.touch.window.is_known)
        self._window_keys: tuple[Key, ...] = ()  # what has closed windows of the client's own
        self._stays = False  # whether nothing has taken away what was in front of the board last
        self._tracker = tracker
        self._touch = tracker.touch
        self._calm = calm

    def dialogs(self) -> tuple[Dialog, ...]:
        """What closes them, whatever the result of the game before it."""
        met = [Dialog("won", keys=self._window_keys)] if self._window_keys else []
        met += [] if self.known == self._none else [self.known]
        return tuple(replace(dialog, after=after) for dialog in met for after in ("won", "lost"))

    def sees_box(self) -> bool:
        """Whether a dialog has come up: a window of the client's own, or a box with a button on it."""
        return bool(self._touch.window.dialogs() or self._buttons())

    def covered(self) -> frozenset[Cell]:
        """The cells of which the dialogs that have come up, and the frames around these, may hide a part."""
        place, boxes = self._tracker.place, [box.grown(CHANGE.frame_px) for box in self._boxes()]
        cells = (Cell(row, column) for row in range(place.rows) for column in range(place.columns))
        return frozenset(cell for cell in cells if any(box.intersection(place.region_of(cell)) for box in boxes))

    def take_away(self) -> bool:
        """Take away what came in front of the board, or beside it where it lets no click through; whether it is gone.

        What a key has made smaller may be one thing of two, and the other one may go by itself.
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
            if had_button and not self._buttons():  # a further key would go to the client itself
                lasts_s = 0.0
            elif changed or was_covered:
                lasts_s = self._goes_within(PACE.longest_dialog_s if changed else 0.0)
            if lasts_s is not None:
                break
        else:
            if was_covered:
                lasts_s = self._goes_within(PACE.longest_dialog_s)
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
        """Accept what windows have come up, and ask those to close that stay; whether any has gone."""
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
        """Ask the windows that have come up to close; whether any has."""
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
        """What may close what is there, what has done so before first; of several buttons the first."""
        yield from (Restart(key=key) for key in self.known.keys)
        if is_box or not self.known.keys:
            yield Restart(key=ACCEPTS)  # at esc, which refuses, a client may end
        if is_box:
            yield from (click_at(button.centre, self._tracker.place) for button in self._buttons()[:1])

    def _follow(self, way: Restart, used: list[Restart]) -> bool:
        """Press or click; whether the board looks another then. What had an effect at all was `used`."""
        tracker = self._tracker
        before, desktop = tracker.now, self._touch.desktop()
        buttons = [] if way.key is None else [click_at(button.centre, tracker.place) for button in self._buttons()]
        self._touch.follow(way, tracker.place)
        self.last = way
        tracker.look(patiently=True)
        if tracker.is_covered:  # a window that fits itself to its text may have moved the board
            tracker.find_again()
        width, height = CHANGE.dialog_px
        changes = find_changes(desktop, self._touch.desktop())
        if any(change.width >= width and change.height >= height for change in changes):
            used += (way, *buttons[:1])  # once a click beside the box has the keyboard, the key does nothing
        return bool((tracker.now != before).any())

    def _boxes(self) -> list[Region]:
        """What has come up with a rectangular edge, in pixels of the desktop."""
        origin = self._touch.screen.region.origin
        return [box.moved(origin) for box in find_boxes(self._touch.desktop(), self._calm)]

    def _buttons(self) -> list[Region]:
        """The buttons of what has come up, in pixels of the desktop."""
        origin = self._touch.screen.region.origin
        board = self._tracker.place.region.moved(-origin)
        return [button.moved(origin) for button in find_box_buttons(self._touch.desktop(), self._calm, board)]

    def _goes_within(self, limit_s: float) -> float | None:
        """Wait for the board to be seen again, be it a new one; how many seconds that takes, None where it is not."""
        begun = self._touch.clock.now()
        while self._tracker.is_covered and not self._tracker.is_fresh:
            if self._touch.clock.now() - begun >= limit_s:
                return None
            self._touch.rest(PACE.glance_s)
            self._tracker.look()
        return self._touch.clock.now() - begun


def take_away(touch: Touch, place: Grid, tell: Callable[[str], None]) -> bool:
    """Take away the windows of the client's own, and the boxes that it draws, in front of a board; whether any were.

    They stand there before the first click, as a tutorial does. Nothing but Escape is pressed, and nothing but a cross
    at a box's corner clicked: what other buttons do nobody knows.

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
                touch.follow(way, place)
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
