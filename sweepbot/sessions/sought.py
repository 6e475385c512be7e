"""Which client is looked for."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sweepbot.geometry import Image
from sweepbot.sessions.settings import PlaySettings
from sweepbot.vision.calibration import Calibration
from sweepbot.vision.reader import Reader, Reading


@dataclass(frozen=True, slots=True)
class Sought:
    """Which client is looked for.

    Attributes:
        read: Reads the board in a picture; raises NoBoardFoundError where there is none of such a client.
        reader: Given such a reading, what reads boards of that client only.
        titles: What the titles of its windows contain.
        settled: Given the reading of the board that was found, says which client it is, and what was asked of it.
        named: What reads boards of the client that was named; None where any is looked for.
    """

    read: Callable[[Image], Reading]
    reader: Callable[[Reading], Reader]
    titles: Sequence[str]
    settled: Callable[[Reading], tuple[Calibration, PlaySettings]]
    named: Reader | None = None


def named(calibration: Calibration, settings: PlaySettings) -> Sought:
    """One client and no other."""
    reader = Reader(calibration, settings.mines)
    return Sought(reader.read, lambda _: reader, calibration.titles, lambda _: (calibration, settings), reader)
