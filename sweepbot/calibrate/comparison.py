"""Compare what is read from screenshots with their known boards."""

from dataclasses import dataclass
from pathlib import Path

from sweepbot.board import CHARACTERS, Board, State
from sweepbot.errors import NoBoardFoundError
from sweepbot.geometry import Cell
from sweepbot.strangers import read_text
from sweepbot.vision.pictures.image import load_image
from sweepbot.vision.reader import Reader

_UNREAD = CHARACTERS[State.UNKNOWN]


@dataclass(frozen=True, slots=True)
class Difference:
    """A cell that is read as something else than it shows; states as in board text."""

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
        cells: The number of cells compared.
        differences: The cells that differ, in reading order.
        error: Why nothing could be compared; empty if it could.
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

    @property
    def refused(self) -> int:
        """The number of unread cells."""
        return sum(difference.got == _UNREAD for difference in self.differences)

    @property
    def wrong(self) -> int:
        """The number of cells read wrong; all of them if nothing could be compared."""
        if self.error:
            return self.cells
        return sum(_UNREAD not in (difference.got, difference.expected) for difference in self.differences)

    @property
    def right(self) -> int:
        """The number of cells read right."""
        return 0 if self.error else self.cells - len(self.differences)


def compare(path: Path, reader: Reader) -> Comparison:
    """Read the screenshot at `path`, and compare it with the board text of the same name beside it.

    Raises:
        ImageError: The screenshot cannot be read.
        SweepbotError: The board text cannot be read.
        BoardTextError: The board text is broken.
    """
    client = reader.calibration.name
    truth_file = path.with_suffix(".txt")
    truth = Board.parse(read_text(truth_file))
    try:
        board = reader.read(load_image(path)).board
    except NoBoardFoundError as error:
        return Comparison(path, client, truth.cells.size, (), str(error))
    if board.cells.shape != truth.cells.shape:
        sizes = f"{board.columns}x{board.rows} cells were found, {truth.columns}x{truth.rows} are there"
        return Comparison(path, client, truth.cells.size, (), sizes)
    differing = (cell for cell in truth if board[cell] != truth[cell])
    differences = tuple(Difference(cell, CHARACTERS[truth[cell]], CHARACTERS[board[cell]]) for cell in differing)
    return Comparison(path, client, truth.cells.size, differences)
