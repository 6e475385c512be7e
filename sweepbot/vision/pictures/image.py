"""Read picture files whole, or refuse them with the reason."""

import io
import warnings
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import PIL.Image
from numpy import uint8
from numpy.typing import NDArray

from sweepbot.errors import ImageError
from sweepbot.vision.pictures.files import read_at_most

cv2.utils.logging.setLogLevel(cv2.utils.logging.LOG_LEVEL_SILENT)  # our errors say it

LARGEST_SIDE_PX = 16_384
"""Larger than any desktop of several monitors."""

LARGEST_AREA_PX = 25_000_000
"""Three monitors of 3840x2160. The memory that a search takes grows with it, up to 1 GiB."""

MOST_BYTES = 120_000_000
"""`LARGEST_AREA_PX` pixels that are not compressed take fewer. A device or a pipe may never end."""

_FORMATS = ("PNG", "JPEG", "BMP", "WEBP", "GIF")


def load_image(path: Path, check: Callable[[int, int], None] | None = None) -> NDArray[uint8]:
    """Read a picture as a uint8 array of shape (height, width, 3), channels blue, green, red.

    Transparent pixels are shown as their colour says; animations give their first picture.

    Args:
        path: The file.
        check: Called with the width and height in its header before it is unpacked; may raise to refuse it.

    Raises:
        ImageError: The file cannot be read, is empty, is no picture, or is larger than `MOST_BYTES`,
            `LARGEST_SIDE_PX` and `LARGEST_AREA_PX` allow.
    """
    try:
        data = read_at_most(path, MOST_BYTES)
    except OSError as error:
        raise ImageError(f"{path}: cannot be read: {error.strerror}", hint="check the path") from error
    if len(data) > MOST_BYTES:
        raise ImageError(
            f"{path}: is larger than {MOST_BYTES:,} bytes", hint="is it a screenshot? save it as PNG, or crop it"
        )
    if not data:
        raise ImageError(f"{path}: the file is empty", hint="record the screenshot again")
    width, height = _stated_size(path, data)
    _check_size(path, width, height)
    if check is not None:
        check(width, height)
    try:
        image = cv2.imdecode(np.frombuffer(data, dtype=uint8), cv2.IMREAD_COLOR)
    except cv2.error as error:
        raise ImageError(f"{path}: OpenCV refuses it: {error.err}", hint="record the screenshot again") from error
    if image is None:
        raise ImageError(f"{path}: is damaged and cannot be read", hint="record the screenshot again")
    _check_size(path, image.shape[1], image.shape[0])  # a frame may be larger than its header says
    return np.asarray(image, dtype=uint8)


def _stated_size(path: Path, data: bytes) -> tuple[int, int]:
    """Read width and height from the header alone: a file of some kilobytes may unpack to gigabytes."""
    try:
        with warnings.catch_warnings(action="error", category=PIL.Image.DecompressionBombWarning):
            return PIL.Image.open(io.BytesIO(data), formats=_FORMATS).size
    except (PIL.Image.DecompressionBombWarning, PIL.Image.DecompressionBombError) as error:
        raise ImageError(
            f"{path}: is too large: {error}", hint=f"crop it to at most {LARGEST_AREA_PX:,} pixels"
        ) from error
    except OSError as error:
        raise ImageError(f"{path}: is no picture that can be read", hint="use PNG, JPEG, BMP, WebP or GIF") from error


def _check_size(path: Path, width: int, height: int) -> None:
    if max(height, width) > LARGEST_SIDE_PX:
        raise ImageError(
            f"{path}: {width}x{height} pixels is too large", hint=f"crop it to at most {LARGEST_SIDE_PX} pixels a side"
        )
    if height * width > LARGEST_AREA_PX:
        raise ImageError(
            f"{path}: {width}x{height} pixels are too many", hint=f"crop it to at most {LARGEST_AREA_PX:,} pixels"
        )
