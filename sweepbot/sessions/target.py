"""Which client is looked for, and reading its board by its own part of the screen alone."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sweepbot.desktop.screen import Frame
from sweepbot.geometry import Image, Region
from sweepbot.player.finding import on_desktop
from sweepbot.sessions.recording import Recording
from sweepbot.sessions.settings import PlaySettings
from sweepbot.trace.events import Observer
from sweepbot.vision.calibration import Calibration
from sweepbot.vision.reader import Reader, Reading


@dataclass(frozen=True, slots=True)
class Target:
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


def named(
    calibration: Calibration, mines: int | None, settled: Callable[[Reading], tuple[Calibration, PlaySettings]]
) -> Target:
    """One client and no other; `mines` are those of the board, where the person knows them."""
    reader = Reader(calibration, mines)
    return Target(reader.read, lambda _: reader, calibration.titles, settled, reader)


def client_reader(target: Target, recording: Recording, observer: Observer) -> Callable[[Frame], Reading]:
    """A reader of boards by the part of the screen alone that is their client's, in pixels of the desktop.

    What stands around a board has a say in where its lines are, to a part of a pixel, and in what light it is taken to
    be seen. So a search only tells which client it is and where: a replay, which has that part and no more, comes to
    the same reading.
    """

    def read(frame: Frame) -> Reading:
        if recording.shown is not None:
            part = recording.shown.intersection(frame.region) or frame.region
            return on_desktop(target.read)(Frame(frame.part(part), part))
        reading = on_desktop(target.read)(frame)
        reader = target.reader(reading)
        place = recording.place_of(reading.grid, reader.calibration)
        part = Region(*place.region).intersection(frame.region) or frame.region
        if part != frame.region:
            reading = on_desktop(reader.read)(Frame(frame.part(part), part))
        observer(place)
        return reading

    return read
