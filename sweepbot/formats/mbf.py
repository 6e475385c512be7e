"""Boards as MBF files of Minesweeper Arbiter: columns, rows, two bytes of mines, then column and row of each mine."""

import numpy as np
from numpy.typing import NDArray

from sweepbot.errors import SweepbotError, UsageError

_MAX_LINES = 255  # columns or rows of an MBF board: their number is a byte
_HEADER_BYTES = 4


def to_mbf(mine: NDArray[np.bool_]) -> bytes:
    """Return the content of an MBF file for a board's mines, bool of shape (rows, columns).

    Raises:
        UsageError: It is larger than the format allows.
    """
    rows, columns = mine.shape
    if max(rows, columns) > _MAX_LINES:
        raise UsageError(f"an MBF file cannot have {columns}x{rows} cells: {_MAX_LINES}x{_MAX_LINES} is the most")
    places = np.argwhere(mine)[:, ::-1]
    return bytes([columns, rows, *divmod(len(places), 256)]) + places.astype(np.uint8).tobytes()


def from_mbf(content: bytes, name: str) -> NDArray[np.bool_]:
    """Return the mines of an MBF file, bool of shape (rows, columns); `name` is used in errors.

    Raises:
        SweepbotError: It is not a valid MBF file.
    """
    if len(content) < _HEADER_BYTES or len(content) != _HEADER_BYTES + 2 * (content[2] * 256 + content[3]):
        raise SweepbotError(f"{name}: not an MBF board: its {len(content)} bytes do not match its number of mines")
    columns, rows = content[:2]
    mine = np.zeros((rows, columns), np.bool_)
    for x, y in zip(content[_HEADER_BYTES::2], content[_HEADER_BYTES + 1 :: 2], strict=True):
        if x >= columns or y >= rows:
            raise SweepbotError(f"{name}: a mine at [{x}, {y}] is not on a board of {columns}x{rows} cells")
        if mine[y, x]:
            raise SweepbotError(f"{name}: a mine at [{x}, {y}] is listed twice")
        mine[y, x] = True
    return mine
