"""Dialogs that the end of a game brings up: windows are asked to close, boxes in a page by their keys and buttons.

What a key answers that begins the next game asks whether to play again: a client may end where that is closed instead.
"""

from collections.abc import Callable

from sweepbot.behaviour import Behaviour
from sweepbot.control.controls import Controls
from sweepbot.desktop.windows import WindowId
from sweepbot.geometry import Point
from sweepbot.vision.reader import Reading
from sweepbot.vision.widgets.boxes import find_box_buttons, find_boxes

_GOES_S = 0.5  # within which a key must have closed a dialog; after that its button is clicked
_OFF_PX = (60, 40)  # across and down, by which a button may be off its place: the text in its box may be longer
_MOST_AT_ONCE = 4  # dialogs that follow one another, as a name is asked for and then the best times are shown


class Dialogs:
    """Closes the dialogs of a client.

    Args:
        behaviour: What its calibration says may come up, what closes it, and what begins a new game.
        controls: What sees and presses.
        press_button: Clicks a pixel that a button is on, and waits until that shows.
    """

    def __init__(self, behaviour: Behaviour, controls: Controls, press_button: Callable[[Point], None]) -> None:
        self._known = known = behaviour.dialogs
        self._begins = [way.key for way in behaviour.restart]
        self._screen = controls.desk.screen
        self._clock = controls.desk.clock
        self._controls = controls
        self._press_button = press_button
        self._window = controls.window
        self._clicks = [click for dialog in known for click in dialog.clicks]
        self._is_drawn_inside = any(dialog.drawn_inside for dialog in known)
        self._calm = self._screen.grab(None) if self._clicks or self._is_drawn_inside else None

    def remember(self) -> None:
        """Remember the desktop as it is now, with no dialog on it."""
        self._window.remember()
        if self._is_drawn_inside or (self._clicks and not self._window.is_known):
            self._calm = self._screen.grab(None)

    def is_up(self, board: Reading) -> bool:
        """Whether a dialog is seen that has come up since, also one that replaced the client's window."""
        return (
            self._window.was_replaced
            or bool(self._window.dialogs())
            or self._sees_box(board)
            or self._button(board) is not None
        )

    def may_be_up(self, board: Reading) -> bool:
        """Whether a dialog is seen; if no window is known, whether the calibration has any that may be there."""
        if not self._window.is_known:
            return bool(self._known)
        return bool(self._window.dialogs()) or self._sees_box(board)

    def close(self, after: str, board: Reading) -> None:
        """Close what comes after such an ending, `won` or `lost`.

        Raises:
            ClientGoneError: The client is not in sight.
            ClientCoveredError: The keyboard belongs to another window.
            StoppedByUserError: A person took over.
        """
        keys = [key for dialog in self._known if dialog.after == after for key in dialog.keys]
        if self._window.is_known:
            self._close_windows(keys)
        if not self._window.is_known or self._sees_box(board):
            self._close_box(keys, board)

    def _close_windows(self, keys: list[str]) -> None:
        """Close the client's windows that have come up: as their crosses do, and where that does nothing by keys."""
        answers = [key for key in keys if key in self._begins]
        for _ in range(_MOST_AT_ONCE):
            dialogs = self._window.dialogs()
            if not dialogs:
                return
            self._controls.guard.check()
            if any(self._goes_at(key, dialogs[0]) for key in answers) or self._window.dismiss(dialogs[0]):
                continue
            for key in keys:
                if dialogs[0] in self._window.dialogs():
                    self._controls.keyboard.press(key)

    def _goes_at(self, key: str, dialog: WindowId) -> bool:
        """Press a key; whether a window goes at that."""
        self._controls.keyboard.press(key)
        return self._window.goes(dialog)

    def _close_box(self, keys: list[str], board: Reading) -> None:
        """Press the keys that close what may be there, and click its button where that is still seen then."""
        for key in keys:
            self._controls.keyboard.press(key)
        until = self._clock.now() + (_GOES_S if keys else 0.0)
        while button := self._button(board):
            if self._clock.now() >= until:
                self._press_button(button)
                self._controls.guard.park(board.grid.region)
                return
            self._controls.guard.check()

    def _sees_box(self, board: Reading) -> bool:
        """Whether a box has come up that the client draws itself; what lies within the board may be a part of it."""
        if self._calm is None or not self._is_drawn_inside:
            return False
        now = self._screen.grab(None)
        place = board.grid.region.moved(-now.region.origin)
        return any(box.intersection(place) != box for box in find_boxes(now.image, self._calm.image))

    def _button(self, board: Reading) -> Point | None:
        """The middle of the button that has come up nearest to where one was learned; None where none is near."""
        if self._calm is None or not self._clicks:
            return None
        now = self._screen.grab(None)
        origin = now.region.origin
        buttons = find_box_buttons(now.image, self._calm.image, board.grid.region.moved(-origin))
        found = [button.centre + origin for button in buttons]
        near = [
            (abs(at.x - place.x) + abs(at.y - place.y), at.x, at.y)
            for at in found
            for place in map(board.beside_board, self._clicks)
            if abs(at.x - place.x) <= _OFF_PX[0] and abs(at.y - place.y) <= _OFF_PX[1]
        ]
        return Point(*min(near)[1:]) if near else None
