"""Taking away what the end of a game has put in front of a board, or beside it where it lets no click through."""

from collections.abc import Iterator

import numpy as np

from sweepbot.calibrate.labels.scene import Mask
from sweepbot.calibrate.live.board_tracker import BoardTracker
from sweepbot.calibrate.live.observed_behaviour import DialogAnswer, ObservedBehaviour
from sweepbot.calibrate.live.restart_ways import Way
from sweepbot.geometry import Cell, Image, Region
from sweepbot.vision.blobs import find_changes
from sweepbot.vision.boxes import find_box_buttons, find_boxes

_ACCEPTS, _REFUSES = "enter", "esc"
"""What answers a dialog. A client that asks whether to play again may end at the second one."""

_PART = 0.8
"""The share of the board's pixels that a dialog covers at most; what changes all of them is no dialog."""

_FILLED = 0.6
"""The share of its box that a dialog changes; a text that is written over the board changes less."""

_DIALOG = (150, 60)
"""Width and height in pixels of the smallest dialog."""

_FRAME = 32
"""Pixels around a dialog that its frame and its title may take up."""

_MOST_BUTTONS = 3
"""Buttons of a dialog that are tried, from the left: the one that accepts comes first, or the only one."""

_LONGEST_DIALOG = 5.0
"""Seconds for which something may stand in front of the board that goes by itself."""


class DialogDismisser:
    """Closes dialogs.

    A key reaches a dialog only while no click beside it has taken the keyboard away; a click on its button always does.

    Args:
        tracker: The board.
        observed: Knows what has closed a dialog before.
        calm: The desktop before the first click.

    Attributes:
        last: The last key or click that was tried.
        in_vain: Whether nothing took away what came the last time.
    """

    def __init__(self, tracker: BoardTracker, observed: ObservedBehaviour, calm: Image) -> None:
        self.last = Way(key=_ACCEPTS)
        self.in_vain = False
        self._tracker = tracker
        self._observed = observed
        self._calm = calm

    def sees_box(self) -> bool:
        """Whether a dialog with a button on it has come up."""
        return bool(self._buttons())

    def covered(self) -> Mask:
        """The cells of which the dialogs that have come up, and the frames around these, may hide a part."""
        covered = np.zeros((self._tracker.place.rows, self._tracker.place.columns), dtype=np.bool_)
        for box in find_boxes(self._desktop(), self._calm):
            region = box.moved(self._tracker.touch.screen.region.origin).grown(_FRAME)
            for row, column in np.ndindex(covered.shape):
                cell = self._tracker.place.region_of(Cell(row, column))
                covered[row, column] |= region.intersection(cell) is not None
        return covered

    def uncover(self) -> DialogAnswer | None:
        """Take away what came in front of the board at the end of a game; None where nothing takes it away.

        What a key has made smaller may be one thing of two, and the other one may go by itself. A key that may end the
        client is pressed for a dialog only, or where it was seen to close what came.
        """
        closing = DialogAnswer()
        if self.in_vain:
            return None
        had_box = self.sees_box()
        for way in self._ways(is_dialog=had_box or self._is_dialog()):
            changed = self._follow(way, closing)
            if had_box and not self.sees_box():  # a further key would go to the client itself
                return closing
            lasts = self._goes_within(_LONGEST_DIALOG if changed else 0.0)
            if lasts is not None:
                closing.lasts = lasts
                return closing
        lasts = self._goes_within(_LONGEST_DIALOG)
        self.in_vain = lasts is None
        closing.lasts = lasts or 0.0
        return None if lasts is None else closing

    def answer(self) -> DialogAnswer | None:
        """Take away what has come up beside the board and lets no click through; None where nothing is to be seen.

        What comes up is as large as a dialog: some clients end at the key that closes one.
        """
        had_box = self.sees_box()
        if not (had_box or self._has_grown()):
            return None
        closing = DialogAnswer()
        for way in self._ways(is_dialog=True):
            if self._follow(way, closing) or (had_box and not self.sees_box()):
                return closing
        return None

    def _follow(self, way: Way, closing: DialogAnswer) -> bool:
        """Press or click; whether the board looks another then. What had no effect at all is not taken down."""
        tracker = self._tracker
        before, desktop = tracker.now, self._desktop()
        buttons = [] if way.key is None else [Way.at(button.centre, tracker.place) for button in self._buttons()]
        way.follow(tracker.touch, tracker.press, tracker.place, tracker.around)
        self.last = way
        tracker.look(patiently=True)
        if tracker.is_covered:  # a window that fits itself to its text may have moved the board
            tracker.follow()
        if any(_is_large(change) for change in find_changes(desktop, self._desktop())):
            closing.add(way)
            for button in buttons[:1]:  # once a click beside the box has taken the keyboard away, the key does nothing
                closing.add(button)
        return bool((tracker.now != before).any())

    def _ways(self, *, is_dialog: bool) -> Iterator[Way]:
        """What may close what is there, what has done so before first."""
        known = max((closing.keys for closing in self._observed.closings.values()), key=len, default=[])
        yield from (Way(key=key) for key in known)
        if not is_dialog:
            if not known:
                yield Way(key=_ACCEPTS)
            return
        yield Way(key=_ACCEPTS)
        for number in range(_MOST_BUTTONS):
            buttons = self._buttons()[number : number + 1]
            yield from (Way.at(button.centre, self._tracker.place) for button in buttons)
        yield Way(key=_REFUSES)
        yield Way(key=_ACCEPTS)

    def _buttons(self) -> list[Region]:
        """The buttons of what has come up, in pixels of the desktop."""
        origin = self._tracker.touch.screen.region.origin
        board = self._tracker.place.region.moved(-origin)
        return [button.moved(origin) for button in find_box_buttons(self._desktop(), self._calm, board)]

    def _has_grown(self) -> bool:
        """Whether something as large as a dialog has come up that reaches beyond the board."""
        board = self._tracker.place.region.moved(-self._tracker.touch.screen.region.origin)
        changes = find_changes(self._calm, self._desktop())
        return any(_is_large(change) and change.intersection(board) != change for change in changes)

    def _is_dialog(self) -> bool:
        """Whether what stands in front of the board is a box that covers a part of it, and dims nothing."""
        before, now = self._tracker.unharmed, self._tracker.image
        changes = find_changes(before, now)
        if not changes:
            return False
        box = max(changes, key=lambda change: change.width * change.height)
        changed = (before != now)[box.y : box.bottom, box.x : box.right].any(axis=2)
        is_part = box.width * box.height <= _PART * now.shape[0] * now.shape[1]
        return is_part and float(changed.mean()) >= _FILLED

    def _goes_within(self, limit: float) -> float | None:
        """Wait for the board to be seen again, be it a new one; the seconds that takes, None where it takes longer."""
        begun = self._tracker.touch.clock.now()
        while self._tracker.is_covered and not self._tracker.is_fresh(starts_open=False):
            if self._tracker.touch.clock.now() - begun >= limit:
                return None
            self._tracker.look()
        return self._tracker.touch.clock.now() - begun

    def _desktop(self) -> Image:
        return self._tracker.touch.screen.grab(None).image


def _is_large(change: Region) -> bool:
    return change.width >= _DIALOG[0] and change.height >= _DIALOG[1]
