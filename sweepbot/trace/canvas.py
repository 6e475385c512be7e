"""The last known pixels of a desktop, and the changes of it, as which a trace stores pictures."""

from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from sweepbot.desktop.screen import Frame
from sweepbot.errors import ImageError
from sweepbot.geometry import Image, Point, Region, extent
from sweepbot.strangers import picture

_BLOCK_PX = 16  # changes closer together than this share a rectangle
_MAX_RECTANGLES = 12  # rectangles of one picture: each costs some 70 bytes, and a call of the encoder
_SMALL_BYTES = 8192  # of pixels: a cell of 50 px
_PNG = (cv2.IMWRITE_PNG_COMPRESSION, 3, cv2.IMWRITE_PNG_STRATEGY, 0, cv2.IMWRITE_PNG_FILTER, cv2.IMWRITE_PNG_FILTER_UP)
"""PNG's filter "up": the rows of a board resemble those above, and trying all filters takes four times as long."""


class Canvas:
    """The last known pixels of a desktop that covers `region`; black where they are unknown."""

    def __init__(self, region: Region) -> None:
        self.region = region
        self._seen = Frame(np.zeros((region.height, region.width, 3), dtype=np.uint8), region)

    def part(self, region: Region) -> Image:
        """Return a copy of the pixels of a region."""
        return self._seen.part(region).copy()

    def grab(self, region: Region | None = None) -> Frame:
        """See `Screen.grab`."""
        return Frame(self.part(region or self.region), region or self.region)

    def take(self, region: Region, image: Image) -> list[Region]:
        """Update a region with a newer picture, and return the rectangles that have changed."""
        known = self._seen.part(region)
        changed = [change.moved(region.origin) for change in _rectangles(known ^ image)]
        if changed:
            known[:] = image
        return changed

    def paint(self, region: Region, image: Image) -> None:
        """Set the pixels of a region."""
        self._seen.part(region)[:] = image

    def keep_only(self, region: Region) -> None:
        """Make everything outside a region black."""
        kept = region.intersection(self.region)
        part = None if kept is None else self.part(kept)
        self._seen.image[:] = 0
        if kept is not None and part is not None:
            self.paint(kept, part)


def _rectangles(difference: Image) -> list[Region]:
    """Return rectangles that cover every pixel other than 0, a separate one for each group of them."""
    height, width = difference.shape[:2]
    if width <= 2 * _BLOCK_PX and height <= 2 * _BLOCK_PX:
        return [Region(0, 0, width, height)] if difference.any() else []
    # One axis at a time, on contiguous bytes: ten times as fast as `any` over two axes.
    rows = np.flatnonzero(difference.reshape(difference.shape[0], -1).max(axis=1))
    if not rows.size:
        return []
    top, bottom = int(rows[0]), int(rows[-1]) + 1
    columns = np.flatnonzero(difference[top:bottom].max(axis=0).max(axis=1))
    left, right = int(columns[0]), int(columns[-1]) + 1
    around = Region(left, top, right - left, bottom - top)
    if around.width <= 2 * _BLOCK_PX and around.height <= 2 * _BLOCK_PX:
        return [around]
    part = difference[top:bottom, left:right]
    changed = (part[:, :, 0] | part[:, :, 1] | part[:, :, 2]) > 0
    whole = (-(-side // _BLOCK_PX) * _BLOCK_PX for side in (around.height, around.width))
    padded = np.zeros(tuple(whole), dtype=np.bool_)
    padded[: around.height, : around.width] = changed
    blocks = padded.reshape(padded.shape[0] // _BLOCK_PX, _BLOCK_PX, -1, _BLOCK_PX).any(axis=(1, 3))
    _, _, boxes, _ = cv2.connectedComponentsWithStats(np.asarray(blocks, dtype=np.uint8))
    groups = boxes[1:, :4].tolist()  # the first is the background
    if not 1 < len(groups) <= _MAX_RECTANGLES:
        return [around]
    return [_changes_within(padded, Region(*group)).moved(Point(left, top)) for group in groups]


def _changes_within(changed: NDArray[np.bool_], blocks: Region) -> Region:
    """Return the smallest rectangle around the changed pixels within a region that is given in blocks."""
    x, y = blocks.x * _BLOCK_PX, blocks.y * _BLOCK_PX
    within = Region(x, y, blocks.width * _BLOCK_PX, blocks.height * _BLOCK_PX)
    changes = extent(changed[within.slices])
    assert changes is not None  # noqa: S101  (something has changed in each block)
    return changes.moved(within.origin)


def encode(image: Image) -> bytes:
    """Encode a picture as PNG. Small ones are cached, since most are cells, and cells look alike."""
    if image.nbytes <= _SMALL_BYTES:
        return _encode_small(image.tobytes(), image.shape)
    return cv2.imencode(".png", image, _PNG)[1].tobytes()


@lru_cache(maxsize=1024)
def _encode_small(pixels: bytes, shape: tuple[int, int, int]) -> bytes:
    return cv2.imencode(".png", np.frombuffer(pixels, dtype=np.uint8).reshape(shape), _PNG)[1].tobytes()


def decode(png: bytes, width: int, height: int) -> Image:
    """Decode a PNG that must have this size; the array must not be written to.

    Raises:
        ImageError: It is not a PNG of this size, or is damaged.
    """

    def check(*stated: int) -> None:
        if stated != (width, height):
            raise ImageError(f"this is not a PNG of {width}x{height} pixels")

    return picture(png, "a picture", check)
