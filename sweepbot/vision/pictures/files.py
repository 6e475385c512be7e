"""Read files with a limit on their size."""

from pathlib import Path

_PIECE_BYTES = 65_536  # a buffer for the largest file allowed costs more to make than most files to read


def read_at_most(path: Path, limit: int) -> bytes:
    """Read a file, but no more than `limit` + 1 bytes; the last shows that the file is larger.

    Raises:
        OSError: It cannot be read.
    """
    data = bytearray()
    with path.open("rb") as file:
        while len(data) <= limit and (piece := file.read(min(_PIECE_BYTES, limit + 1 - len(data)))):
            data += piece
    return bytes(data)
