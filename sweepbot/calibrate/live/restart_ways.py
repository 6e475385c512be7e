"""How a new game may be begun: keys and clicks, in an order of least harm."""

from collections.abc import Iterator

from sweepbot.behaviour import Restart
from sweepbot.calibrate.thresholds import CHANGE
from sweepbot.geometry import Point
from sweepbot.vision.grid import Grid
from sweepbot.vision.widgets.surroundings import Surroundings

_OF_GAMES = "f2"  # begins a new game in many clients, and does nothing in other programs
_LETTERS = ("n", "r")  # begin one in some clients, and do nothing but in a field for text
_BAR = "space"  # begins one in others; a page may scroll at it
ACCEPTS = "enter"  # presses the button that has the keyboard, and answers a dialog
CLOSES = "esc"  # takes away what asks
_OF_PROGRAMS = ("ctrl+r", "ctrl+n")  # begin one in some clients; the second one leads to a choice of levels in others
OF_PAGES = "f5"  # loads a page again, and so begins a game where the page asks nothing


def click_at(point: Point, place: Grid) -> Restart:
    """A click on a pixel of the desktop."""
    origin = place.beside((0, 0), 1)
    return Restart(click=(point.x - origin.x, point.y - origin.y))


def point_of(way: Restart, place: Grid) -> Point:
    """The pixel of the desktop that a click is on."""
    if way.on_board is not None:
        region = place.region
        across, down = way.on_board
        return region.origin + Point(int(across * region.width), int(down * region.height))
    return place.beside(way.click or (0, 0), 1)


def is_nearly(way: Restart, other: Restart) -> bool:
    """Whether both are the same key, or clicks on the same thing."""
    if way.on_board is not None and other.on_board is not None:
        return True
    if way.click is None or other.click is None:
        return way == other
    return all(abs(one - two) <= CHANGE.control_px for one, two in zip(way.click, other.click, strict=True))


def ways(around: Surroundings, *, is_page: bool) -> Iterator[Restart]:
    """Everything that is likely to begin a new game, in an order of least harm.

    First what was there before the game, the ended board itself, and keys that do nothing elsewhere; only then what the
    end has put up, which may lead to another site, and what loads pages or opens windows.
    """
    yield Restart(key=_OF_GAMES)
    for face in around.faces():
        yield click_at(face.centre, around.place)
    for control in around.standing():
        yield click_at(control.centre, around.place)
    if (cell := around.bare_cell()) is not None:
        rows, columns = around.place.rows, around.place.columns
        yield Restart(on_board=((cell.column + 0.5) / columns, (cell.row + 0.5) / rows))
    yield from (Restart(key=key) for key in (*_LETTERS, *(() if is_page else (_BAR,))))
    for control in (*around.apart(), *around.put_up()):
        yield click_at(control.centre, around.place)
    yield Restart(key=ACCEPTS)
    if is_page:
        yield Restart(key=OF_PAGES)
    for caption in (*(() if is_page else around.captions()), *around.headings()):
        yield click_at(caption.centre, around.place)
    yield from (Restart(key=key) for key in (() if is_page else _OF_PROGRAMS))
