"""The one gate for files from elsewhere: links, sizes, pixels, control characters.

Calibrations, traces, pictures, replays, links and lists of boards come from strangers. What is read of them passes
here, and so does their text before a terminal shows it.
"""

import os
import stat
import warnings
from collections.abc import Callable, Iterable
from io import BytesIO, FileIO
from pathlib import Path

import numpy as np

from sweepbot.errors import ImageError, SweepbotError
from sweepbot.geometry import Image

MAX_CALIBRATION_BYTES = 20_000_000
"""Of all files of a calibration together: its pictures, not compressed, take fewer."""

MAX_SIDE_PX = 16_384
"""Larger than any desktop of several monitors."""

MAX_AREA_PX = 25_000_000
"""Three monitors of 3840x2160. The memory that a search takes grows with it, up to 1 GiB."""

MAX_PICTURE_BYTES = 120_000_000
"""`MAX_AREA_PX` pixels that are not compressed take fewer."""

MAX_TEXT_BYTES = 4_000_000
"""Of board text: a thousand cells for each of those that the largest board has."""

_FORMATS = ("PNG", "JPEG", "BMP", "WEBP", "GIF")

_PIECE_BYTES = 65_536  # a buffer for the largest file allowed costs more to make than most files to read

_KEPT_CHARACTERS = frozenset("\n\t")
_TURNING = frozenset("\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
"""Characters that show the text around them in another order."""


def read_file(
    path: Path,
    max_bytes: int,
    kind: type[SweepbotError] = SweepbotError,
    hint: str = "check the path",
    *,
    is_within: bool = False,
) -> bytes:
    """Read a regular file.

    Args:
        path: The file.
        max_bytes: The most that it may have.
        kind: The class of the error if it is refused.
        hint: What a person can do about it.
        is_within: Whether it belongs to the folder of a stranger, who could have put a link to another file there.

    Raises:
        SweepbotError: Of class `kind`: it cannot be read, is larger, or is a device, a pipe, a folder or such a link.
    """
    data = bytearray()
    with opened(path, kind, hint, is_within=is_within) as file:
        while len(data) <= max_bytes and (piece := file.read(min(_PIECE_BYTES, max_bytes + 1 - len(data)))):
            data += piece
    if len(data) > max_bytes:
        raise kind(f"{path}: is larger than {max_bytes:,} bytes", hint=hint)
    return bytes(data)


def read_part(path: Path, offset: int, length: int, kind: type[SweepbotError], hint: str) -> bytes:
    """Read a part of a regular file that belongs to the folder of a stranger; raises what `read_file` does.

    The part is empty or shorter if the file ends before it does.
    """
    with opened(path, kind, hint, is_within=True) as file:
        file.seek(offset)
        return file.read(length) or b""


def read_text(path: Path, kind: type[SweepbotError] = SweepbotError) -> str:
    """Read a text file in UTF-8; raises what `read_file` does, and the same if it is no text."""
    data = read_file(path, MAX_TEXT_BYTES, kind)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise kind(f"{path}: is no text: {error}", hint="it should be text in UTF-8") from error


def opened(path: Path, kind: type[SweepbotError], hint: str, *, is_within: bool) -> FileIO:
    """Open a regular file for reading; see `read_file`."""
    try:
        mode = path.stat(follow_symlinks=not is_within).st_mode
        if stat.S_ISLNK(mode):
            raise kind(f"{path}: is a link, which may lead outside the folder", hint="put the file itself there")
        if not stat.S_ISREG(mode):  # opening a device may already do something
            raise kind(f"{path}: is no regular file", hint=hint)
        return FileIO(path, "r", opener=_open_unfollowed if is_within else _open)
    except (OSError, ValueError) as error:  # the latter for a name with a null character
        raise kind(f"{path}: cannot be read: {getattr(error, 'strerror', None) or error}", hint=hint) from error


def _open(path: str, flags: int) -> int:
    """Open a file; a pipe that has taken its place in the meantime would be waited for without end."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def _open_unfollowed(path: str, flags: int) -> int:
    return _open(path, flags | getattr(os, "O_NOFOLLOW", 0))


def copy_calibration(files: Iterable[Path], folder: Path, kind: type[SweepbotError]) -> None:
    """Copy the files of a calibration into an existing folder, as regular files of the same names.

    Raises:
        SweepbotError: Of class `kind`: one cannot be read, is a link, or they are larger than `MAX_CALIBRATION_BYTES`.
        OSError: One cannot be written.
    """
    max_bytes = MAX_CALIBRATION_BYTES
    for file in files:
        data = read_file(file, max_bytes, kind, is_within=True)
        max_bytes -= len(data)
        (folder / file.name).write_bytes(data)


def picture(data: bytes, name: str, check: Callable[[int, int], None] | None = None) -> Image:
    """Unpack a picture as a uint8 array of shape (height, width, 3), channels blue, green, red.

    Transparent pixels are shown as their colour says; animations give their first picture.

    Args:
        data: The content of its file.
        name: What errors call it.
        check: Called with the width and height in its header before it is unpacked; may raise to refuse it.

    Raises:
        ImageError: It is empty, no picture, damaged, or larger than `MAX_SIDE_PX` and `MAX_AREA_PX` allow.
    """
    import cv2  # noqa: PLC0415  (slow to load, and board text needs no pictures)

    cv2.utils.logging.setLogLevel(cv2.utils.logging.LOG_LEVEL_SILENT)  # our errors say it
    if not data:
        raise ImageError(f"{name}: the file is empty", hint="record the screenshot again")
    width, height = _stated_size(data, name)
    check_size(width, height, name)
    if check is not None:
        check(width, height)
    try:
        image = cv2.imdecode(np.frombuffer(data, dtype=np.uint8), cv2.IMREAD_COLOR)
    except cv2.error as error:
        raise ImageError(f"{name}: OpenCV refuses it: {error.err}", hint="record the screenshot again") from error
    if image is None:
        raise ImageError(f"{name}: is damaged and cannot be read", hint="record the screenshot again")
    check_size(image.shape[1], image.shape[0], name)  # a frame may be larger than its header says
    return np.asarray(image, dtype=np.uint8)


def check_size(width: int, height: int, name: str, kind: type[SweepbotError] = ImageError) -> None:
    """Check that a picture of so many pixels is one that is read.

    Raises:
        SweepbotError: Of class `kind`: it has no pixels, or more than `MAX_SIDE_PX` and `MAX_AREA_PX` allow.
    """
    if min(height, width) < 1:
        raise kind(f"{name}: {width}x{height} pixels are no picture", hint="record it again")
    if max(height, width) > MAX_SIDE_PX:
        raise kind(f"{name}: {width}x{height} pixels is too large", hint=f"at most {MAX_SIDE_PX} pixels a side")
    if height * width > MAX_AREA_PX:
        raise kind(f"{name}: {width}x{height} pixels are too many", hint=f"at most {MAX_AREA_PX:,} pixels in all")


def _stated_size(data: bytes, name: str) -> tuple[int, int]:
    """Read width and height from the header alone: a file of some kilobytes may unpack to gigabytes."""
    import PIL.Image  # noqa: PLC0415  (as above)

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # `check_size` has the bounds
            return PIL.Image.open(BytesIO(data), formats=_FORMATS).size
    except PIL.Image.DecompressionBombError as error:
        raise ImageError(f"{name}: is too large: {error}", hint=f"at most {MAX_AREA_PX:,} pixels in all") from error
    except (OSError, ValueError, ArithmeticError, EOFError) as error:  # of a text beside the pixels that is too long
        why = "" if isinstance(error, PIL.UnidentifiedImageError) else f": {error}"  # else it names a buffer
        hint = "use PNG, JPEG, BMP, WebP or GIF"
        raise ImageError(f"{name}: is no picture that can be read{why}", hint=hint) from error


def printable(text: str) -> str:
    """Return a text as a terminal may show it: what would move the cursor, recolour or reorder it is written out."""
    if text.isprintable():
        return text
    return "".join(_written_out(character) for character in text)


def _written_out(character: str) -> str:
    is_control = ord(character) < ord(" ") or "\x7f" <= character <= "\x9f" or character in _TURNING
    return ascii(character)[1:-1] if is_control and character not in _KEPT_CHARACTERS else character
