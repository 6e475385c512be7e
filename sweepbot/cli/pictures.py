"""Load and read screenshots, for the commands that take them."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from sweepbot.desktop.clipboard import NAME, image_on_clipboard
from sweepbot.errors import UsageError
from sweepbot.geometry import Image, Region
from sweepbot.render.text import counted
from sweepbot.sessions.recognised import fits
from sweepbot.strangers import check_size
from sweepbot.vision.eyes import Boards
from sweepbot.vision.pictures.image import load_image
from sweepbot.vision.reading import Reading


@dataclass(frozen=True, slots=True, eq=False)
class Screenshot:
    """A picture and the name under which to report it."""

    name: str
    image: Image


def screenshot(path: Path | None) -> Screenshot:
    """Load the screenshot in a file, or for None the one on the clipboard.

    Raises:
        ImageError: The file cannot be read as a picture.
        DesktopError: There is no picture on the clipboard.
    """
    if path is not None:
        return Screenshot(str(path), load_image(path))
    copied = image_on_clipboard()
    if isinstance(copied, Path):
        return screenshot(copied)
    check_size(copied.shape[1], copied.shape[0], NAME)
    return Screenshot(NAME, copied)


def cut(image: Image, region: Region, name: str) -> Image:
    """Cut a region out of a picture, which errors call by its name.

    Raises:
        UsageError: The region is not inside the picture.
    """
    whole = Region.of(image)
    if region.intersection(whole) != region:
        size = f"{whole.width}x{whole.height}"
        raise UsageError(f"{name}: {region} is not inside its {size} pixels", hint="correct --region")
    return image[region.slices]


def read_boards(shot: Screenshot, read: Callable[[Image], Boards], region: Region | None) -> Boards:
    """Read every board in a screenshot.

    Args:
        shot: The screenshot.
        read: What reads it, see `eyes`.
        region: Where to search, in pixels of the picture; None searches everywhere.

    Raises:
        UsageError: The region is not inside the picture.
        NoBoardFoundError: There is no board; the message says what is there instead.
    """
    part = region or Region.of(shot.image)
    boards = read(cut(shot.image, part, shot.name))
    return [[reading.moved(part.origin) for reading in board] for board in boards]


def boards_in_words(boards: Boards, shot: Screenshot) -> list[str]:
    """Say which board of a screenshot is read, as which clients, and which other ones it shows: a line each."""
    fitting, *others = boards
    reading = fitting[0]
    left = "" if reading.mines_left is None else f", {counted(reading.mines_left, 'mine')} left"
    unread = f", {counted(reading.unread, 'cell')} not read" if reading.unread else ""
    lines = [f"{shot.name}: {_in_words(reading)}{left}, confidence {reading.confidence:.1%}{unread}"]
    if len(fitting) > 1:
        lines.append(f"  {fits(fitting)}")
    return lines + [f"  another board: {_in_words(it)} (--region {region_of(it, shot)})" for it, *_ in others]


def _in_words(reading: Reading) -> str:
    board, (x, y) = reading.board, reading.grid.origin
    return f"{reading.client}, {board.columns}x{board.rows} cells at +{x:g}+{y:g}, {reading.phase.value}"


def region_of(reading: Reading, shot: Screenshot) -> Region:
    """Return the `--region` by which a command reads only this board of a screenshot, with its header."""
    around = reading.grid.region.grown(round(2 * reading.grid.pitch[0]))
    return around.intersection(Region.of(shot.image)) or around
