"""Why one cell was read as it was, or not read."""

from dataclasses import dataclass

from sweepbot.board import State
from sweepbot.errors import UsageError
from sweepbot.geometry import Cell, Image
from sweepbot.vision.calibration import NAME_OF_STATE
from sweepbot.vision.cells.doubt import revisions
from sweepbot.vision.pictures.patches import Patches
from sweepbot.vision.reader import Matched


@dataclass(frozen=True, slots=True)
class Match:
    """How a cell agrees with templates, see `Classified`: `lead` is that over the second best state.

    Attributes:
        best: The state of its best template.
        rival: The second best state; None if that is a patch of a single colour.
        refused: Why the cell was not read; None if it was.
    """

    best: str
    score: float
    rival: str | None
    lead: float
    relief: float
    refused: str | None


def explain(image: Image, reading: Matched, cell: Cell) -> Match:
    """Explain what was read in a cell of a picture.

    Raises:
        UsageError: The cell is off the board.
    """
    board, told = reading.board, reading.classified
    if cell not in board:
        raise UsageError(
            f"{cell} is not on this board of {board.rows} rows and {board.columns} columns", hint="both count from 0"
        )
    best, rival = int(reading.classifier.of_template[told.templates[cell]]), NAME_OF_STATE.get(int(told.rivals[cell]))
    score, lead, relief = (round(float(of[cell]), 3) for of in (told.scores, told.leads, told.reliefs))
    refused = _refusal(image, reading, cell) if board[cell] == State.UNKNOWN else None
    return Match(NAME_OF_STATE[best], score, rival, lead, relief, refused)


def _refusal(image: Image, reading: Matched, cell: Cell) -> str:
    """Classify the board again, and say which check was the last to refuse a cell."""
    if reading.shows_win:
        return "the client has painted over its cells, as after a win"
    classifier = reading.classifier
    patches = Patches.of(image, reading.grid, classifier.cell)
    found = classifier.classify(patches)
    why = "" if found.believed[cell] else classifier.refusal(patches, found, cell)
    for reason, revised in revisions(classifier, patches, found, reading.scale):
        if revised.believed[cell]:
            why = ""
        elif not why:
            why = reason
    return why or "it looks like a zero, but may be a hidden cell held down, or part of a window in front of the board"
