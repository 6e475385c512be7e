"""Writing pictures."""

import tempfile
from pathlib import Path

import cv2

from sweepbot.errors import ImageError, refused_as
from sweepbot.geometry import Image

_WEBP_QUALITY = 82  # of 100: digits stay sharp


def save_image(image: Image, path: Path) -> None:
    """Write a picture in the format that the name's ending asks for, whole or not at all.

    Raises:
        ImageError: The ending names no picture format, or the file cannot be written there.
    """
    try:
        encoded = cv2.imencode(path.suffix, image)[1].tobytes()
    except cv2.error as cause:
        raise ImageError(
            f"{path}: {path.suffix!r} is no picture format", hint="give a name that ends in .png"
        ) from cause
    with (
        refused_as(ImageError, f"{path}: cannot be written", "give a place in a folder that exists"),
        tempfile.TemporaryDirectory(dir=path.parent, prefix=".sweepbot-") as folder,
    ):
        finished = Path(folder, path.name)
        finished.write_bytes(encoded)
        finished.replace(path)


def compact_picture(image: Image) -> bytes:
    """A picture as WebP, which every browser shows: some loss that no eye sees, for a tenth of the bytes."""
    return cv2.imencode(".webp", image, (cv2.IMWRITE_WEBP_QUALITY, _WEBP_QUALITY))[1].tobytes()


def ppm(image: Image) -> bytes:
    """A picture as PPM, the one format in colour that every Tk reads and that needs no encoder."""
    height, width = image.shape[:2]
    return b"P6 %d %d 255\n" % (width, height) + image[:, :, ::-1].tobytes()
