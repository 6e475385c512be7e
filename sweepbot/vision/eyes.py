"""The face of the eyes for pictures: every board that one shows, of a known client or at first sight."""

from collections.abc import Callable

from sweepbot.errors import NoBoardFoundError
from sweepbot.geometry import Image
from sweepbot.vision.calibration import find_calibration
from sweepbot.vision.first_sight.reader import read_at_first_sight
from sweepbot.vision.identify import identify_all
from sweepbot.vision.missed import explained
from sweepbot.vision.reader import Reader
from sweepbot.vision.reading import UNKNOWN, Reading

Boards = list[list[Reading]]
"""Each board in a picture, with its readings as each client that fits, the likeliest first."""


def eyes(client: str | None) -> Callable[[Image], Boards]:
    """Return what reads every board in a picture, the one with the most readable cells first.

    Args:
        client: The client to expect; `unknown` for first sight alone; None tries all known clients, then first sight.

    Raises:
        CalibrationError: There is no such client, or its calibration is broken.
    """
    if client == UNKNOWN:
        return lambda image: [[board] for board in read_at_first_sight(image)]
    if client is None:
        return _of_any_client
    reader = Reader(find_calibration(client))

    def read(image: Image) -> Boards:
        try:
            return [[board] for board in reader.read_all(image)]
        except NoBoardFoundError as error:
            raise explained(error, image, reader) from error

    return read


def _of_any_client(image: Image) -> Boards:
    try:
        return identify_all(image)
    except NoBoardFoundError as error:
        try:
            return [[board] for board in read_at_first_sight(image)]
        except NoBoardFoundError:
            raise explained(error, image, None) from error
