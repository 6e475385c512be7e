"""Keys for an unknown client, as long as it is in sight: a key may end a client, and the next would go elsewhere."""

from collections.abc import Iterable

from sweepbot.calibrate.place import Image, find_places, is_as_large
from sweepbot.calibrate.touch import Touch
from sweepbot.errors import ClientGoneError
from sweepbot.geometry import Region
from sweepbot.vision.grid import Grid
from sweepbot.vision.sight import Sight

_BACK_AGAIN = 3.0
"""Seconds that a page may take to be there again after a key has loaded it anew."""

_POLL = 0.05  # seconds between two looks for it

Pictures = Iterable[tuple[Region, Image]]
"""Pictures of the board in full view, and their places on the desktop."""


class Keyboard:
    """Presses keys that nobody knows what they do.

    Args:
        touch: What presses and looks.
        place: Where the board is, in pixels of the desktop; nothing covers it now.
    """

    def __init__(self, touch: Touch, place: Grid) -> None:
        self._touch = touch
        self._origin = touch.screen.region.origin
        self._place = place
        self._sight = Sight(self._desktop(), place.moved(-self._origin))

    def press(self, key: str, around: Region, later: Pictures = ()) -> Image:
        """Press a key; the picture of `around` once it rests.

        Args:
            key: The key.
            around: What to look at.
            later: What else the board may look like by now.

        Raises:
            ClientGoneError: The client is not in sight, so that no key is pressed; or not any more after this one.
        """
        later = list(later)
        if not self._is_in_sight(later):
            raise ClientGoneError(
                f"the key {key} is not pressed: the client is not in sight at {self._place.region}",
                hint="show its whole window, and close what is in front of it",
            )
        image = self._touch.press(key, around)
        pressed = self._touch.clock.now()
        while not self._is_in_sight(later):
            if self._touch.clock.now() - pressed > _BACK_AGAIN:
                raise ClientGoneError(
                    f"the key {key} has made the client go: it is not in sight at {self._place.region} any more",
                    hint="start it again; no further key was pressed",
                )
            self._touch.clock.sleep(_POLL)
            image = self._touch.screen.grab(around).image
        return image

    def _is_in_sight(self, later: Pictures) -> bool:
        boards = [(region.moved(-self._origin), image) for region, image in later]
        desktop = self._desktop()
        return self._sight.holds(desktop, boards) or any(
            is_as_large(found, self._place) for found in find_places(desktop)
        )

    def _desktop(self) -> Image:
        return self._touch.screen.grab(None).image
