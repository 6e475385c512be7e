"""The box that the end of a game brings up: its button is clicked where it was learned, and only while it is there."""

from sweepbot.desktop.screen import Frame, Screen
from sweepbot.geometry import Point, Region
from sweepbot.vision.boxes import find_box_buttons

_OFF = (60, 40)  # pixels, across and down, by which a button may be beside its place: the text on its box may be longer


class Boxes:
    """Finds the buttons of boxes that come up.

    Args:
        screen: Where to see them.
    """

    def __init__(self, screen: Screen) -> None:
        self._screen = screen
        self._calm: Frame | None = None

    def remember(self) -> None:
        """Take the desktop as it is now for one on which no box is up."""
        self._calm = self._screen.grab(None)

    def button(self, places: list[Point], board: Region) -> Point | None:
        """The middle of the button nearest to one of some places that has come up since; None where none is near.

        Args:
            places: Where it may come up, in pixels of the desktop.
            board: Where the board is.
        """
        now = self._screen.grab(None)
        if self._calm is None or self._calm.region != now.region or not places:
            return None
        origin = now.region.origin
        buttons = find_box_buttons(now.image, self._calm.image, board.moved(-origin))
        found = [button.centre + origin for button in buttons]
        near = [
            (abs(at.x - place.x) + abs(at.y - place.y), at.x, at.y)
            for at in found
            for place in places
            if abs(at.x - place.x) <= _OFF[0] and abs(at.y - place.y) <= _OFF[1]
        ]
        return Point(*min(near)[1:]) if near else None
