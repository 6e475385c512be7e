"""Dialogs that the end of a game brings up: closed by their keys, or by their button, and only while that is there."""

from sweepbot.board import Phase
from sweepbot.clock import Clock
from sweepbot.desktop.screen import Frame, Screen
from sweepbot.geometry import Point
from sweepbot.player.guard import GuardedMouse
from sweepbot.player.hand import Hand
from sweepbot.player.keyboard import Keyboard
from sweepbot.vision.boxes import find_box_buttons
from sweepbot.vision.calibration import Dialog
from sweepbot.vision.reader import Reading

_GOES = 0.5  # seconds that a dialog may take to go when a key has closed it; then its button is clicked
_OFF = (60, 40)  # pixels, across and down, by which a button may be beside its place: the text on its box may be longer


class Dialogs:
    """Closes the dialogs that a client is known for.

    Args:
        known: What may come up, and what closes it.
        screen: Where to see them.
        mouse: What is parked when a button was clicked.
        hand: What clicks their buttons.
        keyboard: What presses their keys.
        clock: What tells the time.
    """

    def __init__(
        self,
        known: tuple[Dialog, ...],
        screen: Screen,
        mouse: GuardedMouse,
        hand: Hand,
        keyboard: Keyboard,
        *,
        clock: Clock,
    ) -> None:
        self._clock = clock
        self._known = known
        self._screen = screen
        self._mouse = mouse
        self._hand = hand
        self._keyboard = keyboard
        self._clicks = [click for dialog in known for click in dialog.clicks]
        self._calm: Frame | None = None

    def __bool__(self) -> bool:
        """Whether any are known."""
        return bool(self._known)

    def remember(self) -> None:
        """Take the desktop as it is now for one on which no dialog is up."""
        if self._clicks:
            self._calm = self._screen.grab(None)

    def is_up(self, board: Reading) -> bool:
        """Whether the button of a dialog is seen that has come up since."""
        return self._button(board) is not None

    def close(self, after: Phase, board: Reading) -> float:
        """Close what comes after such an ending; returns the seconds for which something may stay all the same.

        Raises:
            ClientGoneError: The client is not in sight.
            StoppedByUserError: A person took over.
        """
        dialogs = [dialog for dialog in self._known if dialog.after == after.value]
        for dialog in dialogs:
            for key in dialog.keys:
                self._keyboard.press(key)
        until = self._clock.now() + (_GOES if any(dialog.keys for dialog in dialogs) else 0.0)
        while button := self._button(board):
            if self._clock.now() >= until:
                self._hand.press_button(button)
                self._mouse.park(board.grid.region)
                break
            self._mouse.check()
        return max((dialog.lasts_ms for dialog in dialogs), default=0.0) / 1000

    def _button(self, board: Reading) -> Point | None:
        """The middle of the button that has come up nearest to where one was learned; None where none is near."""
        if self._calm is None:
            return None
        now = self._screen.grab(None)
        if self._calm.region != now.region:
            return None
        origin = now.region.origin
        buttons = find_box_buttons(now.image, self._calm.image, board.grid.region.moved(-origin))
        found = [button.centre + origin for button in buttons]
        near = [
            (abs(at.x - place.x) + abs(at.y - place.y), at.x, at.y)
            for at in found
            for place in map(board.beside_board, self._clicks)
            if abs(at.x - place.x) <= _OFF[0] and abs(at.y - place.y) <= _OFF[1]
        ]
        return Point(*min(near)[1:]) if near else None
