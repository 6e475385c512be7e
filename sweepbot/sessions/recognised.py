"""The client to search for on the screen: the one that was named, or the one that the board looks like."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from sweepbot.control.program_kinds import BROWSERS
from sweepbot.desktop.windows import Windows
from sweepbot.errors import UsageError
from sweepbot.geometry import Image
from sweepbot.sessions.settings import PlaySettings
from sweepbot.sessions.target import Target, named
from sweepbot.vision.calibration import Calibration, find_calibration, known_calibrations
from sweepbot.vision.eyes import Boards, boards_of_any_client, tied
from sweepbot.vision.reader import UNKNOWN_CLIENT, Reader
from sweepbot.vision.reading import UNKNOWN, Reading

_MIN_MEAN_TRUST = 0.9  # of a board that is taken for a known client's
_MIN_ALIKE_TRUST = 0.985  # of a board that is a known client's in any window, as in that of a remote desktop
_MIN_ALIKE_SHARE = 0.9  # of its cells that must be drawn as by that client

Settled = Callable[[Calibration, Reading], tuple[Calibration, PlaySettings]]
"""Returns the calibration and the settings, given the calibration that the board was read with, and its reading."""


_BOARDS_TO_PLAY = partial(boards_of_any_client, is_told=True)  # before a click a person agrees to what nobody knows


def target_client(
    known: Calibration | None,
    settings: PlaySettings,
    settled: Settled,
    tell: Callable[[str], None],
    boards_in: Callable[[Image], Boards] = _BOARDS_TO_PLAY,
    *,
    windows: Windows | None = None,
) -> Target:
    """Return the target for a named client, or for any client that the board looks like if none is `known`.

    `settled` is called once it is known which client it is, and `tell` with words about what else it may be;
    `boards_in` reads the boards of any client, and `windows` are those that may contradict, see `client_by_window`.
    """
    if known is None:
        return _recognised(settings, settled, tell, boards_in, windows)
    return replace(named(known, settings), settled=lambda reading: settled(known, reading))


def client_by_window(
    calibration: Calibration, windows: Windows | None, found: Reading, *, is_named: bool
) -> Calibration:
    """Return the client that a board belongs to, by the window that it is in; the unknown one if that is none known.

    Of several that look the same the title decides. A browser page whose title says nothing may be a site that needs
    permission to be played, if it is drawn just as that. A board that is only like a client's is that client's only in
    a window with its title, and not in a page if another client is the one in pages: many draw a fresh board alike.

    Args:
        calibration: What the board was read with; the result if nothing contradicts it.
        windows: The desktop's windows, if known.
        found: The reading of the board, in pixels of the desktop.
        is_named: Whether the person has named this client: then only the title of one that looks the same contradicts.
    """
    window = None if windows is None else windows.under(found.grid.region.centre)
    if windows is None or window is None or not calibration.templates:
        return calibration
    alike, title = known_calibrations(skin=calibration.name), windows.title(window.id)
    for other in alike:
        if _is_titled(title, other.titles):
            return other
    is_page = not is_named and window.id in windows.of_programs(BROWSERS)
    site = next((other for other in alike if is_page and other.asks_before_play), None)
    is_titled = _is_titled(title, calibration.titles)
    if site is not None and not is_titled and _is_drawn_alike(found):
        return site
    programs = (calibration.name, *(f" {title.casefold()} " for title in calibration.titles))
    is_its = is_named or not calibration.titles or (is_titled and site is None)
    is_its = is_its or window.id in windows.of_programs(programs)  # where its title is in another language
    return calibration if is_its or _is_drawn_alike(found) else UNKNOWN_CLIENT


def _is_titled(title: str, words: Sequence[str]) -> bool:
    """Whether a window's title contains one of several words as a whole."""
    return any(re.search(rf"(?<!\w){re.escape(word)}(?!\w)", title) for word in words)


def _is_drawn_alike(found: Reading) -> bool:
    """Whether the cells of a board are drawn as by the client whose looks it was read with."""
    matches = found.seen.matches
    is_drawn_so = matches is not None and bool(matches.equal.mean() >= _MIN_ALIKE_SHARE)
    return is_drawn_so and found.confidence >= _MIN_ALIKE_TRUST


def fits(board: Sequence[Reading]) -> str:
    """List the clients that a board may belong to, given its readings as each of them."""
    return "fits best: " + ", ".join(f"{reading.client} {reading.confidence:.1%}" for reading in board)


def _recognised(
    settings: PlaySettings,
    settled: Settled,
    tell: Callable[[str], None],
    boards_in: Callable[[Image], Boards],
    windows: Windows | None,
) -> Target:
    """Return a target for the client that fits a board best; `UsageError` is raised if another fits as well."""
    fitting: list[Reading] = []
    others = 0

    def read(image: Image) -> Reading:
        nonlocal others
        boards = boards_in(image)
        fitting[:] = boards[0]
        others = max(others, len(boards) - 1)
        best = fitting[0]
        # The number of mines is not used to recognise the client.
        return best if settings.mines is None else reader(best).read(image)

    def reader(reading: Reading) -> Reader:
        known = UNKNOWN_CLIENT if reading.client == UNKNOWN else find_calibration(reading.client)
        return Reader(known, settings.mines, is_told=True)

    def settle(reading: Reading) -> tuple[Calibration, PlaySettings]:
        tell(fits(fitting))
        if others:
            tell(f"there are {others + 1} boards on the screen; choose another by --region WxH+X+Y")
        best, cells = fitting[0], fitting[0].seen.cells
        is_alike = cells.believed.any() and cells.trust[cells.believed].mean() >= _MIN_MEAN_TRUST
        if best.client == UNKNOWN or not is_alike:
            return settled(UNKNOWN_CLIENT, reading)
        may_be = [client_by_window(find_calibration(it), windows, reading, is_named=False) for it in tied(fitting)]
        clients = {it.name: it for it in may_be if it.templates}
        if len(clients) > 1:
            raise UsageError(
                f"the board may be {' or '.join(clients)}", hint=f"say which: --client {next(iter(clients))}"
            )
        return settled(next(iter(clients.values()), UNKNOWN_CLIENT), reading)

    known = known_calibrations()
    titles = sorted({title for calibration in known for title in calibration.titles})
    return Target(settings, read, reader, titles, settle)
