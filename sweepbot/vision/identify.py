"""Tell which client a picture shows: all are searched for at once, and the best agreement wins."""

from collections.abc import Mapping, Sequence
from functools import lru_cache

import msgspec
from numpy import uint8
from numpy.typing import NDArray

from sweepbot.errors import NoBoardFoundError
from sweepbot.vision.calibration import Calibration, calibration_folders, known_calibrations
from sweepbot.vision.detect.locate import READ_SIZES, same_place
from sweepbot.vision.lattices.lattice import CellSizes
from sweepbot.vision.reader import Reader, read_with
from sweepbot.vision.reading import Reading

_BUNDLED = "demo"  # looks like Windows XP's client, which is the likelier one
_TIE_SHARE = 0.03  # of agreement, by which two calibrations must differ to be told apart
_SAME_FIGURES_SHARE = 0.1  # the same for two themes with the same figures: fresh boards differ by little else


def identify(image: NDArray[uint8]) -> Reading:
    """Read a picture with the calibration whose board has the most cells in agreement.

    Args:
        image: uint8 array of shape (height, width, 3), blue, green, red.

    Raises:
        NoBoardFoundError: No known client's board is in the picture.
    """
    return identify_all(image)[0][0]


def identify_all(image: NDArray[uint8]) -> list[list[Reading]]:
    """Read every board in a picture with each calibration whose client it may be.

    Args:
        image: uint8 array of shape (height, width, 3), blue, green, red.

    Returns:
        For each board its readings, the likeliest client's first. Boards with more agreement come first.

    Raises:
        NoBoardFoundError: No known client's board is in the picture.
    """
    boards: list[list[Reading]] = []
    for reading in read_with_all(image):
        region = reading.grid.region
        board = next((board for board in boards if same_place(region, board[0].grid.region)), None)
        if board is None:
            boards.append([reading])
        elif all(reading.client != other.client for other in board):
            board.append(reading)
    if not boards:
        raise NoBoardFoundError(
            f"no board found: searched {image.shape[1]}x{image.shape[0]} pixels for {', '.join(calibration_folders())}",
            hint="name the client to be told what came nearest: --client NAME",
        )
    return boards


def tied(board: Sequence[Reading]) -> list[str]:
    """Return the clients that a board may belong to: the likeliest, and those whose agreement is about as high.

    Args:
        board: Its readings, as `identify_all` gives them. The bundled client, which looks like another, never ties.
    """
    least = (1 - _TIE_SHARE) * board[0].classified.agreement
    others = [
        reading.client for reading in board[1:] if reading.client != _BUNDLED and reading.classified.agreement >= least
    ]
    return [board[0].client, *others]


def read_with_all(image: NDArray[uint8], sizes: CellSizes = READ_SIZES) -> list[Reading]:
    """Read every board with every calibration whose client it may be, the likeliest first.

    Args:
        image: uint8 array of shape (height, width, 3), blue, green, red.
        sizes: The sizes of cells to search for.
    """
    readers = [reader for calibration in known_calibrations() if (reader := _reader(calibration)) is not None]
    readings, _ = read_with(readers, image, sizes)
    skins = {reader.calibration.name: reader.calibration.skin for reader in readers}
    readings = [one for one in readings if not any(_explains_better(other, one, skins) for other in readings)]
    most = max((reading.classified.agreement for reading in readings), default=0.0)

    def rank(reading: Reading) -> tuple[bool, bool, float]:
        ties = reading.classified.agreement >= (1 - _TIE_SHARE) * most
        return ties, reading.client != _BUNDLED, reading.classified.agreement

    return sorted(readings, key=rank, reverse=True)


def _explains_better(one: Reading, other: Reading, skins: Mapping[str, str]) -> bool:
    """Whether one reading is better than another of the same board, if one client can wear the other's skin.

    If both explain the cells, it is the client that the skin is named for.
    """
    wears, is_worn = skins[one.client] == other.client, skins[other.client] == one.client
    if not (wears or is_worn) or not same_place(one.grid.region, other.grid.region):
        return False
    agreements = one.classified.agreement, other.classified.agreement
    if min(agreements) < (1 - _SAME_FIGURES_SHARE) * max(agreements):
        return agreements[0] > agreements[1]
    return is_worn


@lru_cache(maxsize=64)
def _reader(calibration: Calibration) -> Reader | None:
    """Return the reader of a client, None if the client has no looks of its own.

    Templates that several clients share are tried once, as those of the client that they were taken from.
    """
    if not calibration.skin:
        return Reader(calibration)
    if not calibration.own_looks:
        return None
    first, *others = calibration.own_looks
    return Reader(msgspec.structs.replace(calibration, templates=first.templates, variants=tuple(others)))
