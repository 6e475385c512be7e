"""Starting the first game of a client that shows no board yet, but a message, or a page whose button says so."""

from collections.abc import Callable, Sequence
from contextlib import suppress

from sweepbot.behaviour import Restart, Settle
from sweepbot.calibrate.map.touch import Touch
from sweepbot.calibrate.map.ways import CLOSES, click_at, point_of
from sweepbot.calibrate.seeing.surroundings import controls_in
from sweepbot.calibrate.seeing.words import Meaning, meanings_of
from sweepbot.control.client_window import ClientWindow
from sweepbot.control.controls import Controls
from sweepbot.desktop.desk import Desk
from sweepbot.errors import NoBoardFoundError
from sweepbot.geometry import Image, Region, same_pixels
from sweepbot.vision.grid import Grid
from sweepbot.vision.reader import Reader

_NAMES = "Sweeper", "Weeper", "Mines", "Buscaminas", "Campo Minado", "Démineur", "Saper", "Сапёр", "扫雷"
TITLES = tuple(dict.fromkeys(title for name in _NAMES for title in (name, name.lower(), name.upper())))
"""Words in the titles of windows that may be a Minesweeper without a board, in the ways in which they are written."""

_SETTLE = Settle(notice_ms=500.0, quiet_ms=150.0, limit_ms=1000.0)  # of a client of which nothing is known
_WORD_TIMES = 1.5  # as wide as high is what says a word: a tile of the board behind is not
_MAX_CONTROLS = 80  # a page with more is no start of a game; words over a board part its tiles into some


def start_game(desk: Desk, reader: Reader, tell: Callable[[str], None], but_not: Sequence[str] = ()) -> None:
    """Start a game in each window that is titled as a Minesweeper and shows no board, until one shows one.

    Escape closes what a page says first. A button is clicked only if it alone says that it begins a game: of several,
    as of levels, a person must choose.

    Args:
        desk: The desk.
        reader: Reads the client's board.
        tell: Called with what is done.
        but_not: Words in the titles of windows that are left alone.
    """
    window = ClientWindow(desk)
    for _ in window.adopt_titled(TITLES):
        if not window.is_titled(but_not) and _shows_board(desk, window, reader, tell):
            return


def _shows_board(desk: Desk, window: ClientWindow, reader: Reader, tell: Callable[[str], None]) -> bool:
    """Whether a window shows a board, if need be once its message is closed and its button clicked."""
    place = window.visible
    if place is None or window.takes_text or _sees_board(desk, place, reader):
        return place is not None and not window.takes_text
    touch = Touch(Controls(desk, window, _SETTLE), place)
    grid = Grid.uniform((place.x, place.y), (place.width, place.height), 1, 1)

    def follow(way: Restart, why: str) -> bool:
        """Press or click; return whether the window shows a board then."""
        before = desk.screen.grab(place).image
        touch.follow(way, grid)
        touch.look(patiently=True)
        if same_pixels(desk.screen.grab(place).image, before):
            return False
        tell(f"no board was in sight: {way}, {why}")
        return _sees_board(desk, place, reader)

    closes = Restart(key=CLOSES)
    if window.is_browser and follow(closes, "as it closes what a page says"):  # a program may end at it
        return True
    buttons = [click_at(it.centre + place.origin, grid) for it in _saying_so(desk.screen.grab(place).image)]
    if len(buttons) != 1 or touch.is_link(point_of(buttons[0], grid)):
        return False
    is_begun = follow(buttons[0], "as its words say that it begins a game")
    return is_begun or (window.is_browser and follow(closes, "as it closes what a page says"))


def _sees_board(desk: Desk, place: Region, reader: Reader) -> bool:
    with suppress(NoBoardFoundError):
        reader.read(desk.screen.grab(place).image)
        return True
    return False


def _saying_so(image: Image) -> list[Region]:
    """Return the controls in a picture of a window whose words say that they begin a game."""
    controls = [it for it in controls_in(image, Region.of(image)) if it.width >= _WORD_TIMES * it.height]
    few = controls if len(controls) <= _MAX_CONTROLS else []
    return [it for it, means in zip(few, meanings_of(few, image), strict=True) if means is Meaning.BEGINS_GAME]
