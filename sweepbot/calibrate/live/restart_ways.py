"""How a new game is begun: ways to try, from what leads nowhere else to what might."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from sweepbot.behaviour import Restart
from sweepbot.calibrate.live.buttons import appeared, buttons, faces, put_up
from sweepbot.calibrate.live.touch import Touch
from sweepbot.geometry import Image, Point, Region
from sweepbot.vision.grid import Grid

_NEW_GAME = "f2"
"""What clients begin a new game with."""

LOAD_AGAIN = "ctrl+r"
"""What some begin one with, and what loads a page in a browser again, which may then ask for more."""

NEW_WINDOW = "ctrl+n"
"""What some begin one with, and what opens another window of a browser."""

MORE_KEYS = ("n", "r", "space")
"""What some begin one with, but what leads elsewhere in others."""


@dataclass(frozen=True, slots=True)
class Way:
    """One way to begin a new game: a pixel, right and down from the middle of the board's upper edge, or a key."""

    click: tuple[int, int] | None = None
    key: str | None = None

    @classmethod
    def at(cls, point: Point, place: Grid) -> "Way":
        """A click on a pixel of the desktop."""
        origin = _origin(place)
        return cls(click=(point.x - origin.x, point.y - origin.y))

    def restart(self) -> Restart:
        """The same as a calibration says it."""
        return Restart(click=self.click, key=self.key)

    def follow(self, touch: Touch, press: Callable[[str], Image], place: Grid, around: Region) -> Image:
        """Click or press; the picture of `around` once it rests."""
        if self.click is None:
            return press(self.key or "")
        return touch.press_button(_origin(place) + Point(*self.click), around)

    def __str__(self) -> str:
        return f"the key {self.key}" if self.click is None else "a click on a button"


def _origin(place: Grid) -> Point:
    return Point(round((place.xs[0] + place.xs[-1]) / 2), round(place.ys[0]))


def careful_ways(image: Image, place: Grid, before: Image | None = None) -> Iterator[Way]:
    """Ways that hardly lead anywhere else: the face above a board, what a game's end has put up, and two keys.

    Args:
        image: The desktop.
        place: Where the board is in it.
        before: The desktop before the game began, where one has ended.
    """
    for face in faces(image, place):
        yield Way.at(face.centre, place)
    yield Way(key=_NEW_GAME)
    for button in put_up(image, before, place) if before is not None else ():
        yield Way.at(button.centre, place)
    yield Way(key=LOAD_AGAIN)


def clicks(image: Image, before: Image, place: Grid) -> Iterator[Way]:
    """Clicks to try when no key helps: on what a game's end has put up, then on what stands around the board.

    Args:
        image: The desktop.
        before: The same before the game began.
        place: Where the board is in it.
    """
    for thing in (*appeared(image, before, place), *buttons(image, place)):
        yield Way.at(thing.centre, place)
