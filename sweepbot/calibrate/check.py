"""Checking a calibration: its files, how well its states can be told apart, and that it reads its own fixtures."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from sweepbot.board import Board, State
from sweepbot.calibrate.confusion import Confusion, confusions
from sweepbot.errors import NoBoardFoundError
from sweepbot.vision.calibration import Calibration
from sweepbot.vision.image import load_image
from sweepbot.vision.reader import Reader


@dataclass(frozen=True, slots=True)
class FixtureCheck:
    """A fixture as the calibration reads it.

    Attributes:
        file: The picture.
        right: Cells read as its board says.
        refused: Cells that were not believed.
        wrong: Cells read as something else; all of them where no board was found or one of another size.
    """

    file: Path
    right: int
    refused: int
    wrong: int


@dataclass(frozen=True, slots=True)
class Check:
    """What a check has found: one confusion for each template, in the order of the file."""

    confusions: list[Confusion]
    fixtures: list[FixtureCheck]

    @property
    def sound(self) -> bool:
        """Whether every template is read as what it is and no cell of a fixture is misread."""
        return all(confusion.right for confusion in self.confusions) and not any(done.wrong for done in self.fixtures)


def check(calibration: Calibration, fixtures: Path | None) -> Check:
    """Check a calibration that could be loaded, which has shown its schema and its files to be in order.

    Args:
        calibration: The calibration.
        fixtures: A folder of pictures and boards; None for no such check.

    Raises:
        ImageError: A picture cannot be read.
        BoardTextError: A board cannot be read.
    """
    done = [] if fixtures is None else list(_read_all(Reader(calibration), fixtures))
    return Check(confusions(calibration.templates), done)


def _read_all(reader: Reader, folder: Path) -> Iterator[FixtureCheck]:
    for text in sorted(folder.glob("*.txt")):
        picture = text.with_suffix(".png")
        truth = Board.parse(text.read_text(encoding="ascii")).cells
        image = load_image(picture)
        try:
            seen = reader.read(image).board.cells
        except NoBoardFoundError:
            seen = np.empty((0, 0), dtype=np.uint8)
        if seen.shape != truth.shape:
            yield FixtureCheck(picture, 0, 0, truth.size)
            continue
        told = truth != State.UNKNOWN  # a fixture may leave open what nobody knows
        refused = told & (seen == State.UNKNOWN)
        wrong = told & (seen != truth) & ~refused
        yield FixtureCheck(picture, int((told & (seen == truth)).sum()), int(refused.sum()), int(wrong.sum()))
