"""Making the client's window larger where its board is too small or cut off, and putting it back at the end."""

from collections.abc import Iterator

from sweepbot.control.client_window import ClientWindow
from sweepbot.control.watching import watch
from sweepbot.desktop.desk import Desk
from sweepbot.errors import ClientGoneError
from sweepbot.geometry import Region

_STEP = 1.5  # the factor by which a window's width and height grow in one step
_RESTS_S = 0.3  # for which a resized window must look the same to count as redrawn
_LONGEST_S = 3.0  # the longest that redrawing may take


class WindowSize:
    """Changes the size of the client's window.

    Args:
        desk: What is played on.
        window: The client's window.
    """

    def __init__(self, desk: Desk, window: ClientWindow) -> None:
        self._desk = desk
        self._window = window
        self._first: Region | None = None

    def enlarged(self) -> Iterator[Region]:
        """Where the window is after each step: first moved on to the screen, then larger, until it cannot grow."""
        while (before := self._window.region) is not None:
            room = self._window.room()
            larger = _within(before, room)
            if larger == before:
                width, height = (
                    min(room.width, round(_STEP * before.width)),
                    min(room.height, round(_STEP * before.height)),
                )
                larger = _within(Region(before.x, before.y, width, height), room)
            if larger == before:
                return
            self._first = self._first or before
            self._window.place(larger)
            if self._window.region in (None, before):
                return
            self._wait_until_drawn()
            yield self._window.region

    def put_back(self) -> None:
        """Restore the window's first place and size, if it still exists."""
        if self._first is not None:
            try:
                self._window.place(self._first)
            except ClientGoneError:
                return
            finally:
                self._first = None

    def _wait_until_drawn(self) -> None:
        region = self._window.region and self._window.region.intersection(self._desk.screen.region)
        if region is None:
            return
        for look in watch(self._desk, region, lambda: None, poll_s=0.02):
            if look.rests_s >= _RESTS_S or look.since_s >= _LONGEST_S:
                return


def _within(window: Region, room: Region) -> Region:
    """A window moved, and made smaller if need be, to lie within the room that there is."""
    width, height = min(window.width, room.width), min(window.height, room.height)
    x = min(max(window.x, room.x), room.right - width)
    y = min(max(window.y, room.y), room.bottom - height)
    return Region(x, y, width, height)
