"""Starting the first game of a client that shows no board yet, but a message, or a page whose button says so."""

from collections.abc import Callable, Sequence
from contextlib import suppress

from sweepbot.behaviour import Restart, Settle
from sweepbot.calibrate.map.touch import Touch
from sweepbot.calibrate.map.ways import CLOSES, click_at, point_of
from sweepbot.calibrate.seeing.surroundings import controls_in
from sweepbot.calibrate.seeing.words import Meaning, keys_to_press, meanings_of
from sweepbot.calibrate.thresholds import PACE
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

    Escape closes what a page says first. A button is clicked only if it alone says that it begins a game, and a key
    pressed only if words say so: of several, as of levels, a person must choose.

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
    """Whether a window shows a board, if need be once its message is closed and the way on is taken, page by page."""
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
        return _sees_board(desk, window.visible or place, reader)

    closes, taken = Restart(key=CLOSES), list[Restart]()
    while len(taken) < PACE.tries:
        if window.is_browser and follow(closes, "as it closes what a page says"):  # a program may end at it
            return True
        way = _way_on(desk.screen.grab(place).image, place, grid)
        if way is None or way in taken or (way.key is None and touch.is_link(point_of(way, grid))):
            return False
        if follow(way, "as its words say that it begins a game"):
            return True
        taken.append(way)
    return False


def _way_on(image: Image, place: Region, grid: Grid) -> Restart | None:
    """Return what a window's picture says that begins a game: its one button that does, or the key to press."""
    controls = controls_in(image, Region.of(image))
    few = [it for it in controls if it.width >= _WORD_TIMES * it.height] if len(controls) <= _MAX_CONTROLS else []
    means = meanings_of(few, image)
    buttons = [it for it, meaning in zip(few, means, strict=True) if meaning is Meaning.BEGINS_GAME]
    if len(buttons) == 1:
        return click_at(buttons[0].centre + place.origin, grid)
    keys = set() if buttons else keys_to_press(few, image)
    return Restart(key=keys.pop()) if len(keys) == 1 else None


def _sees_board(desk: Desk, place: Region, reader: Reader) -> bool:
    with suppress(NoBoardFoundError):
        reader.read(desk.screen.grab(place).image)
        return True
    return False
