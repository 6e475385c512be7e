"""How large a picture file says that it is, found out before anything is unpacked.

A file of some kilobytes may unpack to gigabytes. The formats are those that screenshots come in; sizes are where their
specifications put them (PNG 3rd edition, ITU-T T.81, GIF89a, RFC 9649 for WebP, BITMAPINFOHEADER).
"""

import struct
from collections.abc import Callable

_NO_FRAME = frozenset({0xC4, 0xC8, 0xCC})
"""JPEG markers among those of frame headers that are none: tables, and one that is reserved."""


def stated_size(data: bytes) -> tuple[int, int] | None:
    """Width and height by the header of a PNG, JPEG, GIF, BMP or WebP file; None where it is none, or a broken one."""
    measure = next((measure for start, measure in _FORMATS.items() if data.startswith(start)), None)
    try:
        return None if measure is None else measure(data)
    except struct.error:  # it ends within its header
        return None


def _two(form: str, data: bytes, at: int) -> tuple[int, int]:
    width, height = struct.unpack_from(form, data, at)
    return abs(width), abs(height)  # a BMP stored from the top down has a negative height


def _png(data: bytes) -> tuple[int, int]:
    return _two(">II", data, 16)


def _gif(data: bytes) -> tuple[int, int]:
    return _two("<HH", data, 6)


def _bmp(data: bytes) -> tuple[int, int]:
    """The header of OS/2, 12 bytes long, has shorter numbers."""
    (length,) = struct.unpack_from("<I", data, 14)
    return _two("<HH" if length == 12 else "<ii", data, 18)  # noqa: PLR2004


def _jpeg(data: bytes) -> tuple[int, int] | None:
    """Segments are skipped up to the frame header, which holds height before width."""
    at = 2
    while True:
        marker, length = struct.unpack_from(">HH", data, at)
        kind = marker & 0xFF
        if marker >> 8 != 0xFF:  # noqa: PLR2004  (all markers begin so)
            return None
        if 0xC0 <= kind <= 0xCF and kind not in _NO_FRAME:  # noqa: PLR2004  (start of frame, 0 to 15)
            height, width = _two(">HH", data, at + 5)
            return width, height
        at += 1 if kind == 0xFF else 2 + length  # noqa: PLR2004  (a filling byte)


def _riff(data: bytes) -> tuple[int, int] | None:
    """Of these, WebP: lossy, lossless and extended files say it each in their own way."""
    if data[8:12] != b"WEBP":
        return None
    match data[12:16]:
        case b"VP8 ":
            width, height = _two("<HH", data, 26)
            return width & 0x3FFF, height & 0x3FFF
        case b"VP8L":
            bits = struct.unpack_from("<I", data, 21)[0]
            return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
        case b"VP8X":
            low, high, down_low, down_high = struct.unpack_from("<HBHB", data, 24)
            return low + (high << 16) + 1, down_low + (down_high << 16) + 1
    return None


_FORMATS: dict[bytes, Callable[[bytes], tuple[int, int] | None]] = {
    b"\x89PNG\r\n\x1a\n": _png,
    b"GIF8": _gif,
    b"\xff\xd8": _jpeg,
    b"BM": _bmp,
    b"RIFF": _riff,
}
"""How the size is found, by how a file begins."""
