"""Reading a client's board apart from what else is on the screen, of which a trace shows nothing."""

from collections.abc import Callable

from sweepbot.desktop.screen import Frame
from sweepbot.geometry import Region
from sweepbot.player.finding import on_desktop
from sweepbot.sessions.sought import Sought
from sweepbot.trace.events import Shows
from sweepbot.vision.calibration import Calibration
from sweepbot.vision.grid import Grid
from sweepbot.vision.reader import Reading

_MOST_TIMES = 4  # that a board is read until it lies where it was taken to lie: one or two do


class ApartReader:
    """Reads boards by the part of the screen that a trace shows of their client.

    What stands around a board has a say in where its lines are, to a part of a pixel, and in what light it is taken to
    be seen. Here a search only tells which client it is and where, so that a replay, which has nothing but that part,
    comes to the same reading.

    Args:
        sought: Which client, and what finds it.
        place: How much of the screen is the client's, by a board and its calibration.
        tell: Told the part by which a board was read, each time.
        shown: The part that is known from a trace already, None where there is none: then nothing is searched for.
    """

    def __init__(
        self,
        sought: Sought,
        place: Callable[[Grid, Calibration], Shows],
        tell: Callable[[Shows], None],
        shown: Callable[[], Region | None],
    ) -> None:
        self._sought = sought
        self._place = place
        self._tell = tell
        self._shown = shown

    def read(self, frame: Frame) -> Reading:
        """Read the board in a frame, in pixels of the desktop.

        Raises:
            NoBoardFoundError: There is none.
        """
        shown = self._shown()
        if shown is not None:
            part = shown.intersection(frame.region) or frame.region
            return on_desktop(self._sought.read)(Frame(frame.part(part), part))
        reading, part = on_desktop(self._sought.read)(frame), frame.region
        reader = self._sought.reader(reading)
        for _ in range(_MOST_TIMES):
            place = self._place(reading.grid, reader.calibration)
            last, part = part, Region(*place.region).intersection(frame.region) or frame.region
            if part == last:
                break
            reading = on_desktop(reader.read)(Frame(frame.part(part), part))
        self._tell(place)
        return reading
