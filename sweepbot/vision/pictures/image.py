"""Read picture files whole, or refuse them with the reason."""

from pathlib import Path

from sweepbot.errors import ImageError
from sweepbot.geometry import Image
from sweepbot.strangers import MAX_PICTURE_BYTES, picture, read_file


def load_image(path: Path) -> Image:
    """Read a picture as a uint8 array of shape (height, width, 3), channels blue, green, red. See `picture`.

    Args:
        path: The file.

    Raises:
        ImageError: The file cannot be read, is empty, is no picture, or is larger than pictures may be.
    """
    hint = "is it a screenshot? save it as PNG, or crop it"
    return picture(read_file(path, MAX_PICTURE_BYTES, ImageError, hint), str(path))
