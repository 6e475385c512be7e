"""Pictures of an X11 display whose colours have not eight bits each, which mss does not take."""

from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sweepbot.desktop.x11.connection import X11Connection
from sweepbot.errors import DesktopError

_MIN_DEPTH_BITS = 15  # of a pixel: of fewer, several colours of a client become one
_PAD_BYTES = 4  # of which each row of a picture has a multiple: 32 bits, on every server in use
_PIECE_BYTES = 250_000  # asked for at once: the time that python-xlib takes for an answer grows with its size squared
_WHITE = 255  # the lightest level of a colour

Box = Mapping[str, int]
"""A region as mss names its parts: left, top, width, height."""


class NoPictureError(Exception):
    """The display gives no picture of a region."""


@dataclass(frozen=True, slots=True)
class RawPicture:
    """A picture: its pixels row by row, blue, green, red and an unused byte; its width and height in pixels."""

    raw: bytes
    width: int
    height: int


class X11Pictures(X11Connection):
    """Takes pictures as mss does, with `monitors` as mss lists them.

    Raises:
        DesktopError: The display cannot be opened, or has too few colours.
    """

    def __init__(self, monitors: Sequence[Box]) -> None:
        super().__init__()
        self.monitors = monitors
        screen, info = self.display.screen(), self.display.display.info
        visuals = {it.visual_id: it for depth in screen.allowed_depths for it in depth.visuals}
        visual = visuals[screen.root_visual]
        self._masks = [visual.blue_mask, visual.green_mask, visual.red_mask]
        if screen.root_depth < _MIN_DEPTH_BITS or not all(self._masks):
            self.close()
            raise DesktopError(
                f"this display has {screen.root_depth} bits a pixel: too few colours to tell cells apart",
                hint="set its colour depth to 24 bits, for example by Xvfb -screen 0 1600x1200x24",
            )
        bits = next(it.bits_per_pixel for it in info.pixmap_formats if it.depth == screen.root_depth)
        self._type = np.dtype(f"{'>' if info.image_byte_order else '<'}u{bits // 8}")

    def grab(self, box: Box) -> RawPicture:
        """Take a picture of a part of the display.

        Raises:
            NoPictureError: It is not on the display.
        """
        width, height = box["width"], box["height"]
        rows = max(1, _PIECE_BYTES // (width * self._type.itemsize))
        tops = range(0, height, rows)
        try:
            pieces = [self._rows(box["left"], box["top"] + top, width, min(rows, height - top)) for top in tops]
        except self.error.XError as cause:
            raise NoPictureError(str(cause)) from cause
        return RawPicture(in_eight_bits(np.concatenate(pieces), self._masks).tobytes(), width, height)

    def _rows(self, left: int, top: int, width: int, height: int) -> NDArray[np.unsignedinteger]:
        """Return the pixels of some rows as the display has them: an array of shape (height, width)."""
        all_planes = 0xFFFFFFFF
        got = self.root.get_image(left, top, width, height, self.x.ZPixmap, all_planes)
        size = self._type.itemsize
        stride = -(-width * size // _PAD_BYTES) * _PAD_BYTES // size
        # python-xlib takes bytes that happen to be UTF-8, as those of a dark picture may, for text.
        data = got.data.encode() if isinstance(got.data, str) else got.data
        pixels: NDArray[np.unsignedinteger] = np.frombuffer(data, self._type).reshape(height, stride)
        return pixels[:, :width]


def x11_depth() -> int:
    """Return how many bits a pixel of the display has.

    Raises:
        DesktopError: It cannot be opened.
    """
    with closing(X11Connection()) as connection:
        return int(connection.display.screen().root_depth)


def in_eight_bits(pixels: NDArray[np.unsignedinteger], masks: Sequence[int]) -> NDArray[np.uint8]:
    """Return pixels with eight bits a colour.

    Args:
        pixels: An array of shape (height, width).
        masks: The bits of blue, green and red in a pixel.

    Returns:
        uint8 array of shape (height, width, 4): blue, green, red and 0.
    """
    found = np.zeros((*pixels.shape, 4), dtype=np.uint8)
    for place, mask in enumerate(masks):
        shift = (mask & -mask).bit_length() - 1
        most = mask >> shift
        scaled = ((np.arange(most + 1) * _WHITE + most // 2) // most).astype(np.uint8)
        found[:, :, place] = scaled[(pixels & mask) >> shift]
    return found
