"""Which client is looked for on the screen: the one that was named, or the one that the board looks like."""

from collections.abc import Callable

from sweepbot.cli.output import fits, talk
from sweepbot.control.client_window import BROWSERS
from sweepbot.desktop.windows import Windows
from sweepbot.errors import UsageError
from sweepbot.geometry import Image, Region
from sweepbot.sessions.settings import PlaySettings
from sweepbot.sessions.target import Target, named
from sweepbot.vision.calibration import Calibration, find_calibration, known_calibrations
from sweepbot.vision.identify import identify_all, tied
from sweepbot.vision.reader import Reader, Reading

_LEAST_MEAN_SCORE = 0.85  # of boards that are clicked on: real pictures have 0.857 and more, damaged ones too

Settled = Callable[[Calibration, Region], tuple[Calibration, PlaySettings]]
"""What is known of the client and asked of it, given the calibration that its board was read with, and its place."""


def target_client(known: Calibration | None, mines: int | None, settled: Settled) -> Target:
    """A client whose calibration was named, or where it is None the one that is told by its look.

    Args:
        known: The calibration.
        mines: The mines of the board, where the person knows them.
        settled: Called once it is known which client it is.
    """
    if known is None:
        return _told_by_its_look(mines, settled)
    return named(known, mines, lambda reading: settled(known, reading.grid.region))


def told_by_window(calibration: Calibration, windows: Windows | None, board: Region, *, is_named: bool) -> Calibration:
    """Of several clients that show the same pictures the one in whose window a board is.

    Titles tell. A page whose title tells nothing may be of a site about which a person is asked before it is played.

    Args:
        calibration: What the board was read with; returned where nothing tells otherwise.
        windows: The desktop's windows, where those are known.
        board: Where the board is, in pixels of the desktop.
        is_named: Whether the person has named that client: then a title is needed to contradict it.
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


def _told_by_its_look(mines: int | None, settled: Settled) -> Target:
    """The client whose calibration fits a board best; `UsageError` is raised where another fits it as well."""
    fitting: list[Reading] = []
    others = 0

    def read(image: Image) -> Reading:
        nonlocal others
        boards = identify_all(image)
        fitting[:] = boards[0]
        others = max(others, len(boards) - 1)
        best = fitting[0]
        # The number of mines that a person gave does not tell clients apart.
        return best if mines is None else reader(best).read(image)

    def reader(reading: Reading) -> Reader:
        return Reader(find_calibration(reading.client), mines)

    def believed(reading: Reading) -> tuple[Calibration, PlaySettings]:
        talk.print(fits({fit.client: fit.confidence for fit in fitting}))
        if others:
            talk.print(f"of {others + 1} boards on the screen one is taken; --region WxH+X+Y says another")
        best = fitting[0]
        if best.mean_score < _LEAST_MEAN_SCORE:
            raise UsageError(
                f"the board is like one of {best.client} ({best.mean_score:.1%}), but less than any seen of it",
                hint=f"if it is one, say so: --client {best.client}; else `sweepbot calibrate NAME --live` learns it",
            )
        clients = tied(fitting)
        if len(clients) > 1:
            raise UsageError(f"the board may be of {' or '.join(clients)}", hint=f"say which: --client {clients[0]}")
        return settled(find_calibration(reading.client), reading.grid.region)

    known = known_calibrations()
    titles = sorted({title for calibration in known for title in calibration.titles})
    return Target(read, reader, titles, believed)
