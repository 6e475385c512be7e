"""Screenshots to readings, for the commands that take them."""

from pathlib import Path

from sweepbot.errors import UsageError
from sweepbot.geometry import Region
from sweepbot.vision.identify import identify_all
from sweepbot.vision.pictures.image import load_image
from sweepbot.vision.reader import Reader, Reading


def read_boards(path: Path, reader: Reader | None, region: Region | None) -> list[list[Reading]]:
    """Read every board in a screenshot, the one with most readable cells first.

    Args:
        path: A picture.
        reader: Whose look to expect; None tries all known ones.
        region: Where to look, in pixels of the picture; None is everywhere.

    Returns:
        Each board as the clients read it that it may be of, the likeliest first.

    Raises:
        ImageError: The file cannot be read as a picture.
        UsageError: The region is not inside it.
        NoBoardFoundError: It shows no board there.
    """
    image = load_image(path)
    whole = Region(0, 0, image.shape[1], image.shape[0])
    part = whole if region is None else region
    if part.intersection(whole) != part:
        raise UsageError(f"{path}: {part} is not inside its {whole.width}x{whole.height} pixels", hint="mend --region")
    searched = image[part.y : part.bottom, part.x : part.right]
    boards = identify_all(searched) if reader is None else [[board] for board in reader.read_all(searched)]
    return [[reading.moved(part.origin) for reading in board] for board in boards]


def region_of(reading: Reading, path: Path) -> Region:
    """The `--region` that makes a command look at this board of a picture only, with what is above it."""
    height, width = load_image(path).shape[:2]
    around = reading.grid.region.grown(round(2 * reading.grid.pitch[0]))
    return around.intersection(Region(0, 0, width, height)) or around
