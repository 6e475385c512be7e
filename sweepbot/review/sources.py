"""Where the positions of a game come from: a trace, or screenshots in order."""

import re
from collections.abc import Iterator
from pathlib import Path

from sweepbot.board import Board
from sweepbot.errors import NoBoardFoundError, SweepbotError, UntrustedReadingError
from sweepbot.review.games import Position
from sweepbot.trace.entries import Click
from sweepbot.trace.events import Read
from sweepbot.trace.trace import Trace
from sweepbot.vision.calibration import find_calibration
from sweepbot.vision.identify import identify_all
from sweepbot.vision.pictures.image import load_image
from sweepbot.vision.reader import Reader

PICTURES = frozenset((".png", ".jpg", ".jpeg", ".bmp", ".webp"))
"""What the names of screenshots end in."""


def traced(trace: Trace) -> Iterator[Position]:
    """The positions that were read in a run and trusted, with the clicks of a run that made any.

    Raises:
        TraceError: The trace is broken.
    """
    is_a_persons = trace.run.command == "assist"
    clicks = 0
    for entry in trace.entries():
        if isinstance(entry, Click) and entry.failed is None:
            clicks += 1
        elif isinstance(entry, Read) and not entry.doubt:
            board = Board.parse("\n".join(entry.rows), entry.mines)
            yield Position(board, None if is_a_persons else clicks, entry.t / 1e6)


def photographed(folder: Path) -> Iterator[Position]:
    """The boards of the screenshots in a folder, in the order of their names: `2.png` comes before `10.png`.

    The client is told by the look of the first one.

    Raises:
        SweepbotError: There is no screenshot.
        NoBoardFoundError: One shows no board.
        UntrustedReadingError: What one shows is not to be trusted.
    """
    files = sorted((file for file in folder.iterdir() if file.suffix.lower() in PICTURES), key=_by_number)
    if not files:
        raise SweepbotError(
            f"{folder}: holds neither a trace nor screenshots",
            hint="record a game: sweepbot assist --record DIR; or name a folder of .png files in order",
        )
    reader: Reader | None = None
    for file in files:
        try:
            reading = identify_all(load_image(file))[0][0] if reader is None else reader.read(load_image(file))
        except NoBoardFoundError as error:
            raise NoBoardFoundError(f"{file}: {error}", hint=error.hint) from error
        if reading.problems:
            raise UntrustedReadingError(
                f"{file}: not to be trusted: {'; '.join(reading.problems)}", hint="take the picture anew, or remove it"
            )
        reader = reader or Reader(find_calibration(reading.client))
        yield Position(reading.board)


def _by_number(file: Path) -> list[tuple[int, str]]:
    """Numbers within a name count as numbers."""
    return [(int(part), "") if part.isdigit() else (-1, part) for part in re.split(r"(\d+)", file.stem)]
