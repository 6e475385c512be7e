"""How a new game may be begun: keys and clicks, in an order of least harm."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from sweepbot.behaviour import Restart
from sweepbot.calibrate.live.buttons import Surroundings
from sweepbot.calibrate.live.touch import Touch
from sweepbot.geometry import Image, Point, Region
from sweepbot.vision.grid import Grid

_OF_GAMES = "f2"
"""What begins a new game in many clients, and does nothing in other programs."""

_LETTERS = ("n", "r")
"""What some clients begin one with, and what does nothing but in a field for text."""

_BAR = "space"
"""What begins one in others; a page may scroll at it."""

_ACCEPTS = "enter"
"""What presses the button that has the keyboard."""

_OF_PROGRAMS = ("ctrl+r", "ctrl+n")
"""What begins one in some clients; the second one leads to a choice of levels in others."""

_OF_PAGES = "f5"
"""What loads a page again, and so begins one where the page asks nothing."""

_SAME_PLACE_PX = 8
"""By which two findings of one control may differ."""


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
        return press(self.key) if self.key is not None else touch.press_button(self.point(place), around)

    def point(self, place: Grid) -> Point:
        """The pixel of the desktop that a click is on."""
        return _origin(place) + Point(*self.click or (0, 0))

    def is_nearly(self, other: "Way") -> bool:
        """Whether both are the same key, or clicks on the same thing."""
        if self.click is None or other.click is None:
            return self == other
        return all(abs(one - two) <= _SAME_PLACE_PX for one, two in zip(self.click, other.click, strict=True))

    def __str__(self) -> str:
        return f"the key {self.key}" if self.click is None else "a click on a button"


def _origin(place: Grid) -> Point:
    return Point(round((place.xs[0] + place.xs[-1]) / 2), round(place.ys[0]))


def harmless_ways(around: Surroundings) -> Iterator[Way]:
    """Ways that lead nowhere else: a key that only games take, and the face above a board."""
    yield Way(key=_OF_GAMES)
    for face in around.faces():
        yield Way.at(face.centre, around.place)


def ways(around: Surroundings, *, is_page: bool) -> Iterator[Way]:
    """Everything that is likely to begin a new game, in an order of least harm.

    Args:
        around: What is around the board.
        is_page: Whether it is a page in a browser.
    """
    yield Way(key=_OF_GAMES)
    for control in around.likely():
        yield Way.at(control.centre, around.place)
    yield from (Way(key=key) for key in (*_LETTERS, *(() if is_page else (_BAR,))))
    for control in around.possible():
        yield Way.at(control.centre, around.place)
    yield Way(key=_ACCEPTS)
    if is_page:
        yield Way(key=_OF_PAGES)
        return
    for caption in around.captions():
        yield Way.at(caption.centre, around.place)
    yield from (Way(key=key) for key in _OF_PROGRAMS)
