"""The client to search for on the screen: the one that was named, or the one that the board looks like."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from sweepbot.control.program_kinds import BROWSERS
from sweepbot.desktop.windows import Windows
from sweepbot.errors import UsageError
from sweepbot.geometry import Image, Region
from sweepbot.sessions.settings import PlaySettings
from sweepbot.sessions.target import Target, named
from sweepbot.vision.calibration import Calibration, find_calibration, known_calibrations
from sweepbot.vision.eyes import Boards, boards_of_any_client, tied
from sweepbot.vision.reader import UNKNOWN_CLIENT, Reader
from sweepbot.vision.reading import UNKNOWN, Reading

_MIN_MEAN_TRUST = 0.9  # of a board that is clicked on

Settled = Callable[[Calibration, Reading], tuple[Calibration, PlaySettings]]
"""Returns the calibration and the settings, given the calibration that the board was read with, and its reading."""


_BOARDS_TO_PLAY = partial(boards_of_any_client, is_told=True)  # before a click a person agrees to what nobody knows


def target_client(
    known: Calibration | None,
    settings: PlaySettings,
    settled: Settled,
    tell: Callable[[str], None],
    boards_in: Callable[[Image], Boards] = _BOARDS_TO_PLAY,
) -> Target:
    """Return the target for a named client, or for any client that the board looks like if none is `known`.

    `settled` is called once it is known which client it is, and `tell` with words about what else it may be;
    `boards_in` reads the boards of any client.
    """
    if known is None:
        return _recognised(settings, settled, tell, boards_in)
    return replace(named(known, settings), settled=lambda reading: settled(known, reading))


def client_by_window(
    calibration: Calibration, windows: Windows | None, board: Region, *, is_named: bool
) -> Calibration:
    """Return the client that a board belongs to, if several look the same, by the window that it is in.

    The title decides. A browser page whose title says nothing may be a site that needs permission to be played.

    Args:
        calibration: What the board was read with; the result if nothing contradicts it.
        windows: The desktop's windows, if known.
        board: The region of the board, in pixels of the desktop.
        is_named: Whether the person has named this client: then only a title contradicts it.
    """
    alike = known_calibrations(skin=calibration.name)
    window = windows.under(board.centre) if windows is not None and alike else None
    if windows is None or window is None:
        return calibration
    for other in alike:
        if window.id in windows.titled(other.titles):
            return other
    is_page = not is_named and window.id in windows.of_programs(BROWSERS)
    return next((other for other in alike if is_page and other.asks_before_play), calibration)


def fits(board: Sequence[Reading]) -> str:
    """List the clients that a board may belong to, given its readings as each of them."""
    return "fits best: " + ", ".join(f"{reading.client} {reading.confidence:.1%}" for reading in board)


def _recognised(
    settings: PlaySettings, settled: Settled, tell: Callable[[str], None], boards_in: Callable[[Image], Boards]
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
        best = fitting[0]
        if best.client == UNKNOWN:
            return settled(UNKNOWN_CLIENT, reading)
        if best.mean_trust < _MIN_MEAN_TRUST:
            raise UsageError(
                f"the board looks like {best.client} ({best.mean_trust:.1%}), but less than usual",
                hint=f"if it is, give --client {best.client}; else learn it: `sweepbot calibrate NAME --live`",
            )
        clients = tied(fitting)
        if len(clients) > 1:
            raise UsageError(f"the board may be {' or '.join(clients)}", hint=f"say which: --client {clients[0]}")
        return settled(find_calibration(reading.client), reading)

    known = known_calibrations()
    titles = sorted({title for calibration in known for title in calibration.titles})
    return Target(settings, read, reader, titles, settle)
