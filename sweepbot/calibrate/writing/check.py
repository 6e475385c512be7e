"""Checking a calibration: its files, how well its states can be told apart, and that it reads its own fixtures."""

from dataclasses import dataclass
from pathlib import Path

from sweepbot.calibrate.confusion import Confusion, confusions, misleading
from sweepbot.vision.calibration import Calibration
from sweepbot.vision.comparison import Comparison, compare
from sweepbot.vision.reader import Reader


@dataclass(frozen=True, slots=True)
class Check:
    """What a check has found.

    Attributes:
        confusions: One for each template, in the order of the file.
        misleading: The numbers of those templates that all others read as another state.
        fixtures: How each picture was read.
    """

    confusions: list[Confusion]
    misleading: list[int]
    fixtures: list[Comparison]

    @property
    def sound(self) -> bool:
        """Whether every template is read as what it is, also without it, and no cell of a fixture is misread."""
        misread = any(done.wrong for done in self.fixtures)
        return all(confusion.right for confusion in self.confusions) and not self.misleading and not misread


def check(calibration: Calibration, fixtures: Path | None) -> Check:
    """Check a calibration that could be loaded; without a folder, on the pictures in `fixtures/` beside it.

    Raises:
        ImageError: A picture cannot be read.
        BoardTextError: A board cannot be read.
    """
    reader = Reader(calibration)
    texts = sorted((fixtures or calibration.path.parent / "fixtures").glob("*.txt"))
    templates = calibration.templates
    compared = [compare(text.with_suffix(".png"), reader) for text in texts]
    return Check(confusions(templates), misleading(templates), compared)
