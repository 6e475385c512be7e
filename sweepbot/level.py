"""Sizes of boards, and the rules of clients for the first click."""

from dataclasses import dataclass
from enum import Enum

from sweepbot.errors import UsageError
from sweepbot.geometry import MAX_CELLS, Cell


@dataclass(frozen=True, slots=True)
class Level:
    """The size of a board and its number of mines."""

    columns: int
    rows: int
    mines: int

    def __post_init__(self) -> None:
        if self.columns < 1 or self.rows < 1 or not 0 <= self.mines < self.columns * self.rows:
            raise UsageError(
                f"a board of {self.columns}x{self.rows} cells cannot have {self.mines} mines",
                hint=f"at least one cell must be safe: give 0 to {self.columns * self.rows - 1} mines",
            )
        if self.columns * self.rows > MAX_CELLS:
            raise UsageError(
                f"a board of {self.columns}x{self.rows} cells is too large", hint=f"{MAX_CELLS:,} cells are the most"
            )

    @staticmethod
    def parse(text: str) -> "Level":
        """Parse the name of a level, or `COLUMNSxROWS/MINES`.

        Raises:
            UsageError: Neither form, or the mines do not fit.
        """
        if text in LEVELS:
            return LEVELS[text]
        try:
            size, mines = text.split("/")
            columns, rows = size.split("x")
            numbers = int(columns), int(rows), int(mines)
        except ValueError as error:
            raise UsageError(f"{text!r} is not a level", hint=f"give one of {LEVEL_FORMS} such as 24x20/99") from error
        return Level(*numbers)

    def __str__(self) -> str:
        return f"{self.columns}x{self.rows}/{self.mines}"


LEVELS: dict[str, Level] = {
    "beginner": Level(9, 9, 10),
    "intermediate": Level(16, 16, 40),
    "expert": Level(30, 16, 99),
}

LEVEL_FORMS = f"{', '.join(LEVELS)}, or COLUMNSxROWS/MINES"
"""What `Level.parse` takes, in words."""


class FirstClick(Enum):
    """The first-click rule: what a client promises about the first cell."""

    SAFE = "safe"
    """It is never a mine."""
    OPEN = "open"
    """It is always a 0: neither it nor a neighbour is a mine."""
    NONE = "none"
    """Nothing: it may be a mine."""


def first_cell(level: Level, first_click: FirstClick | None) -> Cell:
    """Return the best first cell: a corner, as it is most likely a 0; if a 0 is promised, one a little further inside.

    Of 40,000 beginner boards with a promised 0, 97.15% were won from (2, 2) and 96.78% from (3, 3), with 95% intervals
    of 0.17 points; on expert boards both are equal within 0.9 points.
    """
    step = 2 if first_click is FirstClick.OPEN else 0
    return Cell(min(step, level.rows - 1), min(step, level.columns - 1))
