"""Recorded screenshots again, offline: are they still read as the boards that they are known to show?"""

from collections.abc import Iterator
from functools import cache
from pathlib import Path

from sweepbot.errors import SweepbotError
from sweepbot.vision.calibration import find_calibration
from sweepbot.vision.comparison import Comparison, compare
from sweepbot.vision.reader import Reader


def find_fixtures(path: Path) -> list[Path]:
    """The screenshots at `path` (a file, or a folder of any depth) that have board text of the same name beside them.

    Raises:
        SweepbotError: There is none.
    """
    candidates = [path] if path.is_file() else sorted(path.rglob("*.png"))
    fixtures = [image for image in candidates if image.with_suffix(".txt").is_file()]
    if not fixtures:
        raise SweepbotError(
            f"{path}: holds no fixtures", hint="a fixture is NAME.png with its board in NAME.txt, in a folder CLIENT/"
        )
    return fixtures


def compare_all(fixtures: list[Path]) -> Iterator[Comparison]:
    """Read each fixture with the calibration that its folder is named after, and compare it with its board.

    Raises:
        CalibrationError: A folder is not named after a client.
        BoardTextError: A fixture's board text is broken.
    """
    reader_of = cache(lambda client: Reader(find_calibration(client)))
    for image in fixtures:
        yield compare(image, reader_of(image.resolve().parent.name))
