"""Which client is it? Every known calibration is tried, and the one that agrees best is believed."""

from contextlib import suppress

from numpy import uint8
from numpy.typing import NDArray

from sweepbot.errors import NoBoardFoundError
from sweepbot.vision.calibration import calibration_folders, load_calibration
from sweepbot.vision.lattice import searches
from sweepbot.vision.locate import pitches, same_place
from sweepbot.vision.reader import Reader, Reading
from sweepbot.vision.tiles import find_tilings

_BUNDLED = "demo"  # looks like Windows XP's client, which more pictures are of
_TIE = 0.03  # the share by which the agreement of two calibrations must differ to tell them apart


def identify(image: NDArray[uint8]) -> Reading:
    """Read a picture with the calibration whose board has the most cells in agreement.

    Args:
        image: uint8 array of shape (height, width, 3), blue, green, red.

    Raises:
        NoBoardFoundError: No known client's board is in the picture.
    """
    return identify_all(image)[0]


def identify_all(image: NDArray[uint8]) -> list[Reading]:
    """Read every board in a picture, each with the calibration that has the most of its cells in agreement.

    Args:
        image: uint8 array of shape (height, width, 3), blue, green, red.

    Returns:
        The one with most cells in agreement first.

    Raises:
        NoBoardFoundError: No known client's board is in the picture.
    """
    boards: list[Reading] = []
    for reading in read_with_all(image):
        if not any(same_place(reading.grid.region, board.grid.region) for board in boards):
            boards.append(reading)
    if not boards:
        raise NoBoardFoundError(
            f"no board found: searched {image.shape[1]}x{image.shape[0]} pixels for {', '.join(calibration_folders())}",
            hint="name the client to be told what came nearest: --client NAME",
        )
    return boards


def read_with_all(image: NDArray[uint8]) -> list[Reading]:
    """Read every board with every calibration whose client it may be, the best first; `confidence` is its score."""
    calibrations = [load_calibration(folder) for folder in calibration_folders().values()]
    smallest, largest = (list(of) for of in zip(*map(pitches, calibrations), strict=True))
    readers = [Reader(calibration) for calibration in calibrations]
    readings: list[Reading] = []
    # What is regular in a picture is the same for all of them.
    for lattices in searches(image, min(smallest), max(largest)):
        for reader in readers:
            with suppress(NoBoardFoundError):
                readings += reader.read_all(image, lattices)
        if readings:
            break
    else:
        tilings = find_tilings(image)
        for reader in readers:
            readings += reader.read_tilings(image, tilings)
    most = max((reading.classified.agreement for reading in readings), default=0.0)

    def rank(reading: Reading) -> tuple[bool, bool, float]:
        ties = reading.classified.agreement >= (1 - _TIE) * most
        return ties, reading.client != _BUNDLED, reading.classified.agreement

    return sorted(readings, key=rank, reverse=True)
