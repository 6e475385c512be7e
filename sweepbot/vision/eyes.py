"""The face of the eyes for pictures: every board that one shows, of a known client or at first sight."""

from collections.abc import Callable, Sequence

from sweepbot.errors import NoBoardFoundError
from sweepbot.geometry import Image
from sweepbot.vision.boards import READ_SIZES, boards_in
from sweepbot.vision.calibration import calibration_folders, find_calibration, known_calibrations
from sweepbot.vision.missed import explained
from sweepbot.vision.reader import UNKNOWN_CLIENT, Reader, known_looks, whole_reading
from sweepbot.vision.reading import UNKNOWN, Reading

Boards = list[list[Reading]]
"""Each board in a picture, with its readings as each client that fits, the likeliest first."""

_BUNDLED = "demo"  # looks like Windows XP's client, which is the likelier one
_TIE_SHARE = 0.01  # of agreement, by which two calibrations must differ to be told apart


def eyes(client: str | None) -> Callable[[Image], Boards]:
    """Return what reads every board in a picture, the likeliest first.

    Args:
        client: The client to expect; `unknown` for first sight alone; None tries all known clients, then first sight.

    Raises:
        CalibrationError: There is no such client, or its calibration is broken.
    """
    if client is None:
        return _explaining(boards_of_any_client, None)
    reader = Reader(UNKNOWN_CLIENT if client == UNKNOWN else find_calibration(client))
    return _explaining(lambda image: [[board] for board in reader.read_all(image)], client)


def boards_of_any_client(image: Image, *, is_told: bool = False) -> Boards:
    """Read every board in a picture as each client that it may belong to; as `unknown` where no client fits.

    Args:
        image: uint8 array of shape (height, width, 3), blue, green, red.
        is_told: See `Reader`.

    Raises:
        NoBoardFoundError: There is none.
    """
    found = boards_in(image, known_looks(tuple(known_calibrations())))
    if not found:
        raise NoBoardFoundError(
            f"no board found: searched {image.shape[1]}x{image.shape[0]} pixels for {', '.join(calibration_folders())},"
            f" and at first sight for cells of {READ_SIZES.smallest:g} to {READ_SIZES.largest:g} pixels",
            hint="show the whole board, without anything over it",
        )
    boards = [
        [
            whole_reading(
                image, board, seen, UNKNOWN_CLIENT if seen.look is None else seen.look.calibration, is_told=is_told
            )
            for seen in board.seen
        ]
        for board in found
    ]
    return [_ranked(board) for board in boards]


def _ranked(board: Sequence[Reading]) -> list[Reading]:
    """Put the bundled client after one that it looks like, and a client after the one whose skin it wears."""
    most = max(_agreement(reading) for reading in board)

    def rank(reading: Reading) -> tuple[bool, bool, float]:
        ties = _agreement(reading) >= (1 - _TIE_SHARE) * most
        look = reading.seen.look
        return ties, reading.client != _BUNDLED and (look is None or not look.calibration.skin), _agreement(reading)

    return sorted(board, key=rank, reverse=True)


def tied(board: Sequence[Reading]) -> list[str]:
    """Return the clients that a board may belong to: the likeliest, and those whose agreement is about as high.

    Args:
        board: Its readings, as `boards_of_any_client` gives them. The bundled client, which looks like another, never
            ties.
    """
    least = (1 - _TIE_SHARE) * _agreement(board[0])
    others = [reading.client for reading in board[1:] if reading.client != _BUNDLED and _agreement(reading) >= least]
    return [board[0].client, *others]


def _agreement(reading: Reading) -> float:
    return reading.seen.agreement


def _explaining(read: Callable[[Image], Boards], client: str | None) -> Callable[[Image], Boards]:
    """Add to an error of a reader what the picture shows instead."""

    def read_or_explain(image: Image) -> Boards:
        try:
            return read(image)
        except NoBoardFoundError as error:
            raise explained(error, image, client) from error

    return read_or_explain
