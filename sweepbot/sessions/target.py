"""Which client to search for and how to play it, and reading its board from its own part of the screen only."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sweepbot.control.client_window import check_still_shown
from sweepbot.desktop.screen import Frame
from sweepbot.desktop.windows import Windows
from sweepbot.errors import NoBoardFoundError
from sweepbot.geometry import Image, Region
from sweepbot.player.finding import Finder, read_frame
from sweepbot.sessions.recording import Recording
from sweepbot.sessions.settings import PlaySettings
from sweepbot.strangers import printable
from sweepbot.trace.events import Observer
from sweepbot.vision.calibration import Calibration
from sweepbot.vision.reader import Reader
from sweepbot.vision.reading import Reading


@dataclass(frozen=True, slots=True)
class Target:
    """Which client to search for.

    Attributes:
        settings: The settings of the session, as far as they are known before the client is.
        read: Reads the board in a picture; raises NoBoardFoundError if there is none of such a client.
        reader: Returns a reader for the client of a reading only.
        titles: Words in the titles of its windows.
        settled: Returns the calibration and the settings to play with, given the reading of the board that was found.
        named: A reader for the client that was named; None if any will do.
    """

    settings: PlaySettings
    read: Callable[[Image], Reading]
    reader: Callable[[Reading], Reader]
    titles: Sequence[str]
    settled: Callable[[Reading], tuple[Calibration, PlaySettings]]
    named: Reader | None = None


def named(calibration: Calibration, settings: PlaySettings) -> Target:
    """Return the target of one particular client, which is played with these settings."""
    reader = Reader(calibration, settings.mines, is_told=True)
    titles = calibration.titles
    return Target(settings, reader.read, lambda _: reader, titles, lambda _: (calibration, settings), reader)


def finder(
    target: Target,
    recording: Recording,
    observer: Observer,
    explain: Callable[[NoBoardFoundError, Image], NoBoardFoundError] | None = None,
) -> Finder:
    """Return what searches for a target, and reads its board from the client's part of the screen only.

    The surroundings of a board have a small influence on where its grid lines and colours are found. So the search only
    tells which client it is and where, and the board is read once more in its own part of the screen: a replay, which
    has no more than that part, then comes to the same reading.

    `observer` and `explain` are those of `Finder`; by default what `named_window` says.
    """

    def read(frame: Frame) -> Reading:
        if recording.shown is not None:
            part = recording.shown.intersection(frame.region) or frame.region
            return read_frame(target.read, Frame(frame.part(part), part))
        windows = recording.desk.windows
        before = [] if windows is None else windows.shown()
        reading = read_frame(target.read, frame)  # may take seconds
        if windows is not None:
            check_still_shown(windows, before, reading.grid.region.centre)
        reader = target.reader(reading)
        place = recording.place_of(reading.grid, reader.calibration)
        part = Region(*place.region).intersection(frame.region) or frame.region
        if part != frame.region:
            reading = read_frame(reader.read, Frame(frame.part(part), part))
        recording.observe(place)
        return reading

    settings = target.settings
    return Finder(
        recording.desk,
        read,
        titles=target.titles,
        region=settings.place,
        may_resize=settings.resizes,
        observer=observer,
        explain=explain or (lambda error, _: named_window(error, recording.desk.windows, target.titles)),
    )


def named_window(error: NoBoardFoundError, windows: Windows | None, titles: Sequence[str]) -> NoBoardFoundError:
    """Add to an error which window is titled like the client, though it shows no board, and what to do about that."""
    if windows is None or not (clients := windows.titled(titles)):
        return error
    title = printable(windows.title(clients[0]))
    hint = "start a game in it first, or go on with it: a menu, a choice of sizes or a pause is no board"
    return NoBoardFoundError(f"{error}; the window {title!r} shows none", hint=hint)
