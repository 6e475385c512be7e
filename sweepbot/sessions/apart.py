"""Finding a board on a desktop, and reading it by the client's part of the screen alone."""

from collections.abc import Callable

from sweepbot.desktop.screen import Frame
from sweepbot.geometry import Region
from sweepbot.player.finding import on_desktop
from sweepbot.sessions.recording import Recording
from sweepbot.sessions.sought import Sought
from sweepbot.trace.events import Observer
from sweepbot.vision.reader import Reading


def read_apart(sought: Sought, recording: Recording, observer: Observer) -> Callable[[Frame], Reading]:
    """What reads boards by the part of the screen alone that is their client's, in pixels of the desktop.

    What stands around a board has a say in where its lines are, to a part of a pixel, and in what light it is taken to
    be seen. So a search only tells which client it is and where: a replay, which has that part and no more, comes to
    the same reading.
    """

    def read(frame: Frame) -> Reading:
        if recording.shown is not None:
            part = recording.shown.intersection(frame.region) or frame.region
            return on_desktop(sought.read)(Frame(frame.part(part), part))
        reading = on_desktop(sought.read)(frame)
        reader = sought.reader(reading)
        place = recording.place_of(reading.grid, reader.calibration)
        part = Region(*place.region).intersection(frame.region) or frame.region
        if part != frame.region:
            reading = on_desktop(reader.read)(Frame(frame.part(part), part))
        observer(place)
        return reading

    return read
