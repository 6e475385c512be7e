"""Closing the dialogs at the end of a game: windows by a request to close, boxes in a page by keys and buttons.

If the key of a dialog also starts the next game, the dialog asks whether to play again. Such a one is answered by that
key, because a client may quit if it is closed.
"""

from collections.abc import Callable

from sweepbot.behaviour import Behaviour
from sweepbot.control.controls import Controls
from sweepbot.control.widgets.boxes import find_box_buttons, find_boxes
from sweepbot.desktop.windows import WindowId
from sweepbot.geometry import Point
from sweepbot.vision.reading import Reading

_CLOSES_S = 0.5  # within which a key must close a dialog; after that its button is clicked
_OFF_PX = (60, 40)  # across and down, by which a button may be off its place: the text in its box may be longer
_MAX_DIALOGS = 4  # in a row, such as a question for a name followed by the best times


class Dialogs:
    """Closes the dialogs of a client, which its behaviour names, with what closes them and what starts a new game.

    `press_button` clicks a button at a pixel, and waits until that shows.
    """

    def __init__(self, behaviour: Behaviour, controls: Controls, press_button: Callable[[Point], None]) -> None:
        self._known = known = behaviour.dialogs
        self._restart_keys = [way.key for way in behaviour.restart]
        self._screen = controls.desk.screen
        self._clock = controls.desk.clock
        self._controls = controls
        self._press_button = press_button
        self._window = controls.window
        self._clicks = [click for dialog in known for click in dialog.clicks]
        self._is_drawn_inside = any(dialog.drawn_inside for dialog in known)
        self._before = self._screen.grab(None) if self._clicks or self._is_drawn_inside else None

    def remember(self) -> None:
        """Remember the desktop as it is now, without a dialog."""
        self._window.remember()
        if self._is_drawn_inside or (self._clicks and not self._window.is_known):
            self._before = self._screen.grab(None)

    def is_up(self, board: Reading) -> bool:
        """Whether a dialog has come up since `remember`, or a window that replaced the client's."""
        return (
            self._window.was_replaced
            or bool(self._window.dialogs())
            or self._sees_box(board)
            or self._button(board) is not None
        )

    def may_be_up(self, board: Reading) -> bool:
        """Whether a dialog is seen; if the client's window is unknown, whether the calibration has any dialog."""
        if not self._window.is_known:
            return bool(self._known)
        return bool(self._window.dialogs()) or self._sees_box(board)

    def close(self, after: str, board: Reading) -> None:
        """Close the dialogs that come up after a game that was `won` or `lost`.

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
        """Close the client's windows that have come up: by a request to close, or else by keys."""
        answers = [key for key in keys if key in self._restart_keys]
        for _ in range(_MAX_DIALOGS):
            dialogs = self._window.dialogs()
            if not dialogs:
                return
            self._controls.guard.check()
            if any(self._is_closed_by(key, dialogs[0]) for key in answers) or self._window.dismiss(dialogs[0]):
                continue
            for key in keys:
                if dialogs[0] in self._window.dialogs():
                    self._controls.keyboard.press(key)

    def _is_closed_by(self, key: str, dialog: WindowId) -> bool:
        """Press a key; return whether that closes a window."""
        self._controls.keyboard.press(key)
        return self._window.wait_until_closed(dialog)

    def _close_box(self, keys: list[str], board: Reading) -> None:
        """Press the keys that close a box, and click its button if that is still seen then."""
        for key in keys:
            self._controls.keyboard.press(key)
        until = self._clock.now() + (_CLOSES_S if keys else 0.0)
        while button := self._button(board):
            if self._clock.now() >= until:
                self._press_button(button)
                self._controls.guard.park(board.grid.region)
                return
            self._controls.guard.check()

    def _sees_box(self, board: Reading) -> bool:
        """Whether a box that the client draws itself has come up; one within the board may be part of the board."""
        if self._before is None or not self._is_drawn_inside:
            return False
        now = self._screen.grab(None)
        place = board.grid.region.moved(-now.region.origin)
        return any(box.intersection(place) != box for box in find_boxes(now.image, self._before.image))

    def _button(self, board: Reading) -> Point | None:
        """Return the centre of the new button nearest to where one was learned; None if none is near."""
        if self._before is None or not self._clicks:
            return None
        now = self._screen.grab(None)
        origin = now.region.origin
        buttons = find_box_buttons(now.image, self._before.image, board.grid.region.moved(-origin))
        found = [button.centre + origin for button in buttons]
        near = [
            (abs(at.x - place.x) + abs(at.y - place.y), at.x, at.y)
            for at in found
            for place in map(board.beside_board, self._clicks)
            if abs(at.x - place.x) <= _OFF_PX[0] and abs(at.y - place.y) <= _OFF_PX[1]
        ]
        return Point(*min(near)[1:]) if near else None
