"""Encode pictures, and write them to files."""

from datetime import datetime
from pathlib import Path

import cv2

from sweepbot.errors import ImageError, refused_as
from sweepbot.geometry import Image
from sweepbot.replacing import replace_file

_WEBP_QUALITY = 82  # of 100: digits stay sharp
_UNTRUSTED = "untrusted-"
_MAX_UNTRUSTED_PICTURES = 20  # pictures that are kept: the last ones tell enough


def save_image(image: Image, path: Path) -> None:
    """Write a picture in the format of the name's suffix, completely or not at all.

    Raises:
        ImageError: The suffix is not that of a picture format, or the file cannot be written.
    """
    try:
        encoded = cv2.imencode(path.suffix, image)[1].tobytes()
    except cv2.error as cause:
        raise ImageError(
            f"{path}: {path.suffix!r} is not a picture format", hint="give a name that ends in .png"
        ) from cause
    with refused_as(ImageError, f"{path}: cannot be written", "choose a folder that exists"):
        replace_file(path, encoded)


def keep_untrusted(image: Image, folder: Path) -> str:
    """Keep the picture of a board that could not be read, in a folder that is made if needed, and few older ones.

    Returns:
        Where it is, or why it is not kept: this must not hide what is wrong with the board.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        picture = folder / f"{_UNTRUSTED}{datetime.now():%Y%m%d-%H%M%S-%f}.png"  # noqa: DTZ005  (local time, for people)
        save_image(image, picture)
        for old in sorted(folder.glob(f"{_UNTRUSTED}*.png"))[:-_MAX_UNTRUSTED_PICTURES]:
            old.unlink()
    except (OSError, ImageError) as error:
        return f"not kept, {error}"
    return str(picture)


def compact_picture(image: Image) -> bytes:
    """Encode a picture as WebP, which every browser shows: a tenth of the bytes with no visible loss."""
    return cv2.imencode(".webp", image, (cv2.IMWRITE_WEBP_QUALITY, _WEBP_QUALITY))[1].tobytes()


def ppm(image: Image) -> bytes:
    """Encode a picture as PPM, the one colour format that every Tk reads and that needs no encoder."""
    height, width = image.shape[:2]
    return b"P6 %d %d 255\n" % (width, height) + image[:, :, ::-1].tobytes()
