"""Picture files: read whole or refused, written whole or not at all."""

from pathlib import Path

import cv2
import numpy as np
from numpy import uint8
from numpy.typing import NDArray

from sweepbot.errors import ImageError

LARGEST_SIDE = 16_384
"""Pixels; larger than any desktop of several monitors."""


def load_image(path: Path) -> NDArray[uint8]:
    """Read a picture as a uint8 array of shape (height, width, 3), channels blue, green, red.

    Transparent pixels are shown as their colour says; animations give their first picture.

    Raises:
        ImageError: The file cannot be read, is empty, is no picture, or has a side of over `LARGEST_SIDE` pixels.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ImageError(f"{path}: cannot be read: {error.strerror}", hint="check the path") from error
    if not data:
        raise ImageError(f"{path}: the file is empty", hint="record the screenshot again")
    try:
        image = cv2.imdecode(np.frombuffer(data, dtype=uint8), cv2.IMREAD_COLOR)
    except cv2.error as error:  # refused by OpenCV's own limit on the number of pixels
        raise ImageError(f"{path}: OpenCV refuses it: {error.err}", hint="crop the picture") from error
    if image is None:
        raise ImageError(f"{path}: is no picture that can be read", hint="use PNG, JPEG, BMP, WebP or GIF")
    height, width = image.shape[:2]
    if max(height, width) > LARGEST_SIDE:
        raise ImageError(
            f"{path}: {width}x{height} pixels is too large", hint=f"crop it to at most {LARGEST_SIDE} pixels a side"
        )
    return np.asarray(image, dtype=uint8)


def save_image(path: Path, image: NDArray[uint8]) -> None:
    """Write a picture as PNG; a file of that name is replaced only when the new one is complete.

    Raises:
        ImageError: The folder is missing or not writable.
    """
    encoded = cv2.imencode(".png", image)[1].tobytes()
    part = path.with_name(path.name + ".part")
    try:
        part.write_bytes(encoded)
        part.replace(path)
    except OSError as error:
        raise ImageError(
            f"{path}: cannot be written: {error.strerror}", hint="choose a folder you may write to"
        ) from error
