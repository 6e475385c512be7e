"""Removing what has come up in front of a board at the end of a game, or beside it if it lets no click through.

A dialog is a window of the client's, if there is information on windows, or a box that the client draws inside its own
window, which is recognised as a rectangle that was not there before. After a game a dialog is accepted first, because
a client that asks whether to play again may quit if it is refused. Other windows are asked to close.
"""

from collections.abc import Iterator

from msgspec.structs import replace

from sweepbot.behaviour import Dialog, Key, Restart
from sweepbot.calibrate.map.situation import Situation
from sweepbot.calibrate.map.ways import ACCEPTS, BAR, click_at
from sweepbot.calibrate.seeing.words import Meaning, meanings_of
from sweepbot.calibrate.thresholds import CHANGE, PACE
from sweepbot.control.widgets.blobs import find_changes
from sweepbot.control.widgets.boxes import covers, dimmed_like, find_box_buttons, find_boxes
from sweepbot.desktop.windows import WindowId
from sweepbot.geometry import Image, Region

_AROUND_PX = 100  # around a board whose window is unknown, where it shows whether that is dimmed


class Boxes:
    """Closes dialogs.

    A key reaches a dialog only as long as no click beside it takes the keyboard focus; a click on its button always
    reaches it.

    Attributes:
        calm: The desktop before the first click, without dialogs.
        last: The last key or click that was tried; None if there was none.
        known: What has closed all dialogs so far, as in a calibration: every key and click that was needed, and the
            longest time for which one stayed.
    """

    def __init__(self, situation: Situation, calm: Image) -> None:
        self.last: Restart | None = None
        # If windows are known, a dialog that needs clicks is drawn inside the client's.
        self.known = self._none = Dialog("won", drawn_inside=situation.touch.window.is_known)
        self._window_keys: tuple[Key, ...] = ()  # the keys that have closed windows of the client
        self._stays = False  # whether nothing has removed what was in front of the board last
        self._situation = situation
        self._touch = situation.touch
        self.calm = calm

    def dialogs(self) -> tuple[Dialog, ...]:
        """Return what closes the dialogs, the same for won and lost games."""
        met = [Dialog("won", keys=self._window_keys)] if self._window_keys else []
        met += [] if self.known == self._none else [self.known]
        return tuple(replace(dialog, after=after) for dialog in met for after in ("won", "lost"))

    def note_new_game(self) -> None:
        """Note that another game has begun, whose end may bring up something that can be removed."""
        self._stays = False

    def is_any_up(self) -> bool:
        """Whether a dialog has come up: a window of the client's, or a box with a button."""
        return bool(self._touch.window.dialogs() or self._buttons())

    def answer(self) -> Restart | None:
        """Return the answer to a box that a way to a new game has brought up; None if there is none.

        That is a click on the button that says that it begins a game, or Enter where nothing else is let through.
        """
        meanings, place = self._meanings(), self._situation.place
        says = (click_at(it.centre, place) for it, meaning in meanings.items() if meaning is Meaning.BEGINS_GAME)
        return next(says, Restart(key=ACCEPTS) if meanings and self._is_dimmed() else None)

    def take_away(self) -> bool:
        """Remove what came up in front of the board, or a box beside it that lets no click through; whether it is gone.

        If a key has removed only part of it, the rest may disappear by itself.
        """
        was_covered = self._situation.is_covered
        if self._accept_windows() and (self._situation.is_fresh or not self._situation.is_covered):
            return True
        board = self._situation.place.region
        may_be_beside = self._is_dimmed()
        boxes = [box for box in self._boxes() if box.intersection(board) != board]
        is_box = bool(boxes) and (may_be_beside or any(covers(box, board) for box in boxes))
        if self._stays if was_covered else not is_box:
            return False
        used: list[Restart] = []
        lasts_s = self._close(used, is_box=is_box, was_covered=was_covered)
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

    def _close(self, used: list[Restart], *, is_box: bool, was_covered: bool) -> float | None:
        """Close what has come up; return after how many seconds it was gone, None if it is still there.

        The ways that had any effect are added to `used`.
        """
        had_button = bool(self._buttons())
        for way in self._ways(is_box=is_box):
            changed = self._follow(way, used)
            if had_button and not self._buttons():  # another key would go to the client itself
                return 0.0
            if changed or was_covered:
                lasts_s = self._wait_until_gone(PACE.longest_dialog_s if changed else 0.0)
                if lasts_s is not None:
                    return lasts_s
        if not was_covered:
            return None
        lasts_s = self._wait_until_gone(PACE.longest_dialog_s)
        self._stays = lasts_s is None
        return lasts_s

    def _accept_windows(self) -> bool:
        """Accept the windows that have come up, and ask any that stay to close; return whether any has closed."""
        window, gone = self._touch.window, False
        for _ in range(PACE.tries):
            dialogs = window.dialogs()
            if not dialogs or window.takes_text:
                break
            closing = next((key for key in (ACCEPTS, BAR) if self._is_closed_by(key, dialogs[0])), None)
            if closing is None:
                break
            gone, self._window_keys = True, (closing,)
        return self.dismiss_windows() or gone

    def _is_closed_by(self, key: Key, dialog: WindowId) -> bool:
        """Press a key; return whether that closes a window."""
        self._follow(Restart(key=key), [])
        return self._touch.window.wait_until_closed(dialog)

    def dismiss_windows(self) -> bool:
        """Ask the windows that have come up to close; return whether any has."""
        window, closed = self._touch.window, False
        for _ in range(PACE.tries):
            dialogs = window.dialogs()
            if not dialogs or not window.dismiss(dialogs[0]):
                break
            closed = True
        if closed:
            self._situation.look(patiently=True)
        return closed

    def _ways(self, *, is_box: bool) -> Iterator[Restart]:
        """Yield what may close a dialog, what has worked before first; of several buttons only the likeliest."""
        yield from (Restart(key=key) for key in self.known.keys)
        if is_box or not self.known.keys:
            yield Restart(key=ACCEPTS)  # not esc, at which a client may quit
        if is_box:
            yield from (click_at(button.centre, self._situation.place) for button in self._likeliest())

    def _follow(self, way: Restart, used: list[Restart]) -> bool:
        """Press or click, and return whether the board has changed; a way that had any effect is added to `used`."""
        situation = self._situation
        before, desktop = situation.now, self._touch.desktop()
        buttons = [] if way.key is None else [click_at(button.centre, situation.place) for button in self._likeliest()]
        self._touch.follow(way, situation.place)
        self.last = way
        situation.look(patiently=True)
        if situation.is_covered:  # a window that adapts to its text may have moved the board
            situation.has_moved()
        width, height = CHANGE.dialog_px
        changes = find_changes(desktop, self._touch.desktop())
        if any(change.width >= width and change.height >= height for change in changes):
            used += (way, *buttons)  # the button too, as the key fails after a click beside the box
        return situation.is_unlike(before)

    def _before(self, desktop: Image) -> tuple[Image, bool]:
        """Return the desktop as it was, as dark as it is now, and whether the client's window is dimmed as a whole."""
        board, origin = self._situation.place.region, self._touch.screen.region.origin
        window = (self._touch.window.region or board.grown(_AROUND_PX)).moved(-origin)
        seen = window.intersection(Region.of(desktop))
        dimmed = None if seen is None else dimmed_like(self.calm, desktop, seen, board.moved(-origin))
        return (self.calm, False) if dimmed is None else (dimmed, True)

    def _is_dimmed(self) -> bool:
        """Whether the client's window is dimmed, so that a box beside the board lets no click through, either."""
        return self._before(self._touch.desktop())[1]

    def _boxes(self) -> list[Region]:
        """Return the boxes that have come up, in pixels of the desktop."""
        origin, desktop = self._touch.screen.region.origin, self._touch.desktop()
        return [box.moved(origin) for box in find_boxes(desktop, self._before(desktop)[0])]

    def _buttons(self) -> list[Region]:
        """Return the buttons of the boxes that have come up, in pixels of the desktop; what lies in a cell is that."""
        origin, desktop, place = self._touch.screen.region.origin, self._touch.desktop(), self._situation.place
        before, is_dimmed = self._before(desktop)
        found = find_box_buttons(desktop, before, place.region.moved(-origin), may_be_beside=is_dimmed)
        cells = ((it.moved(origin), place.cell_at(it.centre + origin)) for it in found)
        return [it for it, cell in cells if cell is None or place.region_of(cell).intersection(it) != it]

    def _meanings(self) -> dict[Region, Meaning]:
        """Return what the buttons of the boxes that have come up say that they do."""
        buttons, origin = self._buttons(), self._touch.screen.region.origin
        said = meanings_of([button.moved(-origin) for button in buttons], self._touch.desktop())
        return dict(zip(buttons, said, strict=True))

    def _likeliest(self) -> list[Region]:
        """Return the button that may be clicked: one that says so, else the first that does not say something else."""
        meanings = self._meanings()
        allowed = [button for button in meanings if meanings[button] is not Meaning.DOES_ELSE]
        return sorted(allowed, key=lambda button: meanings[button].value)[:1]

    def _wait_until_gone(self, limit_s: float) -> float | None:
        """Wait until the board, or a new one, is visible; return after how many seconds, None if it is not in time."""
        start = self._touch.clock.now()
        while self._situation.is_covered and not self._situation.is_fresh:
            if self._touch.clock.now() - start >= limit_s:
                return None
            self._touch.rest(PACE.glance_s)
            self._situation.look()
        return self._touch.clock.now() - start
