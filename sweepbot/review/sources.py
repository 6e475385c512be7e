"""The positions of a game in a trace, or in screenshots in order."""

import re
from collections.abc import Iterator
from pathlib import Path

from sweepbot.board import Board
from sweepbot.errors import NoBoardFoundError, SweepbotError, UntrustedReadingError
from sweepbot.review.games import Moment
from sweepbot.trace.entries import Click
from sweepbot.trace.events import Read
from sweepbot.trace.trace import Trace
from sweepbot.vision.eyes import eyes
from sweepbot.vision.pictures.image import load_image

PICTURES = frozenset((".png", ".jpg", ".jpeg", ".bmp", ".webp"))
"""Suffixes of screenshots."""


def positions_in_trace(trace: Trace) -> Iterator[Moment]:
    """Yield the positions that were read in a run and trusted, with the clicks made so far by a bot.

    Raises:
        TraceError: The trace is broken.
    """
    by_person = trace.run.command == "assist"
    clicks = 0
    for entry in trace.entries():
        if isinstance(entry, Click) and entry.failed is None:
            clicks += 1
        elif isinstance(entry, Read) and not entry.doubt:
            board = Board.parse(entry.rows, entry.mines)
            yield Moment(board, None if by_person else clicks, entry.t / 1e6)


def positions_in_screenshots(folder: Path) -> Iterator[Moment]:
    """Yield the boards in the screenshots of a folder, in the order of their names: `2.png` comes before `10.png`.

    The client is recognised by the first one; a board that no client fits is read at first sight.

    Raises:
        SweepbotError: There is no screenshot.
        NoBoardFoundError: One shows no board.
        UntrustedReadingError: One cannot be read reliably.
    """
    files = sorted((file for file in folder.iterdir() if file.suffix.lower() in PICTURES), key=_by_number)
    if not files:
        raise SweepbotError(
            f"{folder}: neither a trace nor a folder of screenshots",
            hint="record a game with `sweepbot assist --record DIR`, or give a folder of .png files in order",
        )
    read = eyes(None)
    for file in files:
        try:
            reading = read(load_image(file))[0][0]
        except NoBoardFoundError as error:
            raise NoBoardFoundError(f"{file}: {error}", hint=error.hint) from error
        if reading.problems:
            raise UntrustedReadingError(
                f"{file}: cannot be trusted: {'; '.join(reading.problems)}", hint="take it again, or remove it"
            )
        read = eyes(reading.client)
        yield Moment(reading.board)


def _by_number(file: Path) -> list[tuple[int, str]]:
    """Return a sort key by which numbers in names are compared as numbers."""
    return [(int(part), "") if part.isdigit() else (-1, part) for part in re.split(r"(\d+)", file.stem)]
