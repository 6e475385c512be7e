"""Ways that may start a new game: keys and clicks, the least harmful first."""

from collections.abc import Iterator

from sweepbot.behaviour import Restart
from sweepbot.calibrate.seeing.surroundings import Surroundings
from sweepbot.calibrate.thresholds import CHANGE
from sweepbot.geometry import Point, Region
from sweepbot.vision.grid import Grid

_GAME_KEY = "f2"  # starts a new game in many clients, and does nothing in other programs
_LETTERS = ("n", "r")  # start one in some clients, and do nothing elsewhere, except in a text field
_BAR = "space"  # starts one in others; a page may scroll at it
ACCEPTS = "enter"  # presses the button that has the focus, and accepts a dialog
CLOSES = "esc"  # closes a dialog
_PROGRAM_KEYS = ("ctrl+r", "ctrl+n")  # start one in some clients; in others ctrl+n leads to a choice of levels
RELOADS = "f5"  # reloads a page, and thereby starts a game unless the page asks a question


def click_at(point: Point, place: Grid) -> Restart:
    """Return the way to click a pixel of the desktop, relative to a board."""
    origin = place.beside((0, 0), 1)
    return Restart(click=(point.x - origin.x, point.y - origin.y))


def point_of(way: Restart, place: Grid) -> Point:
    """Return the pixel of the desktop that a way clicks."""
    if way.on_board is not None:
        region = place.region
        across, down = way.on_board
        return region.origin + Point(int(across * region.width), int(down * region.height))
    return place.beside(way.click or (0, 0), 1)


def is_nearly(way: Restart, other: Restart) -> bool:
    """Whether two ways are the same key, or clicks on the same control."""
    if way.on_board is not None and other.on_board is not None:
        return True
    if way.click is None or other.click is None:
        return way == other
    return all(abs(one - two) <= CHANGE.control_px for one, two in zip(way.click, other.click, strict=True))


def ways(around: Surroundings, *, is_page: bool) -> Iterator[Restart]:
    """Yield all ways that may start a new game, the least harmful first.

    First come controls that say so, controls that were there before the game, the ended board itself, and keys that do
    nothing elsewhere; only then controls that have come up at the end, which may lead to another site, and keys that
    load pages or open windows.
    """

    def keys(*names: str) -> Iterator[Restart]:
        return (Restart(key=name) for name in names)

    def clicks(*controls: Region) -> Iterator[Restart]:
        return (click_at(control.centre, around.place) for control in controls if not around.does_else(control))

    yield from keys(_GAME_KEY)
    yield from clicks(*around.named(), *around.faces(), *around.standing())
    if (cell := around.bare_cell()) is not None:
        rows, columns = around.place.rows, around.place.columns
        yield Restart(on_board=((cell.column + 0.5) / columns, (cell.row + 0.5) / rows))
    yield from keys(*_LETTERS) if is_page else keys(*_LETTERS, _BAR)
    yield from clicks(*around.apart(), *around.put_up())
    if is_page:
        yield from keys(ACCEPTS, RELOADS)
        yield from clicks(*around.headings())
    else:
        yield from keys(ACCEPTS)
        yield from clicks(*around.captions(), *around.headings())
        yield from keys(*_PROGRAM_KEYS)
