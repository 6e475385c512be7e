"""Ways that may start a new game: keys and clicks, the surest and least harmful first."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from sweepbot.behaviour import Restart
from sweepbot.calibrate.seeing.surroundings import Surroundings
from sweepbot.calibrate.thresholds import CHANGE
from sweepbot.geometry import Point, Region
from sweepbot.vision.grid import Grid

_GAME_KEY = "f2"  # starts a new game in many clients, and does nothing in other programs
_LETTERS = ("n", "r")  # start one in some clients, and do nothing elsewhere, except in a text field
BAR = "space"  # starts one in others, scrolls a page, and presses the button with the focus where Enter does not
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
    """Whether two ways begin with the same key, or with clicks on the same control."""
    if way.on_board is not None and other.on_board is not None:
        return True
    if way.click is None or other.click is None:
        return way.steps[0] == other.steps[0]
    return all(abs(one - two) <= CHANGE.control_px for one, two in zip(way.click, other.click, strict=True))


class Possible(NamedTuple):
    """A way that may start a new game, and why it is tried."""

    way: Restart
    why: str


def untried_keys(tried: Iterable[Restart]) -> list[str]:
    """Return the usual keys that were not tried."""
    usual = (_GAME_KEY, *_LETTERS, BAR, ACCEPTS, *_PROGRAM_KEYS, RELOADS)
    return [key for key in usual if key not in {way.key for way in tried}]


def ways(around: Surroundings, *, is_page: bool) -> Iterator[Possible]:
    """Yield all ways that may start a new game, the surest and least harmful first.

    What else there is to click is left to a person: what the end has brought up beside the board, and what says nothing
    that can be read.
    """

    def clicks(controls: Iterable[Region], why: str) -> Iterator[Possible]:
        allowed = (control for control in controls if not around.does_else(control))
        return (Possible(click_at(control.centre, around.place), why) for control in allowed)

    def keys(names: Iterable[str], why: str) -> Iterator[Possible]:
        return (Possible(Restart(key=name), why) for name in names)

    yield from clicks(around.changed(), "as its look has changed at the end")
    yield from keys((_GAME_KEY, *_LETTERS, *(() if is_page else (BAR,))), "as in many clients")
    yield from clicks(around.named(), "as its words say so")
    yield from clicks(around.faces(), "as many clients have such a face")
    yield from clicks(around.answers(), "as the end asks so in front of the board")
    if (cell := around.bare_cell()) is not None:
        rows, columns = around.place.rows, around.place.columns
        at = (cell.column + 0.5) / columns, (cell.row + 0.5) / rows
        yield Possible(Restart(on_board=at), "as on an ended board a click does nothing else")
    yield from keys((ACCEPTS, *((RELOADS,) if is_page else _PROGRAM_KEYS)), "as nothing else has")
