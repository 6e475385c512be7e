"""Which client is it? Every known calibration is tried, and the one that agrees best is believed."""

from numpy import uint8
from numpy.typing import NDArray

from sweepbot.errors import NoBoardFoundError
from sweepbot.vision.calibration import calibration_folders, load_calibration
from sweepbot.vision.lattice import find_lattices
from sweepbot.vision.locate import pitches
from sweepbot.vision.reader import Reader, Reading

_BUNDLED = "demo"  # looks like Windows XP's client, which more pictures are of
_TIE = 0.03  # the share by which the agreement of two calibrations must differ to tell them apart


def identify(image: NDArray[uint8]) -> Reading:
    """Read a picture with the calibration whose board has the most cells in agreement.

    Args:
        image: uint8 array of shape (height, width, 3), blue, green, red.

    Raises:
        NoBoardFoundError: No known client's board is in the picture.
    """
    readings = read_with_all(image)
    if not readings:
        raise NoBoardFoundError(
            f"no board found: searched {image.shape[1]}x{image.shape[0]} pixels for {', '.join(calibration_folders())}",
            hint="name the client to be told what came nearest: --client NAME",
        )
    return readings[0]


def read_with_all(image: NDArray[uint8]) -> list[Reading]:
    """Read a picture with every calibration whose client may be in it, the best first; `confidence` is its score."""
    calibrations = [load_calibration(folder) for folder in calibration_folders().values()]
    smallest, largest = (list(of) for of in zip(*map(pitches, calibrations), strict=True))
    # What is regular in a picture is the same for all of them.
    lattices = find_lattices(image, min(smallest), max(largest))
    readings = []
    for calibration in calibrations:
        try:
            readings.append(Reader(calibration).read(image, lattices))
        except NoBoardFoundError:
            continue
    most = max((reading.classified.agreement for reading in readings), default=0.0)

    def rank(reading: Reading) -> tuple[bool, bool, float]:
        ties = reading.classified.agreement >= (1 - _TIE) * most
        return ties, reading.client != _BUNDLED, reading.classified.agreement

    return sorted(readings, key=rank, reverse=True)
