"""Recorded screenshots again, offline: are they still read as the boards that they are known to show?"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from sweepbot.board import CHARACTERS, Board
from sweepbot.errors import NoBoardFoundError, SweepbotError
from sweepbot.geometry import Cell
from sweepbot.vision.calibration import find_calibration
from sweepbot.vision.image import load_image
from sweepbot.vision.reader import Reader


@dataclass(frozen=True, slots=True)
class Difference:
    """A cell that is not read as it should be; states in board text."""

    cell: Cell
    expected: str
    got: str

    def __str__(self) -> str:
        return f"{self.cell}: {self.got!r} was read, {self.expected!r} is there"


@dataclass(frozen=True, slots=True)
class Comparison:
    """How a fixture compares with its board.

    Attributes:
        file: The screenshot.
        client: The calibration it was read with.
        cells: How many cells were compared.
        differences: Those that differ, in reading order.
        error: Why nothing could be compared; empty where it could.
    """

    file: Path
    client: str
    cells: int
    differences: tuple[Difference, ...]
    error: str = ""

    @property
    def agrees(self) -> bool:
        """Whether every cell was read right."""
        return not self.error and not self.differences


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
        client = image.resolve().parent.name
        yield _compare(image, client, reader_of(client))


def _compare(path: Path, client: str, reader: Reader) -> Comparison:
    truth = Board.parse(path.with_suffix(".txt").read_text(encoding="utf-8"))
    try:
        board = reader.read(load_image(path)).board
    except NoBoardFoundError as error:
        return Comparison(path, client, truth.cells.size, (), str(error))
    if board.cells.shape != truth.cells.shape:
        sizes = f"{board.columns}x{board.rows} cells were found, {truth.columns}x{truth.rows} are there"
        return Comparison(path, client, truth.cells.size, (), sizes)
    wrong = (cell for cell in truth if board[cell] != truth[cell])
    differences = tuple(Difference(cell, CHARACTERS[truth[cell]], CHARACTERS[board[cell]]) for cell in wrong)
    return Comparison(path, client, truth.cells.size, differences)
