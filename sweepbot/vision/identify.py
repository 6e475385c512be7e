"""Which client is it? Every known calibration is tried, and the one that agrees best is believed."""

from numpy import uint8
from numpy.typing import NDArray

from sweepbot.errors import NoBoardFoundError
from sweepbot.vision.calibration import calibration_folders, load_calibration
from sweepbot.vision.reader import Reader, Reading


def identify(image: NDArray[uint8]) -> Reading:
    """Read a picture with the calibration whose board has the most cells in agreement.

    Args:
        image: uint8 array of shape (height, width, 3), blue, green, red.

    Raises:
        NoBoardFoundError: No known client's board is in the picture.
    """
    readings = []
    folders = calibration_folders()
    for folder in folders.values():
        try:
            readings.append(Reader(load_calibration(folder)).read(image))
        except NoBoardFoundError:
            continue
    if not readings:
        raise NoBoardFoundError(
            f"no board found: searched {image.shape[1]}x{image.shape[0]} pixels for {', '.join(folders)}",
            hint="name the client to be told what came nearest: --client NAME",
        )
    return max(readings, key=lambda reading: reading.confidence * reading.board.cells.size)
